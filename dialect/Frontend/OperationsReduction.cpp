// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over one dim or all dims, and what is made of them: mean, variance, softmax. Sums, products and everything
// built on them are computed in f32 for narrow floats and rounded once, as torch does.
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

#include "dialect/IR/Dims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

namespace {
// The arguments that all reductions share.
struct ReductionCall {
  TileValue input;
  SmallVector<int> dims; // decreasing, so that removing one leaves the others in place
  bool keepDim = false;
};
} // namespace

static FailureOr<ReductionCall> readCall(Interpreter &in, const PyValue &input, const PyValue &dim,
                                         const PyValue &keepDim) {
  FailureOr<TileValue> tile = expectTile(in, input, "input");
  if (failed(tile))
    return failure();
  ReductionCall call{*tile, {}, keepDim.is<bool>() && *keepDim.get<bool>()};
  std::vector<PyValue> dims;
  if (const Sequence *sequence = dim.get<Sequence>())
    dims = *sequence->items;
  else if (dim.isGiven())
    dims.push_back(dim);
  else
    for (int64_t i = 0; i < tile->rank(); ++i)
      dims.push_back(i);
  for (const PyValue &item : dims) {
    FailureOr<int64_t> number = expectInteger(in, item, "dim");
    FailureOr<int> place = failed(number) ? FailureOr<int>(failure()) : normalizeDim(in.k, *number, tile->rank());
    if (failed(place))
      return failure();
    call.dims.push_back(*place);
  }
  llvm::sort(call.dims, std::greater<int>());
  if (std::adjacent_find(call.dims.begin(), call.dims.end()) != call.dims.end())
    return FailureOr<ReductionCall>(in.k.fail("a dim is reduced twice"));
  return call;
}

static FailureOr<TileValue> cast(Interpreter &in, const TileValue &value, DType dtype) {
  Result out = castTo(in.k, value, dtype);
  if (failed(out))
    return failure();
  return *out->get<TileValue>();
}

static FailureOr<TileValue> reduceAll(Interpreter &in, const ReductionCall &call, Reduction reduction, DType compute) {
  FailureOr<TileValue> value = cast(in, call.input, compute);
  for (int dim : call.dims)
    if (succeeded(value))
      value = reduce(in.k, *value, reduction, dim, call.keepDim);
  return value;
}

//===--- sum, prod, max, min ---===//

FailureOr<DType> helion::frontend::sumType(Interpreter &in, DType input, const PyValue &dtype) {
  FailureOr<DType> type = dtypeOr(in, dtype, isFloat(input) ? input : DType::I64);
  if (succeeded(type) && *type == DType::Bool) // As `+` and `*`.
    return FailureOr<DType>(
        in.k.fail("sums and products are not defined on `bool`; cast first, as in `.to(torch.int32)`"));
  return type;
}

// What `torch.sum(losses)` after the tile loops is given.
static bool isHostValue(Interpreter &in, const PyValue &value) {
  return !in.k.onDevice() && (value.is<HostTensorPtr>() || value.is<HostExpressionPtr>());
}

static OperationRow sumRow(const char *names, Reduction reduction) {
  return {names, "input dim=None keepdim=False dtype=None",
          [reduction](Interpreter &in, ArrayRef<PyValue> a) -> Result {
            if (reduction == Reduction::Sum && isHostValue(in, a[0]))
              return findOperation("Host.sum")->run(in, a);
            FailureOr<ReductionCall> call = readCall(in, a[0], a[1], a[2]);
            if (failed(call))
              return failure();
            FailureOr<DType> type = sumType(in, call->input.dtype, a[3]);
            FailureOr<TileValue> sum =
                failed(type) ? FailureOr<TileValue>(failure()) : reduceAll(in, *call, reduction, computeType(*type));
            return failed(sum) ? Result(failure()) : castTo(in.k, *sum, *type);
          }};
}

static Result extreme(Interpreter &in, Reduction reduction, const PyValue &input, const PyValue &dim,
                      const PyValue &keep) {
  FailureOr<ReductionCall> call = readCall(in, input, dim, keep);
  if (failed(call))
    return failure();
  DType type = call->input.dtype == DType::Bool ? DType::I8 : computeType(call->input.dtype);
  FailureOr<TileValue> out = reduceAll(in, *call, reduction, type);
  return failed(out) ? Result(failure()) : castTo(in.k, *out, call->input.dtype);
}

static Result position(Interpreter &in, Reduction reduction, const PyValue &input, const PyValue &dim,
                       const PyValue &keep) {
  FailureOr<ReductionCall> call = readCall(in, input, dim, keep);
  if (failed(call))
    return failure();
  if (call->dims.size() != 1)
    return in.k.fail("argmax and argmin need one `dim` here");
  FailureOr<TileValue> out = reduceAll(in, *call, reduction, computeType(call->input.dtype));
  return failed(out) ? Result(failure()) : castTo(in.k, *out, DType::I64);
}

static OperationRow extremeRow(const char *names, Reduction reduction) {
  return {names, "input dim=None keepdim=False",
          [reduction](Interpreter &in, ArrayRef<PyValue> a) { return extreme(in, reduction, a[0], a[1], a[2]); }};
}

// torch.max(x) is a value, torch.max(x, dim) a pair, torch.max(x, y) elementwise.
static OperationRow overloadedRow(const char *names, Reduction value, Reduction place, const char *pairwise) {
  return {names, "input dim=None keepdim=False", [=](Interpreter &in, ArrayRef<PyValue> a) -> Result {
            if (a[1].is<TileValue>())
              return in.call(Symbol{pairwise, nullptr}, {a[0], a[1]}, {});
            Result values = extreme(in, value, a[0], a[1], a[2]);
            if (failed(values) || !a[1].isGiven())
              return values;
            Result places = position(in, place, a[0], a[1], a[2]);
            return failed(places) ? places : Result(makeSequence({*values, *places}));
          }};
}

static OperationRow truthRow(const char *names, Reduction reduction) {
  return {names, "input dim=None keepdim=False", [reduction](Interpreter &in, ArrayRef<PyValue> a) -> Result {
            FailureOr<ReductionCall> call = readCall(in, a[0], a[1], a[2]);
            if (failed(call))
              return failure();
            FailureOr<TileValue> out = reduceAll(in, *call, reduction, DType::Bool);
            return failed(out) ? Result(failure()) : Result(PyValue(*out));
          }};
}

//===--- mean and variance ---===//

// The number of lanes that the dims hold, as a builtin scalar.
static FailureOr<Value> countLanes(Interpreter &in, const ReductionCall &call, DType dtype) {
  SmallVector<DimAttr> dims = frontend::dimsOf(call.input, in.k.context());
  int64_t constants = 1;
  Value count;
  for (int dim : call.dims) {
    if (std::optional<int64_t> extent = dims[dim].getConstant()) {
      constants *= *extent;
      continue;
    }
    FailureOr<Value> lanes = laneCount(in.k, dims[dim], dtype);
    if (failed(lanes))
      return failure();
    count = count ? Value(arith::MulFOp::create(in.k.b, in.k.loc(), count, *lanes)) : *lanes;
  }
  if (count && constants == 1)
    return count;
  Value number = constant(in.k, static_cast<double>(constants), dtype);
  return count ? Value(arith::MulFOp::create(in.k.b, in.k.loc(), count, number)) : number;
}

static Result divideBy(Interpreter &in, const TileValue &sum, Value count) {
  return arithmetic(in.k, {sum, Scalar{sum.dtype, count, nullptr}}, false,
                    [](OpBuilder &b, Location loc, ValueRange v) -> Value { return quotient(b, loc, v[0], v[1]); });
}

static Result meanOf(Interpreter &in, const ReductionCall &call) {
  FailureOr<Value> count = countLanes(in, call, call.input.dtype);
  FailureOr<TileValue> sum = reduceAll(in, call, Reduction::Sum, call.input.dtype);
  return failed(count) || failed(sum) ? Result(failure()) : divideBy(in, *sum, *count);
}

static FailureOr<DType> floatInput(Interpreter &in, ReductionCall &call, const PyValue &dtype) {
  FailureOr<DType> type = dtypeOr(in, dtype, call.input.dtype);
  if (failed(type))
    return failure();
  if (!isFloat(*type))
    return FailureOr<DType>(in.k.fail("this reduction needs a float, not `" + dtypeText(*type) + "`"));
  FailureOr<TileValue> wide = cast(in, call.input, computeType(*type));
  if (failed(wide))
    return failure();
  call.input = *wide;
  return type;
}

static Result runMean(Interpreter &in, ArrayRef<PyValue> a) {
  if (isHostValue(in, a[0]))
    return findOperation("Host.mean")->run(in, a);
  FailureOr<ReductionCall> call = readCall(in, a[0], a[1], a[2]);
  FailureOr<DType> type = failed(call) ? FailureOr<DType>(failure()) : floatInput(in, *call, a[3]);
  if (failed(type))
    return failure();
  Result mean = meanOf(in, *call);
  return failed(mean) ? mean : castTo(in.k, *mean, *type);
}

// Two passes: the mean first, then the squares of the differences.
static FailureOr<std::pair<PyValue, PyValue>> varianceAndMean(Interpreter &in, ReductionCall call, double correction) {
  bool keep = std::exchange(call.keepDim, true);
  Result mean = meanOf(in, call);
  Result centred = failed(mean) ? mean : in.binary("-", call.input, *mean);
  Result squares = failed(centred) ? centred : in.binary("*", *centred, *centred);
  FailureOr<Value> count = failed(squares) ? FailureOr<Value>(failure()) : countLanes(in, call, call.input.dtype);
  if (failed(count))
    return failure();
  if (correction != 0) {
    Value less = constant(in.k, correction, call.input.dtype);
    count = Value(arith::SubFOp::create(in.k.b, in.k.loc(), *count, less));
  }
  ReductionCall second{*squares->get<TileValue>(), call.dims, keep};
  FailureOr<TileValue> sum = reduceAll(in, second, Reduction::Sum, call.input.dtype);
  Result variance = failed(sum) ? Result(failure()) : divideBy(in, *sum, *count);
  if (failed(variance))
    return failure();
  TileValue flat = *mean->get<TileValue>();
  if (!keep)
    for (int dim : call.dims)
      flat.axes.erase(flat.axes.begin() + dim);
  return std::make_pair(*variance, PyValue(flat));
}

static Result runVariance(Interpreter &in, ArrayRef<PyValue> a, bool withMean) {
  FailureOr<ReductionCall> call = readCall(in, a[0], a[1], a[2]);
  FailureOr<DType> type = failed(call) ? FailureOr<DType>(failure()) : floatInput(in, *call, PyValue());
  if (failed(type))
    return failure();
  double correction = 1;
  if (a[3].isGiven() && a[3].is<int64_t>())
    correction = static_cast<double>(*a[3].get<int64_t>());
  if (a[4].is<bool>())
    correction = *a[4].get<bool>();
  auto both = varianceAndMean(in, *call, correction);
  if (failed(both))
    return failure();
  Result variance = castTo(in.k, both->first, *type);
  Result mean = withMean ? castTo(in.k, both->second, *type) : variance;
  if (failed(variance) || failed(mean))
    return failure();
  return withMean ? makeSequence({*variance, *mean}) : *variance;
}

//===--- softmax ---===//

static Result emitUnary(Interpreter &in, const char *name, const PyValue &x) {
  return in.call(Symbol{name, nullptr}, {x}, {});
}

// x - max(x), the base of all three.
static FailureOr<std::pair<PyValue, PyValue>> shiftByMax(Interpreter &in, ReductionCall &call) {
  call.keepDim = true;
  FailureOr<TileValue> largest = reduceAll(in, call, Reduction::Max, call.input.dtype);
  Result shifted = failed(largest) ? Result(failure()) : in.binary("-", call.input, *largest);
  if (failed(shifted))
    return failure();
  return std::make_pair(*shifted, PyValue(*largest));
}

static FailureOr<PyValue> sumOfExp(Interpreter &in, const ReductionCall &call, const PyValue &exponentials) {
  ReductionCall sum = call;
  sum.input = *exponentials.get<TileValue>();
  FailureOr<TileValue> out = reduceAll(in, sum, Reduction::Sum, call.input.dtype);
  return failed(out) ? Result(failure()) : Result(PyValue(*out));
}

static Result runSoftmax(Interpreter &in, ArrayRef<PyValue> a, bool logarithm) {
  FailureOr<ReductionCall> call = readCall(in, a[0], a[1], PyValue(true));
  FailureOr<DType> type = failed(call) ? FailureOr<DType>(failure()) : floatInput(in, *call, a[2]);
  if (failed(type))
    return failure();
  auto shifted = shiftByMax(in, *call);
  Result exponentials = failed(shifted) ? Result(failure()) : emitUnary(in, "torch.exp", shifted->first);
  Result sum = failed(exponentials) ? exponentials : sumOfExp(in, *call, *exponentials);
  if (failed(sum))
    return failure();
  Result out = failure();
  if (!logarithm) {
    out = in.binary("/", *exponentials, *sum);
  } else {
    Result log = emitUnary(in, "torch.log", *sum);
    out = failed(log) ? log : in.binary("-", shifted->first, *log);
  }
  return failed(out) ? out : castTo(in.k, *out, *type);
}

static Result runLogSumExp(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<ReductionCall> call = readCall(in, a[0], a[1], a[2]);
  FailureOr<DType> type = failed(call) ? FailureOr<DType>(failure()) : floatInput(in, *call, PyValue());
  if (failed(type))
    return failure();
  bool keep = call->keepDim;
  auto shifted = shiftByMax(in, *call);
  Result exponentials = failed(shifted) ? Result(failure()) : emitUnary(in, "torch.exp", shifted->first);
  Result sum = failed(exponentials) ? exponentials : sumOfExp(in, *call, *exponentials);
  Result log = failed(sum) ? sum : emitUnary(in, "torch.log", *sum);
  Result out = failed(log) ? log : in.binary("+", *log, shifted->second);
  if (failed(out))
    return failure();
  TileValue flat = *out->get<TileValue>();
  if (!keep)
    for (int dim : call->dims)
      flat.axes.erase(flat.axes.begin() + dim);
  return castTo(in.k, flat, *type);
}

std::vector<OperationRow> helion::frontend::reductionOperations() {
  return {sumRow("torch.sum Tensor.sum", Reduction::Sum),
          sumRow("torch.prod Tensor.prod", Reduction::Prod),
          extremeRow("torch.amax Tensor.amax", Reduction::Max),
          extremeRow("torch.amin Tensor.amin", Reduction::Min),
          overloadedRow("torch.max Tensor.max", Reduction::Max, Reduction::ArgMax, "torch.maximum"),
          overloadedRow("torch.min Tensor.min", Reduction::Min, Reduction::ArgMin, "torch.minimum"),
          truthRow("torch.all Tensor.all", Reduction::All),
          truthRow("torch.any Tensor.any", Reduction::Any),
          {"torch.argmax Tensor.argmax", "input dim=None keepdim=False",
           [](Interpreter &in, ArrayRef<PyValue> a) { return position(in, Reduction::ArgMax, a[0], a[1], a[2]); }},
          {"torch.argmin Tensor.argmin", "input dim=None keepdim=False",
           [](Interpreter &in, ArrayRef<PyValue> a) { return position(in, Reduction::ArgMin, a[0], a[1], a[2]); }},
          {"torch.mean Tensor.mean", "input dim=None keepdim=False dtype=None", runMean},
          {"torch.var Tensor.var", "input dim=None keepdim=False correction=None unbiased=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return runVariance(in, a, false); }},
          {"torch.var_mean", "input dim=None keepdim=False correction=None unbiased=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return runVariance(in, a, true); }},
          {"torch.softmax Tensor.softmax torch.nn.functional.softmax", "input dim dtype=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return runSoftmax(in, a, false); }},
          {"torch.log_softmax Tensor.log_softmax torch.nn.functional.log_softmax", "input dim dtype=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return runSoftmax(in, a, true); }},
          {"torch.logsumexp Tensor.logsumexp", "input dim keepdim=False", runLogSumExp}};
}
