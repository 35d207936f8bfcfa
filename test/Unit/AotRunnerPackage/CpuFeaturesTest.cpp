// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The package's runtime asks `cpuid` itself, the compiler asks LLVM: both give the same answer for every target.
#include "aot-runner/runtime/Cpu.h"
#include "dialect/Target/Device.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

using namespace helion;

TEST(CpuFeatures, AgreeWithLlvm) {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  for (const Device &device : knownDevices()) {
    if (!device.cpu())
      continue;
    std::string features = device.features();
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(features).split(names, ' ');
    ASSERT_GE(names.size(), 5u);
    for (llvm::StringRef name : names)
      EXPECT_EQ(HELION_RUNTIME::cpuHas(name.str().c_str()), host.lookup(name)) << name.str();
    EXPECT_EQ(HELION_RUNTIME::cpuHas(features.c_str()), hostRuns(device)) << device.name();
  }
}

TEST(CpuFeatures, Unknown) {
  EXPECT_TRUE(HELION_RUNTIME::cpuHas(""));
  EXPECT_FALSE(HELION_RUNTIME::cpuHas("sse5"));
  EXPECT_FALSE(HELION_RUNTIME::cpuHas("sse3 sse5"));
}
