// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds of samples on one row: the anchor first and last, candidates between in an order that the seed shuffles anew
// for each round. Each sample is committed before the next request, so a run that is killed goes on with what is
// missing.
#ifndef HELION_AOT_RUNNER_MEASURE_TIMING_H
#define HELION_AOT_RUNNER_MEASURE_TIMING_H

#include "aot-runner/Measure/Bench.h"
#include "aot-runner/Measure/SampleStore.h"

namespace helion::aot {

struct TimingOptions {
  unsigned repetitions = 40;
  int64_t budgetNs = 20'000'000; // Of one sample: slow candidates get fewer repetitions.
  uint64_t seed = 0;
  int64_t deadlineMs =
      60000; // For warm-up and the one repetition that is always taken; the gate has shown that it ends.
};

/// The times of one answer, in nanoseconds of single calls; none where the subject failed, then `failure` says how.
/// Tells no journal.
llvm::Expected<std::optional<std::vector<double>>>
takeSample(Bench &bench, const Subject &subject, const TimingOptions &options, CheckResult *failure = nullptr);

class Timing {
public:
  Timing(Journal &journal, SampleStore &store, Bench &bench, TimingOptions options)
      : journal(journal), store(store), bench(bench), options(options) {}

  /// Gives each subject that was asked less than `round + 1` times a sample. All are of one row and passed the gate.
  /// What breaks the worker now gets a verdict in the journal, and is returned.
  llvm::Expected<std::vector<std::string>> round(const Subject &anchor, llvm::ArrayRef<Subject> subjects,
                                                 unsigned round);
  /// Times as often as is asked, whatever is there: for what must be compared within this session.
  llvm::Expected<std::vector<std::string>> together(const Subject &anchor, llvm::ArrayRef<Subject> subjects,
                                                    unsigned round);

private:
  using Blamed = std::vector<std::string>;
  llvm::Error sample(const Subject &subject, bool anchor, Blamed &blamed);
  llvm::Expected<Blamed> interleaved(const Subject &anchor, std::vector<Subject> subjects, unsigned round);
  llvm::Error openSession();

  Journal &journal;
  SampleStore &store;
  Bench &bench;
  TimingOptions options;
  std::optional<Session> session;
  unsigned generation = 0; // Of the worker whose session it is: another process is another session.
  int64_t ordinal = 0;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_TIMING_H
