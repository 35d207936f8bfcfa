// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of reductions: along the vectors (several accumulators, then one scalar), or in order, with the vectors along
// another dim or none.

#include "codegen/CPU/Combine.h"
#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/NestEmitter.h"
#include "codegen/CPU/TileChain.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

SmallVector<Position> NestEmitter::withoutCombined(ArrayRef<Position> positions) {
  SmallVector<Position> result(positions);
  result.erase(result.begin() + nest->combined);
  return result;
}

namespace {
/// A reduction along the vectors: lanes of one native vector are held. The largest and smallest of floats are those of
/// the numbers, and beside them stands where a NaN was: one test for two vectors, instead of a test and a selection for
/// each.
struct VectorFold {
  OpBuilder &builder;
  Location loc;
  ReductionKind kind;
  VectorType type; // Of what is held.

  bool seesNan() const { return kind == ReductionKind::MaximumF || kind == ReductionKind::MinimumF; }

  Value spread(Value scalar, VectorType to) { return vector::BroadcastOp::create(builder, loc, to, scalar); }

  Held start() {
    Held held = {spread(identityOf(builder, loc, kind, type.getElementType()), type)};
    if (seesNan()) {
      Type bits = builder.getIntegerType(type.getElementTypeBitWidth());
      held.push_back(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type.clone(bits))));
    }
    return held;
  }

  /// The larger (smaller); `b` where one is NaN, which is what the instruction does.
  Value extreme(Value a, Value b) {
    auto beats = kind == ReductionKind::MaximumF ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    return arith::SelectOp::create(builder, loc, arith::CmpFOp::create(builder, loc, beats, a, b), a, b);
  }

  Value apply(Value a, Value b) { return seesNan() ? extreme(a, b) : combine(builder, loc, kind, a, b); }

  /// All bits of a lane where one of both is NaN.
  Value nanBits(Value a, Value b) {
    Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, a, b);
    auto vector = cast<VectorType>(a.getType());
    Type bits = builder.getIntegerType(vector.getElementTypeBitWidth());
    return arith::ExtSIOp::create(builder, loc, vector.clone(bits), isNan);
  }

  std::pair<Value, Value> halves(Value vector) {
    int64_t half = cast<VectorType>(vector.getType()).getDimSize(0) / 2;
    Value low = vector::ExtractStridedSliceOp::create(builder, loc, vector, 0, half, 1);
    Value high = vector::ExtractStridedSliceOp::create(builder, loc, vector, half, half, 1);
    return {low, high};
  }

  /// Vectors of a round are combined in a tree, so that only one combination waits for the round before.
  Held add(const Held &held, Value lane) {
    auto isWide = [&](Value value) { return cast<VectorType>(value.getType()).getDimSize(0) > type.getDimSize(0); };
    Value nan;
    if (seesNan() && isWide(lane)) {
      auto [low, high] = halves(lane);
      nan = nanBits(low, high);
    } else if (seesNan()) {
      nan = nanBits(lane, lane);
    }
    while (isWide(lane)) {
      auto [low, high] = halves(lane);
      lane = apply(low, high);
    }
    Held next = {apply(lane, held[0])};
    while (nan && isWide(nan)) {
      auto [low, high] = halves(nan);
      nan = arith::OrIOp::create(builder, loc, low, high);
    }
    if (nan)
      next.push_back(arith::OrIOp::create(builder, loc, nan, held[1]));
    return next;
  }

  /// One scalar.
  Value finish(const Held &held) {
    Value lanes = held[0];
    if (seesNan()) {
      Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(held[1].getType()));
      Value isNan = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, held[1], zero);
      auto element = cast<FloatType>(type.getElementType());
      auto nan = builder.getFloatAttr(element, APFloat::getQNaN(element.getFloatSemantics()));
      Value nans = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, Attribute(nan)));
      lanes = arith::SelectOp::create(builder, loc, isNan, nans, lanes);
    }
    return combineLanes(builder, loc, kind, lanes);
  }
};
} // namespace

/// One loop over a segment. Its lanes are added to what is held.
Held NestEmitter::accumulate(const Segment &segment, const Held &start) {
  auto reduce = cast<ReduceOp>(nest->op);
  int dim = nest->combined, level = levelOf(dim);
  OpBuilder::InsertionGuard guard(builder);
  auto loop = openRounds(segment, start);
  lanes.hoistTo(level - 1, loop);
  lanes.enterLevel(level);
  enterSegment(segment, loop.getInductionVar());
  at[dim] = {loop.getInductionVar(), dim, true};
  Type element = getElementTypeOrSelf(reduce.getValue().getType());
  Held held(loop.getRegionIterArgs());
  Value lane = lanes.spread(widen(builder, loc, lanes.evaluate(reduce.getValue(), at), element));
  Held next = VectorFold{builder, loc, reduce.getKind(), cast<VectorType>(held[0].getType())}.add(held, lane);
  if (segment.isTail) {
    auto type = VectorType::get({segment.lanes}, builder.getI1Type());
    Value exists = vector::CreateMaskOp::create(builder, loc, type, ValueRange{lanes.facts.tail});
    for (auto [value, before] : llvm::zip(next, held))
      value = arith::SelectOp::create(builder, loc, exists, value, before);
  }
  scf::YieldOp::create(builder, loc, next);
  leaveSegment();
  return Held(loop.getResults());
}

void NestEmitter::emitVectorReduce() {
  auto reduce = cast<ReduceOp>(nest->op);
  Type element = accumulatorType(getElementTypeOrSelf(reduce.getValue().getType()));
  VectorFold fold{builder, loc, reduce.getKind(), VectorType::get({nest->width}, element)};
  Held held = fold.start();
  for (const Segment &segment : segments(nest->combined))
    held = accumulate(segment, held);
  Type to = getElementTypeOrSelf(reduce.getType());
  Value result = convertElement(builder, loc, fold.finish(held), accumulatorType(to), to);
  lanes.storeTo(nest->views[0], withoutCombined(at), result);
}

Held OrderedLanes::spreadAll(ValueRange values) {
  return Held(llvm::map_range(values, [&](Value value) { return spread(value); }));
}

Held OrderedLanes::next(ArrayRef<Position> at) {
  return Held(llvm::map_range(nest.values, [&](Value value) {
    return spread(widen(builder, loc, lanes.evaluate(value, at), getElementTypeOrSelf(value.getType())));
  }));
}

namespace {
/// A reduction in lane order: what it starts from and how a lane is added.
struct Ordered : OrderedLanes {
  Held start() {
    if (auto region = dyn_cast<ReduceFnOp>(nest.op))
      return spreadAll(region.getOthers());
    auto reduce = cast<ReduceOp>(nest.op);
    Type element = accumulatorType(getElementTypeOrSelf(reduce.getValue().getType()));
    Held held = {spread(identityOf(builder, loc, reduce.getKind(), element))};
    if (nest.kind == Nest::Kind::Sequence)
      held.push_back(spread(IndexMath(builder, loc).constant(0)));
    return held;
  }

  Held add(const Held &held, ArrayRef<Position> at) {
    Held added = next(at);
    if (auto region = dyn_cast<ReduceFnOp>(nest.op))
      return combineRegion(builder, region.getCombiner(), held, added, lanes.facts.width);
    auto reduce = cast<ReduceOp>(nest.op);
    if (nest.kind == Nest::Kind::Sequence)
      return combineArg(builder, loc, reduce.getKind(), held, added[0], spread(at[nest.combined].index));
    return {combine(builder, loc, reduce.getKind(), held[0], added[0])};
  }

  /// What the views get: all of a region's values, the index of argmax, the value of a plain kind.
  SmallVector<Value> finish(Held held) {
    if (isa<ReduceFnOp>(nest.op))
      return held;
    Type element = getElementTypeOrSelf(nest.op->getResult(0).getType());
    return {convertElement(builder, loc, held.back(), accumulatorType(element), element)};
  }
};
} // namespace

/// `base` is where the vectors begin that are reduced side by side; none: one lane.
void NestEmitter::emitSequence(Value base) {
  Ordered ordered{{builder, lanes, *nest, loc, bool(base)}};
  int dim = nest->combined, level = levelOf(dim);
  Value end = tripCount(*nest, dim), begin = IndexMath(builder, loc).constant(0);
  Held results;
  {
    Held start = ordered.start();
    OpBuilder::InsertionGuard guard(builder);
    auto loop = openLoop(begin, end, 1, start);
    lanes.hoistTo(level - 1, loop);
    lanes.enterLevel(level);
    at[dim] = {loop.getInductionVar(), dim, false};
    scf::YieldOp::create(builder, loc, ordered.add(Held(loop.getRegionIterArgs()), at));
    llvm::append_range(results, loop.getResults());
  }
  for (auto [view, value] : llvm::zip(nest->views, ordered.finish(results)))
    lanes.storeTo(view, withoutCombined(at), value);
}
