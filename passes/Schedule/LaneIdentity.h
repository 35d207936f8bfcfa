// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lanes outside a tile are known to hold. A mask before a combining op is not needed where they hold the identity
// already, as those of a load that fills with it do.

#ifndef HELION_PASSES_SCHEDULE_LANEIDENTITY_H
#define HELION_PASSES_SCHEDULE_LANEIDENTITY_H

#include "dialect/IR/Helion.h"

namespace helion {
/// True when every lane of `value` whose index along `dim` lies outside `tile` is known to hold `identity`. `tile` is
/// the tile value (loop argument, slice or made tile) that bounds the dim. Works before and after blocks are bound.
bool holdsOutside(mlir::Value value, unsigned dim, mlir::Value tile, mlir::TypedAttr identity);
} // namespace helion

#endif // HELION_PASSES_SCHEDULE_LANEIDENTITY_H
