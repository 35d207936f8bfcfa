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

//===-- Targets with lanes ----------------------------------------------------------------------------------------===//

// Lanes of a tile, and of one block beside others. A tile of 1024 lanes on 4 warps is two vectors of floats in each
// thread.
static constexpr int64_t kLanesOfTile = 1024, kLanesOfBlock = 256;
static constexpr int64_t kLanesOfDot = 4096, kLanesOfDotDim = 64, kLanesOfDotDepth = 32;

namespace {
/// Doubles the extents of blocks as long as every tile value keeps to the budget.
class ExtentRaiser {
public:
  explicit ExtentRaiser(KernelOp kernel) : kernel(kernel) {
    for (auto block : kernel.getOps<BlockOp>())
      extents[block.getSymName()] =
          isChosen(block) ? clampExtent(block, 1) : std::min(startExtent(block), clampExtent(block, INT64_MAX));
    kernel.walk([&](Operation *op) {
      llvm::for_each(op->getResultTypes(), [&](Type type) { addValue(type); });
      for (Region &region : op->getRegions())
        llvm::for_each(region.getArgumentTypes(), [&](Type type) { addValue(type); });
    });
  }

  llvm::StringMap<int64_t> run() {
    std::vector<StringRef> dots = dotBlocks();
    if (!dots.empty()) {
      for (bool raised = true; raised;) {
        raised = false;
        for (StringRef block : dots)
          raised |= raise(block, isOnlyDepth(block) ? kLanesOfDotDepth : kLanesOfDotDim, kLanesOfDot);
      }
      return std::move(extents);
    }
    bool isOnly = llvm::count_if(kernel.getOps<BlockOp>(), isChosen) == 1;
    for (StringRef block : lastBlocks())
      while (raise(block, isOnly ? kLanesOfTile : kLanesOfBlock, kLanesOfTile))
        continue;
    for (auto block : kernel.getOps<BlockOp>())
      while (raise(block.getSymName(), kLanesOfTile, kLanesOfTile))
        continue;
    return std::move(extents);
  }

private:
  struct Value {
    int64_t lanes = 1; // of dims that are numbers
    std::vector<StringRef> blocks;
  };

  void addValue(Type type) {
    if (!isTileValue(type))
      return;
    Value value;
    for (DimAttr dim : dimsOf(type)) {
      value.lanes *= dim.getConstant().value_or(1);
      for (StringAttr block : dim.getBlocks())
        value.blocks.push_back(block);
    }
    values.push_back(std::move(value));
  }

  int64_t lanesOf(const Value &value) const {
    int64_t lanes = value.lanes;
    for (StringRef block : value.blocks)
      lanes = std::min(lanes, int64_t(1) << 40) * extents.lookup(block);
    return lanes;
  }

  /// False where the extent would break a limit of the block, or a value that has it the budget.
  bool raise(StringRef name, int64_t most, int64_t budget) {
    auto block = kernel.lookupSymbol<BlockOp>(name);
    int64_t before = extents.lookup(name), limit = most;
    if (!block || !isChosen(block))
      return false;
    if (auto number = dyn_cast_or_null<IntegerAttr>(block.getMaxAttr()))
      limit = std::min(limit, number.getInt());
    if (auto other = dyn_cast_or_null<FlatSymbolRefAttr>(block.getMaxAttr()))
      limit = std::min(limit, extents.lookup(other.getValue()));
    if (before * 2 > limit)
      return false;
    extents[name] = before * 2;
    bool fits = llvm::all_of(values, [&](const Value &value) {
      return !llvm::is_contained(value.blocks, name) || lanesOf(value) <= budget;
    });
    if (!fits)
      extents[name] = before;
    return fits;
  }

  /// Blocks along the last dim of what is loaded or stored, those of values with most dims first.
  std::vector<StringRef> lastBlocks() const {
    std::vector<std::pair<size_t, StringRef>> found;
    kernel->walk([&](Operation *op) {
      if (!isa<LoadOp, StoreOp>(op))
        return;
      Type type = isa<LoadOp>(op) ? op->getResult(0).getType() : cast<StoreOp>(op).getValue().getType();
      if (!isTileValue(type))
        return;
      auto dims = dimsOf(type);
      if (ArrayRef<StringAttr> blocks = dims.back().getBlocks(); !blocks.empty())
        found.emplace_back(dims.size(), blocks.back().getValue());
    });
    llvm::stable_sort(found, [](const auto &a, const auto &b) { return a.first > b.first; });
    std::vector<StringRef> blocks;
    for (const auto &[rank, block] : found)
      if (!llvm::is_contained(blocks, block))
        blocks.push_back(block);
    return blocks;
  }

  /// Of the last two dims of dots' operands.
  std::vector<StringRef> dotBlocks() const {
    std::vector<StringRef> blocks;
    kernel->walk([&](DotOp dot) {
      for (mlir::Value operand : {dot.getLhs(), dot.getRhs()}) {
        SmallVector<DimAttr> dims = dimsOf(operand.getType());
        for (DimAttr dim : ArrayRef<DimAttr>(dims).take_back(2))
          for (StringAttr block : dim.getBlocks())
            if (!llvm::is_contained(blocks, block.getValue()))
              blocks.push_back(block.getValue());
      }
    });
    return blocks;
  }

  /// Along which dots sum, and none has rows or columns.
  bool isOnlyDepth(StringRef name) const {
    bool isOnly = true;
    kernel->walk([&](DotOp dot) {
      SmallVector<DimAttr> dims = dimsOf(dot.getResult().getType());
      for (DimAttr dim : ArrayRef<DimAttr>(dims).take_back(2))
        isOnly &= llvm::none_of(dim.getBlocks(), [&](StringAttr block) { return block.getValue() == name; });
    });
    return isOnly;
  }

  mutable KernelOp kernel;
  llvm::StringMap<int64_t> extents;
  std::vector<Value> values;
};
} // namespace

llvm::StringMap<int64_t> helion::startExtents(KernelOp kernel) { return ExtentRaiser(kernel).run(); }
