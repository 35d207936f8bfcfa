// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Timing.h"

#include <ctime>

namespace helion::worker {

static int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

namespace {
/// Runs the plan so many times as one sample needs.
class Sampler {
public:
  Sampler(const Plan &plan, Case &buffers, Backend &device, TimingMode mode, Failure &failure)
      : plan(plan), buffers(buffers), device(device), mode(mode), failure(failure) {}

  void warmUp(int64_t count) {
    for (int64_t call = 0; !failure && call < count; ++call) {
      buffers.restore(failure);
      timed([&] { run(); });
    }
  }

  /// Where a call changes what the next one reads, contents are put back before each, outside of the time.
  void chooseCalls() {
    if (mode != TimingMode::Cold && !buffers.changesInputs())
      while (!failure && calls < 1024 && timed([&] { run(); }) < double(device.shortestSample()))
        calls *= 2;
    if (mode != TimingMode::Graph || failure)
      return;
    device.startGraph(failure);
    if (!failure)
      run();
    device.endGraph(failure);
  }

  int64_t callsPerSample() const { return calls; }

  double sample() {
    bool isAhead = mode != TimingMode::Cold && device.runsBehind() && !buffers.changesInputs();
    if (isAhead && !failure)
      runSample();
    buffers.restore(failure);
    if (mode == TimingMode::Cold)
      buffers.evict(failure);
    return timed([&] { runSample(); }) / double(calls);
  }

private:
  void run() {
    for (int64_t call = 0; call < calls; ++call) {
      plan.run(failure);
      if (failure)
        return;
    }
  }

  void runSample() { mode == TimingMode::Graph ? device.runGraph(failure) : run(); }

  template <typename Runs> double timed(const Runs &runs) {
    if (!failure)
      device.startClock(failure);
    if (!failure)
      runs();
    return failure ? 0 : device.stopClock(failure);
  }

  const Plan &plan;
  Case &buffers;
  Backend &device;
  TimingMode mode;
  Failure &failure;
  int64_t calls = 1;
};
} // namespace

Samples takeSamples(const Plan &plan, Case &buffers, Backend &device, const TimingRequest &request, Failure &failure) {
  Samples samples;
  int64_t start = now();
  Sampler sampler(plan, buffers, device, request.mode, failure);
  sampler.warmUp(request.warmup);
  sampler.chooseCalls();
  samples.callsPerSample = sampler.callsPerSample();
  while (!failure && int64_t(samples.nanoseconds.size()) < request.repetitions) {
    samples.nanoseconds.push_back(sampler.sample());
    if (request.budgetNanoseconds > 0 && now() - start >= request.budgetNanoseconds)
      break;
  }
  return samples;
}

} // namespace helion::worker
