// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of nests and the steps of fills, stores and atomics. Reductions are in ReduceEmitter.cpp, scans in
// ScanEmitter.cpp.

#include "codegen/CPU/NestEmitter.h"
#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/TileChain.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

int NestEmitter::levelOf(int dim) const { return llvm::find(nest->order, dim) - nest->order.begin(); }

Value NestEmitter::tripCount(const Nest &of, int dim) {
  if (Value bound = of.bounds[dim])
    return lanes.validCount(bound);
  return IndexMath(builder, loc).constant(of.extents[dim]);
}

scf::ForOp NestEmitter::openLoop(Value begin, Value end, int64_t step, ValueRange inits) {
  IndexMath math(builder, loc);
  auto loop = scf::ForOp::create(builder, loc, begin, end, math.constant(step), inits);
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

/// The loop of a segment.
scf::ForOp NestEmitter::openRounds(const Segment &segment, ValueRange inits) {
  auto loop = openLoop(segment.begin, segment.end, segment.lanes, inits);
  if (segment.lanes > nest->width)
    loop->setAttr(kNativeLanesAttr, builder.getI64IntegerAttr(nest->width));
  return loop;
}

/// True at run time when every stride along the vectors' dims that is not constant is 1; null when all are constant.
Value NestEmitter::unitStrideTest(const NestGroup &group) {
  Value test;
  llvm::SmallPtrSet<void *, 8> seen;
  for (const Nest &member : group.nests) {
    if (member.vectorDim < 0)
      continue;
    for (auto [memref, dim] : member.accessesAlong(plan, member.vectorDim)) {
      Value stride = memory.viewOf(memref).strides[dim];
      if (constantOf(stride) || !seen.insert(stride.getAsOpaquePointer()).second)
        continue;
      Value one = IndexMath(builder, loc).constant(1);
      Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, stride, one);
      test = test ? arith::AndIOp::create(builder, loc, test, isOne).getResult() : isOne;
    }
  }
  return test;
}

void NestEmitter::emit(const NestGroup &group) {
  emitUnderTest(group, [&](bool unitStride) {
    Value test = unitStride ? streamTest(group) : Value();
    if (!test)
      return emitShared(group, 0, {unitStride, false});
    streamed = true;
    OpBuilder::InsertionGuard guard(builder);
    auto branch = scf::IfOp::create(builder, loc, test, true);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitShared(group, 0, {true, true});
    builder.setInsertionPointToStart(branch.elseBlock());
    emitShared(group, 0, {true, false});
  });
}

void NestEmitter::emitUnderTest(const NestGroup &group, function_ref<void(bool)> body) {
  OpBuilder::InsertionGuard guard(builder);
  loc = group.nests.front().op->getLoc();
  Value test = unitStrideTest(group);
  if (!test)
    return body(true);
  auto branch = scf::IfOp::create(builder, loc, test, true);
  builder.setInsertionPointToStart(branch.thenBlock());
  body(true);
  builder.setInsertionPointToStart(branch.elseBlock());
  body(false);
}

/// Loads that the nest reads from memory.
static llvm::SetVector<Value> loadsOf(const Nest &nest, const TilePlan &plan) {
  llvm::SetVector<Value> loads;
  nest.walk(plan, [&](Value value, ArrayRef<int>) {
    if (value.getDefiningOp<LoadOp>() && (!plan.isStored(value) || nest.passes(value)))
      loads.insert(value);
  });
  return loads;
}

void NestEmitter::emitShared(const NestGroup &group, unsigned level, Version version) {
  if (level == 0)
    at.assign(group.shared, {});
  if (level < group.shared) {
    Value end = tripCount(group.nests.front(), level);
    OpBuilder::InsertionGuard guard(builder);
    auto loop = openLoop(IndexMath(builder, loc).constant(0), end, 1);
    at[level] = {loop.getInductionVar(), int(level), false};
    return emitShared(group, level + 1, version);
  }
  SmallVector<Position> outer(at.begin(), at.begin() + group.shared);
  // The last of several readers finds its lanes in the cache, so there memory is free for the next round.
  llvm::MapVector<Value, SmallVector<const Nest *>> readers;
  for (const Nest &member : group.nests)
    for (Value load : loadsOf(member, plan))
      readers[load].push_back(&member);
  for (const Nest &member : group.nests) {
    at = outer;
    SmallVector<Value> ahead;
    for (auto &[load, nests] : readers)
      if (group.shared && nests.size() > 1 && nests.back() == &member)
        ahead.push_back(load);
    emitNest(member, group.shared, version, ahead);
  }
}

void NestEmitter::emitNest(const Nest &member, unsigned level, Version version, ArrayRef<Value> ahead) {
  nest = &member;
  loc = member.op->getLoc();
  NestFacts facts;
  facts.bounds = member.bounds;
  for (size_t dim = 0; dim < member.extents.size(); ++dim)
    facts.levels.push_back(levelOf(dim));
  facts.width = facts.nativeWidth = member.width;
  facts.unitStride = version.unitStride;
  facts.streams = version.streams && canStream(member);
  facts.ahead.assign(ahead.begin(), ahead.end());
  facts.aheadDim = int(level) - 1;
  LaneEvaluator::Passing passing;
  for (const auto &[value, view] : member.tees)
    passing.push_back({value, view});
  if (member.computes)
    passing.push_back({member.values[0], std::nullopt});
  lanes.startNest(facts, passing);
  at.resize(member.extents.size());
  emitLevel(level);
  nest = nullptr;
}

void NestEmitter::emitLevel(unsigned level) {
  auto emitCombined = [&](Value base) { nest->kind == Nest::Kind::Scan ? emitScan(base) : emitSequence(base); };
  if (level == nest->order.size())
    return nest->kind == Nest::Kind::Atomic ? emitAtomic() : emitStep();
  int dim = nest->order[level];
  if (dim == nest->combined)
    return dim == nest->vectorDim ? emitVectorReduce() : emitCombined({});
  if (dim == nest->vectorDim)
    return emitVectorLoop(level, [&](Value base) {
      at[dim] = {base, dim, true};
      nest->combined >= 0 ? emitCombined(base) : emitStep();
    });
  Value end = tripCount(*nest, dim), begin = IndexMath(builder, loc).constant(0);
  OpBuilder::InsertionGuard guard(builder);
  auto loop = openLoop(begin, end, 1);
  lanes.hoistTo(int(level) - 1, loop);
  lanes.enterLevel(level);
  at[dim] = {loop.getInductionVar(), dim, false};
  emitLevel(level + 1);
}

Value NestEmitter::splitBoundOf(const Nest &of, int dim) {
  Value bound;
  auto offer = [&](Value tile) {
    if (Value found = plan.reach().boundOf(tile); found && !bound)
      bound = found;
  };
  of.walk(plan, [&](Value value, ArrayRef<int> from) {
    Operation *op = value.getDefiningOp();
    if (!op || (plan.isStored(value) && !of.passes(value)))
      return;
    if (auto load = dyn_cast<LoadOp>(op))
      for (const IndexDims &index : indexDims(load.getIndices()))
        if (isa<TileType>(index.index.getType()) && from[index.first] == dim)
          offer(index.index);
    if (auto mask = dyn_cast<MaskOp>(op))
      for (auto [masked, tile] : llvm::zip(mask.getDims(), mask.getTiles()))
        if (from[masked] == dim)
          offer(tile);
  });
  return bound;
}

SmallVector<NestEmitter::Segment> NestEmitter::segments(int dim) {
  IndexMath math(builder, loc);
  int64_t width = nest->width, step = lanes.facts.unitStride ? nest->step * width : width;
  Value trip = tripCount(*nest, dim), zero = math.constant(0);
  Value whole = math.floorTo(trip, width), checked = zero;
  SmallVector<Segment> result;
  auto append = [&](Segment segment) {
    std::optional<int64_t> begin = constantOf(segment.begin), end = constantOf(segment.end);
    if (!begin || begin != end)
      result.push_back(segment);
  };
  auto appendWhole = [&](Value begin, Value end, Value split) {
    Value middle = begin;
    if (step > width) {
      middle = math.add(begin, math.floorTo(math.sub(end, begin), step));
      append({begin, middle, step, split, false});
    }
    append({middle, end, width, split, false});
  };
  if (Value split = nest->bounds[dim] ? Value() : splitBoundOf(*nest, dim)) {
    checked = math.floorTo(lanes.validCount(split), width);
    appendWhole(zero, checked, split);
  }
  appendWhole(checked, whole, {});
  append({whole, trip, width, {}, true});
  return result;
}

/// What holds in the round of the segment that begins at `index`.
void NestEmitter::enterSegment(const Segment &segment, Value index) {
  lanes.facts.width = segment.lanes;
  lanes.facts.split = segment.split;
  lanes.facts.tail = segment.isTail ? IndexMath(builder, loc).sub(segment.end, index) : Value();
}

void NestEmitter::leaveSegment() {
  lanes.facts.width = nest->width;
  lanes.facts.split = lanes.facts.tail = {};
}

void NestEmitter::emitVectorLoop(unsigned level, Body body) {
  for (const Segment &segment : segments(nest->order[level])) {
    OpBuilder::InsertionGuard guard(builder);
    auto loop = openRounds(segment);
    lanes.hoistTo(int(level) - 1, loop);
    lanes.enterLevel(level);
    enterSegment(segment, loop.getInductionVar());
    body(loop.getInductionVar());
    leaveSegment();
  }
}

void NestEmitter::emitStep() {
  if (nest->kind == Nest::Kind::Store)
    return lanes.storeTo(cast<StoreOp>(nest->op), at);
  Value lane = lanes.evaluate(nest->values[0], at);
  if (nest->convertTo)
    lane = convertElement(builder, loc, lane, getElementTypeOrSelf(nest->values[0].getType()), nest->convertTo);
  lanes.storeTo(nest->views[0], at, lane);
}

namespace {
struct AtomicKind {
  ReductionKind kind;
  arith::AtomicRMWKind rmw;
};
} // namespace
static constexpr AtomicKind kAtomicKinds[] = {{ReductionKind::AddF, arith::AtomicRMWKind::addf},
                                              {ReductionKind::MulF, arith::AtomicRMWKind::mulf},
                                              {ReductionKind::MaximumF, arith::AtomicRMWKind::maximumf},
                                              {ReductionKind::MinimumF, arith::AtomicRMWKind::minimumf},
                                              {ReductionKind::AddI, arith::AtomicRMWKind::addi},
                                              {ReductionKind::MulI, arith::AtomicRMWKind::muli},
                                              {ReductionKind::MaxSI, arith::AtomicRMWKind::maxs},
                                              {ReductionKind::MinSI, arith::AtomicRMWKind::mins},
                                              {ReductionKind::MaxUI, arith::AtomicRMWKind::maxu},
                                              {ReductionKind::MinUI, arith::AtomicRMWKind::minu},
                                              {ReductionKind::AndI, arith::AtomicRMWKind::andi},
                                              {ReductionKind::OrI, arith::AtomicRMWKind::ori},
                                              {ReductionKind::XorI, arith::AtomicRMWKind::xori}};

/// `memref.atomic_rmw` is acquire-release, the strongest order a kernel can ask for.
void NestEmitter::emitAtomic() {
  auto op = cast<AtomicOp>(nest->op);
  Value lane = lanes.evaluate(op.getValue(), at);
  LaneEvaluator::Element element = lanes.elementOf(op, at);
  auto kind = llvm::find_if(kAtomicKinds, [&](const AtomicKind &entry) { return entry.kind == op.getKind(); });
  auto update = [&](OpBuilder &in) -> Value {
    return memref::AtomicRMWOp::create(in, loc, kind->rmw, lane, element.memory, ValueRange{element.index});
  };
  Value old;
  if (element.valid) {
    auto zero = [&](OpBuilder &in) -> Value {
      return arith::ConstantOp::create(in, loc, in.getZeroAttr(lane.getType()));
    };
    auto branch = scf::IfOp::create(
        builder, loc, element.valid, [&](OpBuilder &in, Location loc) { scf::YieldOp::create(in, loc, update(in)); },
        [&](OpBuilder &in, Location loc) { scf::YieldOp::create(in, loc, zero(in)); });
    old = branch.getResult(0);
  } else {
    old = update(builder);
  }
  if (!nest->views.empty())
    lanes.storeTo(nest->views[0], at, old);
}
