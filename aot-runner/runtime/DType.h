// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types by their names in manifests ("f32", "bf16", "ui8"): size, DLPack code, and conversion to and from
// double with exact rounding to nearest, ties to even. One table serves the worker and the packages.
#ifndef HELION_AOT_RUNNER_RUNTIME_DTYPE_H
#define HELION_AOT_RUNNER_RUNTIME_DTYPE_H

#include "Namespace.h"
#include "dlpack.h"

#include <cstddef>
#include <cstdint>

namespace HELION_RUNTIME {

enum class DType : uint8_t { F64, F32, F16, BF16, F8E4M3, F8E5M2, I64, I32, I16, I8, UI8, Bool };

struct DTypeInfo {
  const char *name;
  int64_t bytes;
  uint8_t dlpackCode;
  uint8_t dlpackBits;
  // Floats only: bits of exponent and of stored mantissa, and whether the largest exponent holds infinities.
  int exponentBits;
  int mantissaBits;
  bool hasInfinity;

  bool isFloat() const { return exponentBits != 0; }
};

inline constexpr DTypeInfo dtypes[] = {
    {"f64", 8, kDLFloat, 64, 11, 52, true},
    {"f32", 4, kDLFloat, 32, 8, 23, true},
    {"f16", 2, kDLFloat, 16, 5, 10, true},
    {"bf16", 2, kDLBfloat, 16, 8, 7, true},
    {"f8e4m3", 1, kDLFloat8_e4m3fn, 8, 4, 3, false},
    {"f8e5m2", 1, kDLFloat8_e5m2, 8, 5, 2, true},
    {"i64", 8, kDLInt, 64, 0, 0, false},
    {"i32", 4, kDLInt, 32, 0, 0, false},
    {"i16", 2, kDLInt, 16, 0, 0, false},
    {"i8", 1, kDLInt, 8, 0, 0, false},
    {"ui8", 1, kDLUInt, 8, 0, 0, false},
    {"bool", 1, kDLBool, 8, 0, 0, false},
};

constexpr const DTypeInfo &info(DType type) { return dtypes[static_cast<size_t>(type)]; }

/// A DLDataType of one lane as a word: every target of ours is little-endian.
constexpr uint32_t typeWord(DType type) {
  return uint32_t(info(type).dlpackCode) | uint32_t(info(type).dlpackBits) << 8 | uint32_t(1) << 16;
}

/// False when no element type has this name.
bool parseDType(const char *name, DType &type);

/// Rounds `value` to the nearest value of `type`, ties to even, and stores it. Floats beyond the range become infinity,
/// or NaN where the type has none; integers saturate and drop the fraction, NaN becomes 0.
void encode(DType type, double value, void *to);

double decode(DType type, const void *from);

/// Stores an integer without a detour through double.
void encodeInteger(DType type, int64_t value, void *to);

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_DTYPE_H
