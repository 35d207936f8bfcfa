// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one sample is taken.
#ifndef HELION_TOOLS_WORKER_TIMING_H
#define HELION_TOOLS_WORKER_TIMING_H

#include "Plan.h"

#include <vector>

namespace helion::worker {

enum class TimingMode {
  Cold, // Empty caches before every call.
  Warm, // Calls one after the other.
  Graph // The same, put on the device as one graph.
};

struct TimingRequest {
  TimingMode mode = TimingMode::Cold;
  int64_t warmup = 1; // calls before the first sample
  int64_t repetitions = 1;
  int64_t budgetNanoseconds = 0; // no further sample once this much time was spent, the warm-up included; 0: no limit
};

struct Samples {
  std::vector<double> nanoseconds; // per call
  int64_t callsPerSample = 1;      // more than one only for short warm calls, below the clock's resolution
};

/// At least one sample, unless a call fails.
Samples takeSamples(const Plan &plan, Case &buffers, Backend &device, const TimingRequest &request, Failure &failure);

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_TIMING_H
