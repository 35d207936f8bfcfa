// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timing sessions.
#include "aot-runner/Measure/Timing.h"

#include "aot-runner/Measure/InputData.h"
#include "passes/Config/Random.h"
#include "llvm/ADT/STLExtras.h"

using namespace helion;
using namespace helion::aot;
namespace json = llvm::json;

llvm::Error Timing::openSession() {
  if (llvm::Error error = bench.ready())
    return error;
  if (session && generation == bench.getClient().generation())
    return llvm::Error::success();
  std::string device = bench.getClient().device().deviceClass();
  llvm::Expected<Session> opened = journal.startSession(device, bench.protocol());
  if (!opened)
    return opened.takeError();
  session = *opened;
  generation = bench.getClient().generation();
  ordinal = 0;
  return llvm::Error::success();
}

static std::optional<std::vector<double>> timesOf(const WorkerAnswer &answer) {
  const json::Array *list = answer.body.getArray("ns");
  std::vector<double> times;
  for (const json::Value &value : list ? *list : json::Array())
    if (std::optional<double> time = value.getAsNumber())
      times.push_back(*time);
  if (times.empty())
    return std::nullopt;
  return times;
}

llvm::Expected<std::optional<std::vector<double>>>
helion::aot::takeSample(Bench &bench, const Subject &subject, const TimingOptions &options, CheckResult *failure) {
  llvm::Expected<WorkerAnswer> answer = bench.ask(subject,
                                                  json::Object{{"op", "time"},
                                                               {"mode", bench.getOptions().mode},
                                                               {"repetitions", options.repetitions},
                                                               {"budget_ns", options.budgetNs}},
                                                  options.deadlineMs);
  if (!answer)
    return answer.takeError();
  std::optional<std::vector<double>> times = timesOf(*answer);
  if (!times && failure) {
    failure->verdict = answer->kind == WorkerAnswer::Kind::Ok ? CheckVerdict::Crash : blame(*answer);
    failure->message = "while it was timed: " + answer->message;
  }
  return times;
}

llvm::Error Timing::sample(const Subject &subject, bool anchor, Blamed &blamed) {
  CheckResult failure;
  llvm::Expected<std::optional<std::vector<double>>> taken = takeSample(bench, subject, options, &failure);
  if (!taken)
    return taken.takeError();
  std::optional<std::vector<double>> &times = *taken;
  if (!times) {
    blamed.push_back(subject.artifact);
    return journal.addVerdict(subject.artifact, subject.row->id(), failure);
  }
  // The process may have been replaced meanwhile.
  if (llvm::Error error = openSession())
    return error;
  Sample sample;
  sample.artifact = subject.artifact;
  sample.row = subject.row->id();
  sample.session = session->id;
  sample.mode = bench.getOptions().mode;
  sample.ordinal = ordinal++;
  sample.anchor = anchor;
  sample.timesNs = std::move(*times);
  return store.add(journal, sample);
}

llvm::Expected<Timing::Blamed> Timing::interleaved(const Subject &anchor, std::vector<Subject> subjects,
                                                   unsigned round) {
  Blamed blamed;
  if (subjects.empty())
    return blamed;
  if (llvm::Error error = openSession())
    return std::move(error);
  Random random(options.seed + inputSeed(*anchor.row, "round " + std::to_string(round)));
  for (size_t left = subjects.size(); left > 1; --left)
    std::swap(subjects[left - 1], subjects[random.below(left)]);
  if (llvm::Error error = sample(anchor, /*anchor=*/true, blamed))
    return std::move(error);
  for (const Subject &subject : subjects)
    if (llvm::Error error = sample(subject, /*anchor=*/false, blamed))
      return std::move(error);
  if (llvm::Error error = sample(anchor, /*anchor=*/true, blamed))
    return std::move(error);
  return blamed;
}

llvm::Expected<Timing::Blamed> Timing::round(const Subject &anchor, llvm::ArrayRef<Subject> subjects, unsigned round) {
  std::vector<Subject> missing;
  for (const Subject &subject : subjects)
    if (store.rounds(subject.row->id(), subject.artifact) <= round)
      missing.push_back(subject);
  return interleaved(anchor, std::move(missing), round);
}

llvm::Expected<Timing::Blamed> Timing::together(const Subject &anchor, llvm::ArrayRef<Subject> subjects,
                                                unsigned round) {
  return interleaved(anchor, subjects.vec(), round);
}
