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
    EXPECT_EQ(device.fact("vector_bytes"), device.vectorBytes);
    EXPECT_LE(device.level1Bytes, device.level2Bytes);
    EXPECT_EQ(device.fact("sms"), std::nullopt);
    // A level's registers are the least that its chips have.
    const Device *baseline = cantFail(parseDevice(("cpu:" + device.baseline).str()));
    EXPECT_GE(device.vectorBytes, baseline->vectorBytes);
    EXPECT_GE(device.vectorRegisters, baseline->vectorRegisters);
  }
}

TEST(Device, NativeIsARowThatTheHostRuns) {
  Expected<const Device *> host = parseDevice("cpu:native");
  ASSERT_TRUE(bool(host)) << toString(host.takeError());
  EXPECT_TRUE(hostRuns(**host));
  EXPECT_TRUE(hostRuns(**parseDevice(("cpu:" + (*host)->baseline).str())));
  EXPECT_NE((*host)->chip, "native");
}

TEST(Device, UnknownName) {
  for (StringRef name : {"cpu:z80", "cpu", "", "x86-64-v3", "gpu:x86-64-v3"})
    EXPECT_EQ(toString(parseDevice(name).takeError()),
              ("unknown target `" + name +
               "`; known are `cpu:native`, `cpu:x86-64-v2`, `cpu:x86-64-v3`, `cpu:x86-64-v4`, `cpu:znver4`, "
               "`cpu:znver5`, `cpu:skylake-avx512`, `cpu:sapphirerapids`")
                  .str());
}

} // namespace
