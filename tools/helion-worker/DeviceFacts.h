// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the worker says about its machine in the handshake; names the device class that samples belong to.
#ifndef HELION_TOOLS_WORKER_DEVICEFACTS_H
#define HELION_TOOLS_WORKER_DEVICEFACTS_H

#include <cstdint>
#include <string>

namespace helion::worker {

struct DeviceFacts {
  std::string target; // the best of our targets this machine runs, e.g. "cpu:x86-64-v3"
  std::string name;   // the model name as the system gives it
  int64_t cores = 1;  // usable by this process
  int64_t l1Bytes = 0;
  int64_t l2Bytes = 0;
  int64_t l3Bytes = 0;
  int64_t memoryBytes = 0;

  static const DeviceFacts &get();
  int64_t lastLevelCacheBytes() const { return l3Bytes ? l3Bytes : l2Bytes; }
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_DEVICEFACTS_H
