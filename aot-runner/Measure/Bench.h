// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker with what it has loaded, and the rule of blame: whatever a worker dies of, a fresh one is asked again with
// nothing else loaded before the candidate is blamed. The candidate after it meets a fresh worker as well.
#ifndef HELION_AOT_RUNNER_MEASURE_BENCH_H
#define HELION_AOT_RUNNER_MEASURE_BENCH_H

#include "aot-runner/Journal/Journal.h"
#include "aot-runner/Measure/EndedEarly.h"
#include "aot-runner/Measure/WireForm.h"
#include "aot-runner/Measure/WorkerClient.h"
#include <set>

namespace helion::aot {

/// One candidate on one row. What it points to outlives the measuring.
struct Subject {
  std::string artifact; // Hash.
  std::string library;  // The shared object's path, as the worker sees it.
  const Row *row = nullptr;
  ResolvedPlan plan;
  unsigned draw = 0; // Of the inputs.
  /// A package's function instead of the plan's steps: a `call` of the worker protocol; the plan has the buffers.
  std::optional<llvm::json::Object> call = std::nullopt;
};

struct BenchOptions {
  unsigned threads = 0; // 0: all cores.
  std::string mode = "cold";
};

class Bench {
public:
  Bench(WorkerClient &client, Budget &budget, BenchOptions options)
      : client(client), budget(budget), options(std::move(options)) {}

  const BenchOptions &getOptions() const { return options; }
  /// How samples are taken; samples of two protocols do not mix.
  std::string protocol() const;
  Budget &getBudget() { return budget; }
  WorkerClient &getClient() { return client; }

  /// Asks a package what it would do, with the call's arguments and another symbol.
  llvm::Expected<WorkerAnswer> query(const Subject &subject, llvm::StringRef symbol, int64_t deadlineMs);
  /// Starts the worker where none runs, so that its device is known.
  llvm::Error ready();
  /// Loads what is needed and asks; adds case, artifact, plan and threads to the request. Answers are Ok, or say what
  /// the subject is blamed for. The error is an EndedEarly.
  llvm::Expected<WorkerAnswer> ask(const Subject &subject, llvm::json::Object request, int64_t deadlineMs);

private:
  llvm::Expected<WorkerAnswer> askTwice(const Subject &subject, const llvm::json::Object &request, int64_t deadlineMs);
  WorkerAnswer attempt(const Subject &subject, llvm::json::Object request, int64_t deadlineMs);
  WorkerAnswer prepare(const Subject &subject, int64_t deadlineMs);
  llvm::Error restart();

  WorkerClient &client;
  Budget &budget;
  BenchOptions options;
  unsigned generation = 0; // Of the worker that the rest is about.
  std::set<std::string> loaded;
  std::string currentCase;
};

/// What a failed answer says of its subject.
CheckVerdict blame(const WorkerAnswer &answer);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_BENCH_H
