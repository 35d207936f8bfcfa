// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// New values: tile values inside the tile loops, host tensors outside. torch's names serve both, so the place decides.
#include "dialect/Frontend/HostTensors.h"
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

#include "dialect/IR/Dims.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

//===-- On the device --------------------------------------------------------------------------------------------===//

static Result newTile(Interpreter &in, const PyValue &shape, const PyValue &value, DType dtype) {
  FailureOr<SmallVector<DimAttr>> dims = expectDims(in, shape);
  FailureOr<Value> lanes = failed(dims) ? FailureOr<Value>(failure()) : filled(in.k, value, dtype, *dims);
  return failed(lanes) ? Result(failure()) : Result(PyValue(tileValue(*lanes, dtype)));
}

static Result runArange(Interpreter &in, ArrayRef<PyValue> a) {
  const std::vector<PyValue> &bounds = *a[0].get<Sequence>()->items;
  if (!in.k.onDevice() || bounds.empty() || bounds.size() > 3)
    return in.k.fail("`arange` takes one to three bounds and stands inside the tile loops");
  PyValue start = bounds.size() > 1 ? bounds[0] : PyValue(int64_t(0));
  PyValue step = bounds.size() > 2 ? bounds[2] : PyValue(int64_t(1));
  Result count = bounds.size() > 1 ? in.binary("-", bounds[1], start) : Result(bounds[0]);
  if (succeeded(count) && bounds.size() > 2)
    count = in.binary("//", *count, step);
  FailureOr<SmallVector<DimAttr>> dims =
      failed(count) ? FailureOr<SmallVector<DimAttr>>(failure()) : expectDims(in, *count);
  if (failed(dims))
    return failure();
  DimAttr dim = (*dims)[0].withoutRange();
  Type type = tileValueType({dim}, in.k.b.getIndexType());
  Result out = PyValue(tileValue(IotaOp::create(in.k.b, in.k.loc(), type, Value()), DType::Index));
  auto isNumber = [](const PyValue &value, int64_t number) {
    return value.is<int64_t>() && *value.get<int64_t>() == number;
  };
  if (!isNumber(step, 1))
    out = in.binary("*", *out, step);
  if (succeeded(out) && !isNumber(start, 0))
    out = in.binary("+", *out, start);
  if (succeeded(out) && a[1].is<DType>())
    out = castTo(in.k, *out, *a[1].get<DType>());
  return out;
}

//===-- On the host ----------------------------------------------------------------------------------------------===//

// A contiguous host tensor; without `value` its content is undefined.
static Result allocate(Interpreter &in, const PyValue &shape, DType dtype, const PyValue &value) {
  std::vector<PyValue> items = shape.is<Sequence>() ? *shape.get<Sequence>()->items : std::vector<PyValue>{shape};
  std::vector<SizeExpr> sizes;
  for (const PyValue &item : items) {
    FailureOr<SizeExpr> size = expectSize(in, item, "size");
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  if (sizes.empty())
    return in.k.fail("a host tensor needs at least one dim");
  if (!value.isAbsent() && !value.is<int64_t>() && !value.is<double>() && !value.is<bool>())
    return in.k.fail("a host tensor is filled with a constant, not with " + value.describe());
  std::string name = in.k.uniqueTensorName(in.k.nameHint.empty() ? "buffer" : in.k.nameHint);
  FailureOr<HostTensorPtr> tensor = allocateHost(in.k, name, sizes, dtype, value);
  return failed(tensor) ? Result(failure()) : Result(PyValue(*tensor));
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

static Result create(Interpreter &in, const PyValue &shape, const PyValue &value, const PyValue &dtype,
                     DType otherwise) {
  FailureOr<DType> type = dtypeOr(in, dtype, otherwise);
  if (failed(type))
    return failure();
  if (!in.k.onDevice())
    return allocate(in, shape, *type, value);
  if (value.isAbsent())
    return in.k.fail("`empty` inside the tile loops is not supported; use `hl.zeros`");
  return newTile(in, shape, value, *type);
}

// Shape and dtype of what `*_like` and `new_*` start from.
static Result createLike(Interpreter &in, const PyValue &like, const PyValue &shape, const PyValue &value,
                         const PyValue &dtype) {
  Result own = in.attribute(like, "dtype");
  if (failed(own) || !own->is<DType>())
    return failed(own) ? own : Result(in.k.fail(like.describe() + " has no dtype"));
  Result size = shape.isGiven() ? Result(shape) : in.attribute(like, "shape");
  return failed(size) ? size : create(in, *size, value, dtype, *own->get<DType>());
}

static PyValue shapeOf(const PyValue &rest) {
  const std::vector<PyValue> &items = *rest.get<Sequence>()->items;
  return items.size() == 1 ? items[0] : rest;
}

static OperationRow filledRow(const char *names, PyValue value) {
  return {names, "*size dtype=None device=None",
          [value](Interpreter &in, ArrayRef<PyValue> a) { return create(in, shapeOf(a[0]), value, a[1], DType::F32); }};
}

static OperationRow likeRow(const char *names, PyValue value) {
  return {names, "input dtype=None device=None memory_format=None",
          [value](Interpreter &in, ArrayRef<PyValue> a) { return createLike(in, a[0], PyValue(), value, a[1]); }};
}

static OperationRow newRow(const char *names, PyValue value) {
  return {names, "input *size dtype=None device=None",
          [value](Interpreter &in, ArrayRef<PyValue> a) { return createLike(in, a[0], shapeOf(a[1]), value, a[2]); }};
}

std::vector<OperationRow> helion::frontend::creationOperations() {
  return {{"hl.zeros", "shape dtype=None device=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return create(in, a[0], int64_t(0), a[1], DType::F32); }},
          {"hl.full", "shape value dtype=None device=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return create(in, a[0], a[1], a[2], DType::F32); }},
          {"torch.full", "size fill_value dtype=None device=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return create(in, a[0], a[1], a[2], DType::F32); }},
          filledRow("torch.zeros", int64_t(0)),
          filledRow("torch.ones", int64_t(1)),
          filledRow("torch.empty", PyValue()),
          likeRow("torch.zeros_like", int64_t(0)),
          likeRow("torch.ones_like", int64_t(1)),
          likeRow("torch.empty_like", PyValue()),
          {"torch.full_like", "input fill_value dtype=None device=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return createLike(in, a[0], PyValue(), a[1], a[2]); }},
          newRow("Tensor.new_zeros Host.new_zeros", int64_t(0)),
          newRow("Tensor.new_ones Host.new_ones", int64_t(1)),
          newRow("Host.new_empty", PyValue()),
          {"Tensor.new_full Host.new_full", "input size value dtype=None device=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return createLike(in, a[0], a[1], a[2], a[3]); }},
          {"hl.arange torch.arange", "*bounds dtype=None device=None", runArange}};
}
