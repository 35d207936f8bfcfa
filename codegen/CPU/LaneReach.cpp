// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A backward data flow over sets of lanes, from the ops that look at lanes to the values that hold them, to a fixed
// point (only loops need more than one round).

#include "codegen/CPU/LaneReach.h"
#include "codegen/CPU/TileChain.h"
#include "dialect/IR/Dims.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

Lanes Lanes::join(const Lanes &other) const {
  if (kind == Kind::None)
    return other;
  if (other.kind == Kind::None || other == *this)
    return *this;
  return all();
}

bool cpu::fillsIdentity(MaskOp op, ReductionKind kind) {
  auto constant = op.getFill().getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return false;
  auto fill = cast<TypedAttr>(constant.getValue());
  if (kind == ReductionKind::AddF)
    return cast<FloatAttr>(fill).getValue().isZero();
  return fill == reductionIdentity(kind, op.getFill().getType());
}

FailureOr<LaneReach> LaneReach::create(func::FuncOp function) {
  LaneReach result;
  result.dominance = std::make_unique<DominanceInfo>(function);
  if (failed(result.collectBounds(function)))
    return failure();
  result.solve(function);
  return result;
}

LogicalResult LaneReach::collectBounds(func::FuncOp function) {
  DenseMap<std::pair<Value, Value>, SmallVector<Value>> seen;
  WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (auto make = dyn_cast<MakeTileOp>(op)) {
      Value bound;
      if (make.getEnd()) {
        SmallVector<Value> &same = seen[{make.getBegin(), make.getEnd()}];
        auto found = llvm::find_if(same, [&](Value other) {
          return other.getType() == make.getTile().getType() && dominance->properlyDominates(other, make);
        });
        bound = found == same.end() ? make.getTile() : *found;
        if (found == same.end())
          same.push_back(bound);
      }
      bounds[make.getTile()] = bound;
    } else if (auto shift = dyn_cast<TileShiftOp>(op)) {
      bounds[shift.getResult()] = bounds.lookup(shift.getTile());
    }
    for (Value operand : op->getOperands())
      if (isa<TileType>(operand.getType()) && !bounds.contains(operand))
        return op->emitOpError("takes a tile that is not made by `helion.make_tile` in this function");
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

Value LaneReach::boundOf(Value tile) const { return bounds.lookup(tile); }

Lanes LaneReach::lanes(Value value, unsigned dim) const {
  auto found = reach.find(value);
  return found == reach.end() ? Lanes() : found->second[dim];
}

SmallVector<Lanes> LaneReach::lanesOf(Value value) const {
  auto found = reach.find(value);
  return found == reach.end() ? SmallVector<Lanes>(shapeOf(value).size()) : found->second;
}

SmallVector<Lanes> LaneReach::resultLanes(Operation *op) const {
  SmallVector<Lanes> joined(shapeOf(op->getResult(0)).size());
  for (Value result : op->getResults())
    for (auto [lanes, more] : llvm::zip(joined, lanesOf(result)))
      lanes = lanes.join(more);
  return joined;
}

void LaneReach::need(Value value, ArrayRef<Lanes> lanes) {
  if (!isTileValue(value.getType()))
    return;
  SmallVector<Lanes> &held = reach[value];
  held.resize(lanes.size());
  Operation *maker = value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp();
  for (auto [have, want] : llvm::zip(held, lanes)) {
    bool exists = want.kind != Lanes::Kind::Below || dominance->properlyDominates(want.bound, maker);
    Lanes joined = have.join(exists ? want : Lanes::all());
    changed |= !(joined == have);
    have = joined;
  }
}

void LaneReach::solve(func::FuncOp function) {
  SmallVector<Operation *> order;
  function.walk([&](Operation *op) { order.push_back(op); });
  do {
    changed = false;
    for (Operation *op : llvm::reverse(order)) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        visitLoop(loop);
      else
        visit(op);
    }
  } while (changed);
}

/// Lanes that a store or atomic keeps: those below the ends of its tiles. `clips` is false for loads, whose result
/// decides.
void LaneReach::visitAccess(OperandRange indices, Value value, Value mask, bool clips) {
  SmallVector<Lanes> kept = clips ? SmallVector<Lanes>(shapeOf(value).size(), Lanes::all()) : lanesOf(value);
  SmallVector<IndexDims> dims = indexDims(indices);
  if (clips)
    for (const IndexDims &index : dims)
      if (isa<TileType>(index.index.getType()))
        kept[index.first] = Lanes::below(boundOf(index.index));
  if (clips)
    need(value, kept);
  if (mask)
    need(mask, kept);
  for (const IndexDims &index : dims)
    if (isTileValue(index.index.getType()))
      need(index.index, ArrayRef<Lanes>(kept).slice(index.first, index.count));
}

void LaneReach::visit(Operation *op) {
  if (auto mask = dyn_cast<MaskOp>(op)) {
    SmallVector<Lanes> lanes = lanesOf(mask.getResult());
    for (auto [dim, tile] : llvm::zip(mask.getDims(), mask.getTiles()))
      if (Value bound = boundOf(tile); bound && lanes[dim].kind == Lanes::Kind::All)
        lanes[dim] = Lanes::below(bound);
    return need(mask.getValue(), lanes);
  }
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (isTileValue(load.getResult().getType()))
      visitAccess(load.getIndices(), load.getResult(), load.getMask(), false);
    return;
  }
  if (isLaneOp(op)) {
    SmallVector<Lanes> lanes = lanesOf(op->getResult(0));
    auto visitSource = [&](Value value, ArrayRef<Lanes> from) { need(value, from); };
    return forEachSource<Lanes>(op, lanes, Lanes::all(), visitSource);
  }
  visitSink(op);
}

/// Each lane needs those before it; with `reverse`, up to the last one.
SmallVector<Lanes> LaneReach::scannedLanes(Operation *op, unsigned dim, bool reverse) const {
  SmallVector<Lanes> lanes = resultLanes(op);
  if (reverse && lanes[dim].kind != Lanes::Kind::None)
    lanes[dim] = Lanes::all();
  return lanes;
}

void LaneReach::visitSink(Operation *op) {
  if (auto store = dyn_cast<StoreOp>(op)) {
    if (isTileValue(store.getValue().getType()))
      visitAccess(store.getIndices(), store.getValue(), store.getMask(), true);
  } else if (auto atomic = dyn_cast<AtomicOp>(op)) {
    if (isTileValue(atomic.getValue().getType()))
      visitAccess(atomic.getIndices(), atomic.getValue(), atomic.getMask(), true);
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    SmallVector<Lanes> lanes;
    if (isTileValue(reduce.getResult().getType()))
      lanes = lanesOf(reduce.getResult());
    lanes.insert(lanes.begin() + reduce.getDim(), Lanes::all());
    need(reduce.getValue(), lanes);
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    need(scan.getValue(), scannedLanes(scan, scan.getDim(), scan.getReverse()));
  } else if (auto scan = dyn_cast<ScanFnOp>(op)) {
    for (Value value : scan.getValues())
      need(value, scannedLanes(scan, scan.getDim(), scan.getReverse()));
  } else if (auto dot = dyn_cast<DotOp>(op)) {
    SmallVector<Lanes> lanes = lanesOf(dot.getResult());
    need(dot.getAcc(), lanes);
    Lanes inner = Lanes::below(contractionBound(dot));
    SmallVector<Lanes> lhs(lanes), rhs(lanes);
    lhs[lanes.size() - 1] = inner;
    rhs[lanes.size() - 2] = inner;
    need(dot.getLhs(), lhs);
    need(dot.getRhs(), rhs);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [index, result] : llvm::enumerate(branch.getResults()))
      if (isTileValue(result.getType()))
        for (Region &region : branch->getRegions())
          need(region.front().getTerminator()->getOperand(index), lanesOf(result));
  } else if (!isa<scf::YieldOp>(op)) {
    for (Value operand : op->getOperands())
      if (isTileValue(operand.getType()))
        need(operand, SmallVector<Lanes>(shapeOf(operand).size(), Lanes::all()));
  }
}

/// A carried value, its start, its end and the loop's result share one buffer, so they share one set of lanes. A bound
/// made inside the loop cannot clip what lives outside.
void LaneReach::visitLoop(scf::ForOp loop) {
  for (auto [init, arg, result, yielded] :
       llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults(), loop.getYieldedValues())) {
    if (!isTileValue(init.getType()))
      continue;
    SmallVector<Lanes> lanes = lanesOf(result);
    for (auto [mine, inner] : llvm::zip(lanes, lanesOf(arg))) {
      mine = mine.join(inner);
      if (mine.kind == Lanes::Kind::Below && !dominance->properlyDominates(mine.bound, loop))
        mine = Lanes::all();
    }
    need(arg, lanes);
    need(result, lanes);
    need(init, lanes);
    need(yielded, lanes);
  }
}

/// The bound outside which `value` is 0 along `dim`, or null.
Value LaneReach::zeroBound(Value value, unsigned dim) const {
  Operation *op = value.getDefiningOp();
  auto isZero = [](Value fill) {
    auto constant = fill ? fill.getDefiningOp<arith::ConstantOp>() : arith::ConstantOp();
    return !fill || (constant && (matchPattern(fill, m_AnyZeroFloat()) || matchPattern(fill, m_Zero())));
  };
  if (auto load = dyn_cast_or_null<LoadOp>(op)) {
    for (const IndexDims &index : indexDims(load.getIndices()))
      if (isa<TileType>(index.index.getType()) && index.first == dim && isZero(load.getOther()))
        return boundOf(index.index);
    return {};
  }
  if (auto mask = dyn_cast_or_null<MaskOp>(op)) {
    for (auto [masked, tile] : llvm::zip(mask.getDims(), mask.getTiles()))
      if (masked == int64_t(dim) && isZero(mask.getFill()))
        return boundOf(tile);
    return isZero(mask.getFill()) ? zeroBound(mask.getValue(), dim) : Value();
  }
  if (auto permute = dyn_cast_or_null<PermuteOp>(op))
    return zeroBound(permute.getValue(), permute.getDims()[dim]);
  if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, ReboundOp>(op))
    return zeroBound(op->getOperand(0), dim);
  return {};
}

Value LaneReach::contractionBound(DotOp dot) const {
  unsigned rank = shapeOf(dot.getAcc()).size();
  Value lhs = zeroBound(dot.getLhs(), rank - 1);
  return lhs && lhs == zeroBound(dot.getRhs(), rank - 2) ? lhs : Value();
}
