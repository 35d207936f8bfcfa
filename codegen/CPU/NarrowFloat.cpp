// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions by integer operations where the target has no instruction: LLVM would call a library instead.

#include "codegen/CPU/NarrowFloat.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;

bool cpu::isNarrowFloat(Type element) { return element.isBF16() || element.isF16(); }

Type cpu::withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

namespace {
/// Integer arithmetic on scalars or vectors of one type.
struct Bits {
  OpBuilder &builder;
  Location loc;

  Value constant(Type type, int64_t value) {
    auto attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(vector, attr.getValue()));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value cast(Value value, Type element) {
    return arith::BitcastOp::create(builder, loc, cpu::withElement(value.getType(), element), value);
  }
  template <typename Op> Value apply(Value a, int64_t b) {
    return Op::create(builder, loc, a, constant(a.getType(), b));
  }
};
} // namespace

Type cpu::laneElement(Type element) {
  return isNarrowFloat(element) ? Type(IntegerType::get(element.getContext(), 16)) : element;
}

Type cpu::memoryElement(Type element) {
  return element.isInteger(1) ? Type(IntegerType::get(element.getContext(), 8)) : laneElement(element);
}

Value cpu::scalarLane(OpBuilder &builder, Location loc, Value scalar) {
  Type lane = laneElement(scalar.getType());
  return lane == scalar.getType() ? scalar : arith::BitcastOp::create(builder, loc, lane, scalar).getResult();
}

Value cpu::widen(OpBuilder &builder, Location loc, Value lane, Type element) {
  if (!isNarrowFloat(element))
    return lane;
  Bits bits{builder, loc};
  if (element.isF16())
    return arith::ExtFOp::create(builder, loc, withElement(lane.getType(), builder.getF32Type()),
                                 bits.cast(lane, element));
  Value word = arith::ExtUIOp::create(builder, loc, withElement(lane.getType(), builder.getI32Type()), lane);
  return bits.cast(bits.apply<arith::ShLIOp>(word, 16), builder.getF32Type());
}

/// f64 to f32 with the last bit set when anything was lost, so that a second rounding is the only one that counts.
static Value roundToOdd(OpBuilder &builder, Location loc, Value value) {
  Bits bits{builder, loc};
  Type f32 = cpu::withElement(value.getType(), builder.getF32Type());
  Value nearest = arith::TruncFOp::create(builder, loc, f32, value);
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), nearest);
  Value lost = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE, back, value);
  Value backSize = math::AbsFOp::create(builder, loc, back), size = math::AbsFOp::create(builder, loc, value);
  Value grew = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, backSize, size);
  Value word = bits.cast(nearest, builder.getI32Type());
  Value smaller = bits.apply<arith::SubIOp>(word, 1);
  Value toZero = arith::SelectOp::create(builder, loc, grew, smaller, word);
  Value odd = bits.apply<arith::OrIOp>(toZero, 1);
  return bits.cast(arith::SelectOp::create(builder, loc, lost, odd, word), builder.getF32Type());
}

Value cpu::narrow(OpBuilder &builder, Location loc, Value value, Type to) {
  if (getElementTypeOrSelf(value.getType()).isF64())
    value = roundToOdd(builder, loc, value);
  Bits bits{builder, loc};
  if (to.isF16())
    return bits.cast(arith::TruncFOp::create(builder, loc, withElement(value.getType(), to), value),
                     builder.getI16Type());
  // A NaN becomes the quiet one whose lower half is 0: others could carry out of their exponent.
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value, value);
  Value nan = bits.cast(bits.constant(cpu::withElement(value.getType(), builder.getI32Type()), 0x7fc00000),
                        builder.getF32Type());
  Value word = bits.cast(arith::SelectOp::create(builder, loc, isNan, nan, value), builder.getI32Type());
  // Half a unit, less the last bit for an even result, carries into the upper half.
  Value even = bits.apply<arith::AndIOp>(bits.apply<arith::ShRUIOp>(word, 16), 1);
  Value biased = bits.apply<arith::AddIOp>(arith::AddIOp::create(builder, loc, word, even), 0x7fff);
  Value result = bits.apply<arith::ShRUIOp>(biased, 16);
  return arith::TruncIOp::create(builder, loc, withElement(value.getType(), builder.getI16Type()), result);
}

Value cpu::convertElement(OpBuilder &builder, Location loc, Value lane, Type from, Type to) {
  if (from == to)
    return lane;
  Type type = withElement(lane.getType(), laneElement(to));
  if (isa<IndexType>(from) || isa<IndexType>(to))
    return arith::IndexCastOp::create(builder, loc, type, lane);
  if (isa<FloatType>(to) && isa<FloatType>(from)) {
    Value wide = widen(builder, loc, lane, from);
    unsigned bits = getElementTypeOrSelf(wide.getType()).getIntOrFloatBitWidth();
    if (isNarrowFloat(to))
      return narrow(builder, loc, wide, to);
    if (bits == to.getIntOrFloatBitWidth())
      return wide;
    if (bits < to.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder, loc, type, wide);
    return arith::TruncFOp::create(builder, loc, type, wide);
  }
  if (isa<FloatType>(to))
    return arith::SIToFPOp::create(builder, loc, type, lane);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, loc, type, lane);
  return arith::TruncIOp::create(builder, loc, type, lane);
}
