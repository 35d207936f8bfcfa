// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of tile loops that several passes build: tile counts, tiles from an iteration number, and the loops
// themselves.

#ifndef HELION_PASSES_SCHEDULE_TILELOOPS_H
#define HELION_PASSES_SCHEDULE_TILELOOPS_H

#include "dialect/IR/Helion.h"
#include "mlir/IR/Builders.h"

namespace helion {
/// Extent of a tile dim that is bound.
int64_t boundExtent(TileOp loop, unsigned dim);

/// Number of tiles along a dim, 0 where the bounds are empty or crossed.
mlir::Value tileCount(mlir::OpBuilder &builder, TileOp loop, unsigned dim);

/// Replaces the tile argument `dim` inside the loop's body, whose begin is `begin`, and what asks for its number or
/// count.
void replaceTile(mlir::OpBuilder &builder, TileOp loop, unsigned dim, mlir::Value begin);

/// Lowers a sequential tile loop to a nest of scf.for with its site; the first dim is outermost.
void lowerToFor(TileOp loop);
} // namespace helion

#endif // HELION_PASSES_SCHEDULE_TILELOOPS_H
