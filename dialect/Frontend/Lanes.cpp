// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, numbers and casts of tile values; elementwise emission. Dims are in LaneDims.cpp, combining in
// LaneCombine.cpp.
#include "dialect/Frontend/Lanes.h"

#include "dialect/IR/Dims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

bool helion::frontend::isArithmetic(const PyValue &value) {
  return value.is<TileValue>() || value.is<Scalar>() || value.is<Size>() || value.is<int64_t>() || value.is<double>() ||
         value.is<bool>();
}

//===--- promotion ---===//

namespace {
// torch ranks operands: a tensor's type is only raised by a tensor of rank 0 or a number of a higher category.
struct Promotion {
  std::optional<DType> tensors, scalars, numbers;

  void add(std::optional<DType> &slot, DType dtype) { slot = slot ? promoteTypes(*slot, dtype) : dtype; }

  static DType raise(std::optional<DType> base, DType other) {
    return base && categoryOf(*base) >= categoryOf(other) ? *base : other;
  }

  DType result() const {
    std::optional<DType> out = tensors;
    if (scalars)
      out = raise(out, *scalars);
    if (numbers)
      out = raise(out, *numbers);
    return *out;
  }
};
} // namespace

static DType numberType(const PyValue &value) {
  if (const Scalar *scalar = value.get<Scalar>())
    return scalar->dtype;
  if (value.is<double>())
    return DType::F32;
  return value.is<bool>() ? DType::Bool : DType::I64;
}

FailureOr<DType> helion::frontend::resultType(KernelBuilder &k, ArrayRef<PyValue> operands) {
  Promotion promotion;
  bool onlyIndices = true;
  for (const PyValue &operand : operands) {
    if (!isArithmetic(operand))
      return k.fail(operand.describe() + " cannot take part in arithmetic");
    if (const TileValue *tile = operand.get<TileValue>())
      promotion.add(tile->rank() ? promotion.tensors : promotion.scalars, tile->dtype);
    else if (operand.is<int64_t>() || operand.is<Size>())
      promotion.add(promotion.numbers, onlyIndices && promotion.numbers ? *promotion.numbers : DType::I64);
    else
      promotion.add(promotion.numbers, numberType(operand));
    const Scalar *scalar = operand.get<Scalar>();
    const TileValue *tile = operand.get<TileValue>();
    bool indexLike = operand.is<int64_t>() || operand.is<Size>() || (scalar && scalar->dtype == DType::Index) ||
                     (tile && tile->dtype == DType::Index);
    onlyIndices &= indexLike;
  }
  // Plain integers take the type of the indices they meet.
  return onlyIndices ? DType::Index : promotion.result();
}

//===--- casts ---===//

Value helion::frontend::constant(KernelBuilder &k, double value, DType dtype) {
  if (!isFloat(dtype))
    return constantInteger(k, static_cast<int64_t>(value), dtype);
  return arith::ConstantOp::create(k.b, k.loc(), k.b.getFloatAttr(laneType(dtype, k.context()), value));
}

Value helion::frontend::constantInteger(KernelBuilder &k, int64_t value, DType dtype) {
  if (dtype == DType::Index)
    return k.constantIndex(value);
  if (isFloat(dtype))
    return constant(k, static_cast<double>(value), dtype);
  return arith::ConstantOp::create(k.b, k.loc(), k.b.getIntegerAttr(laneType(dtype, k.context()), value));
}

static Value zeroLike(KernelBuilder &k, Value value, DType dtype) {
  Value zero = constant(k, 0, dtype);
  if (!isTileValue(value.getType()))
    return zero;
  return SplatOp::create(k.b, k.loc(), value.getType(), zero);
}

template <typename Op> static Value convert(KernelBuilder &k, Value value, DType to) {
  return Op::create(k.b, k.loc(), withElementType(value.getType(), laneType(to, k.context())), value);
}

static unsigned bits(KernelBuilder &k, DType dtype) { return laneType(dtype, k.context()).getIntOrFloatBitWidth(); }

static Value castFloat(KernelBuilder &k, Value value, DType from, DType to) {
  unsigned fromBits = bits(k, from), toBits = bits(k, to);
  if (fromBits == toBits) // bf16 and f16 meet in f32
    return castFloat(k, castFloat(k, value, from, DType::F32), DType::F32, to);
  return fromBits < toBits ? convert<arith::ExtFOp>(k, value, to) : convert<arith::TruncFOp>(k, value, to);
}

static Value castLanes(KernelBuilder &k, Value value, DType from, DType to) {
  if (from == to)
    return value;
  if (to == DType::Bool) {
    Value zero = zeroLike(k, value, from);
    if (isFloat(from))
      return arith::CmpFOp::create(k.b, k.loc(), arith::CmpFPredicate::UNE, value, zero);
    return arith::CmpIOp::create(k.b, k.loc(), arith::CmpIPredicate::ne, value, zero);
  }
  if (from == DType::Bool) {
    if (isFloat(to))
      return convert<arith::UIToFPOp>(k, value, to);
    return to == DType::Index ? convert<arith::IndexCastUIOp>(k, value, to) : convert<arith::ExtUIOp>(k, value, to);
  }
  if (isFloat(from) && isFloat(to))
    return castFloat(k, value, from, to);
  if (isFloat(to))
    return from == DType::Index ? castLanes(k, convert<arith::IndexCastOp>(k, value, DType::I64), DType::I64, to)
                                : convert<arith::SIToFPOp>(k, value, to);
  if (isFloat(from))
    return to == DType::Index ? castLanes(k, castLanes(k, value, from, DType::I64), DType::I64, to)
                              : convert<arith::FPToSIOp>(k, value, to);
  if (from == DType::Index || to == DType::Index)
    return convert<arith::IndexCastOp>(k, value, to);
  return bits(k, from) < bits(k, to) ? convert<arith::ExtSIOp>(k, value, to) : convert<arith::TruncIOp>(k, value, to);
}

static LogicalResult checkDType(KernelBuilder &k, DType dtype) {
  if (dtype == DType::U8)
    return k.fail("arithmetic on `u8` is not supported; signed integers and floats are");
  return success();
}

FailureOr<Value> helion::frontend::scalar(KernelBuilder &k, const PyValue &number, DType dtype) {
  if (const int64_t *value = number.get<int64_t>())
    return constantInteger(k, *value, dtype);
  if (const double *value = number.get<double>())
    return constant(k, *value, dtype);
  if (const bool *value = number.get<bool>())
    return constant(k, *value, dtype);
  if (const Size *size = number.get<Size>())
    return castLanes(k, k.materialize(size->expr), DType::Index, dtype);
  if (const Scalar *value = number.get<Scalar>()) {
    Value made = value->value ? value->value : value->make();
    return castLanes(k, made, value->dtype, dtype);
  }
  const TileValue *tile = number.get<TileValue>();
  if (tile && !isTileValue(tile->value.getType()))
    return castLanes(k, tile->value, tile->dtype, dtype);
  return k.fail("a number is needed here, not " + number.describe());
}

FailureOr<Value> helion::frontend::indexValue(KernelBuilder &k, const PyValue &number) {
  const Scalar *scalarValue = number.get<Scalar>();
  const TileValue *tile = number.get<TileValue>();
  if (number.is<double>() || (scalarValue && isFloat(scalarValue->dtype)) || (tile && isFloat(tile->dtype)))
    return k.fail("an integer is needed here, not a float");
  return scalar(k, number, DType::Index);
}

FailureOr<PyValue> helion::frontend::castTo(KernelBuilder &k, const PyValue &value, DType dtype) {
  if (failed(checkDType(k, dtype)))
    return failure();
  if (const TileValue *tile = value.get<TileValue>()) {
    if (failed(checkDType(k, tile->dtype)))
      return failure();
    return PyValue(TileValue{castLanes(k, tile->value, tile->dtype, dtype), dtype, tile->axes});
  }
  if (!isArithmetic(value))
    return k.fail(value.describe() + " cannot be cast to `" + dtypeText(dtype) + "`");
  if (!k.onDevice())
    return PyValue(Scalar{dtype, {}, [&k, value, dtype] { return *scalar(k, value, dtype); }});
  FailureOr<Value> made = scalar(k, value, dtype);
  if (failed(made))
    return failure();
  return PyValue(Scalar{dtype, *made, nullptr});
}

//===--- elementwise ---===//

static FailureOr<PyValue> elementwiseNumbers(KernelBuilder &k, ArrayRef<PyValue> operands, DType operandType,
                                             DType lane, EmitLanes emit) {
  SmallVector<Value> values;
  for (const PyValue &operand : operands) {
    FailureOr<Value> value = scalar(k, operand, operandType);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return PyValue(Scalar{lane, emit(k.b, k.loc(), values), nullptr});
}

// The tile operands are cast before and the numbers after broadcasting, so that each is converted at its own size.
static FailureOr<PyValue> elementwiseTiles(KernelBuilder &k, ArrayRef<PyValue> operands, DType operandType, DType lane,
                                           EmitLanes emit) {
  SmallVector<TileValue> tiles;
  for (const PyValue &operand : operands) {
    if (!operand.is<TileValue>())
      continue;
    FailureOr<PyValue> converted = castTo(k, operand, operandType);
    if (failed(converted))
      return failure();
    tiles.push_back(*converted->get<TileValue>());
  }
  FailureOr<SmallVector<TileValue>> together = broadcastTogether(k, tiles);
  if (failed(together))
    return failure();
  SmallVector<Value> values;
  unsigned next = 0;
  Type type = together->front().value.getType();
  for (const PyValue &operand : operands) {
    if (operand.is<TileValue>()) {
      values.push_back((*together)[next++].value);
      continue;
    }
    FailureOr<Value> number = scalar(k, operand, operandType);
    if (failed(number))
      return failure();
    values.push_back(isTileValue(type) ? Value(SplatOp::create(k.b, k.loc(), type, *number)) : *number);
  }
  return PyValue(TileValue{emit(k.b, k.loc(), values), lane, together->front().axes});
}

FailureOr<PyValue> helion::frontend::elementwise(KernelBuilder &k, ArrayRef<PyValue> operands, DType operandType,
                                                 DType lane, EmitLanes emit) {
  if (failed(checkDType(k, operandType)))
    return failure();
  if (llvm::any_of(operands, [](const PyValue &value) { return value.is<TileValue>(); }))
    return elementwiseTiles(k, operands, operandType, lane, emit);
  if (k.onDevice())
    return elementwiseNumbers(k, operands, operandType, lane, emit);
  // A launch plan passes scalars only as they are, so each use on the device computes the number again.
  std::vector<PyValue> kept(operands.begin(), operands.end());
  return PyValue(Scalar{lane, {}, [&k, kept, operandType, lane, emit] {
                          return elementwiseNumbers(k, kept, operandType, lane, emit)->get<Scalar>()->value;
                        }});
}

FailureOr<PyValue> helion::frontend::arithmetic(KernelBuilder &k, ArrayRef<PyValue> operands, bool floatOnly,
                                                EmitLanes emit) {
  FailureOr<DType> type = resultType(k, operands);
  if (failed(type))
    return failure();
  DType result = floatOnly && !isFloat(*type) ? DType::F32 : *type;
  DType compute = computeType(result);
  FailureOr<PyValue> value = elementwise(k, operands, compute, compute, emit);
  if (failed(value) || compute == result)
    return value;
  return castTo(k, *value, result);
}

Value helion::frontend::quotient(OpBuilder &b, Location loc, Value x, Value y) {
  auto allowed = getElementTypeOrSelf(x.getType()).isF64() ? arith::FastMathFlags::none : arith::FastMathFlags::arcp;
  return arith::DivFOp::create(b, loc, x, y, allowed);
}
