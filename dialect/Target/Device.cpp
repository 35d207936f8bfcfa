// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of targets, and which of them the host is.
#include "dialect/Target/Device.h"
#include "dialect/IR/MatrixShape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace helion {

static constexpr int64_t KiB = 1024;
static constexpr int64_t MiB = 1024 * KiB;

// Levels: x86-64 psABI, section 3.1.1, for the registers; their caches are small enough for any chip of the level.
// skylake-avx512, sapphirerapids: Intel 64 and IA-32 Architectures Optimization Reference Manual, cache tables (the
// last level is 1.375 and 1.875 MiB for each core). znver4, znver5: AMD Software Optimization Guides for families 19h
// and 1Ah, section 2.6 (32 MiB shared by eight cores).
// sm_80, sm_90a: CUDA C++ Programming Guide, technical specifications per compute capability 8.0 and 9.0; the
// second-level cache is of A100 and H100 (their architecture white papers). PTX 8.0 is the first that knows sm_90a, 8.6
// has what its asynchronous copies need.
static constexpr Device devices[] = {
    {"cpu", "x86-64-v2", CpuDevice{"x86-64-v2", 16, 16, 32 * KiB, 256 * KiB, 1 * MiB}},
    {"cpu", "x86-64-v3", CpuDevice{"x86-64-v3", 32, 16, 32 * KiB, 256 * KiB, 1 * MiB}},
    {"cpu", "x86-64-v4", CpuDevice{"x86-64-v4", 64, 32, 32 * KiB, 1 * MiB, 1 * MiB}},
    {"cpu", "znver4", CpuDevice{"x86-64-v4", 64, 32, 32 * KiB, 1 * MiB, 4 * MiB}},
    {"cpu", "znver5", CpuDevice{"x86-64-v4", 64, 32, 48 * KiB, 1 * MiB, 4 * MiB}},
    {"cpu", "skylake-avx512", CpuDevice{"x86-64-v4", 64, 32, 32 * KiB, 1 * MiB, 1408 * KiB}},
    {"cpu", "sapphirerapids", CpuDevice{"x86-64-v4", 64, 32, 48 * KiB, 2 * MiB, 1920 * KiB}},
    {"nvidia", "sm_80", NvidiaDevice{80, 32, 1024, 255, 65536, 2048, 163 * KiB, 164 * KiB, 40 * MiB, false, false}},
    {"nvidia", "sm_90a", NvidiaDevice{86, 32, 1024, 255, 65536, 2048, 227 * KiB, 228 * KiB, 50 * MiB, true, true}},
};

namespace {
struct Level {
  StringRef name;
  StringRef features; // As sys::getHostCPUFeatures names them, beyond the level before.
};
} // namespace

// x86-64 psABI, section 3.1.1; `lzcnt` and `xsave` stand for the system's support of the wider registers.
static constexpr Level levels[] = {
    {"x86-64-v2", "cx16 sahf popcnt sse3 ssse3 sse4.1 sse4.2"},
    {"x86-64-v3", "avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"},
    {"x86-64-v4", "avx512f avx512bw avx512cd avx512dq avx512vl"},
};

// What LLVM uses of a chip beyond its level; a virtual machine may hide it.
static constexpr Level chips[] = {
    {"znver4", "avx512bf16 avx512vnni avx512vbmi avx512vbmi2 gfni vaes"},
    {"znver5", "avx512bf16 avx512vnni avx512vp2intersect avxvnni gfni vaes movdiri"},
    {"skylake-avx512", "adx clflushopt"},
    {"sapphirerapids", "avx512bf16 avx512fp16 avx512vnni amx-tile amx-int8 amx-bf16 gfni vaes"},
};

std::string Device::name() const { return (vendor + ":" + chip).str(); }

using Fact = std::pair<StringRef, int64_t>;

static SmallVector<Fact> factsOf(const CpuDevice &device) {
  return {{"vector_bytes", device.vectorBytes},
          {"vector_registers", device.vectorRegisters},
          {"l1_bytes", device.level1Bytes},
          {"l2_bytes", device.level2Bytes},
          {"l3_bytes", device.level3Bytes}};
}

static SmallVector<Fact> factsOf(const NvidiaDevice &device) {
  SmallVector<Fact> facts = {{"lanes", device.lanes},
                             {"max_threads", device.maxThreads},
                             {"registers", device.registers},
                             {"thread_elements", device.threadElements()},
                             {"block_elements", device.blockElements()},
                             {"shared_bytes", device.sharedBytes},
                             {"matrix_rows", kWarpMatrix.rows},
                             {"matrix_columns", kWarpMatrix.columns},
                             {"matrix_depth_bytes", kWarpMatrix.depthBytes},
                             {"l2_bytes", device.level2Bytes}};
  if (device.tensorMaps)
    facts.push_back({"tensor_maps", 1});
  if (device.groupMatrices)
    facts.append({{"group_matrices", 1},
                  {"group_rows", kGroupMatrix.rows},
                  {"group_columns", kGroupMatrix.columns},
                  {"group_depth_bytes", kGroupMatrix.depthBytes},
                  {"group_warps", kGroupWarps}});
  return facts;
}

std::optional<int64_t> Device::fact(StringRef name) const {
  for (const auto &[key, value] : std::visit([](const auto &device) { return factsOf(device); }, facts))
    if (key == name)
      return value;
  return std::nullopt;
}

std::string Device::features() const {
  std::string names;
  if (!cpu())
    return names;
  for (const Level &level : ArrayRef(levels)) {
    names += (names.empty() ? "" : " ") + level.features.str();
    if (level.name == cpu()->baseline)
      break;
  }
  const Level *own = find_if(chips, [&](const Level &row) { return row.name == chip; });
  return own == std::end(chips) ? names : names + " " + own->features.str();
}

ArrayRef<Device> knownDevices() { return devices; }

static const Device *findDevice(StringRef chip) {
  const Device *found = find_if(devices, [&](const Device &device) { return device.chip == chip; });
  return found == std::end(devices) ? nullptr : found;
}

static bool hasAll(const StringMap<bool> &host, StringRef features) {
  SmallVector<StringRef> names;
  features.split(names, ' ');
  return all_of(names, [&](StringRef name) { return host.lookup(name); });
}

/// How many of `levels` the host has, from the lowest.
static size_t hostLevel(const StringMap<bool> &host) {
  size_t count = 0;
  while (count < std::size(levels) && hasAll(host, levels[count].features))
    ++count;
  return count;
}

bool hostRuns(const Device &device) { return device.cpu() && hasAll(sys::getHostCPUFeatures(), device.features()); }

Expected<const Device *> hostDevice() {
  if (const Device *chip = findDevice(sys::getHostCPUName()))
    if (hostRuns(*chip))
      return chip;
  size_t count = hostLevel(sys::getHostCPUFeatures());
  if (count == 0)
    return createStringError("this machine, `" + sys::getHostCPUName() + "`, is below `cpu:x86-64-v2`");
  return findDevice(levels[count - 1].name);
}

Expected<const Device *> parseDevice(StringRef name) {
  if (name == "cpu:native")
    return hostDevice();
  for (const Device &device : devices)
    if (device.name() == name)
      return &device;
  std::vector<std::string> names = {"`cpu:native`"};
  for (const Device &device : devices)
    names.push_back("`" + device.name() + "`");
  return createStringError("unknown target `" + name + "`; known are " + join(names, ", "));
}

} // namespace helion
