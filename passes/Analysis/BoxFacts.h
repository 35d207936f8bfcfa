// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What copies through tensor maps rely on beside `copyFacts` of WideAccess.h. The choice that asks for them records it,
// the pass that makes them looks for it.
#ifndef HELION_PASSES_ANALYSIS_BOXFACTS_H
#define HELION_PASSES_ANALYSIS_BOXFACTS_H

#include "passes/Analysis/HostExpr.h"

namespace helion {
/// Facts under which a box at the tiles of a load is what the load reads: tiles end where the tensor ends, since the
/// copy fills with 0 what is outside of the tensor alone, sizes are at least 1 and numbers of 32 bits, and strides of
/// all dims but the contiguous one are at least 1 and below 2^40 bytes. None where an index is a tile value or a moved
/// tile, or the device computes where a tile ends.
std::optional<std::vector<Pred>> boxFacts(HostExprs &exprs, const HostView &view, unsigned contiguous,
                                          mlir::ValueRange indices);
} // namespace helion

#endif // HELION_PASSES_ANALYSIS_BOXFACTS_H
