// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix reductions along a dim: running sums and products, and scans by a function of the kernel's file. Narrow floats
// are combined in f32 and each result is rounded once.
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

static FailureOr<bool> expectReverse(Interpreter &in, const PyValue &value) {
  if (const bool *reverse = value.get<bool>())
    return *reverse;
  return FailureOr<bool>(in.k.fail("`reverse` must be a constant True or False, not " + value.describe()));
}

// The input and the dim that it is scanned along.
static FailureOr<std::pair<TileValue, int>> expectScanned(Interpreter &in, const PyValue &input, const PyValue &dim) {
  FailureOr<TileValue> tile = expectTile(in, input, "input");
  FailureOr<int64_t> number = failed(tile) ? FailureOr<int64_t>(failure()) : expectInteger(in, dim, "dim");
  FailureOr<int> place = failed(number) ? FailureOr<int>(failure()) : normalizeDim(in.k, *number, tile->rank());
  if (failed(place))
    return failure();
  return std::make_pair(*tile, *place);
}

//===--- running sums and products ---===//

static Result running(Interpreter &in, Reduction reduction, const PyValue &input, const PyValue &dim, DType type,
                      bool reverse) {
  auto scanned = expectScanned(in, input, dim);
  Result wide = failed(scanned) ? Result(failure()) : castTo(in.k, scanned->first, computeType(type));
  FailureOr<TileValue> out = failed(wide) ? FailureOr<TileValue>(failure())
                                          : scan(in.k, *wide->get<TileValue>(), reduction, scanned->second, reverse);
  return failed(out) ? Result(failure()) : castTo(in.k, *out, type);
}

// torch sums bools and small integers as i64; Helion's own functions keep the type.
static OperationRow torchRow(const char *names, Reduction reduction) {
  return {names, "input dim dtype=None", [reduction](Interpreter &in, ArrayRef<PyValue> a) -> Result {
            FailureOr<TileValue> input = expectTile(in, a[0], "input");
            if (failed(input))
              return failure();
            FailureOr<DType> type = sumType(in, input->dtype, a[2]);
            return failed(type) ? Result(failure()) : running(in, reduction, a[0], a[1], *type, false);
          }};
}

static OperationRow helionRow(const char *names, Reduction reduction) {
  return {names, "input_tensor dim reverse=False", [reduction](Interpreter &in, ArrayRef<PyValue> a) -> Result {
            FailureOr<TileValue> input = expectTile(in, a[0], "input_tensor");
            FailureOr<bool> reverse = failed(input) ? FailureOr<bool>(failure()) : expectReverse(in, a[2]);
            FailureOr<DType> type =
                failed(reverse) ? FailureOr<DType>(failure()) : sumType(in, input->dtype, PyValue(input->dtype));
            return failed(type) ? Result(failure()) : running(in, reduction, a[0], a[1], *type, *reverse);
          }};
}

//===--- scans by a function ---===//

namespace {
// Calls the kernel's function on numbers, in the form that it takes them.
struct CombineFunction {
  Interpreter &in;
  PyValue function;
  SmallVector<DType> types;
  bool isTuple; // the input was one

  static PyValue number(Value value, DType type) { return TileValue{value, type, {}}; }

  // `f(a, b)`; of several values `f((a0, a1), (b0, b1))` where it has two parameters, else `f(a0, a1, b0, b1)`.
  std::vector<PyValue> arguments(ValueRange sides) const {
    std::vector<PyValue> all;
    for (auto [index, value] : llvm::enumerate(sides))
      all.push_back(number(value, types[index % types.size()]));
    const Callable *callable = function.get<Callable>();
    bool takesTuples = isTuple && callable && callable->function->parameters.size() == 2;
    if (!takesTuples)
      return all;
    std::vector<PyValue> left(all.begin(), all.begin() + types.size()), right(all.begin() + types.size(), all.end());
    return {makeSequence(std::move(left)), makeSequence(std::move(right))};
  }

  FailureOr<Value> resultOf(const PyValue &given, DType type) const {
    KernelBuilder &k = in.k;
    const TileValue *tile = given.get<TileValue>();
    if (tile && isTileValue(tile->value.getType()))
      return k.fail("the combine function gives a tile value; it takes and gives one number for each input");
    FailureOr<DType> has = resultType(k, given);
    if (failed(has))
      return failure();
    bool loses = given.is<double>() && !isFloat(type), isTyped = tile || given.is<Scalar>();
    if (loses || (isTyped && categoryOf(*has) != categoryOf(type)))
      return k.fail("the combine function gives `" + dtypeText(*has) + "` for an input of `" + dtypeText(type) + "`");
    return scalar(k, given, type);
  }

  FailureOr<SmallVector<Value>> operator()(ValueRange sides) const {
    Result given = in.call(function, arguments(sides), {});
    if (failed(given))
      return failure();
    const Sequence *sequence = given->get<Sequence>();
    std::vector<PyValue> items = sequence ? *sequence->items : std::vector<PyValue>{*given};
    if (items.size() != types.size())
      return FailureOr<SmallVector<Value>>(in.k.fail("the combine function gives `" + llvm::Twine(items.size()) +
                                                     "` values for `" + llvm::Twine(types.size()) + "` inputs"));
    SmallVector<Value> values;
    for (auto [item, type] : llvm::zip(items, types)) {
      FailureOr<Value> value = resultOf(item, type);
      if (failed(value))
        return failure();
      values.push_back(*value);
    }
    return values;
  }
};
} // namespace

static Result runAssociativeScan(Interpreter &in, ArrayRef<PyValue> a) {
  if (!a[0].is<Callable>() && !a[0].is<Symbol>())
    return in.k.fail("`combine_fn` must be a function, not " + a[0].describe());
  const Sequence *sequence = a[1].get<Sequence>();
  std::vector<PyValue> inputs = sequence ? *sequence->items : std::vector<PyValue>{a[1]};
  if (inputs.empty())
    return in.k.fail("`hl.associative_scan` needs at least one tile value");
  FailureOr<bool> reverse = expectReverse(in, a[3]);
  if (failed(reverse))
    return failure();
  CombineFunction combine{in, a[0], {}, sequence != nullptr};
  SmallVector<TileValue> values;
  SmallVector<DType> types;
  int place = 0;
  for (const PyValue &input : inputs) {
    auto scanned = expectScanned(in, input, a[2]);
    if (failed(scanned))
      return failure();
    place = scanned->second;
    types.push_back(scanned->first.dtype);
    combine.types.push_back(computeType(types.back()));
    Result wide = castTo(in.k, scanned->first, combine.types.back());
    if (failed(wide))
      return failure();
    values.push_back(*wide->get<TileValue>());
  }
  FailureOr<SmallVector<TileValue>> scanned = scanBy(in.k, values, place, *reverse, combine);
  if (failed(scanned))
    return failure();
  std::vector<PyValue> results;
  for (auto [value, type] : llvm::zip(*scanned, types)) {
    Result narrow = castTo(in.k, value, type);
    if (failed(narrow))
      return failure();
    results.push_back(*narrow);
  }
  return sequence ? makeSequence(std::move(results)) : results.front();
}

std::vector<OperationRow> helion::frontend::scanOperations() {
  return {torchRow("torch.cumsum Tensor.cumsum", Reduction::Sum),
          torchRow("torch.cumprod Tensor.cumprod", Reduction::Prod),
          helionRow("hl.cumsum", Reduction::Sum),
          helionRow("hl.cumprod", Reduction::Prod),
          {"hl.associative_scan torch._higher_order_ops.associative_scan", "combine_fn input_tensor dim reverse=False",
           runAssociativeScan}};
}
