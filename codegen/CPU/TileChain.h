// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tile value is made of other tile values, lane by lane: which position of each operand a lane of the result
// needs. One rule serves the analyses (positions are dim numbers or sets of lanes) and the evaluator (positions are
// indices).

#ifndef HELION_CODEGEN_CPU_TILECHAIN_H
#define HELION_CODEGEN_CPU_TILECHAIN_H

#include "dialect/IR/Helion.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace helion::cpu {
/// Shape of a tile value's type; empty for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// True for ops whose result lanes are functions of operand lanes or memory, so that a consumer can compute them
/// itself.
bool isLaneOp(mlir::Operation *op);

/// True for a reshape that only adds or drops dims of extent 1.
bool isUnitReshape(ReshapeOp op);

/// For each dim of a unit reshape's operand: the result dim it equals, or -1 where its extent is 1.
llvm::SmallVector<int64_t> reshapeSources(ReshapeOp op);

/// Dims of a load's, store's or atomic's value that an index operand makes: `first` and how many.
struct IndexDims {
  mlir::Value index;
  unsigned first = 0, count = 0;
};
/// One entry per index operand, in order; an `index` has no dims, all tensor indices the same ones.
llvm::SmallVector<IndexDims> indexDims(mlir::OperandRange indices);

/// Calls `visit(operand, positions)` for each tile value that `op`, a lane op, reads to make the lane at `at` (one
/// entry per dim of its result). `zero` is the position in a dim of extent 1 that the result does not have.
template <typename Position>
void forEachSource(mlir::Operation *op, llvm::ArrayRef<Position> at, Position zero,
                   llvm::function_ref<void(mlir::Value, llvm::ArrayRef<Position>)> visit) {
  llvm::SmallVector<Position> from;
  if (auto broadcast = mlir::dyn_cast<BroadcastOp>(op)) {
    for (auto [dim, extent] : llvm::zip(broadcast.getDims(), shapeOf(broadcast.getValue())))
      from.push_back(extent == 1 && shapeOf(broadcast.getResult())[dim] != 1 ? zero : at[dim]);
    return visit(broadcast.getValue(), from);
  }
  if (auto permute = mlir::dyn_cast<PermuteOp>(op)) {
    from.assign(at.size(), zero);
    for (auto [dim, source] : llvm::enumerate(permute.getDims()))
      from[source] = at[dim];
    return visit(permute.getValue(), from);
  }
  if (auto reshape = mlir::dyn_cast<ReshapeOp>(op)) {
    for (int64_t source : reshapeSources(reshape))
      from.push_back(source < 0 ? zero : at[source]);
    return visit(reshape.getValue(), from);
  }
  if (auto load = mlir::dyn_cast<LoadOp>(op)) {
    for (const IndexDims &dims : indexDims(load.getIndices()))
      if (isTileValue(dims.index.getType()))
        visit(dims.index, at.slice(dims.first, dims.count));
    if (load.getMask())
      visit(load.getMask(), at);
    return;
  }
  for (mlir::Value operand : op->getOperands())
    if (isTileValue(operand.getType()))
      visit(operand, at);
}
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_TILECHAIN_H
