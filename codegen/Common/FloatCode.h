// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on f32 or f64, scalar or vector, written as formulas: what the expansions of math functions are made of.

#ifndef HELION_CODEGEN_COMMON_FLOATCODE_H
#define HELION_CODEGEN_COMMON_FLOATCODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace helion {
class FloatCode {
public:
  using Value = mlir::Value;
  FloatCode(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

  bool isDouble() const { return element.isF64(); }
  int mantissaBits() const { return isDouble() ? 52 : 23; }
  int exponentBias() const { return isDouble() ? 1023 : 127; }

  Value constant(double value);
  Value bitsConstant(int64_t value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value mul(Value a, double b) { return mul(a, constant(b)); }
  Value add(Value a, double b) { return add(a, constant(b)); }
  /// a * b + c, rounded once.
  Value fma(Value a, Value b, Value c);
  Value fma(Value a, double b, Value c) { return fma(a, constant(b), c); }
  Value fma(Value a, Value b, double c) { return fma(a, b, constant(c)); }
  Value neg(Value a);
  Value abs(Value a);
  Value sqrt(Value a);
  Value truncate(Value a);
  Value floor(Value a);
  Value withSignOf(Value size, Value sign);

  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b);
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, double b) { return compare(predicate, a, constant(b)); }
  Value isNan(Value a) { return compare(mlir::arith::CmpFPredicate::UNO, a, a); }
  Value select(Value condition, Value a, Value b);
  Value both(Value a, Value b);
  Value either(Value a, Value b);
  /// `a` but not below `low` (and not above `high`); NaN stays.
  Value atLeast(Value a, double low);
  Value clamp(Value a, double low, double high);

  Value toBits(Value a);
  Value fromBits(Value bits);
  Value addBits(Value a, Value b);
  Value subBits(Value a, Value b);
  Value andBits(Value a, int64_t mask);
  Value shiftLeft(Value a, int64_t count);
  Value shiftRight(Value a, int64_t count);
  Value bitsToFloat(Value bits);
  Value compareBits(mlir::arith::CmpIPredicate predicate, Value a, int64_t b);

  /// c[0] + c[1] a + c[2] a^2 + ..., the same with the fewest operations, one after the other.
  Value horner(Value a, llvm::ArrayRef<double> coefficients);
  Value polynomial(Value a, llvm::ArrayRef<double> coefficients);

  /// The nearest integer of a value below 2^21 in size, as a float; with `bias` added its low bits are those of `bits`.
  struct Rounded {
    Value value, bits;
  };
  Rounded nearest(Value a, double factor, int64_t bias = 0);

  /// The nearest integer n with bits that only need a shift to be those of 2^(n - 1).
  Rounded nearestExponent(Value a, double factor) { return nearest(a, factor, exponentBias() - 1); }

  /// twice * 2^(n - 1) for an n of `nearestExponent`: from twice the value, so that the power itself does not overflow
  /// before the result does. 0 for the least exponent: gradual underflow would take a second factor, a third of the
  /// work of `exp`.
  Value scale(Value twice, Rounded n);

  /// The same formulas on another type: f64 for f32.
  FloatCode wide();
  Value toWide(Value a);
  Value fromWide(Value a);

private:
  mlir::Type like(mlir::Type other);
  mlir::Type bitsType();

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type, element;
};
} // namespace helion

#endif // HELION_CODEGEN_COMMON_FLOATCODE_H
