// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Config/BlockDefaults.h"
#include "dialect/IR/Dims.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace helion;

// Helion's rule, in elements of one tile.
static constexpr int64_t kTileBudget = 32768, kSmallRow = 128, kMediumRow = 256;
static constexpr int64_t kFewBlocks = 2, kFewBlocksExtent = 32, kMediumRowExtent = 16;

static bool isChosen(BlockOp block) {
  return block.getKind() == BlockKind::Tile || block.getKind() == BlockKind::Registered;
}

/// The product of the distinct constant extents of loaded values, each as a power of two; saturates at the budget.
static int64_t constantLanes(KernelOp kernel) {
  std::set<int64_t> extents;
  kernel.walk([&](LoadOp load) {
    for (DimAttr dim : dimsOf(load.getResult().getType()))
      if (std::optional<int64_t> extent = dim.getConstant(); extent && *extent > 1)
        extents.insert(*extent);
  });
  int64_t product = 1;
  for (int64_t extent : extents)
    product = std::min<int64_t>(kTileBudget, product * std::min<int64_t>(kTileBudget, llvm::PowerOf2Ceil(extent)));
  return product;
}

/// The largest power of two whose `count`-th power is at most `budget`.
static int64_t evenShare(int64_t budget, int64_t count) {
  return int64_t(1) << (llvm::Log2_64(std::max<int64_t>(budget, 1)) / count);
}

static int64_t unclampedExtent(KernelOp kernel) {
  int64_t count = llvm::count_if(kernel.getOps<BlockOp>(), isChosen);
  int64_t lanes = constantLanes(kernel);
  if (count <= kFewBlocks && lanes <= kSmallRow)
    return kFewBlocksExtent;
  if (count > kFewBlocks && lanes > 1)
    return evenShare(kTileBudget / lanes, count);
  return lanes <= kMediumRow ? kMediumRowExtent : 1;
}

/// The block, the block that bounds it, and so on; ends where a bound is a number, missing or seen before.
static SmallVector<BlockOp> chainOfBounds(BlockOp block) {
  SmallVector<BlockOp> chain;
  while (block && !llvm::is_contained(chain, block)) {
    chain.push_back(block);
    auto bound = dyn_cast_or_null<FlatSymbolRefAttr>(block.getMaxAttr());
    block = bound ? SymbolTable::lookupNearestSymbolFrom<BlockOp>(block, bound) : BlockOp();
  }
  return chain;
}

/// Before bounds of any kind.
static int64_t startExtent(BlockOp block) {
  if (block.getKind() == BlockKind::Fixed)
    return block.getValue().value_or(1);
  return block.getKind() == BlockKind::Slice ? kDefaultSliceExtent
                                             : unclampedExtent(block->getParentOfType<KernelOp>());
}

static int64_t clampExtent(BlockOp block, int64_t extent) {
  if (block.getKind() == BlockKind::Fixed)
    return extent;
  if (auto limit = dyn_cast_or_null<IntegerAttr>(block.getMaxAttr()))
    extent = std::min(extent, limit.getInt());
  int64_t multiple = block.getMultiple().value_or(1);
  extent = std::max<int64_t>({extent, static_cast<int64_t>(block.getMin().value_or(1)), multiple});
  return extent - extent % multiple;
}

int64_t helion::defaultExtent(BlockOp block) {
  int64_t extent = std::numeric_limits<int64_t>::max();
  for (BlockOp bound : llvm::reverse(chainOfBounds(block)))
    extent = clampExtent(bound, bound.getKind() == BlockKind::Fixed ? startExtent(bound)
                                                                    : std::min(extent, startExtent(bound)));
  return extent;
}
