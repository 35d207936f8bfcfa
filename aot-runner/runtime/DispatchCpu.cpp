// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dispatch asks of a CPU: kernels are functions of this program, which the thread pool runs.
#include "Dispatch.h"

#include "Cpu.h"
#include "ThreadPool.h"

#include <atomic>

namespace HELION_RUNTIME {

/// Pinned memory is the processor's own.
bool isHere(const DLDevice &memory, int32_t &device) {
  int type = int(memory.device_type);
  device = 0;
  return type == kDLCPU || type == kDLCUDAHost || type == kDLROCMHost;
}

Status checkDevice(const Package &package, Call &) {
  // Asked once; two threads that ask at once get the same answer.
  static std::atomic<int> known{0};
  int answer = known.load(std::memory_order_relaxed);
  if (answer == 0) {
    answer = cpuHas(package.cpuFeatures) ? 1 : 2;
    known.store(answer, std::memory_order_relaxed);
  }
  return answer == 1 ? StatusOk : StatusUnsupportedCpu;
}

Status enter(const Package &, void *, Call &) { return StatusOk; }

void leave(const Call &) {}

Status stepFailure(const Call &) { return StatusNoMemory; } // For scratch.

Status prepare(const Package &package, int device) {
  if (device != 0)
    return StatusWrongDevice;
  Call call = {nullptr, nullptr};
  if (Status status = checkDevice(package, call))
    return status;
  ThreadPool::get().start();
  return StatusOk;
}

void unload() { ThreadPool::get().stop(); }

void setThreads(int count) { ThreadPool::get().setThreads(count); }

int threads() { return ThreadPool::get().threads(); }

bool launch(ProgramFunction function, const int64_t *arguments, const int64_t *grid, int64_t scratchBytes) {
  return ThreadPool::get().run({function, arguments, grid, scratchBytes});
}

} // namespace HELION_RUNTIME
