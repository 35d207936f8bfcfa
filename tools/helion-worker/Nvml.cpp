// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Nvml.h"

#include <cstring>
#include <dlfcn.h>

namespace helion::worker {

template <typename Function> static bool find(void *library, const char *name, Function &function) {
  void *address = dlsym(library, name);
  static_assert(sizeof function == sizeof address);
  std::memcpy(&function, &address, sizeof function);
  return address != nullptr;
}

Nvml::Nvml(const std::string &busId) {
  nvmlReturn_t (*nvmlInit_v2)() = nullptr;
  nvmlReturn_t (*nvmlDeviceGetHandleByPciBusId_v2)(const char *busId, nvmlDevice_t *device) = nullptr;
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  bool complete = library && find(library, "nvmlInit_v2", nvmlInit_v2) &&
                  find(library, "nvmlDeviceGetHandleByPciBusId_v2", nvmlDeviceGetHandleByPciBusId_v2) &&
                  find(library, "nvmlDeviceGetEnforcedPowerLimit", nvmlDeviceGetEnforcedPowerLimit) &&
                  find(library, "nvmlDeviceGetClockInfo", nvmlDeviceGetClockInfo);
  if (!complete || nvmlInit_v2() != NVML_SUCCESS)
    return;
  if (nvmlDeviceGetHandleByPciBusId_v2(busId.c_str(), &device) != NVML_SUCCESS)
    device = nullptr;
}

unsigned Nvml::powerLimit() const {
  unsigned limit = 0;
  return device && nvmlDeviceGetEnforcedPowerLimit(device, &limit) == NVML_SUCCESS ? limit : 0;
}

unsigned Nvml::clock(int type) const {
  unsigned megahertz = 0;
  return device && nvmlDeviceGetClockInfo(device, type, &megahertz) == NVML_SUCCESS ? megahertz : 0;
}

unsigned Nvml::multiprocessorClock() const { return clock(NVML_CLOCK_SM); }

unsigned Nvml::memoryClock() const { return clock(NVML_CLOCK_MEM); }

} // namespace helion::worker
