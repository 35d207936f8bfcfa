// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads of dots. Extents need not be powers of two: what does not divide further repeats in registers.

#include "passes/Layout/DotLayouts.h"
#include "dialect/IR/LayoutBuilders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;

/// The largest power of two that divides `extent`.
static int64_t evenPart(int64_t extent) { return extent & -extent; }

static bool divides(const MatrixShape &matrix, DotOp dot, int64_t elementBytes) {
  auto lhs = cast<RankedTensorType>(dot.getLhs().getType()), acc = cast<RankedTensorType>(dot.getAcc().getType());
  ArrayRef<int64_t> shape = acc.getShape().take_back(2);
  return matrix.divides(shape[0], shape[1], lhs.getShape().back(), elementBytes);
}

const WarpInstruction *helion::matrixInstructionFor(DotOp dot, const LayoutTarget &target) {
  const WarpInstruction *instruction = warpInstructionFor(dot);
  bool isKnown = instruction && llvm::is_contained(target.matrices, instruction->name);
  return isKnown && divides(kWarpMatrix, dot, instruction->elementBytes) ? instruction : nullptr;
}

bool helion::runsOnGroupMatrices(DotOp dot, const LayoutTarget &target) {
  auto acc = cast<RankedTensorType>(dot.getAcc().getType());
  std::optional<int64_t> warps = dot->getParentOfType<LaunchOp>().getWarps();
  return !target.matrices.empty() && hasGroupTypes(dot) && acc.getRank() == 2 && warps && *warps % kGroupWarps == 0 &&
         divides(kGroupMatrix, dot, kGroupElementBytes);
}

/// Square register tiles, and lanes of which more lie along columns, where results are contiguous.
static void splitOverThreads(DotSplit &split, int64_t rows, int64_t columns, int64_t threads, int64_t lanes) {
  constexpr int64_t kSide = 4, kColumnLanes = 8;
  int64_t each = std::max<int64_t>(1, rows * columns / threads);
  int64_t side = each >= kSide * kSide ? kSide : each >= 4 ? 2 : 1;
  int64_t evenRows = evenPart(rows), evenColumns = evenPart(columns);
  split.rowTile = std::min(evenRows, side);
  split.columnTile = std::min(evenColumns, side);
  int64_t columnRoom = evenColumns / split.columnTile;
  split.columnLanes = std::min({columnRoom, kColumnLanes, lanes});
  split.rowLanes = std::min(evenRows / split.rowTile, lanes / split.columnLanes);
  split.columnLanes = std::min(columnRoom, lanes / split.rowLanes);
}

DotSplit helion::splitDot(DotOp dot, bool matrices, bool rowsFirst, const LayoutTarget &target) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(dot.getAcc().getType()).getShape();
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  DotSplit split;
  split.matrices = matrices;
  if (shape.size() > 2)
    split.batchWarps = std::min(evenPart(shape.front()), target.warps);
  int64_t warps = target.warps / split.batchWarps;
  if (!matrices)
    splitOverThreads(split, rows, columns, warps * target.lanes, target.lanes);
  int64_t rowUnit = matrices ? kWarpMatrix.rows : split.rowTile * split.rowLanes;
  int64_t columnUnit = matrices ? kWarpMatrix.columns : split.columnTile * split.columnLanes;
  for (; warps > 1; warps /= 2) {
    bool rowRoom = evenPart(rows) / (rowUnit * split.rowWarps) > 1;
    bool columnRoom = evenPart(columns) / (columnUnit * split.columnWarps) > 1;
    if (!rowRoom && !columnRoom)
      break;
    // Operands are smallest where the part of a warp is square.
    bool wide = columns / split.columnWarps > rows / split.rowWarps;
    bool toRows = rowRoom && (rowsFirst || !columnRoom || !wide);
    (toRows ? split.rowWarps : split.columnWarps) *= 2;
  }
  return split;
}

DotSplit helion::splitGroupDot(DotOp dot, const LayoutTarget &target) {
  auto acc = cast<RankedTensorType>(dot.getAcc().getType());
  int64_t rows = acc.getDimSize(0), columns = acc.getDimSize(1);
  // Parts begin where rows of 128 swizzled bytes do, or lie inside one.
  constexpr int64_t kSwizzled = 64;
  int64_t columnUnit = llvm::isPowerOf2_64(columns) ? kGroupColumns : kSwizzled;
  DotSplit split;
  split.matrices = split.groups = true;
  for (int64_t groups = target.warps / kGroupWarps; groups > 1; groups /= 2)
    if (evenPart(rows) / (kGroupMatrix.rows * split.rowWarps) > 1)
      split.rowWarps *= 2;
    else if (evenPart(columns) / (columnUnit * split.columnWarps) > 1)
      split.columnWarps *= 2;
  return split;
}

/// A fragment repeated in registers over the tile that `warps` leave, then over them. `warps` has a count per dim, and
/// the stride in the numbers of warps.
static Layout spreadFragment(Fragment fragment, ArrayRef<int64_t> shape, ArrayRef<std::pair<int64_t, int64_t>> warps) {
  LayoutText text = fragmentText(fragment);
  unsigned lead = shape.size() - text.atom.size();
  text.atom.insert(text.atom.begin(), lead, 1);
  for (auto &bases : text.bases)
    for (Point &value : bases)
      value.insert(value.begin(), lead, 0);
  for (unsigned dim = shape.size(); dim-- != 0;)
    text.repeats.push_back({LayoutSpace::Reg, dim, shape[dim] / (text.atom[dim] * warps[dim].first)});
  for (auto [dim, warp] : llvm::enumerate(warps))
    if (warp.first > 1)
      text.repeats.push_back({LayoutSpace::Warp, unsigned(dim), warp.first, warp.second});
  return llvm::cantFail(Layout::build(text));
}

static SmallVector<std::pair<int64_t, int64_t>> warpsOf(const DotSplit &split, size_t rank, bool rows, bool columns) {
  SmallVector<std::pair<int64_t, int64_t>> warps(rank, {1, 1});
  int64_t unit = split.groups ? kGroupWarps : 1;
  if (rows)
    warps[rank - 2] = {split.rowWarps, unit};
  if (columns)
    warps[rank - 1] = {split.columnWarps, unit * split.rowWarps};
  if (rank > 2)
    warps[0] = {split.batchWarps, split.rowWarps * split.columnWarps};
  return warps;
}

Layout helion::accumulatorLayout(ArrayRef<int64_t> shape, const DotSplit &split) {
  size_t rank = shape.size();
  if (split.matrices)
    return spreadFragment(split.groups ? Fragment::Warps64x8C : Fragment::Warp16x8C, shape,
                          warpsOf(split, rank, true, true));
  BlockedSpread spread;
  spread.perThread.assign(rank, 1);
  spread.lanes = spread.warps = spread.perThread;
  spread.perThread[rank - 2] = split.rowTile;
  spread.perThread[rank - 1] = split.columnTile;
  spread.lanes[rank - 2] = split.rowLanes;
  spread.lanes[rank - 1] = split.columnLanes;
  spread.warps[rank - 2] = split.rowWarps;
  spread.warps[rank - 1] = split.columnWarps;
  if (rank > 2)
    spread.warps[0] = split.batchWarps;
  for (unsigned dim = rank; dim-- != 0;)
    spread.order.push_back(dim);
  return llvm::cantFail(blockedLayout(shape, spread));
}

namespace {
struct WarpFragments {
  int64_t elementBytes;
  Fragment left, right;
};
} // namespace

static Fragment warpFragment(Type element, bool left) {
  static constexpr WarpFragments rows[] = {{4, Fragment::Warp16x8A, Fragment::Warp8x8B},
                                           {2, Fragment::Warp16x16A, Fragment::Warp16x8B},
                                           {1, Fragment::Warp16x32A, Fragment::Warp32x8B}};
  const WarpFragments *row = llvm::find_if(
      rows, [&](const WarpFragments &each) { return each.elementBytes * 8 == element.getIntOrFloatBitWidth(); });
  return left ? row->left : row->right;
}

Layout helion::dotOperandLayout(DotOp dot, bool left, const Layout &accumulator, const DotSplit &split) {
  auto type = cast<RankedTensorType>((left ? dot.getLhs() : dot.getRhs()).getType());
  size_t rank = type.getRank();
  if (split.matrices && dot->hasAttr(kInstructionAttr)) {
    Fragment fragment = warpFragment(type.getElementType(), left);
    return spreadFragment(left && split.groups ? Fragment::Warps64x16A : fragment, type.getShape(),
                          warpsOf(split, rank, left, !left));
  }
  unsigned depth = left ? rank - 1 : rank - 2;
  return accumulator.withoutDim(left ? rank - 1 : rank - 2).withDimInThread(depth, type.getDimSize(depth));
}
