// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes in memory: addresses and valid lanes of loads, stores and buffers. Consecutive lanes at stride 1 are one vector
// access; others are gathered and scattered.

#include "codegen/CPU/LaneEvaluator.h"
#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/TileChain.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

LaneEvaluator::Access LaneEvaluator::access(Value memref, OperandRange indices, Value mask, ArrayRef<Position> at) {
  Access result{memory.viewOf(memref), {}, {}, {}, {}};
  IndexMath math(builder, memref.getLoc());
  result.index = result.view.offset;
  for (auto [dim, index] : llvm::enumerate(indexDims(indices))) {
    Value stride = result.view.strides[dim];
    if (isTileValue(index.index.getType())) {
      addTensorIndex(result, memref, dim, evaluate(index.index, at.slice(index.first, index.count)));
      continue;
    }
    if (!isa<TileType>(index.index.getType())) {
      result.index = math.add(result.index, math.mul(index.index, stride));
      continue;
    }
    const Position &position = at[index.first];
    Value lane = math.add(beginOf(index.index), position.index);
    result.index = math.add(result.index, math.mul(lane, stride));
    if (position.lanes)
      result.laneStride = stride;
    if (Value valid = predicate(plan.reach().boundOf(index.index), position))
      result.valid.push_back(valid);
  }
  if (mask)
    result.valid.push_back(evaluate(mask, at));
  return result;
}

/// A lane whose index lies outside the tensor is not accessed: valid lanes never do, and others may hold anything.
void LaneEvaluator::addTensorIndex(Access &result, Value memref, unsigned dim, Value lane) {
  Location loc = memref.getLoc();
  IndexMath math(builder, loc);
  Value stride = result.view.strides[dim];
  Value index = convertElement(builder, loc, lane, getElementTypeOrSelf(lane.getType()), builder.getIndexType());
  Value size = memref::DimOp::create(builder, loc, memref, dim);
  bool isVector = isa<VectorType>(index.getType());
  Value limit = isVector ? spread(size) : size;
  result.valid.push_back(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, limit));
  if (!isVector) {
    result.index = math.add(result.index, math.mul(index, stride));
    return;
  }
  Value offsets = arith::MulIOp::create(builder, loc, index, spread(stride));
  result.laneOffsets =
      result.laneOffsets ? arith::AddIOp::create(builder, loc, result.laneOffsets, offsets).getResult() : offsets;
}

bool LaneEvaluator::isContiguous(const Access &where) const {
  if (where.laneOffsets)
    return false;
  std::optional<int64_t> stride = constantOf(where.laneStride);
  return stride ? *stride == 1 : facts.unitStride;
}

/// Distance of each lane from the scalar index, for gathers and scatters.
Value LaneEvaluator::laneIndices(const Access &where) {
  Location loc = where.view.memory.getLoc();
  Value indices = where.laneOffsets;
  if (!where.laneStride)
    return indices;
  auto type = VectorType::get({facts.width}, builder.getIndexType());
  Value steps = vector::StepOp::create(builder, loc, type);
  Value strided = arith::MulIOp::create(builder, loc, steps, spread(where.laneStride));
  return indices ? arith::AddIOp::create(builder, loc, indices, strided).getResult() : strided;
}

/// What stands in memory as a lane, and the way back: a byte that is not 0 is true.
static Value toLane(OpBuilder &builder, Value held, Type element) {
  if (!element.isInteger(1))
    return held;
  Location loc = held.getLoc();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(held.getType()));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, held, zero);
}

static Value toMemory(OpBuilder &builder, Value lane) {
  Type type = lane.getType();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return lane;
  return arith::ExtUIOp::create(builder, lane.getLoc(), withElement(type, builder.getI8Type()), lane);
}

Value LaneEvaluator::read(const Access &where, Type element, Value other) {
  Location loc = where.view.memory.getLoc();
  Type held = memoryElement(element);
  Value fill = other ? toMemory(builder, scalarLane(builder, loc, other)) : zero(held);
  return toLane(builder, readAccess(where, held, fill), element);
}

Value LaneEvaluator::readScalar(const Access &where, Value fill) {
  Location loc = where.view.memory.getLoc();
  auto read = [&](OpBuilder &at) -> Value {
    return memref::LoadOp::create(at, loc, where.view.memory, ValueRange{where.index});
  };
  Value valid = conjunction(where.valid);
  if (!valid)
    return read(builder);
  auto branch = scf::IfOp::create(
      builder, loc, valid, [&](OpBuilder &at, Location loc) { scf::YieldOp::create(at, loc, read(at)); },
      [&](OpBuilder &at, Location loc) { scf::YieldOp::create(at, loc, fill); });
  return branch.getResult(0);
}

Value LaneEvaluator::readAccess(const Access &where, Type element, Value other) {
  bool maskIsVector = llvm::any_of(where.valid, [](Value term) { return isa<VectorType>(term.getType()); });
  if (!where.isVector() && !maskIsVector)
    return readScalar(where, other);
  Location loc = where.view.memory.getLoc();
  auto type = VectorType::get({facts.width}, element);
  SmallVector<Value> terms(where.valid);
  if (Value tail = tailMask())
    terms.push_back(tail);
  Value valid = conjunction(terms);
  bool contiguous = where.isVector() && isContiguous(where);
  if (contiguous && !valid)
    return vector::LoadOp::create(builder, loc, type, where.view.memory, ValueRange{where.index});
  Value fill = vector::BroadcastOp::create(builder, loc, type, other);
  if (!valid)
    valid = arith::ConstantIntOp::create(builder, loc, 1, 1);
  if (!isa<VectorType>(valid.getType()))
    valid = vector::BroadcastOp::create(builder, loc, VectorType::get({facts.width}, valid.getType()), valid);
  if (contiguous)
    return vector::MaskedLoadOp::create(builder, loc, type, where.view.memory, ValueRange{where.index}, valid, fill);
  Value indices = where.isVector() ? laneIndices(where) : spread(IndexMath(builder, loc).constant(0));
  return vector::GatherOp::create(builder, loc, type, where.view.memory, ValueRange{where.index}, indices, valid, fill);
}

void LaneEvaluator::writeAccess(const Access &where, Value lane, bool streams) {
  Location loc = lane.getLoc();
  lane = toMemory(builder, lane);
  if (!where.isVector()) {
    Value valid = conjunction(where.valid);
    auto write = [&](OpBuilder &at) {
      memref::StoreOp::create(at, loc, lane, where.view.memory, ValueRange{where.index});
    };
    if (!valid)
      return write(builder);
    scf::IfOp::create(builder, loc, valid, [&](OpBuilder &at, Location loc) {
      write(at);
      scf::YieldOp::create(at, loc);
    });
    return;
  }
  SmallVector<Value> terms(where.valid);
  if (Value tail = tailMask())
    terms.push_back(tail);
  Value valid = conjunction(terms);
  lane = spread(lane);
  bool contiguous = isContiguous(where);
  if (contiguous && !valid) {
    auto store = vector::StoreOp::create(builder, loc, lane, where.view.memory, ValueRange{where.index}, streams);
    if (streams)
      store.setAlignment(facts.nativeWidth * getElementTypeOrSelf(lane.getType()).getIntOrFloatBitWidth() / 8);
    return;
  }
  valid = spread(valid ? valid : arith::ConstantIntOp::create(builder, loc, 1, 1).getResult());
  if (contiguous)
    vector::MaskedStoreOp::create(builder, loc, where.view.memory, ValueRange{where.index}, valid, lane);
  else
    vector::ScatterOp::create(builder, loc, Type(), where.view.memory, ValueRange{where.index}, laneIndices(where),
                              valid, lane);
}

// The least size of a cache line among the targets.
static constexpr int64_t kLineBytes = 64;

/// Asks for the lanes of the next round of the loop that the nests of a group share, so that memory works while this
/// round computes. The last round asks for what lies behind; a prefetch of any address is harmless.
void LaneEvaluator::prefetchNext(LoadOp load, const Access &where, ArrayRef<Position> at) {
  if (!where.laneStride || !isContiguous(where) || facts.tail || !llvm::is_contained(facts.ahead, load.getResult()))
    return;
  IndexMath math(builder, load.getLoc());
  int64_t laneBytes = getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() / 8;
  for (auto [dim, index] : llvm::enumerate(indexDims(load.getIndices()))) {
    if (!isa<TileType>(index.index.getType()) || at[index.first].dim != facts.aheadDim)
      continue;
    Value next = math.add(where.index, where.view.strides[dim]);
    for (int64_t byte = 0; byte < facts.width * laneBytes; byte += kLineBytes)
      memref::PrefetchOp::create(builder, load.getLoc(), where.view.memory,
                                 ValueRange{math.add(next, math.constant(byte / laneBytes))}, /*isWrite=*/false,
                                 /*localityHint=*/3, /*isDataCache=*/true);
  }
}

/// The part of a buffer's or argument's address that positions give.
static void addPositions(IndexMath math, const View &view, ArrayRef<Position> at, Value &index, Value &laneStride) {
  index = view.offset;
  for (auto [position, stride] : llvm::zip(at, view.strides)) {
    index = math.add(index, math.mul(position.index, stride));
    if (position.lanes)
      laneStride = stride;
  }
}

Value LaneEvaluator::readStored(Value value, ArrayRef<Position> at) {
  Access where{memory.stored.find(value)->second, {}, {}, {}, {}};
  addPositions(IndexMath(builder, value.getLoc()), where.view, at, where.index, where.laneStride);
  return read(where, getElementTypeOrSelf(value.getType()), {});
}

void LaneEvaluator::storeTo(const View &view, ArrayRef<Position> at, Value lane) {
  Access where{view, {}, {}, {}, {}};
  addPositions(IndexMath(builder, lane.getLoc()), view, at, where.index, where.laneStride);
  writeAccess(where, lane);
}

void LaneEvaluator::storeTo(StoreOp store, ArrayRef<Position> at) {
  Value lane = evaluate(store.getValue(), at);
  writeAccess(access(store.getDest(), store.getIndices(), store.getMask(), at), lane, facts.streams);
}

LaneEvaluator::Element LaneEvaluator::elementOf(AtomicOp atomic, ArrayRef<Position> at) {
  Access where = access(atomic.getDest(), atomic.getIndices(), atomic.getMask(), at);
  return {where.view.memory, where.index, conjunction(where.valid)};
}

Value LaneEvaluator::loadScalar(LoadOp load) {
  Type element = load.getType();
  Value lane = read(access(load.getSource(), load.getIndices(), load.getMask(), {}), element, load.getOther());
  return element == lane.getType() ? lane : arith::BitcastOp::create(builder, load.getLoc(), element, lane).getResult();
}
