// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of reductions: along the vectors (several accumulators, then one scalar), or in order, with the vectors along
// another dim or none.

#include "codegen/CPU/Combine.h"
#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/NestEmitter.h"
#include "codegen/CPU/TileChain.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

SmallVector<Position> NestEmitter::withoutCombined(ArrayRef<Position> positions) {
  SmallVector<Position> result(positions);
  result.erase(result.begin() + nest->combined);
  return result;
}

/// One loop over a segment. Its lanes are added to those of the accumulator, which has the segment's width.
Value NestEmitter::accumulate(const Segment &segment, Value accumulator) {
  auto reduce = cast<ReduceOp>(nest->op);
  int dim = nest->combined, level = levelOf(dim);
  OpBuilder::InsertionGuard guard(builder);
  auto loop = openLoop(segment.begin, segment.end, segment.lanes, ValueRange{accumulator});
  lanes.hoistTo(level - 1, loop);
  lanes.enterLevel(level);
  enterSegment(segment, loop.getInductionVar());
  at[dim] = {loop.getInductionVar(), dim, true};
  Type element = getElementTypeOrSelf(reduce.getValue().getType());
  Value held = loop.getRegionIterArgs()[0];
  Value lane = lanes.spread(widen(builder, loc, lanes.evaluate(reduce.getValue(), at), element));
  Value next = combine(builder, loc, reduce.getKind(), held, lane);
  if (segment.isTail) {
    auto type = VectorType::get({segment.lanes}, builder.getI1Type());
    Value exists = vector::CreateMaskOp::create(builder, loc, type, ValueRange{lanes.facts.tail});
    next = arith::SelectOp::create(builder, loc, exists, next, held);
  }
  scf::YieldOp::create(builder, loc, next);
  leaveSegment();
  return loop.getResult(0);
}

void NestEmitter::emitVectorReduce() {
  auto reduce = cast<ReduceOp>(nest->op);
  Type element = accumulatorType(getElementTypeOrSelf(reduce.getValue().getType()));
  Value identity = identityOf(builder, loc, reduce.getKind(), element);
  // One accumulator per width: a chain for each vector of a round, and one for what is left.
  llvm::MapVector<int64_t, Value> accumulators;
  for (const Segment &segment : segments(nest->combined)) {
    Value &accumulator = accumulators[segment.lanes];
    if (!accumulator)
      accumulator = vector::BroadcastOp::create(builder, loc, VectorType::get({segment.lanes}, element), identity);
    accumulator = accumulate(segment, accumulator);
  }
  Value result = identity;
  for (auto [width, accumulator] : accumulators)
    result = combine(builder, loc, reduce.getKind(), result, combineLanes(builder, loc, reduce.getKind(), accumulator));
  Type to = getElementTypeOrSelf(reduce.getType());
  result = convertElement(builder, loc, result, accumulatorType(to), to);
  lanes.storeTo(nest->views[0], withoutCombined(at), result);
}

namespace {
/// A reduction in lane order: what it starts from and how a lane is added.
struct Ordered {
  OpBuilder &builder;
  LaneEvaluator &lanes;
  const Nest &nest;
  Location loc;
  bool isVector;

  Value spread(Value value) { return isVector ? lanes.spread(value) : value; }

  Held start() {
    Held held;
    if (auto region = dyn_cast<ReduceFnOp>(nest.op)) {
      for (Value other : region.getOthers())
        held.push_back(spread(other));
      return held;
    }
    auto reduce = cast<ReduceOp>(nest.op);
    Type element = accumulatorType(getElementTypeOrSelf(reduce.getValue().getType()));
    held.push_back(spread(identityOf(builder, loc, reduce.getKind(), element)));
    if (nest.kind == Nest::Kind::Sequence)
      held.push_back(spread(IndexMath(builder, loc).constant(0)));
    return held;
  }

  Held add(const Held &held, ArrayRef<Position> at) {
    SmallVector<Value> next;
    for (Value value : nest.values) {
      Value lane = lanes.evaluate(value, at);
      next.push_back(spread(widen(builder, loc, lane, getElementTypeOrSelf(value.getType()))));
    }
    if (auto region = dyn_cast<ReduceFnOp>(nest.op))
      return combineRegion(builder, region, held, next, lanes.facts.width);
    auto reduce = cast<ReduceOp>(nest.op);
    if (nest.kind == Nest::Kind::Sequence)
      return combineArg(builder, loc, reduce.getKind(), held, next[0], spread(at[nest.combined].index));
    return {combine(builder, loc, reduce.getKind(), held[0], next[0])};
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
  Ordered ordered{builder, lanes, *nest, loc, bool(base)};
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
