// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction kinds as functions of two lanes, for reduce and atomic.

#ifndef HELION_DIALECT_INTERP_REDUCTION_H
#define HELION_DIALECT_INTERP_REDUCTION_H

#include "dialect/IR/Helion.h"

namespace helion::interp {

using FloatCombiner = double (*)(double, double);
using IntCombiner = int64_t (*)(int64_t, int64_t, unsigned width);

/// Null for a kind that does not combine floats (integers), or that gives an index: argmax and argmin.
FloatCombiner floatCombiner(ReductionKind kind);
IntCombiner intCombiner(ReductionKind kind);

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_REDUCTION_H
