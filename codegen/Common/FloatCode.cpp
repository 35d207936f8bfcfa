// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each formula step is one op of `arith` or `math`.

#include "codegen/Common/FloatCode.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;
using namespace helion;

FloatCode::FloatCode(OpBuilder &builder, Location loc, Type type)
    : builder(builder), loc(loc), type(type), element(getElementTypeOrSelf(type)) {}

Type FloatCode::like(Type other) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(other)) : other;
}

Type FloatCode::bitsType() { return like(builder.getIntegerType(element.getIntOrFloatBitWidth())); }

static Value constantOf(OpBuilder &builder, Location loc, Type type, TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(vector, Attribute(scalar)));
  return arith::ConstantOp::create(builder, loc, scalar);
}

Value FloatCode::constant(double value) { return constantOf(builder, loc, type, builder.getFloatAttr(element, value)); }
Value FloatCode::bitsConstant(int64_t value) {
  return constantOf(builder, loc, bitsType(), builder.getIntegerAttr(getElementTypeOrSelf(bitsType()), value));
}

Value FloatCode::add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
Value FloatCode::sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
Value FloatCode::mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
Value FloatCode::div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
Value FloatCode::fma(Value a, Value b, Value c) { return math::FmaOp::create(builder, loc, a, b, c); }
Value FloatCode::neg(Value a) { return arith::NegFOp::create(builder, loc, a); }
Value FloatCode::abs(Value a) { return math::AbsFOp::create(builder, loc, a); }
Value FloatCode::sqrt(Value a) { return math::SqrtOp::create(builder, loc, a); }
Value FloatCode::truncate(Value a) { return math::TruncOp::create(builder, loc, a); }
Value FloatCode::floor(Value a) { return math::FloorOp::create(builder, loc, a); }
Value FloatCode::withSignOf(Value size, Value sign) { return math::CopySignOp::create(builder, loc, size, sign); }

Value FloatCode::compare(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}
Value FloatCode::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
Value FloatCode::both(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
Value FloatCode::either(Value a, Value b) { return arith::OrIOp::create(builder, loc, a, b); }

Value FloatCode::atLeast(Value a, double low) {
  Value lower = constant(low);
  return select(compare(arith::CmpFPredicate::OLT, a, lower), lower, a);
}

Value FloatCode::clamp(Value a, double low, double high) {
  Value upper = constant(high), raised = atLeast(a, low);
  return select(compare(arith::CmpFPredicate::OGT, raised, upper), upper, raised);
}

Value FloatCode::toBits(Value a) { return arith::BitcastOp::create(builder, loc, bitsType(), a); }
Value FloatCode::fromBits(Value bits) { return arith::BitcastOp::create(builder, loc, type, bits); }
Value FloatCode::addBits(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
Value FloatCode::subBits(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
Value FloatCode::andBits(Value a, int64_t mask) { return arith::AndIOp::create(builder, loc, a, bitsConstant(mask)); }
Value FloatCode::shiftLeft(Value a, int64_t count) {
  return arith::ShLIOp::create(builder, loc, a, bitsConstant(count));
}
Value FloatCode::shiftRight(Value a, int64_t count) {
  return arith::ShRSIOp::create(builder, loc, a, bitsConstant(count));
}
Value FloatCode::bitsToFloat(Value bits) { return arith::SIToFPOp::create(builder, loc, type, bits); }
Value FloatCode::compareBits(arith::CmpIPredicate predicate, Value a, int64_t b) {
  return arith::CmpIOp::create(builder, loc, predicate, a, bitsConstant(b));
}

Value FloatCode::horner(Value a, ArrayRef<double> coefficients) {
  Value result = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(a, result, coefficient);
  return result;
}

Value FloatCode::polynomial(Value a, ArrayRef<double> coefficients) {
  // Pairs first, then pairs of pairs: a short chain lets more evaluations overlap than Horner's long one.
  SmallVector<Value> terms;
  for (size_t i = 0; i + 1 < coefficients.size(); i += 2)
    terms.push_back(fma(a, coefficients[i + 1], constant(coefficients[i])));
  if (coefficients.size() % 2)
    terms.push_back(constant(coefficients.back()));
  for (Value power = a; terms.size() > 1;) {
    power = mul(power, power);
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < terms.size(); i += 2)
      next.push_back(fma(power, terms[i + 1], terms[i]));
    if (terms.size() % 2)
      next.push_back(terms.back());
    terms = next;
  }
  return terms[0];
}

FloatCode::Rounded FloatCode::nearest(Value a, double factor, int64_t bias) {
  // Adding 1.5 * 2^mantissa leaves no bits behind the point, and the integer in the low bits; a bias costs nothing.
  Value magic = constant(1.5 * std::ldexp(1.0, mantissaBits()) + double(bias));
  Value shifted = factor == 1.0 ? add(a, magic) : fma(a, constant(factor), magic);
  return {sub(shifted, magic), toBits(shifted)};
}

Value FloatCode::scale(Value twice, Rounded n) { return mul(twice, fromBits(shiftLeft(n.bits, mantissaBits()))); }

FloatCode FloatCode::wide() { return FloatCode(builder, loc, like(builder.getF64Type())); }
Value FloatCode::toWide(Value a) {
  return isDouble() ? a : arith::ExtFOp::create(builder, loc, like(builder.getF64Type()), a).getResult();
}
Value FloatCode::fromWide(Value a) {
  return isDouble() ? a : arith::TruncFOp::create(builder, loc, type, a).getResult();
}
