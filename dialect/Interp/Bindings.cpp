// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of blocks (`min`, `max`, `multiple`, `value`) and the defaults that meet them.

#include "dialect/Interp/Bindings.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::interp;

/// The constraint `max`, as a number: of the block it names when that one is bound.
static std::optional<int64_t> maxOf(BlockOp block, const BlockMap &bound) {
  Attribute max = block.getMaxAttr();
  if (auto number = dyn_cast_or_null<IntegerAttr>(max))
    return number.getInt();
  auto name = dyn_cast_or_null<FlatSymbolRefAttr>(max);
  if (!name)
    return std::nullopt;
  auto found = bound.find(name.getValue().str());
  return found == bound.end() ? std::nullopt : std::optional<int64_t>(found->second);
}

static int64_t fitted(BlockOp block, int64_t wanted, const BlockMap &bound) {
  int64_t multiple = block.getMultiple().value_or(1);
  int64_t least = llvm::alignTo(std::max<int64_t>(block.getMin().value_or(1), 1), multiple);
  int64_t extent = std::max<int64_t>(llvm::alignTo(wanted, multiple), least);
  if (std::optional<int64_t> max = maxOf(block, bound); max && extent > *max)
    extent = std::max<int64_t>(llvm::alignDown(*max, multiple), least);
  return extent;
}

int64_t helion::interp::defaultSliceExtent(BlockOp block, int64_t size, unsigned variant) {
  int64_t extent = llvm::PowerOf2Ceil(std::max<int64_t>(size, 1)) << (variant ? 1 : 0);
  return block ? fitted(block, extent, {}) : extent;
}

static int64_t defaultExtent(BlockOp block, unsigned variant, const BlockMap &bound) {
  int64_t first = 16;
  // A block inside another one: smaller, so that the outer has more than one inner tile.
  if (isa_and_nonnull<FlatSymbolRefAttr>(block.getMaxAttr()))
    first = std::max<int64_t>(maxOf(block, bound).value_or(2) / 2, 1);
  int64_t extent = fitted(block, first, bound);
  if (variant == 0)
    return extent;
  for (int64_t other : {4, 8, 64, 128, 256, 1})
    if (int64_t next = fitted(block, other, bound); next != extent)
      return next;
  return extent;
}

static llvm::Error checkGiven(BlockOp block, int64_t extent, const BlockMap &bound) {
  auto error = [&](const char *constraint, int64_t limit) {
    return llvm::createStringError("block `" + block.getSymName() + "` is bound to `" + Twine(extent) + "`, its `" +
                                   constraint + "` is `" + Twine(limit) + "`");
  };
  if (std::optional<int64_t> value = block.getValue(); value && *value != extent)
    return error("value", *value);
  if (int64_t min = block.getMin().value_or(1); extent < min)
    return error("min", min);
  if (std::optional<int64_t> max = maxOf(block, bound); max && extent > *max)
    return error("max", *max);
  if (int64_t multiple = block.getMultiple().value_or(1); extent % multiple)
    return error("multiple", multiple);
  return llvm::Error::success();
}

/// What the caller gave, or else what an earlier pass recorded.
static BlockMap givenOrRecorded(KernelOp kernel, const BlockMap &given) {
  BlockMap result = given;
  auto recorded = kernel->getAttrOfType<DictionaryAttr>(kBlocksAttr);
  if (!recorded)
    return result;
  for (NamedAttribute entry : recorded)
    if (auto extent = dyn_cast<IntegerAttr>(entry.getValue());
        extent && kernel.lookupSymbol<BlockOp>(entry.getName().getValue()))
      result.insert({entry.getName().str(), extent.getInt()});
  return result;
}

static llvm::Error checkNames(KernelOp kernel, ArrayRef<BlockOp> blocks, const BlockMap &given) {
  std::string names;
  for (BlockOp block : blocks)
    names += (names.empty() ? "`" : ", `") + block.getSymName().str() + "`";
  for (auto &[name, extent] : given)
    if (!kernel.lookupSymbol<BlockOp>(name))
      return llvm::createStringError("kernel `" + kernel.getSymName() + "` has no block `" + name +
                                     "`; its blocks are " + (names.empty() ? "already bound" : names));
  return llvm::Error::success();
}

llvm::Expected<Bindings> helion::interp::bindBlocks(KernelOp kernel, const BlockMap &given, unsigned variant) {
  SmallVector<BlockOp> blocks(kernel.getOps<BlockOp>());
  if (llvm::Error error = checkNames(kernel, blocks, given))
    return std::move(error);
  Bindings result;
  result.blocks = givenOrRecorded(kernel, given);
  auto bindOne = [&](BlockOp block) {
    std::string name = block.getSymName().str();
    if (result.blocks.count(name))
      return;
    if (block.getValue())
      result.blocks[name] = *block.getValue();
    else if (block.getKind() == BlockKind::Slice)
      result.growingSlices.insert(name);
    else
      result.blocks[name] = defaultExtent(block, variant, result.blocks);
  };
  // Blocks that others name in `max` come first.
  for (bool isInner : {false, true})
    for (BlockOp block : blocks)
      if (isa_and_nonnull<FlatSymbolRefAttr>(block.getMaxAttr()) == isInner)
        bindOne(block);
  for (BlockOp block : blocks)
    if (auto bound = result.blocks.find(block.getSymName().str()); bound != result.blocks.end())
      if (llvm::Error error = checkGiven(block, bound->second, result.blocks))
        return std::move(error);
  return result;
}
