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

// Enough chains to hide the latency of an addition behind the loads of a row.
static constexpr int64_t kAccumulators = 4;

SmallVector<Position> NestEmitter::withoutCombined(ArrayRef<Position> positions) {
  SmallVector<Position> result(positions);
  result.erase(result.begin() + nest->combined);
  return result;
}

/// One loop over a segment; each of its vectors has an accumulator.
SmallVector<Value> NestEmitter::accumulate(const Segment &segment, SmallVector<Value> accumulators) {
  auto reduce = cast<ReduceOp>(nest->op);
  int dim = nest->combined, level = levelOf(dim);
  OpBuilder::InsertionGuard guard(builder);
  auto loop = openLoop(segment.begin, segment.end, segment.vectors * nest->width, accumulators);
  lanes.hoistTo(level - 1, loop);
  lanes.enterLevel(level);
  IndexMath math(builder, loc);
  lanes.facts.split = segment.split;
  lanes.facts.tail = segment.isTail ? math.sub(segment.end, loop.getInductionVar()) : Value();
  SmallVector<Value> next(loop.getRegionIterArgs());
  for (int64_t vector = 0; vector < segment.vectors; ++vector) {
    at[dim] = {math.add(loop.getInductionVar(), math.constant(vector * nest->width)), dim, true};
    Type element = getElementTypeOrSelf(reduce.getValue().getType());
    Value lane = lanes.spread(widen(builder, loc, lanes.evaluate(reduce.getValue(), at), element));
    Value combined = combine(builder, loc, reduce.getKind(), next[vector], lane);
    if (segment.isTail) {
      auto type = VectorType::get({nest->width}, builder.getI1Type());
      Value exists = vector::CreateMaskOp::create(builder, loc, type, ValueRange{lanes.facts.tail});
      combined = arith::SelectOp::create(builder, loc, exists, combined, next[vector]);
    }
    next[vector] = combined;
  }
  scf::YieldOp::create(builder, loc, next);
  lanes.facts.split = lanes.facts.tail = {};
  return SmallVector<Value>(loop.getResults());
}

void NestEmitter::emitVectorReduce() {
  auto reduce = cast<ReduceOp>(nest->op);
  Type element = accumulatorType(getElementTypeOrSelf(reduce.getValue().getType()));
  Value identity = lanes.spread(identityOf(builder, loc, reduce.getKind(), element));
  SmallVector<Value> accumulators(kAccumulators, identity);
  for (const Segment &segment : segments(nest->combined, kAccumulators))
    accumulators = accumulate(segment, accumulators);
  finishVectorReduce(accumulators);
}

void NestEmitter::finishVectorReduce(SmallVector<Value> accumulators) {
  auto reduce = cast<ReduceOp>(nest->op);
  while (accumulators.size() > 1) {
    Value last = accumulators.pop_back_val();
    Value &other = accumulators[accumulators.size() / 2];
    other = combine(builder, loc, reduce.getKind(), other, last);
  }
  Value result = combineLanes(builder, loc, reduce.getKind(), accumulators[0]);
  Type element = getElementTypeOrSelf(reduce.getType());
  result = convertElement(builder, loc, result, accumulatorType(element), element);
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
      return combineRegion(builder, region, held, next, nest.width);
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

/// `bases` are the vectors to reduce side by side; none: one lane.
void NestEmitter::emitSequence(ArrayRef<Value> bases) {
  Ordered ordered{builder, lanes, *nest, loc, !bases.empty()};
  int dim = nest->combined, level = levelOf(dim);
  size_t count = std::max<size_t>(bases.size(), 1);
  SmallVector<Value> inits;
  for (size_t vector = 0; vector < count; ++vector)
    llvm::append_range(inits, ordered.start());
  size_t held = inits.size() / count;
  Value end = tripCount(*nest, dim), begin = IndexMath(builder, loc).constant(0);
  auto place = [&](size_t vector) {
    if (!bases.empty())
      at[nest->vectorDim] = {bases[vector], nest->vectorDim, true};
  };
  SmallVector<Value> results;
  {
    OpBuilder::InsertionGuard guard(builder);
    auto loop = openLoop(begin, end, 1, inits);
    lanes.hoistTo(level - 1, loop);
    lanes.enterLevel(level);
    at[dim] = {loop.getInductionVar(), dim, false};
    SmallVector<Value> next;
    for (size_t vector = 0; vector < count; ++vector) {
      place(vector);
      llvm::append_range(next, ordered.add(Held(loop.getRegionIterArgs().slice(vector * held, held)), at));
    }
    scf::YieldOp::create(builder, loc, next);
    llvm::append_range(results, loop.getResults());
  }
  for (size_t vector = 0; vector < count; ++vector) {
    place(vector);
    SmallVector<Value> finished = ordered.finish(Held(ArrayRef<Value>(results).slice(vector * held, held)));
    for (auto [view, value] : llvm::zip(nest->views, finished))
      lanes.storeTo(view, withoutCombined(at), value);
  }
}
