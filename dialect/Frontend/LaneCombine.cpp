// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and matrix products of tile values.
#include "dialect/Frontend/Lanes.h"

#include "dialect/IR/Dims.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

namespace {
struct ReductionRow {
  Reduction reduction;
  llvm::StringRef site;
  ReductionKind floats;
  ReductionKind integers;
};
} // namespace

static const ReductionRow reductionRows[] = {
    {Reduction::Sum, "sum", ReductionKind::AddF, ReductionKind::AddI},
    {Reduction::Prod, "prod", ReductionKind::MulF, ReductionKind::MulI},
    {Reduction::Max, "max", ReductionKind::MaximumF, ReductionKind::MaxSI},
    {Reduction::Min, "min", ReductionKind::MinimumF, ReductionKind::MinSI},
    {Reduction::ArgMax, "argmax", ReductionKind::ArgMax, ReductionKind::ArgMax},
    {Reduction::ArgMin, "argmin", ReductionKind::ArgMin, ReductionKind::ArgMin},
    {Reduction::All, "all", ReductionKind::AndI, ReductionKind::AndI},
    {Reduction::Any, "any", ReductionKind::OrI, ReductionKind::OrI}};

ReductionKind helion::frontend::kindOf(Reduction reduction, DType dtype) {
  const ReductionRow &row = reductionRows[static_cast<unsigned>(reduction)];
  return isFloat(dtype) ? row.floats : row.integers;
}

FailureOr<Value> helion::frontend::uncovered(KernelBuilder &k, Value value, DimAttr dim, TypedAttr other) {
  auto concerns = [&](DimAttr tile) {
    Value lanes = k.jaggedLanes.lookup(tile);
    return lanes && llvm::is_contained(helion::dimsOf(lanes.getType()), dim);
  };
  SmallVector<DimAttr> dims = helion::dimsOf(value.getType());
  FailureOr<Value> lanes = llvm::any_of(dims, concerns) ? coveredLanes(k, dims) : FailureOr<Value>(Value());
  if (failed(lanes) || !*lanes)
    return failed(lanes) ? lanes : FailureOr<Value>(value);
  Value rest = SplatOp::create(k.b, k.loc(), value.getType(), arith::ConstantOp::create(k.b, k.loc(), other));
  return Value(arith::SelectOp::create(k.b, k.loc(), *lanes, value, rest));
}

FailureOr<TileValue> helion::frontend::reduce(KernelBuilder &k, const TileValue &value, Reduction reduction, int dim,
                                              bool keepDim) {
  const ReductionRow &row = reductionRows[static_cast<unsigned>(reduction)];
  bool gives = reduction == Reduction::ArgMax || reduction == Reduction::ArgMin;
  TileValue out = value;
  int axis = value.axes[dim];
  if (gives)
    out.dtype = DType::Index;
  if (axis < 0 && gives)
    return k.fail("`" + row.site + "` over a dim of extent 1 is not supported");
  if (axis >= 0) {
    SmallVector<DimAttr> dims = helion::dimsOf(value.value.getType());
    dims.erase(dims.begin() + axis);
    Type type = tileValueType(dims, laneType(out.dtype, k.context())), element = getElementTypeOrSelf(value.value);
    ReductionKind kind = kindOf(reduction, value.dtype);
    FailureOr<Value> lanes =
        uncovered(k, value.value, helion::dimsOf(value.value.getType())[axis], reductionIdentity(kind, element));
    if (failed(lanes))
      return failure();
    out.value = ReduceOp::create(k.b, k.loc(), type, kind, *lanes, axis, k.site(row.site));
    for (int &other : out.axes)
      other -= other > axis;
  }
  if (keepDim)
    out.axes[dim] = -1;
  else
    out.axes.erase(out.axes.begin() + dim);
  return out;
}

FailureOr<Value> helion::frontend::laneCount(KernelBuilder &k, DimAttr dim, DType dtype) {
  if (std::optional<SizeExpr> size = k.sliceSize(dim))
    return scalar(k, makeSize(*size), dtype);
  if (!dim.getRange() && dim.getBlock())
    return scalar(k, makeSize(SizeExpr::scalar(dim.getBlock().getValue())), dtype);
  return k.fail("the number of lanes of dim `" + dim.str() + "` is not known; sum and divide by the size instead");
}

// Dims of the two operands with one batch; a missing batch dim of rank 2 is repeated.
static FailureOr<SmallVector<DimAttr>> batchDims(KernelBuilder &k, ArrayRef<DimAttr> lhs, ArrayRef<DimAttr> rhs) {
  ArrayRef<DimAttr> wide = lhs.size() >= rhs.size() ? lhs : rhs, narrow = lhs.size() >= rhs.size() ? rhs : lhs;
  SmallVector<DimAttr> batch(wide.drop_back(2));
  ArrayRef<DimAttr> other = narrow.drop_back(2);
  if (!other.empty() && other.size() != batch.size())
    return k.fail("batch dims " + dimsStr(lhs) + " and " + dimsStr(rhs) + " do not match");
  for (auto [a, b] : llvm::zip(batch, other)) {
    if (a == b || b.getConstant() == 1)
      continue;
    if (a.getConstant() != 1)
      return k.fail("batch dims " + dimsStr(lhs) + " and " + dimsStr(rhs) + " do not match");
    a = b;
  }
  return batch;
}

// The contracted dim of both operands: equal, or equal up to its range.
static FailureOr<DimAttr> contractedDim(KernelBuilder &k, DimAttr lhs, DimAttr rhs) {
  if (lhs == rhs)
    return lhs;
  std::optional<SizeExpr> a = k.sliceSize(lhs), b = k.sliceSize(rhs);
  if (a && b && !(lhs.getConstant() && rhs.getConstant()))
    return k.require(*a, *b);
  if (lhs.withoutRange() == rhs.withoutRange())
    return lhs.getRange() ? lhs : rhs;
  return k.fail("the contracted dims `" + lhs.str() + "` and `" + rhs.str() + "` do not match");
}

FailureOr<PyValue> helion::frontend::product(KernelBuilder &k, const TileValue &lhs, const TileValue &rhs,
                                             const TileValue *acc, DType accType) {
  SmallVector<DimAttr> a = frontend::dimsOf(lhs, k.context()), b = frontend::dimsOf(rhs, k.context());
  if (a.size() < 2 || b.size() < 2)
    return k.fail("a matrix product needs operands of rank 2 or more, not `" + llvm::Twine(a.size()) + "` and `" +
                  llvm::Twine(b.size()) + "`");
  FailureOr<SmallVector<DimAttr>> dims = batchDims(k, a, b);
  FailureOr<DimAttr> shared = contractedDim(k, a.back(), b[b.size() - 2]);
  if (failed(dims) || failed(shared))
    return failure();
  DimAttr m = a[a.size() - 2], n = b.back();
  // A carried accumulator may have lost its ranges: then the product loses them too.
  SmallVector<DimAttr> out(*dims);
  out.append({m, n});
  if (acc && acc->rank() == out.size())
    for (auto [have, want] : llvm::zip(out, frontend::dimsOf(*acc, k.context())))
      if (have != want && have.withoutRange() == want.withoutRange())
        have = want;
  ArrayRef<DimAttr> batch = ArrayRef<DimAttr>(out).drop_back(2);
  SmallVector<DimAttr> left(batch), right(batch);
  left.append({out[out.size() - 2], *shared});
  right.append({*shared, out.back()});
  FailureOr<Value> l = broadcastTo(k, lhs, left), r = broadcastTo(k, rhs, right);
  FailureOr<Value> c = filled(k, acc ? PyValue(*acc) : PyValue(int64_t(0)), accType, out);
  if (failed(l) || failed(r) || failed(c))
    return failure();
  l = uncovered(k, *l, *shared, cast<TypedAttr>(k.b.getZeroAttr(getElementTypeOrSelf(*l))));
  r = uncovered(k, *r, *shared, cast<TypedAttr>(k.b.getZeroAttr(getElementTypeOrSelf(*r))));
  if (failed(l) || failed(r))
    return failure();
  DotPrecision precision = lhs.dtype == DType::F32 ? k.settings.dotPrecision : DotPrecision::IEEE;
  Value dot = DotOp::create(k.b, k.loc(), c->getType(), *l, *r, *c, k.site("dot"), precision);
  return PyValue(tileValue(dot, accType));
}
