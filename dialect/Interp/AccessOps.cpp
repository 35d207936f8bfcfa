// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// load, store and atomic: from tiles, scalars and index tensors to the addresses of the live lanes. Each index gives
// one axis of the value (a scalar one of a single lane, all index tensors together one); a lane of the value is one
// lane of each axis.

#include "dialect/IR/Dims.h"
#include "dialect/Interp/OpTable.h"
#include "dialect/Interp/Reduction.h"

using namespace mlir;
using namespace helion;
using namespace helion::interp;

namespace {
struct AxisLane {
  int64_t offset = 0; // in elements, from the tensor's own offset
  bool isValid = true;
  int badDim = -1; // host dim whose index is outside its size
  int64_t badIndex = 0;
};
using Axis = std::vector<AxisLane>;

struct Access {
  HostTensor tensor;
  SmallVector<Axis> axes;
  Shape shape; // of the value
  LanesRef mask;
};
} // namespace

/// A lane that is not live may hold any index, so an address is made only of indices inside.
static void addIndex(AxisLane &lane, const HostTensor &tensor, unsigned dim, int64_t index) {
  if (index >= 0 && index < tensor.sizes[dim]) {
    lane.offset += index * tensor.strides[dim];
  } else if (lane.badDim < 0) {
    lane.badDim = int(dim);
    lane.badIndex = index;
  }
}

static Axis tileAxis(const HostTensor &tensor, unsigned dim, const TileSpan &span) {
  Axis axis(span.extent);
  int64_t valid = span.validLanes();
  for (int64_t i = 0; i != span.extent; ++i) {
    axis[i].isValid = i < valid;
    addIndex(axis[i], tensor, dim, span.begin + i + span.shift);
  }
  return axis;
}

/// Validity of the lanes of an index tensor: inside the ranges of its own dims.
static FailureOr<Axis> emptyTensorAxis(Machine &machine, Operation *op, Type type, ArrayRef<int64_t> shape) {
  Axis axis(1);
  for (auto [dim, extent] : llvm::zip(dimsOf(type), shape)) {
    FailureOr<int64_t> valid = machine.validLanesOf(op, dim);
    if (failed(valid))
      return failure();
    Axis wider;
    wider.reserve(axis.size() * extent);
    for (const AxisLane &outer : axis)
      for (int64_t i = 0; i != extent; ++i)
        wider.emplace_back().isValid = outer.isValid && i < *valid;
    axis = std::move(wider);
  }
  return axis;
}

static LogicalResult addTensorIndex(Machine &machine, Operation *op, Access &access, int &tensorAxis, Value index,
                                    unsigned dim) {
  LanesRef lanes = machine.lanes(index);
  if (tensorAxis < 0) {
    FailureOr<Axis> axis = emptyTensorAxis(machine, op, index.getType(), lanes->shape);
    if (failed(axis))
      return failure();
    tensorAxis = int(access.axes.size());
    access.axes.push_back(std::move(*axis));
    access.shape.append(lanes->shape);
  }
  Axis &axis = access.axes[tensorAxis];
  for (size_t i = 0; i != axis.size(); ++i)
    addIndex(axis[i], access.tensor, dim, lanes->ints[i]);
  return success();
}

static FailureOr<Access> accessOf(Machine &machine, Operation *op, Value host, ValueRange indices, Value mask) {
  Access access;
  access.tensor = machine.host(host);
  int tensorAxis = -1;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (isa<TileType>(index.getType())) {
      const TileSpan &span = machine.tile(index);
      access.axes.push_back(tileAxis(access.tensor, dim, span));
      access.shape.push_back(span.extent);
    } else if (isTileValue(index.getType())) {
      if (failed(addTensorIndex(machine, op, access, tensorAxis, index, dim)))
        return failure();
    } else {
      addIndex(access.axes.emplace_back(1)[0], access.tensor, dim, machine.integer(index));
    }
  }
  if (mask)
    access.mask = machine.lanes(mask);
  return access;
}

static LogicalResult failBadIndex(Machine &machine, Operation *op, const Access &access, const AxisLane &bad) {
  return machine.fail(op, "has the index `" + Twine(bad.badIndex) + "` outside the size `" +
                              Twine(access.tensor.sizes[bad.badDim]) + "` of dim " + Twine(bad.badDim) +
                              " in a valid lane");
}

/// Walks the live lanes in order: valid on every axis and under the mask. `visit(lane, offset)`.
template <typename Visit> class LaneWalk {
public:
  LaneWalk(Machine &machine, Operation *op, const Access &access, Visit visit)
      : machine(machine), op(op), access(access), visit(visit) {}

  LogicalResult run() { return descend(0, 0, access.tensor.offset, nullptr); }

private:
  LogicalResult descend(unsigned depth, int64_t lane, int64_t offset, const AxisLane *bad) {
    if (depth == access.axes.size())
      return leaf(lane, offset, bad);
    const Axis &axis = access.axes[depth];
    for (size_t i = 0, e = axis.size(); i != e; ++i) {
      if (!axis[i].isValid)
        continue;
      const AxisLane *worst = bad ? bad : axis[i].badDim >= 0 ? &axis[i] : nullptr;
      if (failed(descend(depth + 1, lane * int64_t(e) + int64_t(i), offset + axis[i].offset, worst)))
        return failure();
    }
    return success();
  }

  LogicalResult leaf(int64_t lane, int64_t offset, const AxisLane *bad) {
    if (access.mask && !access.mask->ints[lane])
      return success();
    if (bad)
      return failBadIndex(machine, op, access, *bad);
    visit(lane, offset);
    return success();
  }

  Machine &machine;
  Operation *op;
  const Access &access;
  Visit visit;
};

template <typename Visit>
static LogicalResult forEachLiveLane(Machine &machine, Operation *op, const Access &access, Visit visit) {
  return LaneWalk<Visit>(machine, op, access, visit).run();
}

static int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// Lanes that are not live hold the fill, one of which counts by element type.
struct Fill {
  double real = 0;
  int64_t integer = 0;
};

static FailureOr<LanesRef> readLanes(Machine &machine, Operation *op, const Access &access, Fill fill) {
  const HostTensor &tensor = access.tensor;
  auto lanes = std::make_shared<Lanes>();
  lanes->shape = access.shape;
  lanes->isFloat = elementInfo(tensor.type).isFloat;
  if (lanes->isFloat)
    lanes->floats.assign(countOf(access.shape), fill.real);
  else
    lanes->ints.assign(countOf(access.shape), fill.integer);
  auto read = [&](int64_t lane, int64_t at) {
    if (lanes->isFloat)
      lanes->floats[lane] = readFloat(tensor.address(at), tensor.type);
    else
      lanes->ints[lane] = readInteger(tensor.address(at), tensor.type);
  };
  if (failed(forEachLiveLane(machine, op, access, read)))
    return failure();
  return LanesRef(std::move(lanes));
}

static LogicalResult load(Machine &machine, LoadOp op) {
  FailureOr<Access> access = accessOf(machine, op, op.getSource(), op.getIndices(), op.getMask());
  if (failed(access))
    return failure();
  Fill fill;
  if (op.getOther()) {
    LanesRef other = machine.lanes(op.getOther());
    if (other->isFloat)
      fill.real = other->floats[0];
    else
      fill.integer = other->ints[0];
  }
  FailureOr<LanesRef> lanes = readLanes(machine, op, *access, fill);
  return failed(lanes) ? failure() : machine.set(op.getResult(), *lanes);
}

/// The copy is over at once: whoever reads the buffer comes later.
static LogicalResult loadAsync(Machine &machine, LoadAsyncOp op) {
  FailureOr<Access> access = accessOf(machine, op, op.getSource(), op.getIndices(), Value());
  if (failed(access))
    return failure();
  Fill fill;
  if (auto map = op.getSource().getDefiningOp<TensorMapOp>(); map && map.getFill())
    fill.real = map.getFill()->convertToDouble();
  FailureOr<LanesRef> lanes = readLanes(machine, op, *access, fill);
  if (failed(lanes))
    return failure();
  machine.staged(op.getDest())->lanes = *lanes;
  return success();
}

static void markWritten(const HostTensor &tensor, int64_t at) {
  if (!tensor.storage->written.empty())
    tensor.storage->written[at] = 1;
}

static LogicalResult writeLanes(Machine &machine, Operation *op, const Access &access, LanesRef value) {
  const HostTensor &tensor = access.tensor;
  return forEachLiveLane(machine, op, access, [&](int64_t lane, int64_t at) {
    if (value->isFloat)
      writeFloat(tensor.address(at), tensor.type, value->floats[lane]);
    else
      writeInteger(tensor.address(at), tensor.type, value->ints[lane]);
    markWritten(tensor, at);
  });
}

static LogicalResult store(Machine &machine, StoreOp op) {
  FailureOr<Access> access = accessOf(machine, op, op.getDest(), op.getIndices(), op.getMask());
  return failed(access) ? failure() : writeLanes(machine, op, *access, machine.lanes(op.getValue()));
}

static LogicalResult storeAsync(Machine &machine, StoreAsyncOp op) {
  FailureOr<Access> access = accessOf(machine, op, op.getDest(), op.getIndices(), Value());
  if (failed(access))
    return failure();
  --machine.slot(op.getSlot()).ring->inUse;
  return writeLanes(machine, op, *access, machine.contents(op.getSource()));
}

static LogicalResult atomic(Machine &machine, AtomicOp op) {
  FailureOr<Access> access = accessOf(machine, op, op.getDest(), op.getIndices(), op.getMask());
  if (failed(access))
    return failure();
  const HostTensor &tensor = access->tensor;
  LanesRef value = machine.lanes(op.getValue());
  if (value->isFloat) {
    FloatCombiner combine = floatCombiner(op.getKind());
    std::vector<double> old(value->count(), 0.0);
    auto update = [&](int64_t lane, int64_t at) {
      old[lane] = readFloat(tensor.address(at), tensor.type);
      writeFloat(tensor.address(at), tensor.type, combine(old[lane], value->floats[lane]));
      markWritten(tensor, at);
    };
    if (failed(forEachLiveLane(machine, op, *access, update)))
      return failure();
    return machine.setFloats(op.getResult(), value->shape, std::move(old));
  }
  IntCombiner combine = intCombiner(op.getKind());
  unsigned width = integerWidth(getElementTypeOrSelf(op.getValue().getType()));
  std::vector<int64_t> old(value->count(), 0);
  auto update = [&](int64_t lane, int64_t at) {
    old[lane] = readInteger(tensor.address(at), tensor.type);
    writeInteger(tensor.address(at), tensor.type, combine(old[lane], value->ints[lane], width));
    markWritten(tensor, at);
  };
  if (failed(forEachLiveLane(machine, op, *access, update)))
    return failure();
  return machine.setInts(op.getResult(), value->shape, std::move(old));
}

ArrayRef<OpRow> helion::interp::accessRows() {
  static const OpRow rows[] = {
      {"helion.atomic", runAs<AtomicOp, atomic>},
      {"helion.load", runAs<LoadOp, load>},
      {"helion.load_async", runAs<LoadAsyncOp, loadAsync>},
      {"helion.store", runAs<StoreOp, store>},
      {"helion.store_async", runAs<StoreAsyncOp, storeAsync>},
  };
  return rows;
}
