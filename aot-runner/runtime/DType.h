// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types by their names in manifests ("f32", "bf16", "ui8"): size, DLPack code, and conversion to and from
// double with exact rounding to nearest, ties to even. One table serves the worker and the packages.
#ifndef HELION_AOT_RUNNER_RUNTIME_DTYPE_H
#define HELION_AOT_RUNNER_RUNTIME_DTYPE_H

#include "Namespace.h"

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

const DTypeInfo &info(DType type);

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
