// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators and truth. Three worlds share them: Python's own numbers fold, sizes become size expressions, everything
// else is emitted on tile values.
#include "dialect/Frontend/Interpreter.h"
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

//===--- Python numbers ---===//

static std::optional<int64_t> asInteger(const PyValue &value) {
  if (const int64_t *integer = value.get<int64_t>())
    return *integer;
  if (const bool *truth = value.get<bool>())
    return *truth;
  return std::nullopt;
}

static std::optional<double> asFloat(const PyValue &value) {
  if (const double *number = value.get<double>())
    return *number;
  if (std::optional<int64_t> integer = asInteger(value))
    return static_cast<double>(*integer);
  return std::nullopt;
}

static std::optional<int64_t> integerPower(int64_t base, int64_t exponent) {
  int64_t out = 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (llvm::MulOverflow(out, base, out))
      return std::nullopt;
  return out;
}

static int64_t floorDivide(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

// Nothing where Python would raise or the result needs more than 64 bits.
static std::optional<PyValue> foldIntegers(llvm::StringRef op, int64_t a, int64_t b) {
  int64_t out = 0;
  if (op == "+")
    return llvm::AddOverflow(a, b, out) ? std::nullopt : std::optional<PyValue>(out);
  if (op == "-")
    return llvm::SubOverflow(a, b, out) ? std::nullopt : std::optional<PyValue>(out);
  if (op == "*")
    return llvm::MulOverflow(a, b, out) ? std::nullopt : std::optional<PyValue>(out);
  if (op == "//" && b != 0)
    return PyValue(floorDivide(a, b));
  if (op == "%" && b != 0)
    return PyValue(a - floorDivide(a, b) * b);
  if (op == "/" && b != 0)
    return PyValue(static_cast<double>(a) / static_cast<double>(b));
  if (op == "**" && b >= 0) {
    std::optional<int64_t> power = integerPower(a, b);
    return power ? std::optional<PyValue>(*power) : std::nullopt;
  }
  if (op == "**" && a != 0)
    return PyValue(std::pow(static_cast<double>(a), static_cast<double>(b)));
  if (op == "<<" && b >= 0 && b < 63)
    return PyValue(static_cast<int64_t>(static_cast<uint64_t>(a) << b));
  if (op == ">>" && b >= 0)
    return PyValue(a >> std::min<int64_t>(b, 63));
  if (op == "&")
    return PyValue(a & b);
  if (op == "|")
    return PyValue(a | b);
  if (op == "^")
    return PyValue(a ^ b);
  return std::nullopt;
}

static std::optional<PyValue> foldFloats(llvm::StringRef op, double a, double b) {
  if (op == "+")
    return PyValue(a + b);
  if (op == "-")
    return PyValue(a - b);
  if (op == "*")
    return PyValue(a * b);
  if (op == "/" && b != 0)
    return PyValue(a / b);
  if (op == "//" && b != 0)
    return PyValue(std::floor(a / b));
  if (op == "%" && b != 0)
    return PyValue(a - std::floor(a / b) * b);
  if (op == "**")
    return PyValue(std::pow(a, b));
  return std::nullopt;
}

//===--- sizes ---===//

// A host integer as a size expression: constants, sizes, registered blocks, dims of tile values.
static std::optional<SizeExpr> asSize(KernelBuilder &k, const PyValue &value) {
  if (std::optional<int64_t> integer = asInteger(value))
    return SizeExpr::constant(*integer);
  if (const Size *size = value.get<Size>())
    return size->expr;
  if (const BlockHandle *block = value.get<BlockHandle>())
    return SizeExpr::scalar(block->block);
  const DimHandle *dim = value.get<DimHandle>();
  if (!dim)
    return std::nullopt;
  if (std::optional<SizeExpr> size = k.sliceSize(dim->dim))
    return size;
  return dim->dim.getBlock() ? std::optional<SizeExpr>(SizeExpr::scalar(dim->dim.getBlock().getValue())) : std::nullopt;
}

// (a + b - 1) // b is how Python writes a ceiling division; with a constant b it reads (a + c) // (c + 1).
static std::optional<SizeExpr> asCeilDiv(const SizeExpr &lhs, const SizeExpr &rhs) {
  bool isLess = lhs.kind() == SizeExpr::Kind::Sub && lhs.rhs().isConstant(1);
  const SizeExpr &sum = isLess ? lhs.lhs() : lhs;
  if (sum.kind() != SizeExpr::Kind::Add)
    return std::nullopt;
  SizeExpr added = isLess ? rhs : SizeExpr::sub(rhs, SizeExpr::constant(1));
  if (sum.rhs() == added)
    return SizeExpr::ceildiv(sum.lhs(), rhs);
  if (sum.lhs() == added)
    return SizeExpr::ceildiv(sum.rhs(), rhs);
  return std::nullopt;
}

static std::optional<SizeExpr> sizeOperation(llvm::StringRef op, const SizeExpr &a, const SizeExpr &b) {
  if (op == "+")
    return SizeExpr::add(a, b);
  if (op == "-")
    return SizeExpr::sub(a, b);
  if (op == "*")
    return SizeExpr::mul(a, b);
  if (op == "//") {
    std::optional<SizeExpr> ceil = asCeilDiv(a, b);
    return ceil ? ceil : std::optional<SizeExpr>(SizeExpr::floordiv(a, b));
  }
  if (op == "%")
    return SizeExpr::mod(a, b);
  return std::nullopt;
}

//===--- tile values ---===//

namespace {
struct BinaryRow {
  llvm::StringRef op;
  bool floatOnly;
  Value (*floats)(OpBuilder &, Location, Value, Value);
  Value (*integers)(OpBuilder &, Location, Value, Value);
};
} // namespace

template <typename Op> static Value emit(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return Op::create(b, loc, lhs, rhs);
}

static Value emitFloorDivF(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return math::FloorOp::create(b, loc, arith::DivFOp::create(b, loc, lhs, rhs));
}

// Python's remainder has the sign of the divisor.
static Value emitModF(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  Value whole = arith::MulFOp::create(b, loc, emitFloorDivF(b, loc, lhs, rhs), rhs);
  return arith::SubFOp::create(b, loc, lhs, whole);
}

static Value emitModI(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  Value whole = arith::MulIOp::create(b, loc, arith::FloorDivSIOp::create(b, loc, lhs, rhs), rhs);
  return arith::SubIOp::create(b, loc, lhs, whole);
}

static const BinaryRow binaryRows[] = {{"+", false, emit<arith::AddFOp>, emit<arith::AddIOp>},
                                       {"-", false, emit<arith::SubFOp>, emit<arith::SubIOp>},
                                       {"*", false, emit<arith::MulFOp>, emit<arith::MulIOp>},
                                       {"/", true, quotient, nullptr},
                                       {"//", false, emitFloorDivF, emit<arith::FloorDivSIOp>},
                                       {"%", false, emitModF, emitModI},
                                       {"**", false, emit<math::PowFOp>, emit<math::IPowIOp>},
                                       {"&", false, nullptr, emit<arith::AndIOp>},
                                       {"|", false, nullptr, emit<arith::OrIOp>},
                                       {"^", false, nullptr, emit<arith::XOrIOp>},
                                       {"<<", false, nullptr, emit<arith::ShLIOp>},
                                       {">>", false, nullptr, emit<arith::ShRSIOp>}};

static Result emitBinary(KernelBuilder &k, const BinaryRow &row, const PyValue &lhs, const PyValue &rhs) {
  FailureOr<DType> type = resultType(k, {lhs, rhs});
  if (failed(type))
    return failure();
  bool floats = row.floatOnly || isFloat(*type);
  auto fn = floats ? row.floats : row.integers;
  if (!fn || (*type == DType::Bool && !row.floatOnly && row.floats))
    return k.fail("operator `" + row.op + "` is not defined on `" + dtypeText(*type) + "`");
  return arithmetic(k, {lhs, rhs}, row.floatOnly,
                    [fn](OpBuilder &b, Location loc, ValueRange values) { return fn(b, loc, values[0], values[1]); });
}

// Small constant powers as products, as a compiler of torch code does; exact and far cheaper.
static Result emitPower(Interpreter &in, const PyValue &base, const PyValue &exponent) {
  std::optional<double> power = asFloat(exponent);
  if (power == 0.5)
    return in.call(Symbol{"torch.sqrt", nullptr}, {base}, {});
  if (!power || (*power != 1 && *power != 2 && *power != 3 && *power != 4))
    return emitBinary(in.k, binaryRows[6], base, exponent);
  return arithmetic(in.k, {base}, false, [count = static_cast<int>(*power)](OpBuilder &b, Location loc, ValueRange v) {
    bool floats = isa<FloatType>(getElementTypeOrSelf(v[0].getType()));
    Value out = v[0];
    for (int i = 1; i < count; ++i)
      out = floats ? emit<arith::MulFOp>(b, loc, out, v[0]) : emit<arith::MulIOp>(b, loc, out, v[0]);
    return out;
  });
}

static const PyValue *findHost(const PyValue &lhs, const PyValue &rhs) {
  auto isHost = [](const PyValue &value) { return value.is<HostTensorPtr>() || value.is<HostExpressionPtr>(); };
  return isHost(lhs) ? &lhs : isHost(rhs) ? &rhs : nullptr;
}

static LogicalResult refuseHost(KernelBuilder &k, const PyValue &value) {
  const HostTensorPtr *tensor = value.get<HostTensorPtr>();
  std::string name = tensor ? "`" + (*tensor)->name + "` " : "";
  if (k.onDevice())
    return k.fail("host tensor " + name + "is used without an index; load a tile of it, as in `x[tile]`");
  return k.fail("host tensor arithmetic on " + (tensor ? name : "an expression ") +
                "is not supported; only `.sum(..)`, `.mean(..)`, `.to(dtype)` and `+ - * /` with numbers after the "
                "tile loops are");
}

static std::optional<PyValue> foldSequences(llvm::StringRef op, const PyValue &lhs, const PyValue &rhs) {
  const Sequence *a = lhs.get<Sequence>(), *b = rhs.get<Sequence>();
  const std::string *left = lhs.get<std::string>(), *right = rhs.get<std::string>();
  if (left && right && op == "+")
    return PyValue(*left + *right);
  if (a && b && op == "+") {
    std::vector<PyValue> items(*a->items);
    items.insert(items.end(), b->items->begin(), b->items->end());
    return makeSequence(std::move(items), a->isList);
  }
  const int64_t *count = rhs.get<int64_t>();
  if (!a || !count || op != "*")
    return std::nullopt;
  std::vector<PyValue> items;
  for (int64_t i = 0; i < *count; ++i)
    items.insert(items.end(), a->items->begin(), a->items->end());
  return makeSequence(std::move(items), a->isList);
}

// tile + offset: the same lanes at moved addresses.
static std::optional<Result> shiftTile(KernelBuilder &k, llvm::StringRef op, const PyValue &lhs, const PyValue &rhs) {
  const Tile *tile = lhs.get<Tile>();
  const PyValue &offset = tile ? rhs : lhs;
  tile = tile ? tile : op == "+" ? rhs.get<Tile>() : nullptr;
  if (!tile)
    return std::nullopt;
  if (op != "+" && op != "-")
    return Result(k.fail("operator `" + op + "` is not defined on a tile; use its `.index`"));
  FailureOr<Value> by = indexValue(k, offset);
  if (failed(by))
    return Result(failure());
  if (op == "-")
    by = Value(arith::SubIOp::create(k.b, k.loc(), k.constantIndex(0), *by));
  Value moved = TileShiftOp::create(k.b, k.loc(), tile->tile.getType(), tile->tile, *by);
  return Result(PyValue(Tile{moved, std::nullopt}));
}

Result Interpreter::binary(llvm::StringRef op, const PyValue &lhs, const PyValue &rhs) {
  std::optional<int64_t> li = asInteger(lhs), ri = asInteger(rhs);
  std::optional<double> lf = asFloat(lhs), rf = asFloat(rhs);
  if (lf && rf) {
    std::optional<PyValue> folded = li && ri ? foldIntegers(op, *li, *ri) : foldFloats(op, *lf, *rf);
    return folded ? Result(*folded) : Result(k.fail("cannot compute `" + op + "` of these numbers"));
  }
  if (std::optional<PyValue> folded = foldSequences(op, lhs, rhs))
    return *folded;
  if (const PyValue *host = findHost(lhs, rhs)) {
    bool isKnown = op == "+" || op == "-" || op == "*" || op == "/";
    return !k.onDevice() && isKnown && (isArithmetic(lhs) || isArithmetic(rhs)) ? hostArithmetic(*this, op, lhs, rhs)
                                                                                : Result(refuseHost(k, *host));
  }
  if (op == "@")
    return call(Symbol{"torch.matmul", nullptr}, {lhs, rhs}, {});
  if (std::optional<Result> shifted = shiftTile(k, op, lhs, rhs))
    return *shifted;
  std::optional<SizeExpr> ls = asSize(k, lhs), rs = asSize(k, rhs);
  if (ls && rs)
    if (std::optional<SizeExpr> size = sizeOperation(op, *ls, *rs))
      return makeSize(*size);
  PyValue l = ls ? makeSize(*ls) : lhs, r = rs ? makeSize(*rs) : rhs;
  if (op == "**")
    return emitPower(*this, l, r);
  for (const BinaryRow &row : binaryRows)
    if (row.op == op)
      return emitBinary(k, row, l, r);
  return k.fail("operator `" + op + "` is not supported");
}

Result Interpreter::evaluateBinary(const Expr &expr, llvm::StringRef hint) {
  Result lhs = evaluate(*expr.operands[0]);
  Result rhs = failed(lhs) ? lhs : evaluate(*expr.operands[1]);
  if (failed(rhs))
    return failure();
  k.nameHint = hint.str();
  return binary(expr.name, *lhs, *rhs);
}

//===--- unary ---===//

Result Interpreter::evaluateUnary(const Expr &expr) {
  Result value = evaluate(*expr.operands[0]);
  if (failed(value) || expr.name == "+")
    return value;
  if (expr.name == "not") {
    const Condition *condition = value->get<Condition>();
    if (condition && condition->all.size() == 1 && !k.decide(condition->all[0])) {
      using C = Pred::Compare;
      static const std::map<C, C> opposite = {{C::EQ, C::NE}, {C::NE, C::EQ}, {C::LT, C::GE},
                                              {C::GE, C::LT}, {C::LE, C::GT}, {C::GT, C::LE}};
      const Pred &pred = condition->all[0];
      return PyValue(Condition{{Pred::compare(opposite.at(pred.op()), pred.lhs(), pred.rhs())}});
    }
    FailureOr<bool> holds = truth(*value);
    return failed(holds) ? Result(failure()) : Result(PyValue(!*holds));
  }
  if (expr.name == "~")
    return call(Symbol{"torch.bitwise_not", nullptr}, {*value}, {});
  if (const double *number = value->get<double>())
    return PyValue(-*number);
  if (asSize(k, *value) || value->is<HostTensorPtr>())
    return binary("-", PyValue(int64_t(0)), *value);
  return call(Symbol{"torch.neg", nullptr}, {*value}, {});
}

//===--- comparison and truth ---===//

static std::optional<Pred::Compare> sizeComparison(llvm::StringRef op) {
  using C = Pred::Compare;
  static const std::map<llvm::StringRef, C> table = {{"==", C::EQ}, {"!=", C::NE}, {"<", C::LT},
                                                     {"<=", C::LE}, {">", C::GT},  {">=", C::GE}};
  auto it = table.find(op);
  return it == table.end() ? std::nullopt : std::optional<C>(it->second);
}

template <typename T> static std::optional<bool> compareOrdered(llvm::StringRef op, const T &a, const T &b) {
  if (op == "==")
    return a == b;
  if (op == "!=")
    return a != b;
  if (op == "<")
    return a < b;
  if (op == "<=")
    return a <= b;
  if (op == ">")
    return a > b;
  if (op == ">=")
    return a >= b;
  return std::nullopt;
}

// `is`, `==` and `in` of values that are no numbers.
static std::optional<bool> compareObjects(llvm::StringRef op, const PyValue &lhs, const PyValue &rhs) {
  bool negated = op == "!=" || op == "is not";
  if (!negated && op != "==" && op != "is")
    return std::nullopt;
  if (lhs.isNone() || rhs.isNone())
    return (lhs.isNone() && rhs.isNone()) != negated;
  if (lhs.is<DType>() && rhs.is<DType>())
    return (*lhs.get<DType>() == *rhs.get<DType>()) != negated;
  if (lhs.is<std::string>() && rhs.is<std::string>())
    return (*lhs.get<std::string>() == *rhs.get<std::string>()) != negated;
  if (lhs.is<bool>() && rhs.is<bool>())
    return (*lhs.get<bool>() == *rhs.get<bool>()) != negated;
  if (lhs.is<Opaque>() && rhs.is<Opaque>()) // devices: one kernel runs on one device
    return !negated;
  return std::nullopt;
}

static Result emitCompare(KernelBuilder &k, Pred::Compare op, const PyValue &lhs, const PyValue &rhs) {
  using C = Pred::Compare;
  static const std::map<C, std::pair<arith::CmpFPredicate, arith::CmpIPredicate>> table = {
      {C::EQ, {arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq}},
      {C::NE, {arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne}},
      {C::LT, {arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt}},
      {C::LE, {arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle}},
      {C::GT, {arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt}},
      {C::GE, {arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge}}};
  FailureOr<DType> type = resultType(k, {lhs, rhs});
  if (failed(type))
    return failure();
  // Two bools are compared as bytes: i1 has no order that is torch's.
  DType compute = *type == DType::Bool ? DType::I8 : computeType(*type);
  auto predicates = table.at(op);
  bool floats = isFloat(compute);
  return elementwise(k, {lhs, rhs}, compute, DType::Bool, [=](OpBuilder &b, Location loc, ValueRange v) -> Value {
    if (floats)
      return arith::CmpFOp::create(b, loc, predicates.first, v[0], v[1]);
    return arith::CmpIOp::create(b, loc, predicates.second, v[0], v[1]);
  });
}

// All of `parts`; a false one decides.
static Result conjunction(KernelBuilder &k, ArrayRef<PyValue> parts) {
  Condition all;
  for (const PyValue &part : parts) {
    if (const bool *holds = part.get<bool>()) {
      if (!*holds)
        return PyValue(false);
    } else if (const Condition *condition = part.get<Condition>()) {
      all.all.insert(all.all.end(), condition->all.begin(), condition->all.end());
    } else {
      return k.fail(part.describe() + " cannot be combined with `and`; use `&` on tile values");
    }
  }
  return all.all.empty() ? PyValue(true) : PyValue(all);
}

Result Interpreter::compare(llvm::StringRef op, const PyValue &lhs, const PyValue &rhs) {
  if (std::optional<bool> answer = compareObjects(op, lhs, rhs))
    return PyValue(*answer);
  if (op == "in" || op == "not in") {
    FailureOr<std::vector<PyValue>> items = elements(rhs);
    if (failed(items))
      return failure();
    bool found = false;
    for (const PyValue &item : *items) {
      Result equal = compare("==", lhs, item);
      FailureOr<bool> holds = failed(equal) ? FailureOr<bool>(failure()) : truth(*equal);
      if (failed(holds))
        return failure();
      found |= *holds;
    }
    return PyValue(found == (op == "in"));
  }
  std::optional<Pred::Compare> relation = sizeComparison(op);
  std::optional<double> lf = asFloat(lhs), rf = asFloat(rhs);
  if (lf && rf && relation)
    return PyValue(*compareOrdered(op, *lf, *rf));
  const Sequence *a = lhs.get<Sequence>(), *b = rhs.get<Sequence>();
  if (a && b && op == "==" && a->items->size() == b->items->size()) {
    std::vector<PyValue> parts;
    for (auto [x, y] : llvm::zip(*a->items, *b->items)) {
      Result part = compare("==", x, y);
      if (failed(part))
        return failure();
      parts.push_back(*part);
    }
    return conjunction(k, parts);
  }
  if (a && b && (op == "==" || op == "!=") && a->items->size() != b->items->size())
    return PyValue(op == "!=");
  std::optional<SizeExpr> ls = asSize(k, lhs), rs = asSize(k, rhs);
  if (ls && rs && relation) {
    Pred pred = Pred::compare(*relation, *ls, *rs);
    std::optional<bool> known = k.decide(pred);
    return known ? PyValue(*known) : PyValue(Condition{{pred}});
  }
  if (const PyValue *host = findHost(lhs, rhs))
    return refuseHost(k, *host);
  if (!relation || !isArithmetic(lhs) || !isArithmetic(rhs))
    return k.fail("cannot compare " + lhs.describe() + " with " + rhs.describe() + " by `" + op + "`");
  return emitCompare(k, *relation, lhs, rhs);
}

Result Interpreter::evaluateCompare(const Expr &expr) {
  std::vector<PyValue> operands, parts;
  for (const ExprPtr &operand : expr.operands) {
    Result value = evaluate(*operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  for (size_t i = 0; i < expr.operators.size(); ++i) {
    Result part = compare(expr.operators[i], operands[i], operands[i + 1]);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  return parts.size() == 1 ? Result(parts[0]) : conjunction(k, parts);
}

FailureOr<bool> Interpreter::truth(const PyValue &value) {
  if (std::optional<double> number = asFloat(value))
    return *number != 0;
  if (const std::string *text = value.get<std::string>())
    return !text->empty();
  if (const Sequence *sequence = value.get<Sequence>())
    return !sequence->items->empty();
  if (value.isNone() || value.is<Callable>() || value.is<DType>())
    return !value.isNone();
  if (const Condition *condition = value.get<Condition>()) {
    bool all = true;
    for (const Pred &pred : condition->all) {
      std::optional<bool> known = k.decide(pred);
      if (!known)
        return k.fail("`" + pred.str() +
                      "` is not known for this signature; give the sizes in --args, as in "
                      "`x=bf16[?,128]`");
      all &= *known;
    }
    return all;
  }
  if (value.is<TileValue>() || value.is<Scalar>())
    return k.fail("a branch on " + value.describe() + " is not supported; use `torch.where`");
  return k.fail(value.describe() + " has no truth value here");
}

Result Interpreter::evaluateBoolean(const Expr &expr) {
  std::vector<PyValue> parts;
  for (const ExprPtr &operand : expr.operands) {
    Result value = evaluate(*operand);
    if (failed(value))
      return failure();
    const Condition *condition = value->get<Condition>();
    if (condition && expr.name == "and") {
      parts.push_back(*value);
      continue;
    }
    FailureOr<bool> holds = truth(*value);
    if (failed(holds))
      return failure();
    if (*holds == (expr.name == "or"))
      return value;
    parts.push_back(PyValue(*holds));
    if (&operand == &expr.operands.back() && llvm::none_of(parts, [](const PyValue &p) { return p.is<Condition>(); }))
      return value;
  }
  return expr.name == "or" ? Result(PyValue(false)) : conjunction(k, parts);
}
