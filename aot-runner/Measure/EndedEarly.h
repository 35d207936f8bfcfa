// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a run ends before its work does, and the budget that may end it. Not bad input: what was learnt is kept, and the
// caller decides what to make of it.
#ifndef HELION_AOT_RUNNER_MEASURE_ENDEDEARLY_H
#define HELION_AOT_RUNNER_MEASURE_ENDEDEARLY_H

#include "llvm/Support/Error.h"
#include <atomic>
#include <chrono>
#include <limits>

namespace helion::aot {

class EndedEarly : public llvm::ErrorInfo<EndedEarly> {
public:
  static char ID;
  enum class Why { Interrupted, Budget, NoWorker, Limit };

  EndedEarly(Why why, std::string message) : why(why), message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const Why why;
  const std::string message;
};

/// Time that a run may take: on the clock, and on the device. `stop` is set from outside, by a signal.
struct Budget {
  using Clock = std::chrono::steady_clock;
  explicit Budget(const std::atomic<bool> &stop) : stop(stop) {}

  const std::atomic<bool> &stop;
  Clock::time_point end = Clock::time_point::max();
  double deviceSeconds = std::numeric_limits<double>::infinity(); // Left.

  /// Fails when the run should end here.
  llvm::Error check() const;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_ENDEDEARLY_H
