// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of targets and the reading of their names.
#include "dialect/Target/Device.h"
#include "gtest/gtest.h"
#include <set>

using namespace llvm;
using namespace helion;

namespace {

TEST(Device, EveryRowReadsBackAndIsWhole) {
  std::set<std::string> names;
  for (const Device &device : knownDevices()) {
    EXPECT_TRUE(names.insert(device.name()).second) << device.name();
    Expected<const Device *> read = parseDevice(device.name());
    ASSERT_TRUE(bool(read)) << toString(read.takeError());
    EXPECT_EQ(*read, &device);
    EXPECT_EQ(device.fact("sms"), std::nullopt);
    EXPECT_EQ(device.vendor == "cpu", device.cpu() != nullptr);
    EXPECT_EQ(device.vendor == "nvidia", device.nvidia() != nullptr);
  }
}

TEST(Device, Cpu) {
  for (const Device &device : knownDevices()) {
    const CpuDevice *cpu = device.cpu();
    if (!cpu)
      continue;
    EXPECT_EQ(device.fact("vector_bytes"), cpu->vectorBytes);
    EXPECT_EQ(device.fact("lanes"), std::nullopt);
    EXPECT_LE(cpu->level1Bytes, cpu->level2Bytes);
    // A level's registers are the least that its chips have.
    const CpuDevice *baseline = cantFail(parseDevice(("cpu:" + cpu->baseline).str()))->cpu();
    EXPECT_GE(cpu->vectorBytes, baseline->vectorBytes);
    EXPECT_GE(cpu->vectorRegisters, baseline->vectorRegisters);
  }
}

TEST(Device, Nvidia) {
  const Device *device = cantFail(parseDevice("nvidia:sm_90a"));
  const NvidiaDevice *facts = device->nvidia();
  ASSERT_TRUE(facts);
  EXPECT_EQ(device->fact("lanes"), 32);
  EXPECT_EQ(device->fact("shared_bytes"), 232448);
  EXPECT_EQ(device->fact("vector_bytes"), std::nullopt);
  EXPECT_LT(facts->sharedBytes, facts->smSharedBytes);
  EXPECT_TRUE(device->features().empty());
  EXPECT_FALSE(hostRuns(*device));
}

TEST(Device, NativeIsARowThatTheHostRuns) {
  Expected<const Device *> host = parseDevice("cpu:native");
  ASSERT_TRUE(bool(host)) << toString(host.takeError());
  EXPECT_TRUE(hostRuns(**host));
  EXPECT_TRUE(hostRuns(**parseDevice(("cpu:" + (*host)->cpu()->baseline).str())));
  EXPECT_NE((*host)->chip, "native");
}

TEST(Device, UnknownName) {
  for (StringRef name : {"cpu:z80", "cpu", "", "x86-64-v3", "gpu:x86-64-v3"})
    EXPECT_EQ(toString(parseDevice(name).takeError()),
              ("unknown target `" + name +
               "`; known are `cpu:native`, `cpu:x86-64-v2`, `cpu:x86-64-v3`, `cpu:x86-64-v4`, `cpu:znver4`, "
               "`cpu:znver5`, `cpu:skylake-avx512`, `cpu:sapphirerapids`, `nvidia:sm_80`, `nvidia:sm_90a`")
                  .str());
}

} // namespace
