// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on one lane that elementwise ops, reductions and atomics share.

#ifndef HELION_DIALECT_INTERP_SCALARS_H
#define HELION_DIALECT_INTERP_SCALARS_H

#include "dialect/Interp/ElementType.h"
#include <algorithm>
#include <cmath>

namespace helion::interp {

inline double addF(double a, double b) { return a + b; }
inline double mulF(double a, double b) { return a * b; }
/// NaN when either is; +0 is above -0.
inline double maximumF(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline double minimumF(double a, double b) { return -maximumF(-a, -b); }

// Overflow wraps: sums are taken on unsigned numbers, and the caller cuts them to the width.
inline int64_t addI(int64_t a, int64_t b, unsigned) { return int64_t(uint64_t(a) + uint64_t(b)); }
inline int64_t mulI(int64_t a, int64_t b, unsigned) { return int64_t(uint64_t(a) * uint64_t(b)); }
inline int64_t andI(int64_t a, int64_t b, unsigned) { return a & b; }
inline int64_t orI(int64_t a, int64_t b, unsigned) { return a | b; }
inline int64_t xorI(int64_t a, int64_t b, unsigned) { return a ^ b; }
inline int64_t maxSI(int64_t a, int64_t b, unsigned) { return std::max(a, b); }
inline int64_t minSI(int64_t a, int64_t b, unsigned) { return std::min(a, b); }
inline int64_t maxUI(int64_t a, int64_t b, unsigned width) {
  return unsignedBits(a, width) >= unsignedBits(b, width) ? a : b;
}
inline int64_t minUI(int64_t a, int64_t b, unsigned width) {
  return unsignedBits(a, width) <= unsignedBits(b, width) ? a : b;
}

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_SCALARS_H
