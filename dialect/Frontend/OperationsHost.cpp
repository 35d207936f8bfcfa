// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of host tensors: sizes, views, and the arithmetic that may follow the tile loops.
#include "dialect/Frontend/HostTensors.h"
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

using Arguments = ArrayRef<PyValue>;

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

static Result runSize(Interpreter &in, Arguments a) {
  Result shape = in.attribute(a[0], "shape");
  if (failed(shape) || !a[1].isGiven())
    return shape;
  const std::vector<PyValue> &sizes = *shape->get<Sequence>()->items;
  FailureOr<int64_t> dim = expectInteger(in, a[1], "dim");
  FailureOr<int> place = failed(dim) ? FailureOr<int>(failure()) : normalizeDim(in.k, *dim, sizes.size());
  return failed(place) ? Result(failure()) : Result(sizes[*place]);
}

static Result runStride(Interpreter &in, Arguments a) {
  const HostTensor &tensor = **a[0].get<HostTensorPtr>();
  FailureOr<int64_t> dim = expectInteger(in, a[1], "dim");
  FailureOr<int> place = failed(dim) ? FailureOr<int>(failure()) : normalizeDim(in.k, *dim, tensor.sizes.size());
  if (failed(place))
    return failure();
  if (tensor.argument < 0)
    return in.k.fail("only arguments have strides that the call decides, not `" + tensor.name + "`");
  return makeSize(SizeExpr::stride(tensor.name, *place));
}

static Result runNumel(Interpreter &in, Arguments a) {
  SizeExpr out = SizeExpr::constant(1);
  for (const SizeExpr &size : (*a[0].get<HostTensorPtr>())->sizes)
    out = SizeExpr::mul(out, size);
  return makeSize(out);
}

//===-- Views ----------------------------------------------------------------------------------------------------===//

static std::vector<PyValue> spreadArguments(const PyValue &rest) {
  const std::vector<PyValue> &items = *rest.get<Sequence>()->items;
  if (items.size() == 1 && items[0].is<Sequence>())
    return *items[0].get<Sequence>()->items;
  return items;
}

static LogicalResult refuseOnDevice(Interpreter &in, const PyValue &tensor, llvm::StringRef method) {
  if (!in.k.onDevice())
    return success();
  return in.k.fail("`." + method + "` of host tensor `" + (*tensor.get<HostTensorPtr>())->name +
                   "` stands outside the tile loops");
}

static OperationRow reshapeRow(const char *name, const char *method) {
  return {name, "input *shape", [method](Interpreter &in, Arguments a) -> Result {
            if (failed(refuseOnDevice(in, a[0], method)))
              return failure();
            std::vector<SizeExpr> shape;
            for (const PyValue &item : spreadArguments(a[1])) {
              FailureOr<SizeExpr> size = expectSize(in, item, "shape");
              if (failed(size))
                return failure();
              shape.push_back(*size);
            }
            FailureOr<HostTensorPtr> view = reshapeHost(in.k, *a[0].get<HostTensorPtr>(), shape, method);
            return failed(view) ? Result(failure()) : Result(PyValue(*view));
          }};
}

// A copy step of the plan: what the kernel later does to either tensor leaves the other alone.
static Result runClone(Interpreter &in, Arguments a) {
  if (failed(refuseOnDevice(in, a[0], "clone")))
    return failure();
  const HostTensorPtr &source = *a[0].get<HostTensorPtr>();
  FailureOr<HostTensorPtr> copy =
      allocateHost(in.k, in.k.uniqueTensorName(source->name + "_clone"), source->sizes, source->dtype, PyValue());
  if (failed(copy))
    return failure();
  memref::CopyOp::create(in.k.b, in.k.loc(), source->memref, (*copy)->memref);
  return PyValue(*copy);
}

static Result permute(Interpreter &in, const PyValue &input, ArrayRef<int> order) {
  if (failed(refuseOnDevice(in, input, "permute")))
    return failure();
  FailureOr<HostTensorPtr> view = permuteHost(in.k, *input.get<HostTensorPtr>(), order);
  return failed(view) ? Result(failure()) : Result(PyValue(*view));
}

static Result runTranspose(Interpreter &in, const PyValue &input, const PyValue &dim0, const PyValue &dim1) {
  unsigned rank = (*input.get<HostTensorPtr>())->sizes.size();
  FailureOr<int64_t> first = expectInteger(in, dim0, "dim0"), second = expectInteger(in, dim1, "dim1");
  if (failed(first) || failed(second))
    return failure();
  FailureOr<int> a = normalizeDim(in.k, *first, rank), b = normalizeDim(in.k, *second, rank);
  if (failed(a) || failed(b))
    return failure();
  SmallVector<int> order = llvm::to_vector(llvm::seq<int>(0, rank));
  std::swap(order[*a], order[*b]);
  return permute(in, input, order);
}

static Result runPermute(Interpreter &in, Arguments a) {
  unsigned rank = (*a[0].get<HostTensorPtr>())->sizes.size();
  SmallVector<int> order;
  for (const PyValue &item : spreadArguments(a[1])) {
    FailureOr<int64_t> dim = expectInteger(in, item, "dims");
    FailureOr<int> place = failed(dim) ? FailureOr<int>(failure()) : normalizeDim(in.k, *dim, rank);
    if (failed(place))
      return failure();
    order.push_back(*place);
  }
  SmallVector<int> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int>(0, rank)))
    return in.k.fail("`dims` is no permutation of the dims of a tensor of rank `" + llvm::Twine(rank) + "`");
  return permute(in, a[0], order);
}

// Sizes that torch would broadcast must be equal here: the assert says so to the caller.
static Result runBroadcastTensors(Interpreter &in, Arguments a) {
  const std::vector<PyValue> &tensors = *a[0].get<Sequence>()->items;
  for (const PyValue &item : tensors) {
    FailureOr<HostTensorPtr> tensor = expectHost(in, item, "tensors");
    FailureOr<HostTensorPtr> first = failed(tensor) ? tensor : expectHost(in, tensors[0], "tensors");
    if (failed(first))
      return failure();
    if ((*tensor)->sizes.size() != (*first)->sizes.size())
      return in.k.fail("`torch.broadcast_tensors` of different ranks is not supported");
    for (auto [lhs, rhs] : llvm::zip((*first)->sizes, (*tensor)->sizes))
      in.k.assertThat(Pred::compare(Pred::Compare::EQ, lhs, rhs));
  }
  return makeSequence(tensors);
}

//===-- Arithmetic after the tile loops --------------------------------------------------------------------------===//

// Tensors that were not computed yet are, where more than a cast follows.
static FailureOr<HostTensorPtr> computed(Interpreter &in, const PyValue &value) {
  Result tensor = in.materializeHost(value);
  return failed(tensor) ? FailureOr<HostTensorPtr>(failure()) : expectHost(in, *tensor, "input");
}

// The dims that a reduction names, increasing; all of them where it names none.
static FailureOr<std::vector<int>> reducedDims(Interpreter &in, const PyValue &dim, unsigned rank) {
  std::vector<PyValue> items;
  if (const Sequence *sequence = dim.get<Sequence>())
    items = *sequence->items;
  else if (dim.isGiven())
    items.push_back(dim);
  if (items.empty())
    for (unsigned i = 0; i != rank; ++i)
      items.push_back(int64_t(i));
  std::vector<int> dims;
  for (const PyValue &item : items) {
    FailureOr<int64_t> number = expectInteger(in, item, "dim");
    FailureOr<int> place = failed(number) ? FailureOr<int>(failure()) : normalizeDim(in.k, *number, rank);
    if (failed(place))
      return failure();
    dims.push_back(*place);
  }
  llvm::sort(dims);
  if (std::adjacent_find(dims.begin(), dims.end()) != dims.end())
    return FailureOr<std::vector<int>>(in.k.fail("a dim is reduced twice"));
  return dims;
}

static HostStep castStep(DType dtype) {
  return {dtype, true, [dtype](KernelBuilder &k, const PyValue &lanes) { return castTo(k, lanes, dtype); }};
}

// What further steps go on: the steps so far, or only the tensor where they ran already.
static HostExpression expressionOf(const PyValue &value) {
  HostExpression out;
  if (const HostTensorPtr *tensor = value.get<HostTensorPtr>())
    out.base = *tensor;
  else if (const HostExpressionPtr &expression = *value.get<HostExpressionPtr>(); expression->made)
    out.base = expression->made;
  else
    out = *expression;
  out.name.clear();
  return out;
}

// `losses / n` and `2 * total`: one more step of the expression. A number changes no float tensor's type.
Result helion::frontend::hostArithmetic(Interpreter &in, StringRef op, const PyValue &lhs, const PyValue &rhs) {
  bool isLeft = lhs.is<HostTensorPtr>() || lhs.is<HostExpressionPtr>();
  PyValue number = isLeft ? rhs : lhs;
  HostExpression out = expressionOf(isLeft ? lhs : rhs);
  DType dtype = out.steps.empty() ? out.base->dtype : out.steps.back().dtype;
  if (!isFloat(dtype))
    return in.k.fail("host tensor arithmetic needs a float tensor, not `" + dtypeText(dtype) + "`");
  out.steps.push_back(
      {dtype, false, [&in, op = op.str(), isLeft, number, dtype](KernelBuilder &k, const PyValue &lanes) {
         Result value = isLeft ? in.binary(op, lanes, number) : in.binary(op, number, lanes);
         return failed(value) ? value : castTo(k, *value, dtype);
       }});
  return in.postpone(std::move(out));
}

static OperationRow reductionRow(const char *names, const char *method, bool isMean) {
  return {names, "input dim=None keepdim=False dtype=None", [method, isMean](Interpreter &in, Arguments a) -> Result {
            if (in.k.onDevice())
              return Result(LogicalResult(expectTile(in, a[0], "input")));
            FailureOr<HostTensorPtr> input = computed(in, a[0]);
            if (failed(input))
              return failure();
            const HostTensorPtr &tensor = *input;
            FailureOr<std::vector<int>> dims = reducedDims(in, a[1], tensor->sizes.size());
            if (failed(dims))
              return failure();
            if (tensor->sizes.empty() || !isFloat(tensor->dtype))
              return in.k.fail("`." + llvm::Twine(method) + "` on the host needs a float tensor with dims");
            if (!a[2].is<bool>() || *a[2].get<bool>())
              return in.k.fail("`." + llvm::Twine(method) + "` on the host drops the dims; `keepdim` stays False");
            FailureOr<DType> dtype = dtypeOr(in, a[3], tensor->dtype);
            if (failed(dtype))
              return failure();
            return in.postpone({tensor, *dims, isMean, {castStep(*dtype)}, "", nullptr});
          }};
}

static Result runTo(Interpreter &in, Arguments a) {
  if (a[1].is<Opaque>())
    return a[0];
  FailureOr<DType> dtype = expectDType(in, a[1], "dtype");
  if (failed(dtype))
    return failure();
  if (in.k.onDevice())
    return Result(LogicalResult(expectTile(in, a[0], "input")));
  HostExpression out = expressionOf(a[0]);
  if (out.steps.empty() && out.base->dtype == *dtype)
    return PyValue(out.base);
  out.steps.push_back(castStep(*dtype));
  return in.postpone(std::move(out));
}

std::vector<OperationRow> helion::frontend::hostOperations() {
  return {{"Host.size", "input dim=None", runSize},
          {"Host.dim", "input", [](Interpreter &in, Arguments a) { return in.attribute(a[0], "ndim"); }},
          {"Host.numel", "input", runNumel},
          {"Host.stride", "input dim", runStride},
          reshapeRow("Host.view", "view"),
          reshapeRow("Host.reshape", "reshape"),
          {"Host.transpose", "input dim0 dim1",
           [](Interpreter &in, Arguments a) { return runTranspose(in, a[0], a[1], a[2]); }},
          {"Host.t", "input",
           [](Interpreter &in, Arguments a) { return runTranspose(in, a[0], int64_t(-2), int64_t(-1)); }},
          {"Host.contiguous Host.detach", "input", [](Interpreter &, Arguments a) -> Result { return a[0]; }},
          {"Host.clone", "input", runClone},
          {"Host.permute", "input *dims", runPermute},
          {"torch.broadcast_tensors", "*tensors", runBroadcastTensors},
          reductionRow("Host.sum HostExpression.sum", "sum", false),
          reductionRow("Host.mean HostExpression.mean", "mean", true),
          {"Host.to HostExpression.to", "input dtype", runTo}};
}
