// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products. Products of narrow floats accumulate in f32 and are rounded once; with an accumulator the result has
// its type, as in Helion.
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

// Accumulator type of a product of these operands.
static DType accumulatorType(DType input) {
  if (!isFloat(input))
    return DType::I32;
  return computeType(input);
}

// lhs @ rhs, plus `acc` if given, as `out` (Absent: the operands' type, or the accumulator's).
static Result multiply(Interpreter &in, const PyValue &lhs, const PyValue &rhs, const PyValue &acc, const PyValue &out) {
  FailureOr<TileValue> a = expectTile(in, lhs, "left operand"), b = failed(a) ? a : expectTile(in, rhs, "right operand");
  if (failed(b))
    return failure();
  DType input = promoteTypes(a->dtype, b->dtype), wide = accumulatorType(input);
  Result left = castTo(in.k, *a, input), right = failed(left) ? left : castTo(in.k, *b, input);
  if (failed(right))
    return failure();
  const TileValue &l = *left->get<TileValue>(), &r = *right->get<TileValue>();
  if (!acc.isGiven()) {
    DType result = out.is<DType>() ? *out.get<DType>() : isFloat(input) ? input : wide;
    Result value = product(in.k, l, r, nullptr, wide);
    return failed(value) ? value : castTo(in.k, *value, result);
  }
  FailureOr<TileValue> start = expectTile(in, acc, "accumulator");
  if (failed(start))
    return failure();
  // A narrow accumulator is summed in f32 and rounded once.
  Result widened = castTo(in.k, *start, promoteTypes(start->dtype, wide));
  if (failed(widened))
    return failure();
  const TileValue &sum = *widened->get<TileValue>();
  Result value = product(in.k, l, r, &sum, sum.dtype);
  return failed(value) ? value : castTo(in.k, *value, start->dtype);
}

static bool isOne(const PyValue &value) {
  return !value.isGiven() || (value.is<int64_t>() && *value.get<int64_t>() == 1) ||
         (value.is<double>() && *value.get<double>() == 1);
}

// beta * input + alpha * (a @ b)
static Result multiplyAdd(Interpreter &in, ArrayRef<PyValue> args) {
  Result base = isOne(args[3]) ? Result(args[0]) : in.binary("*", args[0], args[3]);
  if (failed(base))
    return failure();
  if (isOne(args[4]))
    return multiply(in, args[1], args[2], *base, PyValue());
  FailureOr<TileValue> start = expectTile(in, *base, "input");
  if (failed(start))
    return failure();
  Result product = multiply(in, args[1], args[2], PyValue(), accumulatorType(start->dtype));
  Result scaled = failed(product) ? product : in.binary("*", *product, args[4]);
  Result sum = failed(scaled) ? scaled : in.binary("+", *scaled, *base);
  return failed(sum) ? sum : castTo(in.k, *sum, start->dtype);
}

std::vector<OperationRow> helion::frontend::productOperations() {
  auto plain = [](Interpreter &in, ArrayRef<PyValue> a) { return multiply(in, a[0], a[1], PyValue(), a[2]); };
  return {{"torch.matmul Tensor.matmul torch.mm Tensor.mm torch.bmm Tensor.bmm", "input other out_dtype=None", plain},
          {"torch.addmm Tensor.addmm torch.baddbmm Tensor.baddbmm", "input mat1 mat2 beta=1 alpha=1", multiplyAdd},
          {"hl.dot", "mat1 mat2 acc=None out_dtype=None",
           [](Interpreter &in, ArrayRef<PyValue> a) { return multiply(in, a[0], a[1], a[2], a[3]); }}};
}
