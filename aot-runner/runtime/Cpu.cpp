// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits of `cpuid` by name; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID, and AMD64
// Architecture Programmer's Manual, volume 3, appendix E.
#include "Cpu.h"

#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace HELION_RUNTIME {

#if defined(__x86_64__)
namespace {
enum Register { EAX, EBX, ECX, EDX };
/// What the system must save for a feature: bits of XCR0.
enum SavedState : uint32_t { None = 0, Ymm = 0x6, Zmm = 0xe6, Tiles = 0x60006 };

struct FeatureBit {
  const char *name;
  uint32_t leaf, subleaf;
  Register place;
  int bit;
  SavedState state;
};
} // namespace

static constexpr FeatureBit bits[] = {
    {"sse3", 1, 0, ECX, 0, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"aes", 1, 0, ECX, 25, None},
    {"xsave", 1, 0, ECX, 27, None},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8, None},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"adx", 7, 0, EBX, 19, None},
    {"clflushopt", 7, 0, EBX, 23, None},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"gfni", 7, 0, ECX, 8, None},
    {"vaes", 7, 0, ECX, 9, Ymm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"movdiri", 7, 0, ECX, 27, None},
    {"avx512vp2intersect", 7, 0, EDX, 8, Zmm},
    {"amx-bf16", 7, 0, EDX, 22, Tiles},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"amx-tile", 7, 0, EDX, 24, Tiles},
    {"amx-int8", 7, 0, EDX, 25, Tiles},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"sahf", 0x80000001, 0, ECX, 0, None},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
};

static uint32_t savedState() {
  uint32_t eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx >> 27 & 1))
    return 0;
  __asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return eax;
}

static bool hasBit(const FeatureBit &feature) {
  uint32_t words[4] = {};
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &words[EAX], &words[EBX], &words[ECX], &words[EDX]))
    return false;
  if (!(words[feature.place] >> feature.bit & 1))
    return false;
  return feature.state == None || (savedState() & feature.state) == feature.state;
}

static bool hasFeature(const char *name, size_t length) {
  for (const FeatureBit &feature : bits)
    if (std::strlen(feature.name) == length && std::memcmp(feature.name, name, length) == 0)
      return hasBit(feature);
  return false;
}
#else
static bool hasFeature(const char *, size_t) { return false; }
#endif

bool cpuHas(const char *features) {
  while (*features) {
    size_t length = std::strcspn(features, " ");
    if (!hasFeature(features, length))
      return false;
    features += length;
    features += std::strspn(features, " ");
  }
  return true;
}

} // namespace HELION_RUNTIME
