// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcasting: torch aligns dims from the right and repeats extents of 1; form K wants equal dims, says every
// repetition and every change of range. Dims that Python only inserted stay out of SSA values until they must be seen.
#include "dialect/Frontend/Lanes.h"

#include "dialect/IR/Dims.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

SmallVector<DimAttr> helion::frontend::dimsOf(const TileValue &value, MLIRContext *context) {
  SmallVector<DimAttr> real = helion::dimsOf(value.value.getType()), out;
  for (int axis : value.axes)
    out.push_back(axis < 0 ? DimAttr::get(context, 1) : real[axis]);
  return out;
}

TileValue helion::frontend::tileValue(Value value, DType dtype) {
  SmallVector<int> axes;
  for (unsigned i = 0, e = helion::dimsOf(value.getType()).size(); i < e; ++i)
    axes.push_back(i);
  return {value, dtype, axes};
}

FailureOr<int> helion::frontend::normalizeDim(KernelBuilder &k, int64_t dim, unsigned rank) {
  if (dim < -static_cast<int64_t>(rank) || dim >= static_cast<int64_t>(rank))
    return k.fail("dim `" + llvm::Twine(dim) + "` is outside rank `" + llvm::Twine(rank) + "`");
  return static_cast<int>(dim < 0 ? dim + rank : dim);
}

// Extents that are one block are equal lane by lane; only the ranges may differ.
static bool sameExtent(DimAttr a, DimAttr b) { return a.withoutRange() == b.withoutRange(); }

static FailureOr<DimAttr> joinDims(KernelBuilder &k, DimAttr a, DimAttr b) {
  if (a == b || b.getConstant() == 1)
    return a;
  if (a.getConstant() == 1)
    return b;
  if (sameExtent(a, b))
    return a.withoutRange();
  std::optional<SizeExpr> aSize = k.sliceSize(a), bSize = k.sliceSize(b);
  bool bothConstant = a.getConstant() && b.getConstant();
  if (aSize && bSize && !bothConstant)
    return k.require(*aSize, *bSize);
  return k.fail("dims `" + a.str() + "` and `" + b.str() + "` do not match");
}

namespace {
// Where the dims of a broadcast result come from: a logical dim that every operand only inserted stays inserted.
struct BroadcastPlan {
  SmallVector<DimAttr> dims; // of the SSA value
  SmallVector<int> axes;     // of the result, as in TileValue
};
} // namespace

static FailureOr<BroadcastPlan> planBroadcast(KernelBuilder &k, ArrayRef<TileValue> values) {
  unsigned rank = 0;
  for (const TileValue &value : values)
    rank = std::max(rank, value.rank());
  SmallVector<DimAttr> joined(rank);
  for (const TileValue &value : values) {
    SmallVector<DimAttr> real = helion::dimsOf(value.value.getType());
    for (unsigned i = 0; i < value.rank(); ++i) {
      DimAttr &slot = joined[rank - value.rank() + i];
      if (value.axes[i] < 0)
        continue;
      FailureOr<DimAttr> dim = slot ? joinDims(k, slot, real[value.axes[i]]) : FailureOr<DimAttr>(real[value.axes[i]]);
      if (failed(dim))
        return failure();
      slot = *dim;
    }
  }
  BroadcastPlan plan;
  for (DimAttr dim : joined) {
    plan.axes.push_back(dim ? static_cast<int>(plan.dims.size()) : -1);
    if (dim)
      plan.dims.push_back(dim);
  }
  return plan;
}

// Changes ranges so that the value's dims become those of `targets`, one per dim of the SSA value.
static FailureOr<Value> rebind(KernelBuilder &k, Value value, ArrayRef<DimAttr> targets) {
  SmallVector<DimAttr> dims = helion::dimsOf(value.getType());
  bool changed = false;
  for (auto [dim, target] : llvm::zip(dims, targets)) {
    if (dim == target || dim.getConstant() == 1)
      continue;
    if (!sameExtent(dim, target)) {
      std::optional<SizeExpr> have = k.sliceSize(dim), want = k.sliceSize(target);
      if (have && want && !(dim.getConstant() && target.getConstant()))
        return k.require(*have, *want);
      return k.fail("dims " + dimsStr(dims) + " do not fit " + dimsStr(targets));
    }
    dim = target;
    changed = true;
  }
  if (!changed)
    return value;
  Type type = tileValueType(dims, getElementTypeOrSelf(value.getType()));
  return Value(ReboundOp::create(k.b, k.loc(), type, value));
}

// `axes` of the target: for each logical dim of the result, counted from the right, the dim of its SSA value or -1.
static FailureOr<Value> spread(KernelBuilder &k, const TileValue &value, ArrayRef<DimAttr> dims, ArrayRef<int> axes) {
  Type element = getElementTypeOrSelf(value.value.getType());
  if (dims.empty())
    return value.value;
  Type type = tileValueType(dims, element);
  if (!isTileValue(value.value.getType()))
    return Value(SplatOp::create(k.b, k.loc(), type, value.value));
  unsigned offset = axes.size() - value.rank();
  SmallVector<int64_t> to(helion::dimsOf(value.value.getType()).size(), -1);
  for (unsigned i = 0; i < value.rank(); ++i)
    if (value.axes[i] >= 0)
      to[value.axes[i]] = axes[offset + i];
  SmallVector<DimAttr> targets;
  for (int64_t dim : to)
    targets.push_back(dims[dim]);
  FailureOr<Value> rebound = rebind(k, value.value, targets);
  if (failed(rebound) || rebound->getType() == type)
    return rebound;
  return Value(BroadcastOp::create(k.b, k.loc(), type, *rebound, to));
}

FailureOr<SmallVector<TileValue>> helion::frontend::broadcastTogether(KernelBuilder &k, ArrayRef<TileValue> values) {
  FailureOr<BroadcastPlan> plan = planBroadcast(k, values);
  if (failed(plan))
    return failure();
  SmallVector<TileValue> out;
  for (const TileValue &value : values) {
    FailureOr<Value> wide = spread(k, value, plan->dims, plan->axes);
    if (failed(wide))
      return failure();
    out.push_back({*wide, value.dtype, plan->axes});
  }
  return out;
}

FailureOr<Value> helion::frontend::broadcastTo(KernelBuilder &k, const TileValue &value, ArrayRef<DimAttr> dims) {
  if (value.rank() > dims.size())
    return k.fail("a value of rank `" + llvm::Twine(value.rank()) + "` does not fit dims " + dimsStr(dims));
  SmallVector<int> axes;
  for (unsigned i = 0; i < dims.size(); ++i)
    axes.push_back(i);
  return spread(k, value, dims, axes);
}

FailureOr<TileValue> helion::frontend::withRealDims(KernelBuilder &k, const TileValue &value) {
  FailureOr<Value> real = broadcastTo(k, value, dimsOf(value, k.context()));
  if (failed(real))
    return failure();
  return tileValue(*real, value.dtype);
}

//===-- Jagged tiles ---------------------------------------------------------------------------------------------===//

// `lanes` with these dims, in whatever order they have its own.
static FailureOr<Value> placed(KernelBuilder &k, Value lanes, DimAttr tile, ArrayRef<DimAttr> dims) {
  SmallVector<DimAttr> own = helion::dimsOf(lanes.getType()), moved;
  SmallVector<int> places, axes(dims.size(), -1);
  for (DimAttr dim : own) {
    auto place = llvm::find_if(dims, [&](DimAttr other) { return sameExtent(dim, other); });
    if (place == dims.end())
      return k.fail("dim `" + tile.str() + "` of a jagged tile is used without dim `" + dim.str() + "` of its lengths");
    places.push_back(place - dims.begin());
  }
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, own.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return places[a] < places[b]; });
  for (auto [axis, from] : llvm::enumerate(order)) {
    axes[places[from]] = axis;
    moved.push_back(own[from]);
  }
  if (!llvm::is_sorted(order))
    lanes =
        PermuteOp::create(k.b, k.loc(), tileValueType(moved, k.b.getI1Type()), lanes, k.b.getDenseI64ArrayAttr(order));
  return broadcastTo(k, TileValue{lanes, DType::Bool, axes}, dims);
}

FailureOr<Value> helion::frontend::coveredLanes(KernelBuilder &k, ArrayRef<DimAttr> dims) {
  Value all;
  for (DimAttr dim : dims) {
    Value lanes = k.jaggedLanes.lookup(dim);
    FailureOr<Value> wide = lanes ? placed(k, lanes, dim, dims) : FailureOr<Value>(Value());
    if (failed(wide))
      return failure();
    if (*wide)
      all = all ? Value(arith::AndIOp::create(k.b, k.loc(), all, *wide)) : *wide;
  }
  return all;
}

FailureOr<Value> helion::frontend::filled(KernelBuilder &k, const PyValue &value, DType dtype, ArrayRef<DimAttr> dims) {
  if (const TileValue *tile = value.get<TileValue>()) {
    FailureOr<PyValue> converted = castTo(k, *tile, dtype);
    if (failed(converted))
      return failure();
    return broadcastTo(k, *converted->get<TileValue>(), dims);
  }
  FailureOr<Value> number = scalar(k, value, dtype);
  if (failed(number) || dims.empty())
    return number;
  return Value(SplatOp::create(k.b, k.loc(), tileValueType(dims, number->getType()), *number));
}
