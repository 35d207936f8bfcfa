// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens run directory, journal and worker.
#include "aot-runner/Phases/Station.h"

#include "llvm/ADT/STLExtras.h"

using namespace helion::aot;

std::string helion::aot::workerTarget(const Options &options) {
  return options.device->cpu() ? "" : options.device->name();
}

static TimingOptions timingOptions(const Options &options) {
  TimingOptions result;
  result.seed = options.seed;
  if (options.answerSeconds > 0)
    result.deadlineMs = static_cast<int64_t>(options.answerSeconds * 1000);
  return result;
}

Station::Station(const Options &options, Budget &budget, Progress &progress, WorkerClient *client, RunDir runDir,
                 Journal journal)
    : options(options), runDir(std::move(runDir)), journal(std::move(journal)), none({}, "", budget.stop),
      worker(client ? *client : none, budget, {options.threads, options.mode}),
      timing(this->journal, samples, worker, timingOptions(options)),
      bench{options, this->runDir, this->journal, &worker, &timing, samples, progress} {}

llvm::Expected<std::unique_ptr<Station>> Station::open(const Options &options, Budget &budget, Progress &progress,
                                                       WorkerClient *client) {
  llvm::Expected<RunDir> runDir = RunDir::open(options.runDir);
  if (!runDir)
    return runDir.takeError();
  llvm::Expected<Journal> journal = Journal::open(runDir->journalPath(), Journal::Mode::Write);
  if (!journal)
    return journal.takeError();
  std::unique_ptr<Station> station(
      new Station(options, budget, progress, client, std::move(*runDir), std::move(*journal)));
  if (llvm::Error error = station->load(client))
    return std::move(error);
  return station;
}

/// The device class of the latest session with this protocol: what a build without a worker builds from.
llvm::Expected<std::string> Station::lastDevice() {
  llvm::Expected<std::vector<Session>> sessions = journal.sessions();
  if (!sessions)
    return sessions.takeError();
  for (const Session &session : llvm::reverse(*sessions))
    if (session.protocol == worker.protocol())
      return session.deviceClass;
  return llvm::createStringError("run directory `" + options.runDir + "` has no samples of protocol `" +
                                 worker.protocol() + "`; run `--phase measure` first");
}

llvm::Error Station::load(WorkerClient *client) {
  if (client)
    if (llvm::Error error = worker.ready())
      return error;
  llvm::Expected<std::string> found =
      client ? llvm::Expected<std::string>(client->device().deviceClass()) : lastDevice();
  if (!found)
    return found.takeError();
  device = *found;
  llvm::Expected<SampleStore> loaded = SampleStore::load(journal, device, worker.protocol(), options.mode);
  if (!loaded)
    return loaded.takeError();
  samples = std::move(*loaded);
  return llvm::Error::success();
}
