// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sine and cosine (reduced in f64), the error function, and functions that are a few exact operations.

#include "codegen/Common/MathFunctions.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace helion;
using Predicate = arith::CmpFPredicate;

// pi/2 = high + low to 107 bits.
static constexpr double kHalfPiHigh = 1.57079632679489655800, kHalfPiLow = 6.12323399573676603587e-17;

// Up to here the number of quadrants is exact and two parts of pi/2 leave no error that f32 shows.
static constexpr double kLargestAngle = 0x1p50;

// (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2/2) / r^4 in r^2 for |r| <= pi/4; errors 3.6e-9 and 1.0e-10.
static constexpr double kSin32[] = {-0.16666655242443085, 0.008332173340022564, -0.00019516654720064253};
static constexpr double kCos32[] = {0.04166664555668831, -0.001388736185617745, 2.4437727915938012e-05};

/// Taylor's coefficients of the same for f64: +-1/(first)!, +-1/(first + 2)!, ...
static SmallVector<double> taylor(int first, double sign) {
  SmallVector<double> result;
  double factorial = 1;
  for (int k = 2; k <= 20; ++k) {
    factorial *= k;
    if (k < first || (k - first) % 2)
      continue;
    result.push_back(sign / factorial);
    sign = -sign;
  }
  return result;
}

/// sin(x + quadrants * pi/2)
static Value sinFrom(FloatCode code, Value x, int64_t quadrants) {
  FloatCode wide = code.wide();
  Value argument = code.toWide(x);
  FloatCode::Rounded n = wide.nearest(argument, M_2_PI);
  Value r = wide.fma(n.value, -kHalfPiHigh, argument);
  r = code.fromWide(wide.fma(n.value, -kHalfPiLow, r));
  Value quadrant = wide.addBits(n.bits, wide.bitsConstant(quadrants));
  Value isCos = wide.compareBits(arith::CmpIPredicate::ne, wide.andBits(quadrant, 1), 0);
  Value isNegative = wide.compareBits(arith::CmpIPredicate::ne, wide.andBits(quadrant, 2), 0);
  Value z = code.mul(r, r);
  bool isDouble = code.isDouble();
  Value sinRest = code.polynomial(z, isDouble ? taylor(3, -1) : SmallVector<double>(ArrayRef<double>(kSin32)));
  Value cosRest = code.polynomial(z, isDouble ? taylor(4, 1) : SmallVector<double>(ArrayRef<double>(kCos32)));
  Value sin = code.fma(code.mul(r, z), sinRest, r);
  Value cos = code.fma(code.mul(z, z), cosRest, code.fma(z, -0.5, code.constant(1.0)));
  Value result = code.select(isCos, cos, sin);
  result = code.select(isNegative, code.neg(result), result);
  // Beyond, the quadrant is not known; infinities come here too.
  Value isReduced = code.compare(Predicate::OLT, code.abs(x), kLargestAngle);
  return code.select(isReduced, result, code.constant(std::numeric_limits<double>::quiet_NaN()));
}

Value helion::emitSin(FloatCode code, Value x) {
  // The sine of -0 is -0, which the reduction loses.
  return code.select(code.compare(Predicate::OEQ, x, 0.0), x, sinFrom(code, x, 0));
}
Value helion::emitCos(FloatCode code, Value x) { return sinFrom(code, x, 1); }

// erf(x) / x - 1 in x^2 for |x| < 1, error 1.2e-9; log(1 - erf(x)) in x for 1 <= x <= 4, error of erf 2.1e-11.
static constexpr double kErfSmall[] = {0.12837916612625122,   -0.3761262595653534,  0.1128358542919159,
                                       -0.026853810995817184, 0.005188327748328447, -0.0008010192541405559,
                                       7.853857823647559e-05};
static constexpr double kErfLarge[] = {0.0001880370546132326,  -1.1295783519744873,    -0.6332198977470398,
                                       -0.1084185540676117,    0.025208240374922752,   -0.004204556345939636,
                                       0.00044133528717793524, -2.1686762920580804e-05};

Value helion::emitErf(FloatCode code, Value x, llvm::function_ref<Value(FloatCode, Value)> exp) {
  Value size = code.abs(x);
  Value small = code.fma(x, code.polynomial(code.mul(x, x), kErfSmall), x);
  Value bounded = code.clamp(size, 0.0, 4.0); // 1 - erf(4) is below half a unit.
  Value rest = exp(code, code.polynomial(bounded, kErfLarge));
  Value large = code.withSignOf(code.sub(code.constant(1.0), rest), x);
  Value result = code.select(code.compare(Predicate::OLT, size, 1.0), small, large);
  return code.select(code.isNan(x), x, result);
}

Value helion::emitRsqrt(FloatCode code, Value x) { return code.div(code.constant(1.0), code.sqrt(x)); }

/// The largest number below one half, so that 0.49999997 does not become 1.
Value helion::emitRound(FloatCode code, Value x) {
  double half = code.isDouble() ? std::nextafter(0.5, 0.0) : double(std::nextafterf(0.5f, 0.0f));
  return code.truncate(code.add(x, code.withSignOf(code.constant(half), x)));
}

Value helion::emitRemainder(FloatCode code, Value x, Value y) {
  FloatCode wide = code.wide();
  Value a = wide.abs(code.toWide(x)), b = wide.abs(code.toWide(y));
  Value quotient = wide.truncate(wide.div(a, b));
  Value rest = wide.fma(wide.neg(quotient), b, a);
  // The quotient may have been rounded up to the next integer.
  rest = wide.select(wide.compare(Predicate::OLT, rest, 0.0), wide.add(rest, b), rest);
  Value result = code.withSignOf(code.fromWide(rest), x);
  // A finite number is its own remainder by an infinite one.
  Value isInfinite = code.compare(Predicate::OEQ, code.abs(y), std::numeric_limits<double>::infinity());
  Value isFinite = code.compare(Predicate::OLT, code.abs(x), std::numeric_limits<double>::infinity());
  result = code.select(code.both(isInfinite, isFinite), x, result);
  // A quotient that f64 does not hold as an integer says nothing about the rest.
  Value isExact = wide.compare(Predicate::OLT, quotient, 0x1p53);
  return code.select(isExact, result, code.constant(std::numeric_limits<double>::quiet_NaN()));
}
