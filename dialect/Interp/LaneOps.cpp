// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that make tile values or move their lanes: all of them go by full extents and ask no range.

#include "dialect/IR/Dims.h"
#include "dialect/Interp/OpTable.h"

using namespace mlir;
using namespace helion;
using namespace helion::interp;

static LogicalResult iota(Machine &machine, IotaOp op) {
  FailureOr<Shape> shape = machine.shapeOf(op, op.getResult().getType());
  if (failed(shape))
    return failure();
  Type element = getElementTypeOrSelf(op.getResult().getType());
  int64_t begin = op.getTile() ? machine.tile(op.getTile()).begin : 0;
  std::vector<int64_t> lanes((*shape)[0]);
  for (size_t i = 0; i != lanes.size(); ++i)
    lanes[i] = wrapInteger(begin + int64_t(i), element);
  return machine.setInts(op.getResult(), *shape, std::move(lanes));
}

static LogicalResult splat(Machine &machine, SplatOp op) {
  FailureOr<Shape> shape = machine.shapeOf(op, op.getResult().getType());
  if (failed(shape))
    return failure();
  size_t count = 1;
  for (int64_t extent : *shape)
    count *= extent;
  LanesRef value = machine.lanes(op.getValue());
  if (value->isFloat)
    return machine.setFloats(op.getResult(), *shape, std::vector<double>(count, value->floats[0]));
  return machine.setInts(op.getResult(), *shape, std::vector<int64_t>(count, value->ints[0]));
}

/// Operand lane of each result lane, when result dim `d` walks the operand in steps of `strides[d]` (0 repeats) from
/// lane `first`.
static std::vector<int64_t> sourceLanes(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, int64_t first) {
  std::vector<int64_t> lanes = {first};
  for (auto [extent, stride] : llvm::zip(shape, strides)) {
    std::vector<int64_t> wider;
    wider.reserve(lanes.size() * extent);
    for (int64_t lane : lanes)
      for (int64_t i = 0; i != extent; ++i)
        wider.push_back(lane + i * stride);
    lanes = std::move(wider);
  }
  return lanes;
}

template <typename T> static std::vector<T> gather(const std::vector<T> &from, ArrayRef<int64_t> lanes) {
  std::vector<T> result(lanes.size());
  for (size_t i = 0; i != lanes.size(); ++i)
    result[i] = from[lanes[i]];
  return result;
}

static LogicalResult setGathered(Machine &machine, Value result, const Lanes &from, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> strides, int64_t first = 0) {
  std::vector<int64_t> lanes = sourceLanes(shape, strides, first);
  if (from.isFloat)
    return machine.setFloats(result, shape, gather(from.floats, lanes));
  return machine.setInts(result, shape, gather(from.ints, lanes));
}

static LogicalResult broadcast(Machine &machine, BroadcastOp op) {
  FailureOr<Shape> shape = machine.shapeOf(op, op.getResult().getType());
  if (failed(shape))
    return failure();
  LanesRef value = machine.lanes(op.getValue());
  Shape from = contiguousStrides(value->shape), strides(shape->size(), 0);
  for (auto [d, to] : llvm::enumerate(op.getDims()))
    strides[to] = value->shape[d] == (*shape)[to] ? from[d] : 0;
  return setGathered(machine, op.getResult(), *value, *shape, strides);
}

static LogicalResult permute(Machine &machine, PermuteOp op) {
  LanesRef value = machine.lanes(op.getValue());
  Shape from = contiguousStrides(value->shape), shape, strides;
  for (int64_t dim : op.getDims()) {
    shape.push_back(value->shape[dim]);
    strides.push_back(from[dim]);
  }
  return setGathered(machine, op.getResult(), *value, shape, strides);
}

static LogicalResult lane(Machine &machine, LaneOp op) {
  LanesRef value = machine.lanes(op.getValue());
  Shape shape = value->shape, strides = contiguousStrides(shape);
  int64_t first = int64_t(op.getIndex()) * strides[op.getDim()];
  shape.erase(shape.begin() + op.getDim());
  strides.erase(strides.begin() + op.getDim());
  return setGathered(machine, op.getResult(), *value, shape, strides, first);
}

/// Lane after lane, each from the value that its place in the new dim names.
template <typename T>
static std::vector<T> sideBySide(ArrayRef<LanesRef> values, std::vector<T> Lanes::*lanes, size_t inner) {
  std::vector<T> result;
  size_t count = ((*values[0]).*lanes).size();
  result.reserve(count * values.size());
  for (size_t outer = 0; outer != count; outer += inner)
    for (const LanesRef &value : values)
      result.insert(result.end(), ((*value).*lanes).begin() + outer, ((*value).*lanes).begin() + outer + inner);
  return result;
}

static LogicalResult stack(Machine &machine, StackOp op) {
  FailureOr<Shape> shape = machine.shapeOf(op, op.getResult().getType());
  if (failed(shape))
    return failure();
  SmallVector<LanesRef> values;
  for (Value value : op.getValues())
    values.push_back(machine.lanes(value));
  size_t inner = 1;
  for (int64_t extent : ArrayRef<int64_t>(*shape).drop_front(op.getDim() + 1))
    inner *= extent;
  if (values[0]->isFloat)
    return machine.setFloats(op.getResult(), *shape, sideBySide(values, &Lanes::floats, inner));
  return machine.setInts(op.getResult(), *shape, sideBySide(values, &Lanes::ints, inner));
}

/// Reshape and rebound: the same lanes under another type.
static LogicalResult retype(Machine &machine, Operation *op) {
  FailureOr<Shape> shape = machine.shapeOf(op, op->getResult(0).getType());
  if (failed(shape))
    return failure();
  auto value = std::make_shared<Lanes>(*machine.lanes(op->getOperand(0)));
  value->shape = *shape;
  return machine.set(op->getResult(0), LanesRef(std::move(value)));
}

template <typename T>
static void fillOutside(std::vector<T> &lanes, ArrayRef<int64_t> shape, int64_t dim, int64_t valid, T fill) {
  int64_t inner = 1;
  for (int64_t extent : shape.drop_front(dim + 1))
    inner *= extent;
  for (size_t i = 0; i != lanes.size(); ++i)
    if (int64_t(i) / inner % shape[dim] >= valid)
      lanes[i] = fill;
}

static LogicalResult mask(Machine &machine, MaskOp op) {
  Lanes value = *machine.lanes(op.getValue());
  LanesRef fill = machine.lanes(op.getFill());
  for (auto [dim, tile] : llvm::zip(op.getDims(), op.getTiles())) {
    int64_t valid = machine.tile(tile).validLanes();
    if (value.isFloat)
      fillOutside(value.floats, value.shape, dim, valid, fill->floats[0]);
    else
      fillOutside(value.ints, value.shape, dim, valid, fill->ints[0]);
  }
  return machine.set(op.getResult(), std::make_shared<const Lanes>(std::move(value)));
}

ArrayRef<OpRow> helion::interp::laneRows() {
  static const OpRow rows[] = {
      {"helion.broadcast", runAs<BroadcastOp, broadcast>},
      {"helion.iota", runAs<IotaOp, iota>},
      {"helion.lane", runAs<LaneOp, lane>},
      {"helion.mask", runAs<MaskOp, mask>},
      {"helion.permute", runAs<PermuteOp, permute>},
      {"helion.rebound", retype},
      {"helion.reshape", retype},
      {"helion.splat", runAs<SplatOp, splat>},
      {"helion.stack", runAs<StackOp, stack>},
  };
  return rows;
}
