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

/// Nanoseconds of `calls` calls, or -1.
static int64_t timeCalls(const Plan &plan, int64_t calls) {
  int64_t start = now();
  for (int64_t i = 0; i < calls; ++i)
    if (!plan.run())
      return -1;
  return now() - start;
}

static int64_t callsForShortPlans(const Plan &plan) {
  int64_t calls = 1;
  while (calls < 1024) {
    int64_t taken = timeCalls(plan, calls);
    if (taken < 0 || taken >= shortestSample)
      break;
    calls *= 2;
  }
  return calls;
}

Samples takeSamples(const Plan &plan, Case &buffers, const TimingRequest &request, Failure &failure) {
  Samples samples;
  int64_t start = now();
  bool ran = timeCalls(plan, request.warmup) >= 0;
  if (ran && !request.cold)
    samples.callsPerSample = callsForShortPlans(plan);
  while (ran && int64_t(samples.nanoseconds.size()) < request.repetitions) {
    if (request.cold)
      buffers.evict();
    int64_t taken = timeCalls(plan, samples.callsPerSample);
    ran = taken >= 0;
    if (ran)
      samples.nanoseconds.push_back(double(taken) / double(samples.callsPerSample));
    if (request.budgetNanoseconds > 0 && now() - start >= request.budgetNanoseconds)
      break;
  }
  if (!ran)
    failure.set("memory", "no memory for the scratch of the plan");
  return samples;
}

} // namespace helion::worker
