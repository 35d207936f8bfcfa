// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NVIDIA's management library says of a device that its driver does not: the power limit, and the clocks of this
// moment. Opened at run time; without it these are unknown.
#ifndef HELION_TOOLS_WORKER_NVML_H
#define HELION_TOOLS_WORKER_NVML_H

#include <string>

namespace helion::worker {

class Nvml {
public:
  /// `busId` is the device's PCI address.
  explicit Nvml(const std::string &busId);

  bool knowsDevice() const { return device != nullptr; }
  /// The limit that the device obeys, in milliwatts; 0: unknown.
  unsigned powerLimit() const;
  /// In MHz; 0: unknown.
  unsigned multiprocessorClock() const;
  unsigned memoryClock() const;

private:
  // NVML's public names and numbers.
  using nvmlReturn_t = int;
  using nvmlDevice_t = struct nvmlDevice_st *;
  static constexpr nvmlReturn_t NVML_SUCCESS = 0;
  static constexpr int NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2;

  unsigned clock(int type) const;

  nvmlReturn_t (*nvmlDeviceGetEnforcedPowerLimit)(nvmlDevice_t device, unsigned *limit) = nullptr;
  nvmlReturn_t (*nvmlDeviceGetClockInfo)(nvmlDevice_t device, int type, unsigned *megahertz) = nullptr;
  nvmlDevice_t device = nullptr;
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_NVML_H
