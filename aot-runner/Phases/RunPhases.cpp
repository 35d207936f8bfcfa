// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the phases, and their ends.
#include "aot-runner/Phases/RunPhases.h"

#include "aot-runner/Package/WritePackage.h"
#include "aot-runner/Phases/Preflight.h"
#include "aot-runner/Phases/Report.h"
#include "aot-runner/Phases/Tuning.h"
#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace helion;
using namespace helion::aot;
using Phase = Options::Phase;

namespace {
/// One call of helion-aot.
class Run {
public:
  Run(const Options &options, const std::atomic<bool> &stop, llvm::raw_ostream &out, llvm::raw_fd_ostream &err)
      : options(options), out(out), progress(err), budget(stop) {
    auto seconds = [](double s) {
      return std::chrono::duration_cast<Budget::Clock::duration>(std::chrono::duration<double>(s));
    };
    if (options.budgetSeconds > 0)
      budget.end = Budget::Clock::now() + seconds(options.budgetSeconds);
    if (options.gpuSeconds > 0)
      budget.deviceSeconds = options.gpuSeconds;
  }
  llvm::Expected<ExitCode> run();

private:
  llvm::Expected<ExitCode> tune(const Problem &problem);
  llvm::Expected<ExitCode> tuneIn(const Problem &problem, WorkerClient *client);
  llvm::Expected<std::optional<ExitCode>> learnInBudget(Workbench &bench, llvm::ArrayRef<std::unique_ptr<Pool>> pools);
  llvm::Error learn(Workbench &bench, llvm::ArrayRef<std::unique_ptr<Pool>> pools);
  llvm::Error select(const Problem &problem, llvm::ArrayRef<std::unique_ptr<Pool>> pools);
  llvm::Expected<ExitCode> package(FindObject find);
  llvm::Error checkSize() const;
  llvm::Expected<ExitCode> buildFromTuned();
  llvm::Expected<ExitCode> evaluate();
  llvm::Expected<ExitCode> dryRun(const Problem &problem);
  llvm::Error checkWorker(const Problem &problem) const;
  int64_t helloMs() const {
    return options.answerSeconds > 0 ? static_cast<int64_t>(options.answerSeconds * 1000) : WorkerClient::kHelloMs;
  }
  llvm::Expected<std::string> lastDevice(Journal &journal, llvm::StringRef protocol) const;
  ExitCode verdict() const { return replayed.outcome == Outcome::Met ? ExitCode::Met : ExitCode::Missed; }
  ExitCode report(ExitCode exit);

  const Options &options;
  llvm::raw_ostream &out;
  Progress progress;
  Budget budget;
  Tuned tuned;
  Replay replayed;
  Outcomes outcomes;
};
} // namespace

ExitCode Run::report(ExitCode exit) {
  progress.end();
  if (options.json)
    out << llvm::formatv("{0}\n", reportJson(outcomes, exit));
  else
    printReport(out, outcomes);
  return exit;
}

//===-- Before anything is written --------------------------------------------------------------------------------===//

llvm::Error Run::checkWorker(const Problem &problem) const {
  WorkerClient probe(options.worker, "/dev/null", budget.stop, helloMs());
  llvm::Error error = probe.restart();
  if (!error)
    return checkMemory(problem, probe.device());
  if (llvm::Error ended = budget.check())
    return llvm::consumeError(std::move(error)), std::move(ended);
  return llvm::make_error<EndedEarly>(EndedEarly::Why::NoWorker, llvm::toString(std::move(error)));
}

llvm::Expected<ExitCode> Run::dryRun(const Problem &problem) {
  // One sample, its gate and warm-up, at a guess of 10 ms; contenders and finalists about as much again.
  constexpr double kSecondsPerCell = 0.1;
  for (const SignatureProblem &signature : problem.signatures) {
    Space::Size size = signature.kernel.getSpace().size();
    std::string count = size.exact ? std::to_string(*size.exact) : llvm::formatv("about {0:E1}", size.estimate).str();
    double cells = static_cast<double>(options.pool) * signature.rows.size();
    outcomes.remarks.push_back(
        llvm::formatv("{0}({1}): {2} configs, {3} candidates on {4} rows, about {5:F0} s on the device", problem.kernel,
                      signature.name, count, options.pool, signature.rows.size(), cells * kSecondsPerCell));
  }
  return report(ExitCode::Met);
}

//===-- Collect, measure, build -----------------------------------------------------------------------------------===//

llvm::Error Run::learn(Workbench &bench, llvm::ArrayRef<std::unique_ptr<Pool>> pools) {
  for (const std::unique_ptr<Pool> &pool : pools)
    if (options.does(Phase::Collect))
      if (llvm::Error error = collect(bench, *pool))
        return error;
  for (const std::unique_ptr<Pool> &pool : pools)
    if (options.does(Phase::Measure))
      if (llvm::Error error = measure(bench, *pool))
        return error;
  return llvm::Error::success();
}

/// A spent budget gives the exit code that says so.
llvm::Expected<std::optional<ExitCode>> Run::learnInBudget(Workbench &bench,
                                                           llvm::ArrayRef<std::unique_ptr<Pool>> pools) {
  std::optional<ExitCode> early;
  if (llvm::Error error = learn(bench, pools)) {
    // A spent budget leaves a usable result; everything else ends here.
    llvm::Error rest = llvm::handleErrors(std::move(error), [&](std::unique_ptr<EndedEarly> ended) -> llvm::Error {
      if (ended->why != EndedEarly::Why::Budget)
        return llvm::Error(std::move(ended));
      early = ExitCode::BudgetEnded;
      outcomes.remarks.push_back(ended->message);
      return llvm::Error::success();
    });
    if (rest)
      return std::move(rest);
  }
  return early;
}

/// The device class of the latest session with this protocol: what a build without a worker builds from.
llvm::Expected<std::string> Run::lastDevice(Journal &journal, llvm::StringRef protocol) const {
  llvm::Expected<std::vector<Session>> sessions = journal.sessions();
  if (!sessions)
    return sessions.takeError();
  for (const Session &session : llvm::reverse(*sessions))
    if (session.protocol == protocol)
      return session.deviceClass;
  return llvm::createStringError("run directory `" + options.runDir + "` has no samples of protocol `" + protocol +
                                 "`; run `--phase measure` first");
}

llvm::Expected<ExitCode> Run::tune(const Problem &problem) {
  // A phase that only reads makes no directory.
  if (!options.does(Phase::Collect) && !RunDir::exists(options.runDir))
    return llvm::createStringError("run directory `" + options.runDir + "` holds nothing; run `--phase collect` first");
  if (!options.does(Phase::Collect) && !options.does(Phase::Measure))
    return tuneIn(problem, nullptr);
  if (llvm::Error error = checkWorker(problem))
    return std::move(error);
  llvm::SmallString<128> log(options.runDir);
  llvm::sys::path::append(log, "logs", "worker.log");
  WorkerClient client(options.worker, log.str().str(), budget.stop, helloMs());
  return tuneIn(problem, &client);
}

llvm::Expected<ExitCode> Run::tuneIn(const Problem &problem, WorkerClient *client) {
  llvm::Expected<RunDir> runDir = RunDir::open(options.runDir);
  if (!runDir)
    return runDir.takeError();
  llvm::Expected<Journal> journal = Journal::open(runDir->journalPath(), Journal::Mode::Write);
  if (!journal)
    return journal.takeError();
  WorkerClient none({}, "", budget.stop);
  Bench bench(client ? *client : none, budget, {options.threads, options.mode});
  if (client)
    if (llvm::Error error = bench.ready())
      return std::move(error);
  llvm::Expected<std::string> device =
      client ? llvm::Expected<std::string>(client->device().deviceClass()) : lastDevice(*journal, bench.protocol());
  if (!device)
    return device.takeError();
  llvm::Expected<SampleStore> samples = SampleStore::load(*journal, *device, bench.protocol(), options.mode);
  if (!samples)
    return samples.takeError();
  TimingOptions timingOptions;
  timingOptions.seed = options.seed;
  if (options.answerSeconds > 0)
    timingOptions.deadlineMs = static_cast<int64_t>(options.answerSeconds * 1000);
  Timing timing(*journal, *samples, bench, timingOptions);
  Workbench workbench{options, *runDir, *journal, &bench, &timing, *samples, progress};
  std::vector<std::unique_ptr<Pool>> pools;
  for (const SignatureProblem &signature : problem.signatures)
    pools.push_back(std::make_unique<Pool>(workbench, signature));

  llvm::Expected<std::optional<ExitCode>> early = learnInBudget(workbench, pools);
  if (!early)
    return early.takeError();
  if (!options.does(Phase::Build))
    return report(early->value_or(ExitCode::Met));
  tuned.deviceClass = *device;
  tuned.protocol = bench.protocol();
  if (llvm::Error error = select(problem, pools)) {
    if (!*early)
      return std::move(error);
    return llvm::make_error<EndedEarly>(EndedEarly::Why::Budget,
                                        outcomes.remarks.back() + "; no package: " + llvm::toString(std::move(error)));
  }
  llvm::Expected<ExitCode> built =
      package([&](const TunedSignature &, const TunedVariant &variant) -> llvm::Expected<helion::Artifact> {
        llvm::Expected<std::optional<aot::Artifact>> stored = journal->findArtifact(variant.artifact);
        if (!stored)
          return stored.takeError();
        llvm::Expected<Manifest> manifest = Manifest::parse((*stored)->manifest, journal->path());
        if (!manifest)
          return manifest.takeError();
        return helion::Artifact{std::move(*manifest), (*stored)->object};
      });
  if (!built)
    return built;
  return report(early->value_or(*built));
}

llvm::Error Run::select(const Problem &problem, llvm::ArrayRef<std::unique_ptr<Pool>> pools) {
  tuned.kernel = problem.kernel;
  tuned.target = options.device->name();
  tuned.goal = goalName(options.goal).str();
  tuned.threshold = options.threshold;
  std::vector<std::string> hashes;
  SelectionNotes &notes = outcomes.notes;
  for (const std::unique_ptr<Pool> &pool : pools) {
    llvm::Expected<SelectedSignature> selected = selectSignature(options, *pool);
    if (!selected)
      return selected.takeError();
    // Of several signatures: the worst, and what all of them need together.
    const SelectionNotes &own = selected->notes;
    auto sum = [&](std::optional<int64_t> &total, std::optional<int64_t> more) {
      bool first = tuned.signatures.empty();
      total = (first || total) && more ? std::optional(total.value_or(0) + *more) : std::nullopt;
    };
    sum(notes.setMinimum, own.setMinimum);
    sum(notes.treeMinimum, own.treeMinimum);
    if (own.heldOut)
      notes.heldOut = std::max(notes.heldOut.value_or(0), *own.heldOut);
    notes.minimumProved &= own.minimumProved;
    if (own.unmeasured)
      outcomes.remarks.push_back(
          llvm::formatv("{0} rows of `{1}` were not measured", own.unmeasured, pool->getProblem().name));
    unsigned size = pool->getCandidates().size();
    tuned.poolSize = tuned.signatures.empty() ? size : std::min(tuned.poolSize, size);
    hashes.push_back(selected->tuned.kernelHash);
    tuned.signatures.push_back(std::move(selected->tuned));
  }
  std::vector<llvm::StringRef> parts(hashes.begin(), hashes.end());
  tuned.kernelHash = contentHash(parts);
  return llvm::Error::success();
}

/// Of the code that the package would hold, each artifact once.
llvm::Error Run::checkSize() const {
  std::map<std::string, uint64_t> bytes;
  for (const TunedSignature &signature : tuned.signatures)
    for (const TunedVariant &variant : signature.variants)
      bytes[variant.artifact] = variant.resources.codeBytes;
  uint64_t total = 0;
  for (auto &[artifact, size] : bytes)
    total += size;
  if (options.maxBytes == 0 || total <= options.maxBytes)
    return llvm::Error::success();
  return llvm::make_error<EndedEarly>(
      EndedEarly::Why::Limit, llvm::formatv("the package's code takes {0} bytes, `--max-bytes` allows {1}; allow more, "
                                            "or fewer configs by `--max-configs`",
                                            total, options.maxBytes));
}

llvm::Expected<ExitCode> Run::package(FindObject find) {
  llvm::Expected<Replay> result = replay(tuned);
  if (!result)
    return result.takeError();
  replayed = std::move(*result);
  outcomes.tuned = &tuned;
  outcomes.replayed = &replayed;
  if (options.strict && verdict() != ExitCode::Met) {
    outcomes.remarks.push_back("the goal is not met, so `--strict` writes no package");
    return verdict();
  }
  if (llvm::Error error = checkSize())
    return std::move(error);
  llvm::Expected<PackageSpec> spec = packageSpec(options, tuned, replayed, outcomes.notes, find);
  if (!spec)
    return spec.takeError();
  // From here on it takes an instant, and is done whole.
  if (budget.stop)
    return budget.check();
  if (llvm::Error error = writePackage(*spec, options.output))
    return std::move(error);
  outcomes.output = options.output;
  return verdict();
}

//===-- Build from a tuned file, evaluate -------------------------------------------------------------------------===//

llvm::Expected<ExitCode> Run::buildFromTuned() {
  llvm::Expected<Tuned> loaded = Tuned::load(options.from);
  if (!loaded)
    return loaded.takeError();
  tuned = std::move(*loaded);
  if (tuned.target != options.device->name())
    return llvm::createStringError(options.from + ": tuned for `" + tuned.target + "`, not for `" +
                                   options.device->name() + "`; give `--target " + tuned.target + "`");
  std::map<std::string, SignatureProblem> signatures;
  for (const TunedSignature &signature : tuned.signatures) {
    llvm::Expected<SignatureProblem> problem = loadSignature(options, tuned.kernel, signature.name);
    if (!problem)
      return problem.takeError();
    if (problem->kernel.getHash() != signature.kernelHash)
      return llvm::createStringError(options.from + ": `" + options.kernelFile +
                                     "` is not the kernel that was tuned; tune again");
    signatures.emplace(signature.name, std::move(*problem));
  }
  llvm::Expected<ExitCode> built =
      package([&](const TunedSignature &signature, const TunedVariant &variant) -> llvm::Expected<helion::Artifact> {
        llvm::Expected<helion::Artifact> artifact =
            compileIsolated(signatures.at(signature.name).kernel, variant.config, {1, options.compileSeconds, ""});
        if (artifact && artifact->manifest.artifactHash() != variant.artifact)
          return llvm::createStringError(options.from + ": config `" + variant.config +
                                         "` gives another artifact than the one measured; tune again");
        return artifact;
      });
  return built ? llvm::Expected<ExitCode>(report(*built)) : std::move(built);
}

llvm::Expected<ExitCode> Run::evaluate() {
  llvm::Expected<Problem> problem = loadProblem(options);
  if (!problem)
    return problem.takeError();
  llvm::SmallString<128> file(options.output);
  llvm::sys::path::append(file, problem->kernel + ".tuned.jsonl");
  llvm::Expected<Tuned> loaded = Tuned::load(file.str().str());
  if (!loaded)
    return loaded.takeError();
  tuned = std::move(*loaded);
  llvm::Expected<Replay> result = replay(tuned);
  if (!result)
    return result.takeError();
  replayed = std::move(*result);
  outcomes.tuned = &tuned;
  outcomes.replayed = &replayed;
  outcomes.replayedOnly = true;
  return report(verdict());
}

llvm::Expected<ExitCode> Run::run() {
  if (!options.dryRun && options.phase != Phase::Evaluate)
    if (llvm::Error error = checkFolders(options))
      return std::move(error);
  if (!options.from.empty())
    return buildFromTuned();
  if (options.phase == Phase::Evaluate)
    return evaluate();
  llvm::Expected<Problem> problem = loadProblem(options);
  if (!problem)
    return problem.takeError();
  if (budget.stop)
    return budget.check();
  return options.dryRun ? dryRun(*problem) : tune(*problem);
}

ExitCode helion::aot::runPhases(const Options &options, const std::atomic<bool> &stop, llvm::raw_ostream &out,
                                llvm::raw_fd_ostream &err) {
  ExitCode exit = ExitCode::BadInput;
  llvm::Expected<ExitCode> result = Run(options, stop, out, err).run();
  if (result)
    return *result;
  llvm::handleAllErrors(
      result.takeError(),
      [&](const EndedEarly &ended) {
        static constexpr ExitCode exits[] = {ExitCode::Interrupted, ExitCode::BudgetEnded, ExitCode::NoWorker,
                                             ExitCode::LimitBroken};
        exit = exits[static_cast<unsigned>(ended.why)];
        err << "helion-aot: " << ended.message << "\n";
      },
      [&](const llvm::ErrorInfoBase &error) { err << "helion-aot: " << error.message() << "\n"; });
  return exit;
}
