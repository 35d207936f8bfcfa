// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python's builtins, math, and the dtype functions of torch. On constants they fold; on numbers of the device math
// becomes the op of torch with the same name.
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

using Arguments = ArrayRef<PyValue>;

static std::optional<double> asNumber(const PyValue &value) {
  if (const double *number = value.get<double>())
    return *number;
  if (const int64_t *integer = value.get<int64_t>())
    return static_cast<double>(*integer);
  if (const bool *truth = value.get<bool>())
    return *truth;
  return std::nullopt;
}

//===-- Math -----------------------------------------------------------------------------------------------------===//

namespace {
struct MathRow {
  const char *name;
  double (*fold)(double);
  const char *op; // on numbers of the call
};
} // namespace

static const MathRow mathRows[] = {{"math.sqrt", std::sqrt, "torch.sqrt"}, {"math.exp", std::exp, "torch.exp"},
                                   {"math.log", std::log, "torch.log"},    {"math.log2", std::log2, "torch.log2"},
                                   {"math.sin", std::sin, "torch.sin"},    {"math.cos", std::cos, "torch.cos"},
                                   {"math.tanh", std::tanh, "torch.tanh"}};

static OperationRow mathRow(const MathRow &row) {
  return {row.name, "x", [&row](Interpreter &in, Arguments a) -> Result {
            if (std::optional<double> number = asNumber(a[0]))
              return PyValue(row.fold(*number));
            return in.call(Symbol{row.op, nullptr}, {a[0]}, {});
          }};
}

static OperationRow roundingRow(const char *name, double (*fold)(double)) {
  return {name, "x", [name, fold](Interpreter &in, Arguments a) -> Result {
            if (std::optional<double> number = asNumber(a[0]))
              return PyValue(static_cast<int64_t>(fold(*number)));
            return in.k.fail(llvm::Twine("`") + name + "` needs a constant, not " + a[0].describe());
          }};
}

//===-- Conversions ----------------------------------------------------------------------------------------------===//

static Result runFloat(Interpreter &in, Arguments a) {
  if (const std::string *text = a[0].get<std::string>()) {
    std::string word = llvm::StringRef(*text).trim().lower();
    bool negative = llvm::StringRef(word).starts_with("-");
    llvm::StringRef name = llvm::StringRef(word).ltrim("+-");
    double number = 0;
    if (name == "inf" || name == "infinity")
      number = std::numeric_limits<double>::infinity();
    else if (name == "nan")
      number = std::nan("");
    else if (name.getAsDouble(number))
      return in.k.fail("`" + *text + "` is no float");
    return PyValue(negative ? -number : number);
  }
  if (std::optional<double> number = asNumber(a[0]))
    return PyValue(*number);
  return castTo(in.k, a[0], DType::F32);
}

static Result runInt(Interpreter &in, Arguments a) {
  if (a[0].is<Size>() || a[0].is<int64_t>() || a[0].is<BlockHandle>())
    return a[0];
  if (std::optional<double> number = asNumber(a[0]))
    return PyValue(static_cast<int64_t>(*number));
  return castTo(in.k, a[0], DType::I64);
}

//===-- Sequences ------------------------------------------------------------------------------------------------===//

static Result runLen(Interpreter &in, Arguments a) {
  FailureOr<std::vector<PyValue>> items = in.elements(a[0]);
  return failed(items) ? Result(failure()) : Result(PyValue(static_cast<int64_t>(items->size())));
}

static Result runZip(Interpreter &in, Arguments a) {
  std::vector<std::vector<PyValue>> columns;
  size_t length = std::numeric_limits<size_t>::max();
  for (const PyValue &sequence : *a[0].get<Sequence>()->items) {
    FailureOr<std::vector<PyValue>> items = in.elements(sequence);
    if (failed(items))
      return failure();
    length = std::min(length, items->size());
    columns.push_back(*items);
  }
  std::vector<PyValue> rows;
  for (size_t i = 0; !columns.empty() && i < length; ++i) {
    std::vector<PyValue> row;
    for (const std::vector<PyValue> &column : columns)
      row.push_back(column[i]);
    rows.push_back(makeSequence(std::move(row)));
  }
  return makeSequence(std::move(rows), true);
}

static Result runEnumerate(Interpreter &in, Arguments a) {
  FailureOr<std::vector<PyValue>> items = in.elements(a[0]);
  FailureOr<int64_t> start = expectInteger(in, a[1], "start");
  if (failed(items) || failed(start))
    return failure();
  std::vector<PyValue> rows;
  for (auto [i, item] : llvm::enumerate(*items))
    rows.push_back(makeSequence({PyValue(*start + static_cast<int64_t>(i)), item}));
  return makeSequence(std::move(rows), true);
}

static OperationRow sequenceRow(const char *name, bool isList, bool reversed) {
  return {name, "items=", [=](Interpreter &in, Arguments a) -> Result {
            if (a[0].is<std::string>()) // no argument
              return makeSequence({}, isList);
            FailureOr<std::vector<PyValue>> items = in.elements(a[0]);
            if (failed(items))
              return failure();
            if (reversed)
              std::reverse(items->begin(), items->end());
            return makeSequence(std::move(*items), isList);
          }};
}

// min and max of constants, sizes, and numbers of the device.
static OperationRow extremeRow(const char *name, bool larger) {
  return {name, "*items", [=](Interpreter &in, Arguments a) -> Result {
            std::vector<PyValue> items = *a[0].get<Sequence>()->items;
            if (items.size() == 1 && items[0].is<Sequence>())
              items = *items[0].get<Sequence>()->items;
            if (items.empty())
              return in.k.fail(llvm::Twine("`") + (larger ? "max" : "min") + "` of nothing");
            PyValue best = items[0];
            for (const PyValue &item : ArrayRef(items).drop_front()) {
              std::optional<double> x = asNumber(best), y = asNumber(item);
              if (x && y) {
                best = (larger ? *y > *x : *y < *x) ? item : best;
                continue;
              }
              auto isEmitted = [](const PyValue &value) { return value.is<Scalar>() || value.is<TileValue>(); };
              if (isEmitted(best) || isEmitted(item)) {
                Result chosen = in.call(Symbol{larger ? "torch.maximum" : "torch.minimum", nullptr}, {best, item}, {});
                if (failed(chosen))
                  return failure();
                best = *chosen;
                continue;
              }
              FailureOr<SizeExpr> lhs = expectSize(in, best, "argument"), rhs = expectSize(in, item, "argument");
              if (failed(lhs) || failed(rhs))
                return failure();
              best = makeSize(larger ? SizeExpr::max(*lhs, *rhs) : SizeExpr::min(*lhs, *rhs));
            }
            return best;
          }};
}

//===-- Torch on types, helion on sizes --------------------------------------------------------------------------===//

static Result runPromote(Interpreter &in, Arguments a) {
  FailureOr<DType> x = expectDType(in, a[0], "type1"), y = failed(x) ? x : expectDType(in, a[1], "type2");
  return failed(y) ? Result(failure()) : Result(PyValue(promoteTypes(*x, *y)));
}

static Result runCeilDiv(Interpreter &in, Arguments a) {
  FailureOr<SizeExpr> x = expectSize(in, a[0], "dividend"), y = failed(x) ? x : expectSize(in, a[1], "divisor");
  if (failed(y))
    return failure();
  if (y->asConstant() && *y->asConstant() <= 0)
    return in.k.fail("the divisor must be positive");
  return makeSize(SizeExpr::ceildiv(*x, *y));
}

static Result runNextPower(Interpreter &in, Arguments a) {
  FailureOr<int64_t> value = expectInteger(in, a[0], "n");
  return failed(value) ? Result(failure())
                       : Result(PyValue(static_cast<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(*value, 1)))));
}

static Result nothing(Interpreter &, Arguments) { return PyValue(NoneWord{}); }

std::vector<OperationRow> helion::frontend::pythonOperations() {
  std::vector<OperationRow> rows = {
      {"builtins.float", "x", runFloat},
      {"builtins.int", "x", runInt},
      {"builtins.bool", "x",
       [](Interpreter &in, Arguments a) -> Result {
         FailureOr<bool> holds = in.truth(a[0]);
         return failed(holds) ? Result(failure()) : Result(PyValue(*holds));
       }},
      {"builtins.len", "items", runLen},
      {"builtins.zip", "*sequences", runZip},
      {"builtins.enumerate", "items start=0", runEnumerate},
      sequenceRow("builtins.tuple", false, false),
      sequenceRow("builtins.list", true, false),
      sequenceRow("builtins.reversed", true, true),
      extremeRow("builtins.min", false),
      extremeRow("builtins.max", true),
      {"builtins.abs", "x",
       [](Interpreter &in, Arguments a) -> Result {
         if (const int64_t *integer = a[0].get<int64_t>())
           return PyValue(std::abs(*integer));
         if (std::optional<double> number = asNumber(a[0]))
           return PyValue(std::abs(*number));
         return in.call(Symbol{"torch.abs", nullptr}, {a[0]}, {});
       }},
      roundingRow("math.ceil", std::ceil),
      roundingRow("math.floor", std::floor),
      {"torch.promote_types", "type1 type2", runPromote},
      {"typing.cast", "typ val", [](Interpreter &, Arguments a) -> Result { return a[1]; }},
      {"helion.cdiv triton.cdiv hl.cdiv", "a b", runCeilDiv},
      {"helion.next_power_of_2 triton.next_power_of_2", "n", runNextPower},
      {"torch.device", "name", [](Interpreter &, Arguments) -> Result { return PyValue(Opaque{}); }},
      {"hl.barrier", "", nothing}}; // each outermost loop is a launch of its own
  for (const MathRow &row : mathRows)
    rows.push_back(mathRow(row));
  return rows;
}
