// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of dots: how an accumulator is spread over warps and lanes, and what each thread needs of the operands for
// its part of it.

#ifndef HELION_PASSES_LAYOUT_DOTLAYOUTS_H
#define HELION_PASSES_LAYOUT_DOTLAYOUTS_H

#include "dialect/IR/MatrixShape.h"
#include "passes/Layout/TileAccess.h"

namespace helion {
/// Name of the matrix instruction that a dot runs on, as an attribute of the dot.
constexpr llvm::StringLiteral kInstructionAttr = "instruction";
constexpr llvm::StringLiteral kGroupInstruction = "wgmma64xNx16";

/// Spread of an accumulator `[batch.., rows, columns]`. Warps are numbered along rows, then columns, then the batch.
struct DotSplit {
  bool matrices = false;
  /// Matrix instructions of four warps, the lowest bits of a warp's number; below are groups of them.
  bool groups = false;
  int64_t rowWarps = 1, columnWarps = 1, batchWarps = 1;
  /// Without matrices: what one thread holds side by side, and lanes.
  int64_t rowTile = 1, columnTile = 1, rowLanes = 1, columnLanes = 1;
};

/// The matrix instruction of the target that takes the dot's types and extents; null where there is none.
const WarpInstruction *matrixInstructionFor(DotOp dot, const LayoutTarget &target);
/// True when those of four warps take them. That the operands are in shared memory is for who pipelines loads to see.
bool runsOnGroupMatrices(DotOp dot, const LayoutTarget &target);
/// `rowsFirst`: rows stay in one warp where possible, because they are reduced.
DotSplit splitDot(DotOp dot, bool matrices, bool rowsFirst, const LayoutTarget &target);
/// Groups of four warps, along rows first.
DotSplit splitGroupDot(DotOp dot, const LayoutTarget &target);
Layout accumulatorLayout(llvm::ArrayRef<int64_t> shape, const DotSplit &split);
/// What the operand needs where the accumulator has `accumulator`: fragments if that one was split for matrices and the
/// dot can run on them, else whole rows (of `lhs`) or columns in the threads that hold parts of them.
Layout dotOperandLayout(DotOp dot, bool left, const Layout &accumulator, const DotSplit &split);
} // namespace helion

#endif // HELION_PASSES_LAYOUT_DOTLAYOUTS_H
