// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-roll-reductions: a full slice becomes loops over chunks.
//
// The ops of the block that holds the slice fall into levels. An op on the slice ("sliced") runs in loop `level`, which
// is how many rolled loops must have finished before its inputs exist; an op off the slice stands after that many
// loops. A sliced op that later loops need again is computed again there. So softmax gives three loops: max; sum; the
// quotient.

#include "dialect/IR/Dims.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Config/SiteOptions.h"
#include "passes/Schedule/Combiners.h"
#include "passes/Schedule/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_ROLLREDUCTIONSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace helion

namespace {
/// The host tensor behind views.
Value baseOf(Value host) {
  while (Operation *source = host.getDefiningOp()) {
    if (isa<EmptyOp, FullOp>(source))
      break;
    host = source->getOperand(0);
  }
  return host;
}

/// What the levels of one block's ops are, and which of them end a loop.
struct Plan {
  llvm::DenseMap<Operation *, unsigned> level; // sliced: the loop it belongs to; other: loops before it
  SmallVector<Operation *> sinks;              // sliced ops that end in something else than a sliced value, block order
  llvm::DenseSet<Operation *> sliced;
  unsigned numLoops = 0;
};

class Roller {
public:
  Roller(RangeOp range, int64_t chunk)
      : range(range), name(range.getTile().getType().getDim().getRange()), chunk(chunk), builder(range.getContext()) {}

  LogicalResult roll();
  unsigned loopsMade() const { return plan.numLoops; }

private:
  bool isSliced(Type type) const { return mentionsRange(type, name); }
  LogicalResult checkOp(Operation *op);
  LogicalResult checkMemory(const llvm::DenseSet<Value> &loadedBySlice);
  LogicalResult makePlan();
  unsigned levelOf(Operation *op);
  bool isSink(Operation *op) const;

  StringAttr declareBlock();
  DimAttr rolledDim(DimAttr dim, StringRef rangeName) const;
  Type rolledType(Type type, StringRef rangeName) const;
  void emit();
  void emitLoop(unsigned level);
  void cloneInto(Operation *op, Value tile, StringRef rangeName, IRMapping &map, llvm::DenseSet<Operation *> &done);
  Value initOf(Operation *sink);
  Value nextOf(Operation *sink, Value carried, Value tile, IRMapping &map);
  void fillCombine(TileOp loop, ArrayRef<Operation *> carried);

  RangeOp range;
  StringAttr name;
  int64_t chunk;
  OpBuilder builder;
  StringAttr block;
  Plan plan;
  SmallVector<Operation *> order;
};
} // namespace

//===-- What can be rolled ---------------------------------------------------------------------------------------===//

/// True for a reduce over the slice, or a dot that contracts it.
static bool combinesSlice(Operation *op, StringAttr name) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return mentionsRange(reduce.getValue().getType(), name) && !mentionsRange(reduce.getResult().getType(), name);
  if (auto dot = dyn_cast<DotOp>(op))
    return dimsOf(dot.getLhs().getType()).back().getRange() == name;
  return false;
}

bool Roller::isSink(Operation *op) const { return combinesSlice(op, name) || isa<StoreOp, AtomicOp>(op); }

LogicalResult Roller::checkOp(Operation *op) {
  auto refuse = [&](const char *why) {
    InFlightDiagnostic diagnostic = op->emitError() << "slice `" << range.getSite() << "` cannot be rolled: " << why;
    diagnostic.attachNote(range.getLoc()) << "the slice";
    return diagnostic;
  };
  if (op->getNumRegions())
    return refuse("a value of it is used by an op with a region");
  if (auto reduce = dyn_cast<ReduceOp>(op);
      reduce && combinesSlice(op, name) &&
      (reduce.getKind() == ReductionKind::ArgMax || reduce.getKind() == ReductionKind::ArgMin))
    return refuse("argmax and argmin of it need the whole row");
  if (auto scan = dyn_cast<ScanOp>(op); scan && dimsOf(scan.getType())[scan.getDim()].getRange() == name)
    return refuse("a scan along it needs the lanes of earlier chunks");
  if (isa<ReboundOp>(op))
    return refuse("its lanes outside become visible");
  if (isa<TileBeginOp, TileEndOp, TileIdOp, TileCountOp, TileShiftOp>(op))
    return refuse("its bounds are used as numbers");
  if (!isPure(op) && !isa<LoadOp, StoreOp, AtomicOp>(op))
    return refuse("an op with side effects works on it");
  if (auto atomic = dyn_cast<AtomicOp>(op); atomic && !atomic.getResult().use_empty())
    return refuse("the old values of an atomic are used");
  return success();
}

/// Host tensors that `op`, or an op in its regions, stores to or loads from.
static void collectAccesses(Operation *op, llvm::SetVector<Value> &stored, llvm::SetVector<Value> &loaded) {
  op->walk([&](Operation *inner) {
    if (auto load = dyn_cast<LoadOp>(inner))
      loaded.insert(baseOf(load.getSource()));
    if (isa<StoreOp, AtomicOp>(inner))
      stored.insert(baseOf(inner->getOperand(1)));
    if (isa<AtomicOp>(inner))
      loaded.insert(baseOf(inner->getOperand(1)));
  });
}

/// Later loops load again, and loops move against the ops between them. So no host tensor may be stored and afterwards
/// loaded, and what the slice loads may be stored through the slice only (such a store waits for the last loop).
LogicalResult Roller::checkMemory(const llvm::DenseSet<Value> &loadedBySlice) {
  llvm::DenseMap<Value, Operation *> storedBy;
  auto refuse = [&](Operation *op, const char *why, Operation *other) {
    InFlightDiagnostic diagnostic = op->emitError() << "slice `" << range.getSite() << "` cannot be rolled: " << why;
    diagnostic.attachNote(other->getLoc()) << (other == range ? "the slice" : "the store");
    return diagnostic;
  };
  for (Operation *op : order) {
    llvm::SetVector<Value> stored, loaded;
    collectAccesses(op, stored, loaded);
    for (Value base : loaded)
      if (Operation *store = storedBy.lookup(base))
        return refuse(op, "the host tensor was stored before this load", store);
    for (Value base : stored) {
      if (!plan.sliced.contains(op) && loadedBySlice.contains(base))
        return refuse(op, "this stores, not through the slice, to a host tensor that the slice loads", range);
      storedBy[base] = op;
    }
  }
  return success();
}

//===-- Levels ---------------------------------------------------------------------------------------------------===//

/// One past the last loop that must run before `op`, over its operands and what its regions capture.
unsigned Roller::levelOf(Operation *op) {
  unsigned level = 0;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || source == range || !plan.level.contains(source))
        continue;
      level = std::max(level, plan.level[source] + (plan.sliced.contains(source) && isSink(source) ? 1u : 0u));
    }
  });
  return level;
}

LogicalResult Roller::makePlan() {
  unsigned ordered = 0; // ops with side effects keep their order
  llvm::DenseSet<Value> loaded;
  for (Operation &op : range->getBlock()->without_terminator()) {
    if (&op == range)
      continue;
    auto touches = [&](Type type) { return isSliced(type); };
    bool usesTile = llvm::is_contained(op.getOperands(), range.getTile());
    bool sliced = usesTile || llvm::any_of(op.getOperandTypes(), touches) || llvm::any_of(op.getResultTypes(), touches);
    bool captures = false;
    if (op.getNumRegions())
      op.walk([&](Operation *inner) {
        captures |= llvm::any_of(inner->getOperandTypes(), touches) ||
                    llvm::is_contained(inner->getOperands(), range.getTile());
      });
    if ((sliced || captures) && failed(checkOp(&op)))
      return failure();
    unsigned level = levelOf(&op);
    if (!isMemoryEffectFree(&op) && !sliced)
      level = ordered = std::max(level, ordered);
    plan.level[&op] = level;
    order.push_back(&op);
    if (!sliced)
      continue;
    plan.sliced.insert(&op);
    if (auto load = dyn_cast<LoadOp>(op))
      loaded.insert(baseOf(load.getSource()));
    if (isSink(&op)) {
      plan.sinks.push_back(&op);
      plan.numLoops = std::max(plan.numLoops, level + 1);
    }
  }
  // In place: a store to what is loaded waits for the last loop.
  for (Operation *sink : plan.sinks)
    if (isa<StoreOp, AtomicOp>(sink) && loaded.contains(baseOf(sink->getOperand(1))))
      plan.level[sink] = plan.numLoops - 1;
  return checkMemory(loaded);
}

//===-- Rewriting ------------------------------------------------------------------------------------------------===//

/// The chunk is a choice already made: a fixed block of its own, so that another launch's slice of the same block is
/// free.
StringAttr Roller::declareBlock() {
  auto kernel = range->getParentOfType<KernelOp>();
  auto old = kernel.lookupSymbol<BlockOp>(range.getTile().getType().getDim().getBlock());
  builder.setInsertionPointAfter(old);
  auto fixed = BlockOp::create(builder, range.getLoc(), builder.getStringAttr(old.getSymName() + "_roll"),
                               BlockKindAttr::get(builder.getContext(), BlockKind::Fixed), {}, {}, {},
                               builder.getI64IntegerAttr(chunk));
  for (unsigned number = 1; SymbolTable::lookupSymbolIn(kernel, fixed.getSymNameAttr()) != fixed; ++number)
    fixed.setSymName((old.getSymName() + "_roll" + Twine(number)).str());
  return fixed.getSymNameAttr();
}

/// `rn@n` becomes the chunk, with a range name or plain.
DimAttr Roller::rolledDim(DimAttr dim, StringRef rangeName) const {
  return dim.getRange() == name ? DimAttr::get(dim.getContext(), block.getValue(), rangeName) : dim;
}

Type Roller::rolledType(Type type, StringRef rangeName) const {
  if (!isSliced(type))
    return type;
  auto dims = llvm::map_to_vector(dimsOf(type), [&](DimAttr dim) { return rolledDim(dim, rangeName); });
  return tileValueType(dims, getElementTypeOrSelf(type));
}

void Roller::cloneInto(Operation *op, Value tile, StringRef rangeName, IRMapping &map,
                       llvm::DenseSet<Operation *> &done) {
  if (!plan.sliced.contains(op) || isSink(op) || !done.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      cloneInto(source, tile, rangeName, map, done);
  Operation *copy = builder.clone(*op, map);
  for (Value result : copy->getResults())
    result.setType(rolledType(result.getType(), rangeName));
}

/// Initial carried value: the identity in each lane of the chunk; a dot starts from its own accumulator.
Value Roller::initOf(Operation *sink) {
  if (auto dot = dyn_cast<DotOp>(sink))
    return dot.getAcc();
  auto reduce = cast<ReduceOp>(sink);
  Type type = rolledType(reduce.getValue().getType(), "");
  Value identity = identityValue(builder, sink->getLoc(), reduce.getKind(), getElementTypeOrSelf(type));
  return SplatOp::create(builder, sink->getLoc(), type, identity);
}

Value Roller::nextOf(Operation *sink, Value carried, Value tile, IRMapping &map) {
  Location loc = sink->getLoc();
  if (isa<DotOp>(sink)) {
    Operation *copy = builder.clone(*sink, map);
    copy->setOperand(2, carried);
    return copy->getResult(0);
  }
  auto reduce = cast<ReduceOp>(sink);
  Value value = map.lookup(reduce.getValue());
  Value identity = identityValue(builder, loc, reduce.getKind(), getElementTypeOrSelf(value.getType()));
  Value masked = MaskOp::create(builder, loc, value.getType(), value,
                                builder.getDenseI64ArrayAttr({static_cast<int64_t>(reduce.getDim())}), tile, identity);
  Value visible = ReboundOp::create(builder, loc, carried.getType(), masked);
  return combineValues(builder, loc, reduce.getKind(), carried, visible);
}

void Roller::fillCombine(TileOp loop, ArrayRef<Operation *> carried) {
  SmallVector<Type> types(loop.getResultTypes());
  types.append(loop.getResultTypes().begin(), loop.getResultTypes().end());
  SmallVector<Location> locs(types.size(), loop.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  Block *merge = builder.createBlock(&loop.getCombine(), {}, types, locs);
  SmallVector<Value> merged;
  for (auto [i, sink] : llvm::enumerate(carried)) {
    ReductionKind kind = isa<DotOp>(sink) ? ReductionKind::AddF : cast<ReduceOp>(sink).getKind();
    if (isa<DotOp>(sink) && !isa<FloatType>(getElementTypeOrSelf(types[i])))
      kind = ReductionKind::AddI;
    merged.push_back(
        combineValues(builder, loop.getLoc(), kind, merge->getArgument(i), merge->getArgument(i + carried.size())));
  }
  YieldOp::create(builder, loop.getLoc(), merged);
}

void Roller::emitLoop(unsigned level) {
  SmallVector<Operation *> sinks, carried;
  for (Operation *sink : plan.sinks)
    if (plan.level[sink] == level)
      (sinks.push_back(sink), combinesSlice(sink, name) ? carried.push_back(sink) : void());
  if (sinks.empty())
    return;
  SmallVector<Value> inits = llvm::map_to_vector(carried, [&](Operation *sink) { return initOf(sink); });
  std::string rangeName = (name.getValue() + ".roll" + Twine(level)).str();
  Type tileType = TileType::get(builder.getContext(), DimAttr::get(builder.getContext(), block.getValue(), rangeName));
  auto loop = TileOp::create(builder, range.getLoc(), TypeRange(tileType), ValueRange(range.getLower()),
                             ValueRange(range.getUpper()), ValueRange(inits), range.getSite());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&loop.getBody().front());
  Value tile = loop.getTiles().front();
  IRMapping map;
  map.map(range.getTile(), tile);
  llvm::DenseSet<Operation *> done;
  SmallVector<Value> next;
  for (Operation *sink : sinks) {
    for (Value operand : sink->getOperands())
      if (Operation *source = operand.getDefiningOp())
        cloneInto(source, tile, rangeName, map, done);
    if (combinesSlice(sink, name))
      next.push_back(nextOf(sink, loop.getCarried()[next.size()], tile, map));
    else
      builder.clone(*sink, map);
  }
  if (carried.empty())
    return;
  YieldOp::create(builder, range.getLoc(), next);
  fillCombine(loop, carried);
  builder.setInsertionPointAfter(loop);
  for (auto [sink, result] : llvm::zip(carried, loop.getResults())) {
    Value whole = result;
    if (auto reduce = dyn_cast<ReduceOp>(sink))
      whole = ReduceOp::create(builder, sink->getLoc(), reduce.getResult().getType(), reduce.getKind(), result,
                               reduce.getDim(), reduce.getSite());
    sink->getResult(0).replaceAllUsesWith(whole);
  }
}

/// Loops and the ops off the slice, in the order of their levels; then the ops that were on the slice go.
void Roller::emit() {
  Operation *end = range->getBlock()->getTerminator();
  for (unsigned level = 0; level <= plan.numLoops; ++level) {
    for (Operation *op : order)
      if (!plan.sliced.contains(op) && plan.level[op] == level)
        op->moveBefore(end);
    builder.setInsertionPoint(end);
    if (level < plan.numLoops)
      emitLoop(level);
  }
  for (Operation *op : llvm::reverse(order))
    if (plan.sliced.contains(op))
      op->erase();
  range.erase();
}

/// The slice's own block goes when nothing has its extent any more, or it would be a choice without effect.
static void dropUnusedBlock(KernelOp kernel, StringAttr block) {
  bool used = false;
  auto mentions = [&](DimAttr dim) { return llvm::is_contained(dim.getBlocks(), block); };
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      used |= llvm::any_of(dimsOf(type), mentions);
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        used |= isa<TileType>(type) && mentions(cast<TileType>(type).getDim());
    if (auto range = dyn_cast<RangeOp>(op))
      used |= mentions(range.getTile().getType().getDim());
    if (auto size = dyn_cast<BlockSizeOp>(op))
      used |= size.getBlock() == block.getValue();
  });
  if (!used)
    kernel.lookupSymbol<BlockOp>(block).erase();
}

LogicalResult Roller::roll() {
  if (failed(makePlan()))
    return failure();
  auto kernel = range->getParentOfType<KernelOp>();
  StringAttr sliceBlock = range.getTile().getType().getDim().getBlock();
  block = declareBlock();
  emit();
  dropUnusedBlock(kernel, sliceBlock);
  return success();
}

namespace {
struct RollReductions : public helion::impl::RollReductionsPassBase<RollReductions> {
  using RollReductionsPassBase::RollReductionsPassBase;

  void runOnOperation() override {
    SiteOptions chunks("reduction_loops", SiteOptions::Kind::Integer);
    if (failed(chunks.parse(getOperation(), reductionLoops)) || failed(chunks.checkValues(getOperation())))
      return signalPassFailure();
    SmallVector<RangeOp> ranges;
    getOperation().walk([&](RangeOp range) {
      if (range.getTile().getType().getDim().getRange())
        ranges.push_back(range);
    });
    if (failed(chunks.checkSites(getOperation(), llvm::map_to_vector(ranges, [](RangeOp op) { return op.getSite(); }))))
      return signalPassFailure();
    for (RangeOp range : ranges) {
      std::optional<int64_t> chunk = chunks.integer(range.getSite());
      if (!chunk)
        continue;
      Roller roller(range, *chunk);
      if (failed(roller.roll()))
        return signalPassFailure();
      ++rolled;
      loops += roller.loopsMade();
    }
  }
};
} // namespace
