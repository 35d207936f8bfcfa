// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceFacts.h"

#include "aot-runner/runtime/Cpu.h"

#include <fstream>
#include <sched.h>
#include <unistd.h>

namespace helion::worker {

static std::string bestTarget() {
#if defined(__x86_64__)
  // The features of each level, as the table of targets has them.
  if (HELION_RUNTIME::cpuHas("avx512f avx512bw avx512cd avx512dq avx512vl"))
    return "cpu:x86-64-v4";
  if (HELION_RUNTIME::cpuHas("avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"))
    return "cpu:x86-64-v3";
  return "cpu:x86-64-v2";
#elif defined(__aarch64__)
  return "cpu:aarch64";
#else
  return "cpu:unknown";
#endif
}

/// The value of the first line "key : value" of /proc/cpuinfo.
static std::string modelName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    size_t colon = line.find(':');
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos && colon + 2 <= line.size())
      return line.substr(colon + 2);
  }
  return "unknown";
}

static int64_t usableCores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// 0 where the system does not tell.
static int64_t systemValue(int name) {
  long value = sysconf(name);
  return value > 0 ? value : 0;
}

const DeviceFacts &DeviceFacts::get() {
  static const DeviceFacts facts = [] {
    DeviceFacts result;
    result.target = bestTarget();
    result.name = modelName();
    result.cores = usableCores();
    result.l1Bytes = systemValue(_SC_LEVEL1_DCACHE_SIZE);
    result.l2Bytes = systemValue(_SC_LEVEL2_CACHE_SIZE);
    result.l3Bytes = systemValue(_SC_LEVEL3_CACHE_SIZE);
    result.memoryBytes = systemValue(_SC_PHYS_PAGES) * systemValue(_SC_PAGESIZE);
    return result;
  }();
  return facts;
}

} // namespace helion::worker
