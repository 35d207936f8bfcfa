// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations of torch: one row of a small table each. Composite ones are spelled out in arith and math, and
// everything transcendental is computed in f32 for narrow floats (`arithmetic`).
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

#include "dialect/IR/Dims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

//===--- emitters ---===//

using UnaryFn = Value (*)(OpBuilder &, Location, Value);

template <typename Op> static Value unary(OpBuilder &b, Location loc, Value x) { return Op::create(b, loc, x); }

static Value like(OpBuilder &b, Location loc, Value x, double value) {
  Type element = getElementTypeOrSelf(x.getType());
  TypedAttr attr = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, value))
                                           : TypedAttr(b.getIntegerAttr(element, static_cast<int64_t>(value)));
  Value number = arith::ConstantOp::create(b, loc, attr);
  return isTileValue(x.getType()) ? Value(SplatOp::create(b, loc, x.getType(), number)) : number;
}

static Value add(OpBuilder &b, Location loc, Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
static Value mul(OpBuilder &b, Location loc, Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }

// 1 + exp(-x)
static Value onePlusExp(OpBuilder &b, Location loc, Value x) {
  Value e = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
  return add(b, loc, e, like(b, loc, x, 1));
}

static Value sigmoid(OpBuilder &b, Location loc, Value x) {
  return quotient(b, loc, like(b, loc, x, 1), onePlusExp(b, loc, x));
}
static Value silu(OpBuilder &b, Location loc, Value x) { return quotient(b, loc, x, onePlusExp(b, loc, x)); }
static Value reciprocal(OpBuilder &b, Location loc, Value x) { return quotient(b, loc, like(b, loc, x, 1), x); }

static Value geluErf(OpBuilder &b, Location loc, Value x) {
  Value erf = math::ErfOp::create(b, loc, mul(b, loc, x, like(b, loc, x, 0.70710678118654752)));
  Value half = mul(b, loc, x, like(b, loc, x, 0.5));
  return mul(b, loc, half, add(b, loc, erf, like(b, loc, x, 1)));
}

static Value geluTanh(OpBuilder &b, Location loc, Value x) {
  Value cube = mul(b, loc, mul(b, loc, x, x), x);
  Value inner = add(b, loc, x, mul(b, loc, cube, like(b, loc, x, 0.044715)));
  Value tanh = math::TanhOp::create(b, loc, mul(b, loc, inner, like(b, loc, x, 0.79788456080286536)));
  Value half = mul(b, loc, x, like(b, loc, x, 0.5));
  return mul(b, loc, half, add(b, loc, tanh, like(b, loc, x, 1)));
}

// torch switches to the identity above 20.
static Value softplus(OpBuilder &b, Location loc, Value x) {
  Value soft = math::Log1pOp::create(b, loc, math::ExpOp::create(b, loc, x));
  Value large = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, like(b, loc, x, 20));
  return arith::SelectOp::create(b, loc, large, x, soft);
}

static Value reluF(OpBuilder &b, Location loc, Value x) {
  return arith::MaximumFOp::create(b, loc, x, like(b, loc, x, 0));
}
static Value reluI(OpBuilder &b, Location loc, Value x) {
  return arith::MaxSIOp::create(b, loc, x, like(b, loc, x, 0));
}
static Value negI(OpBuilder &b, Location loc, Value x) { return arith::SubIOp::create(b, loc, like(b, loc, x, 0), x); }
static Value notI(OpBuilder &b, Location loc, Value x) { return arith::XOrIOp::create(b, loc, x, like(b, loc, x, -1)); }
static Value squareF(OpBuilder &b, Location loc, Value x) { return mul(b, loc, x, x); }
static Value squareI(OpBuilder &b, Location loc, Value x) { return arith::MulIOp::create(b, loc, x, x); }
static Value same(OpBuilder &, Location, Value x) { return x; }

//===--- unary ---===//

namespace {
// Without an integer form, integers become f32 as in torch.
struct UnaryRow {
  const char *names;
  UnaryFn floats;
  UnaryFn integers;
};
} // namespace

static const UnaryRow unaryRows[] = {
    {"torch.abs Tensor.abs", unary<math::AbsFOp>, unary<math::AbsIOp>},
    {"torch.bitwise_not Tensor.bitwise_not torch.logical_not Tensor.logical_not", nullptr, notI},
    {"torch.ceil Tensor.ceil", unary<math::CeilOp>, same},
    {"torch.cos Tensor.cos", unary<math::CosOp>, nullptr},
    {"torch.erf Tensor.erf", unary<math::ErfOp>, nullptr},
    {"torch.exp Tensor.exp", unary<math::ExpOp>, nullptr},
    {"torch.exp2 Tensor.exp2", unary<math::Exp2Op>, nullptr},
    {"torch.expm1 Tensor.expm1", unary<math::ExpM1Op>, nullptr},
    {"torch.floor Tensor.floor", unary<math::FloorOp>, same},
    {"torch.log Tensor.log", unary<math::LogOp>, nullptr},
    {"torch.log10 Tensor.log10", unary<math::Log10Op>, nullptr},
    {"torch.log1p Tensor.log1p", unary<math::Log1pOp>, nullptr},
    {"torch.log2 Tensor.log2", unary<math::Log2Op>, nullptr},
    {"torch.neg Tensor.neg", unary<arith::NegFOp>, negI},
    {"torch.reciprocal Tensor.reciprocal", reciprocal, nullptr},
    {"torch.relu Tensor.relu torch.nn.functional.relu", reluF, reluI},
    {"torch.round Tensor.round", unary<math::RoundEvenOp>, same},
    {"torch.rsqrt Tensor.rsqrt", unary<math::RsqrtOp>, nullptr},
    {"torch.sigmoid Tensor.sigmoid torch.nn.functional.sigmoid", sigmoid, nullptr},
    {"torch.sin Tensor.sin", unary<math::SinOp>, nullptr},
    {"torch.sqrt Tensor.sqrt", unary<math::SqrtOp>, nullptr},
    {"torch.square Tensor.square", squareF, squareI},
    {"torch.tan Tensor.tan", unary<math::TanOp>, nullptr},
    {"torch.tanh Tensor.tanh torch.nn.functional.tanh", unary<math::TanhOp>, nullptr},
    {"torch.trunc Tensor.trunc", unary<math::TruncOp>, same},
    {"torch.nn.functional.silu", silu, nullptr},
    {"torch.nn.functional.softplus", softplus, nullptr}};

static Result runUnary(Interpreter &in, const UnaryRow &row, const PyValue &x) {
  if (x.is<HostTensorPtr>() && failed(expectTile(in, x, "input")))
    return failure();
  FailureOr<DType> type = resultType(in.k, x);
  if (failed(type))
    return failure();
  UnaryFn fn = isFloat(*type) || !row.integers ? row.floats : row.integers;
  if (!fn)
    return in.k.fail("this operation is not defined on `" + dtypeText(*type) + "`");
  return arithmetic(in.k, x, !row.integers,
                    [fn](OpBuilder &b, Location loc, ValueRange values) { return fn(b, loc, values[0]); });
}

//===--- binary and select ---===//

namespace {
struct PairRow {
  const char *names;
  Value (*floats)(OpBuilder &, Location, Value, Value);
  Value (*integers)(OpBuilder &, Location, Value, Value);
};
// Functions that are operators under another name.
struct OperatorRow {
  const char *names;
  const char *op;
  bool isComparison;
};
} // namespace

template <typename Op> static Value pair(OpBuilder &b, Location loc, Value x, Value y) {
  return Op::create(b, loc, x, y);
}

static const PairRow pairRows[] = {
    {"torch.maximum Tensor.maximum", pair<arith::MaximumFOp>, pair<arith::MaxSIOp>},
    {"torch.minimum Tensor.minimum", pair<arith::MinimumFOp>, pair<arith::MinSIOp>},
    {"torch.atan2 Tensor.atan2", pair<math::Atan2Op>, nullptr},
    {"torch.bitwise_and Tensor.bitwise_and torch.logical_and Tensor.logical_and", nullptr, pair<arith::AndIOp>},
    {"torch.bitwise_or Tensor.bitwise_or torch.logical_or Tensor.logical_or", nullptr, pair<arith::OrIOp>},
    {"torch.bitwise_xor Tensor.bitwise_xor torch.logical_xor Tensor.logical_xor", nullptr, pair<arith::XOrIOp>}};

static const OperatorRow operatorRows[] = {{"torch.mul Tensor.mul torch.multiply", "*", false},
                                           {"torch.div Tensor.div torch.true_divide", "/", false},
                                           {"torch.floor_divide Tensor.floor_divide", "//", false},
                                           {"torch.remainder Tensor.remainder", "%", false},
                                           {"torch.pow Tensor.pow", "**", false},
                                           {"torch.eq Tensor.eq", "==", true},
                                           {"torch.ne Tensor.ne", "!=", true},
                                           {"torch.lt Tensor.lt", "<", true},
                                           {"torch.le Tensor.le", "<=", true},
                                           {"torch.gt Tensor.gt", ">", true},
                                           {"torch.ge Tensor.ge", ">=", true}};

static Result runPair(Interpreter &in, const PairRow &row, ArrayRef<PyValue> args) {
  FailureOr<DType> type = resultType(in.k, args);
  if (failed(type))
    return failure();
  auto fn = isFloat(*type) ? row.floats : row.integers;
  if (!fn)
    return in.k.fail("this operation is not defined on `" + dtypeText(*type) + "`");
  return arithmetic(in.k, args, false,
                    [fn](OpBuilder &b, Location loc, ValueRange v) { return fn(b, loc, v[0], v[1]); });
}

// add and sub scale their second operand.
static Result runScaled(Interpreter &in, const char *op, ArrayRef<PyValue> args) {
  Result other = args[1];
  if (args[2].isGiven() && !(args[2].is<int64_t>() && *args[2].get<int64_t>() == 1))
    other = in.binary("*", args[1], args[2]);
  return failed(other) ? other : in.binary(op, args[0], *other);
}

static FailureOr<TileValue> asTile(KernelBuilder &k, const PyValue &value, DType dtype) {
  Result converted = castTo(k, value, dtype);
  if (failed(converted))
    return failure();
  if (const TileValue *tile = converted->get<TileValue>())
    return *tile;
  return TileValue{converted->get<Scalar>()->value, dtype, {}};
}

static Result runWhere(Interpreter &in, ArrayRef<PyValue> args) {
  FailureOr<DType> type = resultType(in.k, args.drop_front());
  if (failed(type))
    return failure();
  if (!in.k.onDevice())
    return in.k.fail("`torch.where` is only supported inside the tile loops");
  FailureOr<TileValue> test = asTile(in.k, args[0], DType::Bool), then = asTile(in.k, args[1], *type),
                       otherwise = asTile(in.k, args[2], *type);
  if (failed(test) || failed(then) || failed(otherwise))
    return failure();
  FailureOr<SmallVector<TileValue>> all = broadcastTogether(in.k, {*test, *then, *otherwise});
  if (failed(all))
    return failure();
  Value chosen = arith::SelectOp::create(in.k.b, in.k.loc(), (*all)[0].value, (*all)[1].value, (*all)[2].value);
  return PyValue(TileValue{chosen, *type, (*all)[1].axes});
}

static Result runClamp(Interpreter &in, ArrayRef<PyValue> args) {
  Result out = args[0];
  if (args[1].isGiven())
    out = in.call(Symbol{"torch.maximum", nullptr}, {*out, args[1]}, {});
  if (succeeded(out) && args[2].isGiven())
    out = in.call(Symbol{"torch.minimum", nullptr}, {*out, args[2]}, {});
  return out;
}

static Result runGelu(Interpreter &in, ArrayRef<PyValue> args) {
  const std::string *approximate = args[1].get<std::string>();
  if (!approximate || (*approximate != "none" && *approximate != "tanh"))
    return in.k.fail("`approximate` is `'none'` or `'tanh'`");
  return runUnary(in, {"", *approximate == "tanh" ? geluTanh : geluErf, nullptr}, args[0]);
}

static Result runIsNan(Interpreter &in, const PyValue &x) {
  FailureOr<DType> type = resultType(in.k, x);
  if (failed(type) || !isFloat(*type))
    return failed(type) ? Result(failure())
                        : Result(in.k.fail("`isnan` needs a float, not `" + dtypeText(*type) + "`"));
  return elementwise(in.k, x, computeType(*type), DType::Bool, [](OpBuilder &b, Location loc, ValueRange v) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, v[0], v[0]);
  });
}

//===--- casts ---===//

static Result runTo(Interpreter &in, ArrayRef<PyValue> args) {
  if (args[1].is<Opaque>()) // a device: there is one
    return args[0];
  if (const TileValue *like = args[1].get<TileValue>())
    return castTo(in.k, args[0], like->dtype);
  FailureOr<DType> dtype = expectDType(in, args[1], "dtype");
  return failed(dtype) ? Result(failure()) : castTo(in.k, args[0], *dtype);
}

static OperationRow castRow(const char *names, DType dtype) {
  return {names, "input", [dtype](Interpreter &in, ArrayRef<PyValue> args) { return castTo(in.k, args[0], dtype); }};
}

std::vector<OperationRow> helion::frontend::elementwiseOperations() {
  std::vector<OperationRow> rows = {
      {"torch.where", "condition input other", runWhere},
      {"Tensor.where", "input condition other",
       [](Interpreter &in, ArrayRef<PyValue> a) { return runWhere(in, {a[1], a[0], a[2]}); }},
      {"Tensor.masked_fill", "input mask value",
       [](Interpreter &in, ArrayRef<PyValue> a) { return runWhere(in, {a[1], a[2], a[0]}); }},
      {"torch.clamp Tensor.clamp torch.clip Tensor.clip", "input min=None max=None", runClamp},
      {"torch.clamp_min Tensor.clamp_min", "input min",
       [](Interpreter &in, ArrayRef<PyValue> a) { return runClamp(in, {a[0], a[1], NoneWord{}}); }},
      {"torch.clamp_max Tensor.clamp_max", "input max",
       [](Interpreter &in, ArrayRef<PyValue> a) { return runClamp(in, {a[0], NoneWord{}, a[1]}); }},
      {"torch.nn.functional.gelu", "input approximate='none'", runGelu},
      {"torch.isnan Tensor.isnan", "input", [](Interpreter &in, ArrayRef<PyValue> a) { return runIsNan(in, a[0]); }},
      {"torch.add Tensor.add", "input other alpha=1",
       [](Interpreter &in, ArrayRef<PyValue> a) { return runScaled(in, "+", a); }},
      {"torch.sub Tensor.sub torch.subtract", "input other alpha=1",
       [](Interpreter &in, ArrayRef<PyValue> a) { return runScaled(in, "-", a); }},
      {"Tensor.to Tensor.type Tensor.type_as", "input dtype", runTo},
      castRow("Tensor.float", DType::F32),
      castRow("Tensor.half", DType::F16),
      castRow("Tensor.bfloat16", DType::BF16),
      castRow("Tensor.double", DType::F64),
      castRow("Tensor.int", DType::I32),
      castRow("Tensor.long", DType::I64),
      castRow("Tensor.bool", DType::Bool)};
  for (const UnaryRow &row : unaryRows)
    rows.push_back(
        {row.names, "input", [&row](Interpreter &in, ArrayRef<PyValue> a) { return runUnary(in, row, a[0]); }});
  for (const PairRow &row : pairRows)
    rows.push_back(
        {row.names, "input other", [&row](Interpreter &in, ArrayRef<PyValue> a) { return runPair(in, row, a); }});
  for (const OperatorRow &row : operatorRows)
    rows.push_back({row.names, "input other", [&row](Interpreter &in, ArrayRef<PyValue> a) {
                      return row.isComparison ? in.compare(row.op, a[0], a[1]) : in.binary(row.op, a[0], a[1]);
                    }});
  return rows;
}
