// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a candidate must pass on a row before it is timed: two runs over different poison, red zones and inputs intact,
// equal bytes, and values within the reference's tolerance. Each run is in the journal before the next request, so it
// is asked for once.
#ifndef HELION_AOT_RUNNER_MEASURE_CORRECTNESSGATE_H
#define HELION_AOT_RUNNER_MEASURE_CORRECTNESSGATE_H

#include "aot-runner/Measure/Bench.h"
#include "aot-runner/Measure/Reference.h"

namespace helion::aot {

class CorrectnessGate {
public:
  /// Makes the reference of a row when the first candidate needs it.
  using MakeReference = llvm::function_ref<llvm::Expected<const Reference *>(const Row &)>;

  CorrectnessGate(Journal &journal, Bench &bench) : journal(journal), bench(bench) {}
  /// The error is an EndedEarly, one of the journal's, or the reference's.
  llvm::Expected<CheckResult> check(const Subject &subject, MakeReference reference, int64_t deadlineMs);
  /// Runs whatever the journal says, and tells it nothing.
  llvm::Expected<CheckResult> checkAnew(const Subject &subject, const Reference &reference, int64_t deadlineMs);

private:
  llvm::Expected<FirstRun> runFirst(const Subject &subject, const Reference &reference, int64_t deadlineMs);
  /// `runFirst`, unless an earlier call of this program got that far.
  llvm::Expected<FirstRun> firstRun(const Subject &subject, MakeReference makeReference, int64_t deadlineMs);
  llvm::Expected<CheckResult> runAgain(const Subject &subject, FirstRun first, int64_t deadlineMs);

  Journal &journal;
  Bench &bench;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_CORRECTNESSGATE_H
