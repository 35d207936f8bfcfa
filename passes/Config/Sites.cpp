// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Config/Sites.h"
#include "dialect/IR/Dims.h"
#include "dialect/IR/MatrixShape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

static bool isTileQuery(Operation &op) { return isa<TileBeginOp, TileEndOp, TileIdOp, TileCountOp, TileShiftOp>(op); }

//===-- Rolling ---------------------------------------------------------------------------------------------------===//

/// True when the op, not what it nests, handles the slice's tile or a value with a dim of it.
static bool touches(Operation &op, RangeOp range) {
  StringAttr name = range.getTile().getType().getDim().getRange();
  auto mentions = [&](Type type) { return mentionsRange(type, name); };
  return llvm::is_contained(op.getOperands(), range.getTile()) || llvm::any_of(op.getOperandTypes(), mentions) ||
         llvm::any_of(op.getResultTypes(), mentions);
}

static bool rolls(Operation &op, RangeOp range) {
  if (op.getNumRegions() || isTileQuery(op) || isa<ReboundOp>(op))
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() != ReductionKind::ArgMax && reduce.getKind() != ReductionKind::ArgMin;
  if (auto scan = dyn_cast<ScanOp>(op))
    return dimsOf(scan.getType())[scan.getDim()].getRange() != range.getTile().getType().getDim().getRange();
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return atomic.getResult().use_empty();
  return isPure(&op) || isa<LoadOp, StoreOp>(op);
}

bool helion::canRoll(RangeOp range) {
  if (!range.getTile().getType().getDim().getRange())
    return false;
  for (Operation &op : range->getBlock()->without_terminator()) {
    bool inside = false;
    for (Region &region : op.getRegions())
      region.walk([&](Operation *inner) { inside |= touches(*inner, range); });
    if (inside || (&op != range && touches(op, range) && !rolls(op, range)))
      return false;
  }
  return true;
}

//===-- Flattening ------------------------------------------------------------------------------------------------===//

/// Lanes of a slice or of an arange are not the loop's, and one dim for all has no place for them.
static bool hasLanesOf(TileOp loop, Type type) {
  return !isTileValue(type) || llvm::all_of(dimsOf(type), [&](DimAttr dim) {
    return llvm::any_of(loop.getTiles(), [&](Value tile) { return cast<TileType>(tile.getType()).getDim() == dim; });
  });
}

static bool flattens(Operation &op, TileOp loop) {
  if (!llvm::all_of(op.getResultTypes(), [&](Type type) { return hasLanesOf(loop, type); }))
    return false;
  if (auto iota = dyn_cast<IotaOp>(op); iota && !llvm::is_contained(loop.getTiles(), iota.getTile()))
    return false;
  if (op.getNumRegions() || isa<ReduceOp, ScanOp, DotOp, MaskOp, PermuteOp, ReshapeOp, AtomicOp>(op))
    return false;
  if (isTileQuery(op) && llvm::is_contained(loop.getTiles(), op.getOperand(0)))
    return false;
  return llvm::all_of(op.getOperands(), [&](Value operand) {
    return !isTileValue(operand.getType()) || operand.getParentRegion() == &loop.getBody() ||
           operand.getDefiningOp<SplatOp>();
  });
}

bool helion::canFlatten(TileOp loop) {
  return loop.isGrid() && loop.getNumDims() > 1 &&
         llvm::all_of(loop.getLowers(), [](Value lower) { return matchPattern(lower, m_Zero()); }) &&
         llvm::all_of(loop.getBody().front().without_terminator(), [&](Operation &op) { return flattens(op, loop); });
}

//===-- Staged loads ----------------------------------------------------------------------------------------------===//

LoadOp helion::loadBehind(Value operand, Block &block) {
  Operation *op = operand.getDefiningOp();
  while (op && op->getBlock() == &block && op->hasOneUse() && isa<PermuteOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto load = dyn_cast_or_null<LoadOp>(op);
  bool isPlain = load && op->getBlock() == &block && op->hasOneUse() && !load.getMask() && !load.getOther();
  return isPlain ? load : LoadOp();
}

SmallVector<LoadOp> helion::loadsForDots(Block &block) {
  SmallVector<LoadOp> loads;
  for (DotOp dot : block.getOps<DotOp>()) {
    if (!warpInstructionFor(dot))
      continue;
    for (Value operand : {dot.getLhs(), dot.getRhs()})
      if (LoadOp load = loadBehind(operand, block))
        loads.push_back(load);
  }
  return loads;
}

bool helion::readsSlots(DotOp dot) {
  auto isPlain = [&](Value operand) {
    return operand.getDefiningOp<LoadOp>() && loadBehind(operand, *dot->getBlock()) == operand.getDefiningOp<LoadOp>();
  };
  return hasGroupTypes(dot) && dimsOf(dot.getAcc().getType()).size() == 2 && isPlain(dot.getLhs()) &&
         isPlain(dot.getRhs());
}

/// Whether an index is computed without memory, regions and lanes; `usesProgram` becomes true where an argument of the
/// body takes part.
static bool followsFromProgram(Value value, Block &body, bool &usesProgram) {
  if (isTileValue(value.getType()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    usesProgram |= argument.getOwner() == &body;
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != &body)
    return true;
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return followsFromProgram(operand, body, usesProgram); });
}

static bool stores(Operation &op) {
  return op
      .walk([](Operation *inner) {
        return isa<StoreOp, AtomicOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

SmallVector<LoadOp> helion::loadsOfPrograms(Block &body) {
  SmallVector<LoadOp> loads;
  for (Operation &op : body) {
    if (stores(op))
      break;
    auto load = dyn_cast<LoadOp>(op);
    bool usesProgram = false;
    if (load && isTileValue(load.getType()) && !load.getMask() && !load.getOther() &&
        getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() % 8 == 0 &&
        llvm::all_of(load.getIndices(), [&](Value index) { return followsFromProgram(index, body, usesProgram); }) &&
        usesProgram)
      loads.push_back(load);
  }
  return loads;
}

/// What is stored may be what a later iteration loads.
static bool mayStage(TileOp loop) {
  bool stores = false;
  loop.walk([&](Operation *op) { stores |= isa<StoreOp, AtomicOp>(op); });
  return !stores && !loadsForDots(loop.getBody().front()).empty();
}

//===-- Program ids -----------------------------------------------------------------------------------------------===//

TileOp helion::onlyGrid(LaunchOp launch) {
  auto loops = launch.getBody().getOps<TileOp>();
  return llvm::hasSingleElement(loops) ? *loops.begin() : TileOp();
}

bool helion::canMapXyz(LaunchOp launch) {
  TileOp grid = onlyGrid(launch);
  return grid && grid.getNumDims() >= 2 && grid.getNumDims() <= 3;
}

//===-- All sites -------------------------------------------------------------------------------------------------===//

static bool hasConstantBounds(TileOp loop) {
  return llvm::all_of(llvm::concat<const Value>(loop.getLowers(), loop.getUppers()),
                      [](Value bound) { return matchPattern(bound, m_Constant()); });
}

/// The first launch with a tile of the block; empty when none has one.
static StringRef firstLaunch(BlockOp block) {
  StringRef name;
  auto hasBlock = [&](Value value) {
    auto tile = dyn_cast<TileType>(value.getType());
    return tile && tile.getDim().getBlock() == block.getSymNameAttr();
  };
  block->getParentOp()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool found = llvm::any_of(op->getResults(), hasBlock);
    if (auto loop = dyn_cast<TileOp>(op))
      found |= llvm::any_of(loop.getTiles(), hasBlock);
    if (!found)
      return WalkResult::advance();
    name = op->getParentOfType<LaunchOp>().getName();
    return WalkResult::interrupt();
  });
  return name;
}

namespace {
class SiteFinder {
public:
  std::vector<Site> find(KernelOp kernel) {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    return std::move(sites);
  }

private:
  void visit(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<BlockOp>([&](BlockOp block) { visitBlock(block); })
        .Case<LaunchOp>([&](LaunchOp launch) {
          add(SiteKind::Launch, launch.getName(), op);
          TileOp grid = onlyGrid(launch);
          addIf(grid && !loadsOfPrograms(grid.getBody().front()).empty(), SiteKind::StagedGrid, launch.getName(), op);
        })
        .Case<TileOp>([&](TileOp loop) { visitLoop(loop); })
        .Case<RangeOp>([&](RangeOp range) { addIf(canRoll(range), SiteKind::Slice, range.getSite(), op); })
        .Case<DotOp>([&](DotOp dot) { add(SiteKind::Dot, dot.getSite(), op); })
        .Case<LoadOp>([&](LoadOp load) {
          addIf(hasTile(load.getIndices()), SiteKind::Access, load.getSite(), op);
          addIf(hasTile(load.getIndices()) && !load.getEvict(), SiteKind::Load, load.getSite(), op);
        })
        .Case<StoreOp>([&](StoreOp store) {
          addIf(hasTile(store.getIndices()), SiteKind::Access, store.getSite(), op);
          add(SiteKind::Store, store.getSite(), op);
        });
  }

  static bool hasTile(OperandRange indices) {
    return llvm::any_of(indices, [](Value index) { return isa<TileType>(index.getType()); });
  }

  void visitBlock(BlockOp block) {
    if (block.getKind() == BlockKind::Fixed)
      return;
    SiteKind kind = block.getKind() == BlockKind::Slice ? SiteKind::SliceBlock : SiteKind::Block;
    sites.push_back({kind, block.getSymName().str(), firstLaunch(block).str(), block});
  }

  void visitLoop(TileOp loop) {
    StringRef site = loop.getSite();
    bool grid = loop.isGrid(), several = loop.getNumDims() > 1;
    addIf(several && (grid || loop.getInits().empty() || loop.hasCombine()), SiteKind::OrderedLoop, site, loop);
    addIf(canFlatten(loop), SiteKind::PointwiseGrid, site, loop);
    addIf(several && grid, SiteKind::GroupedGrid, site, loop);
    addIf(!grid, SiteKind::InnerLoop, site, loop);
    addIf(!grid && mayStage(loop), SiteKind::StagedLoop, site, loop);
    addIf(!grid && mayStage(loop) && llvm::all_of(loop.getBody().getOps<DotOp>(), readsSlots), SiteKind::SlotDotLoop,
          site, loop);
    addIf(!grid && hasConstantBounds(loop), SiteKind::ConstantLoop, site, loop);
  }

  void add(SiteKind kind, StringRef name, Operation *op) {
    auto launch = isa<LaunchOp>(op) ? cast<LaunchOp>(op) : op->getParentOfType<LaunchOp>();
    sites.push_back({kind, name.str(), launch ? launch.getName().str() : "", op});
  }
  void addIf(bool condition, SiteKind kind, StringRef name, Operation *op) {
    if (condition)
      add(kind, name, op);
  }

  std::vector<Site> sites;
};
} // namespace

std::vector<Site> helion::sitesOf(KernelOp kernel) { return SiteFinder().find(kernel); }
