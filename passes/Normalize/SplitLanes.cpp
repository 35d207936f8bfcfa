// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-split-lanes: `helion.lane` and `helion.stack` become accesses of a part of a tensor. A lane is asked of the
// loads behind a value (LaneCut.h), a store of stacked values becomes one store per value; what does not come from
// memory or go there is a reduction over one lane that counts, and a selection by lane.

#include "dialect/IR/Dims.h"
#include "mlir/IR/Builders.h"
#include "passes/Normalize/LaneCut.h"
#include "passes/Normalize/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_SPLITLANESPASS
#include "passes/Normalize/Passes.h.inc"
} // namespace helion

//===-- Which parts of a value were stacked ----------------------------------------------------------------------===//

namespace {
/// Along `dim` the value is `count` parts of `extent` lanes.
struct Parts {
  int64_t dim, count, extent;
};
} // namespace

namespace {
/// The parts of the first stack behind a value. Values that many others use are looked at once.
class StackedParts {
public:
  /// None where the parts are not side by side.
  std::optional<Parts> of(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    std::optional<Parts> parts = find(value);
    known[value] = parts;
    return parts;
  }

private:
  std::optional<Parts> find(Value value);

  DenseMap<Value, std::optional<Parts>> known;
};
} // namespace

static std::optional<Parts> partsOfReshape(ReshapeOp op, std::optional<Parts> parts) {
  int64_t from = dimsOf(op.getValue().getType()).size(), to = dimsOf(op.getResult().getType()).size();
  if (!parts)
    return std::nullopt;
  for (auto [dim, attr] : llvm::enumerate(op.getGroups().getAsRange<DenseI64ArrayAttr>())) {
    ArrayRef<int64_t> group = attr.asArrayRef();
    if (from < to && int64_t(dim) == parts->dim && group.size() == 1)
      return Parts{group[0], parts->count, parts->extent};
    if (from < to || group.empty() || group[0] != parts->dim)
      continue;
    int64_t extent = parts->extent;
    for (int64_t member : group.drop_front()) {
      std::optional<int64_t> constant = dimsOf(op.getValue().getType())[member].getConstant();
      if (!constant)
        return std::nullopt;
      extent *= *constant;
    }
    return Parts{int64_t(dim), parts->count, extent};
  }
  return std::nullopt;
}

std::optional<Parts> StackedParts::find(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isTileValue(value.getType()))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Parts>>(op)
      .Case([](StackOp stack) { return Parts{int64_t(stack.getDim()), int64_t(stack.getValues().size()), 1}; })
      .Case([&](ReshapeOp reshape) { return partsOfReshape(reshape, of(reshape.getValue())); })
      .Case([&](ReboundOp rebound) { return of(rebound.getValue()); })
      .Case([&](PermuteOp permute) -> std::optional<Parts> {
        std::optional<Parts> parts = of(permute.getValue());
        if (!parts)
          return std::nullopt;
        return Parts{llvm::find(permute.getDims(), parts->dim) - permute.getDims().begin(), parts->count,
                     parts->extent};
      })
      .Case([&](BroadcastOp broadcast) -> std::optional<Parts> {
        std::optional<Parts> parts = of(broadcast.getValue());
        if (!parts)
          return std::nullopt;
        return Parts{broadcast.getDims()[parts->dim], parts->count, parts->extent};
      })
      .Default([&](Operation *other) -> std::optional<Parts> {
        if (!isElementwise(other))
          return std::nullopt;
        for (Value operand : other->getOperands())
          if (std::optional<Parts> parts = of(operand))
            return parts;
        return std::nullopt;
      });
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

namespace {
struct SplitLanes : public helion::impl::SplitLanesPassBase<SplitLanes> {
  using SplitLanesPassBase::SplitLanesPassBase;

  void runOnOperation() override {
    auto isOurs = [](Operation *op) {
      return isa<LaneOp, StackOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!getOperation().walk(isOurs).wasInterrupted())
      return;
    SmallVector<StoreOp> stores;
    SmallVector<LaneOp> lanes;
    SmallVector<StackOp> stacks;
    getOperation().walk([&](StoreOp op) { stores.push_back(op); });
    LaneCutter cutter(&getContext());
    StackedParts stacked;
    for (StoreOp store : stores)
      splitStore(store, stacked.of(store.getValue()), cutter);
    getOperation().walk([&](LaneOp op) { lanes.push_back(op); });
    for (LaneOp lane : lanes)
      replaceLane(lane, cutter);
    // The cutter knows values by identity, so nothing goes before it is done.
    for (LaneOp lane : llvm::reverse(lanes))
      lane.erase();
    getOperation().walk([&](StackOp op) { stacks.push_back(op); });
    for (StackOp stack : stacks)
      replaceStack(stack);
  }

  void splitStore(StoreOp store, std::optional<Parts> parts, LaneCutter &cutter) {
    if (!parts)
      return;
    auto part = [&](int64_t number) { return LaneCut{parts->dim, number * parts->extent, parts->extent, false}; };
    for (int64_t number = 0; number != parts->count; ++number)
      if (!cutter.canCutStore(store, part(number)))
        return;
    for (int64_t number = 0; number != parts->count; ++number)
      cutter.cutStore(store, part(number));
    store.erase();
    ++storesSplit;
  }

  void replaceLane(LaneOp lane, LaneCutter &cutter) {
    LaneCut cut{int64_t(lane.getDim()), int64_t(lane.getIndex()), 1, true};
    if (cutter.canCut(lane.getValue(), cut)) {
      lane.getResult().replaceAllUsesWith(cutter.cut(lane.getValue(), cut));
      ++lanesLoaded;
      return;
    }
    OpBuilder b(lane);
    Location loc = lane.getLoc();
    Type type = lane.getValue().getType(), element = getElementTypeOrSelf(type);
    ReductionKind kind = isa<FloatType>(element) ? ReductionKind::MaximumF
                         : element.isInteger(1)  ? ReductionKind::OrI
                                                 : ReductionKind::MaxSI;
    Value other = arith::ConstantOp::create(b, loc, reductionIdentity(kind, element));
    Value rest = SplatOp::create(b, loc, type, other);
    Value counts = isLane(b, loc, type, lane.getDim(), lane.getIndex());
    Value one = arith::SelectOp::create(b, loc, counts, lane.getValue(), rest);
    lane.getResult().replaceAllUsesWith(
        ReduceOp::create(b, loc, lane.getResult().getType(), kind, one, lane.getDim(), "").getResult());
  }

  void replaceStack(StackOp stack) {
    OpBuilder b(stack);
    Location loc = stack.getLoc();
    Type type = stack.getResult().getType();
    SmallVector<int64_t> to;
    for (int64_t dim = 0, rank = dimsOf(type).size(); dim != rank; ++dim)
      if (dim != int64_t(stack.getDim()))
        to.push_back(dim);
    auto wide = [&](Value value) -> Value {
      if (to.empty())
        return SplatOp::create(b, loc, type, value);
      return BroadcastOp::create(b, loc, type, value, to);
    };
    Value all = wide(stack.getValues().back());
    for (int64_t lane = int64_t(stack.getValues().size()) - 2; lane >= 0; --lane) {
      Value here = isLane(b, loc, type, stack.getDim(), lane);
      all = arith::SelectOp::create(b, loc, here, wide(stack.getValues()[lane]), all);
    }
    stack.getResult().replaceAllUsesWith(all);
    stack.erase();
  }

  /// True in the lanes of number `lane` along `dim`.
  static Value isLane(OpBuilder &b, Location loc, Type type, int64_t dim, int64_t lane) {
    DimAttr own = dimsOf(type)[dim];
    Type numbers = tileValueType(own, b.getIndexType());
    Value iota = IotaOp::create(b, loc, numbers, Value());
    Value number = SplatOp::create(b, loc, numbers, arith::ConstantIndexOp::create(b, loc, lane));
    Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, iota, number);
    if (dimsOf(type).size() == 1)
      return same;
    return BroadcastOp::create(b, loc, withElementType(type, b.getI1Type()), same, ArrayRef<int64_t>{dim});
  }
};
} // namespace
