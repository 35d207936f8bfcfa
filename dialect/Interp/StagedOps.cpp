// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form L: rings, groups, and moves between layouts. Groups run one after the other in the order of the text, each once
// for all its instances, so an acquire from another group's reader never waits; what this finds is wrong values, slots
// that nobody filled and rings that block themselves, not races.

#include "dialect/IR/Dims.h"
#include "dialect/Interp/OpTable.h"
#include "dialect/Interp/Reduction.h"

using namespace mlir;
using namespace helion;
using namespace helion::interp;

//===-- Rings ----------------------------------------------------------------------------------------------------===//

static LogicalResult ring(Machine &machine, RingOp op) {
  auto made = std::make_shared<Ring>();
  made->depth = op.getRing().getType().getDepth();
  llvm::SmallDenseSet<Operation *> groups;
  for (Operation *user : op->getUsers())
    groups.insert(user->getParentOfType<GroupOp>());
  made->staysInGroup = groups.size() <= 1;
  return machine.set(op.getRing(), RingRef(std::move(made)));
}

/// Lanes that no copy has filled: NaN, or a number that no test uses.
static LanesRef poison(RankedTensorType type) {
  auto lanes = std::make_shared<Lanes>();
  lanes->shape.assign(type.getShape().begin(), type.getShape().end());
  lanes->isFloat = isa<FloatType>(type.getElementType());
  if (lanes->isFloat)
    lanes->floats.assign(type.getNumElements(), std::numeric_limits<double>::quiet_NaN());
  else
    lanes->ints.assign(type.getNumElements(), wrapInteger(0x5a5a5a5a, type.getElementType()));
  return lanes;
}

static LogicalResult setSlot(Machine &machine, Operation *op, const Slot &slot) {
  for (auto [result, buffer] : llvm::zip(op->getResults().drop_front(), slot.buffers))
    (void)machine.set(result, buffer);
  return machine.set(op->getResult(0), slot);
}

static LogicalResult acquire(Machine &machine, AcquireOp op) {
  const RingRef &ring = machine.ring(op.getRing());
  if (ring->staysInGroup && ring->inUse == ring->depth)
    return machine.fail(op, "waits for one of `" + Twine(ring->depth) + "` slots, all of which its own group holds");
  ++ring->inUse;
  Slot slot{ring, {}};
  for (RankedTensorType type : op.getRing().getType().getBuffers())
    slot.buffers.push_back(std::make_shared<Staged>(Staged{poison(type)}));
  return setSlot(machine, op, slot);
}

static LogicalResult commit(Machine &machine, CommitOp op) {
  const Slot &slot = machine.slot(op.getSlot());
  slot.ring->full.push_back(slot);
  return success();
}

static LogicalResult take(Machine &machine, TakeOp op) {
  const RingRef &ring = machine.ring(op.getRing());
  if (ring->full.empty())
    return machine.fail(op, "waits for a slot that nothing before it in the text fills");
  Slot slot = ring->full.front();
  ring->full.pop_front();
  return setSlot(machine, op, slot);
}

static LogicalResult release(Machine &machine, ReleaseOp op) {
  --machine.slot(op.getSlot()).ring->inUse;
  return success();
}

static LogicalResult write(Machine &machine, WriteOp op) {
  machine.staged(op.getDest())->lanes = machine.lanes(op.getValue());
  return success();
}

//===-- Groups, turns --------------------------------------------------------------------------------------------===//

static LogicalResult runRegion(Machine &machine, Operation *op) {
  Cells values;
  if (failed(machine.runBlock(op->getRegion(0).front(), values)))
    return failure();
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    (void)machine.set(result, value);
  return success();
}

static LogicalResult instance(Machine &machine, InstanceOp op) {
  if (int64_t count = op->getParentOfType<GroupOp>().getCount(); count != 1)
    return machine.fail(op, "asks which of `" + Twine(count) + "` instances runs; the interpreter runs all as one");
  return machine.setInteger(op.getResult(), 0);
}

static LogicalResult nothing(Machine &machine, TurnOp op) { return machine.set(op.getTurn(), std::monostate()); }

//===-- Layouts --------------------------------------------------------------------------------------------------===//

/// The same lanes: reads, waits, changes of layout, tensor maps.
static LogicalResult pass(Machine &machine, Operation *op) {
  Value source = op->getOperand(0);
  if (isa<BufType>(source.getType()))
    return machine.set(op->getResult(0), machine.contents(source));
  return machine.set(op->getResult(0), machine.cell(source));
}

static int64_t linear(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t at = 0;
  for (auto [value, extent] : llvm::zip(index, shape))
    at = at * extent + value;
  return at;
}

/// Calls `visit(index)` for each index of a shape, row-major.
static void forEachIndex(ArrayRef<int64_t> shape, llvm::function_ref<void(Point &)> visit) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  Point index(shape.size(), 0);
  for (int64_t number = 0; number != count; ++number) {
    int64_t rest = number;
    for (size_t dim = shape.size(); dim-- != 0; rest /= shape[dim])
      index[dim] = rest % shape[dim];
    visit(index);
  }
}

static LogicalResult subtile(Machine &machine, SubtileOp op) {
  LanesRef whole = machine.lanes(op.getValue());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  std::vector<double> floats;
  std::vector<int64_t> ints;
  forEachIndex(type.getShape(), [&](Point &index) {
    Point moved(index);
    for (auto [value, offset] : llvm::zip(moved, op.getOffsets()))
      value += offset;
    int64_t at = linear(moved, whole->shape);
    if (whole->isFloat)
      floats.push_back(whole->floats[at]);
    else
      ints.push_back(whole->ints[at]);
  });
  return whole->isFloat ? machine.setFloats(op.getResult(), type.getShape(), std::move(floats))
                        : machine.setInts(op.getResult(), type.getShape(), std::move(ints));
}

/// An element goes to the position of a thread that holds it; the result's layout says which that is.
static LogicalResult reduceInThread(Machine &machine, ReduceInThreadOp op) {
  LanesRef lanes = machine.lanes(op.getValue());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  const Layout &from = layoutOf(op.getValue().getType()).getLayout(), &to = layoutOf(type).getLayout();
  std::vector<double> floats(lanes->isFloat ? type.getNumElements() : 0);
  std::vector<int64_t> ints(lanes->isFloat ? 0 : type.getNumElements());
  std::vector<bool> started(type.getNumElements(), false);
  unsigned width = lanes->isFloat ? 0 : integerWidth(type.getElementType());
  forEachIndex(lanes->shape, [&](Point &index) {
    int64_t source = linear(index, lanes->shape);
    Point thread = from.owners(index).front();
    thread[unsigned(LayoutSpace::Reg)] = 0;
    index[op.getDim()] = to.indexAt(thread)[op.getDim()];
    int64_t at = linear(index, type.getShape());
    if (lanes->isFloat)
      floats[at] = started[at] ? floatCombiner(op.getKind())(floats[at], lanes->floats[source]) : lanes->floats[source];
    else
      ints[at] = started[at] ? intCombiner(op.getKind())(ints[at], lanes->ints[source], width) : lanes->ints[source];
    started[at] = true;
  });
  return lanes->isFloat ? machine.setFloats(op.getResult(), type.getShape(), std::move(floats))
                        : machine.setInts(op.getResult(), type.getShape(), std::move(ints));
}

ArrayRef<OpRow> helion::interp::stagedRows() {
  static const OpRow rows[] = {
      {"helion.acquire", runAs<AcquireOp, acquire>},
      {"helion.commit", runAs<CommitOp, commit>},
      {"helion.convert_layout", pass},
      {"helion.group", runRegion},
      {"helion.instance", runAs<InstanceOp, instance>},
      {"helion.ordered", runRegion},
      {"helion.read", pass},
      {"helion.reduce_in_thread", runAs<ReduceInThreadOp, reduceInThread>},
      {"helion.release", runAs<ReleaseOp, release>},
      {"helion.ring", runAs<RingOp, ring>},
      {"helion.subtile", runAs<SubtileOp, subtile>},
      {"helion.take", runAs<TakeOp, take>},
      {"helion.tensor_map", pass},
      {"helion.turn", runAs<TurnOp, nothing>},
      {"helion.ready", pass},
      {"helion.wait", pass},
      {"helion.warp_groups", runRegion},
      {"helion.write", runAs<WriteOp, write>},
  };
  return rows;
}
