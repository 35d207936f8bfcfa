// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Timing.h"

#include <ctime>

namespace helion::worker {

/// A warm sample takes at least this long; reading the clock costs about 25 ns.
static constexpr int64_t shortestSample = 5000;

static int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// Sets `taken` to the nanoseconds of `calls` calls; the status of a call that fails.
static int timeCalls(const Plan &plan, int64_t calls, int64_t &taken) {
  int64_t start = now();
  for (int64_t i = 0; i < calls; ++i)
    if (int status = plan.run())
      return status;
  taken = now() - start;
  return 0;
}

static int64_t callsForShortPlans(const Plan &plan) {
  int64_t calls = 1, taken = 0;
  while (calls < 1024) {
    if (timeCalls(plan, calls, taken) || taken >= shortestSample)
      break;
    calls *= 2;
  }
  return calls;
}

Samples takeSamples(const Plan &plan, Case &buffers, const TimingRequest &request, Failure &failure) {
  Samples samples;
  int64_t start = now();
  int64_t taken = 0;
  int status = 0;
  for (int64_t call = 0; !status && call < request.warmup; ++call) {
    buffers.restore();
    status = timeCalls(plan, 1, taken);
  }
  // Where a call changes what the next one reads, contents are put back before each, outside of the time.
  if (!status && !request.cold && !buffers.changesInputs())
    samples.callsPerSample = callsForShortPlans(plan);
  while (!status && int64_t(samples.nanoseconds.size()) < request.repetitions) {
    buffers.restore();
    if (request.cold)
      buffers.evict();
    status = timeCalls(plan, samples.callsPerSample, taken);
    if (!status)
      samples.nanoseconds.push_back(double(taken) / double(samples.callsPerSample));
    if (request.budgetNanoseconds > 0 && now() - start >= request.budgetNanoseconds)
      break;
  }
  Plan::explain(status, failure);
  return samples;
}

} // namespace helion::worker
