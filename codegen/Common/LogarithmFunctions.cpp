// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logarithms: x = 2^e m with m in [sqrt(1/2), sqrt(2)), and log(1 + f) from the series of the inverse hyperbolic
// tangent in s = f / (2 + f), arranged so that f itself, which is exact, carries the result.

#include "codegen/Common/MathFunctions.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace helion;
using Predicate = arith::CmpFPredicate;

static constexpr double kLn2High32 = 0.693145751953125, kLn2Low32 = 1.42860682030941723212e-6;
static constexpr double kLn2High64 = 6.93147180369123816490e-01, kLn2Low64 = 1.90821492927058770002e-10;

namespace {
struct Split {
  Value exponent; // As a float.
  Value f;        // Mantissa - 1.
};
} // namespace

static Split split(FloatCode &code, Value x) {
  int mantissa = code.mantissaBits();
  // Denormals get a normal exponent first.
  double smallest = std::ldexp(1.0, 1 - code.exponentBias());
  Value isSmall = code.compare(Predicate::OLT, x, smallest);
  Value normal = code.select(isSmall, code.mul(x, std::ldexp(1.0, mantissa)), x);
  Value bits = code.toBits(normal);
  // Offset so that the exponent changes at sqrt(1/2) instead of 1.
  int64_t root = code.isDouble() ? 0x3FE6A09E667F3BCDll : 0x3F3504F3ll;
  Value exponent = code.shiftRight(code.subBits(bits, code.bitsConstant(root)), mantissa);
  Value reduced = code.fromBits(code.subBits(bits, code.shiftLeft(exponent, mantissa)));
  Value number = code.bitsToFloat(exponent);
  number = code.select(isSmall, code.add(number, -double(mantissa)), number);
  return {number, code.add(reduced, -1.0)};
}

namespace {
/// log(1 + f) = f - (half - correction)
struct Series {
  Value half;       // f^2 / 2
  Value correction; // s (f^2 / 2 + R)
};
} // namespace

static Series series(FloatCode &code, Value f) {
  Value s = code.div(f, code.add(f, 2.0)), z = code.mul(s, s);
  SmallVector<double> coefficients; // 2/3, 2/5, ... of 2 atanh(s) / s - 2, in z.
  for (int k = 1; k <= (code.isDouble() ? 11 : 5); ++k)
    coefficients.push_back(2.0 / (2 * k + 1));
  Value rest = code.mul(code.polynomial(z, coefficients), z);
  Value half = code.mul(code.mul(f, f), 0.5);
  return {half, code.mul(s, code.add(half, rest))};
}

/// What a logarithm is where it is no number: NaN below 0, -infinity at 0, the argument itself at infinity and NaN.
static Value special(FloatCode &code, Value x, Value result) {
  double infinity = std::numeric_limits<double>::infinity();
  Value isFinite = code.compare(Predicate::OLT, x, infinity);
  result = code.select(isFinite, result, x);
  result = code.select(code.compare(Predicate::OEQ, x, 0.0), code.constant(-infinity), result);
  Value isNegative = code.compare(Predicate::OLT, x, 0.0);
  return code.select(isNegative, code.constant(std::numeric_limits<double>::quiet_NaN()), result);
}

static Value finiteLog(FloatCode &code, Value x) {
  Split parts = split(code, x);
  Series log = series(code, parts.f);
  bool wide = code.isDouble();
  Value low = code.fma(parts.exponent, wide ? kLn2Low64 : kLn2Low32, log.correction);
  Value inner = code.sub(parts.f, code.sub(log.half, low));
  return code.fma(parts.exponent, wide ? kLn2High64 : kLn2High32, inner);
}

Value helion::emitLog(FloatCode code, Value x) { return special(code, x, finiteLog(code, x)); }

/// e + log(m) / ln 2: exact at powers of two.
Value helion::emitLog2(FloatCode code, Value x) {
  Split parts = split(code, x);
  Series log = series(code, parts.f);
  Value mantissa = code.sub(parts.f, code.sub(log.half, log.correction));
  return special(code, x, code.fma(mantissa, M_LOG2E, parts.exponent));
}

Value helion::emitLog10(FloatCode code, Value x) {
  FloatCode wide = code.wide();
  Value log = finiteLog(wide, code.toWide(x));
  return special(code, x, code.fromWide(wide.mul(log, M_LOG10E)));
}

/// log(u) + (x - (u - 1)) / u with u = 1 + x rounded.
Value helion::emitLog1p(FloatCode code, Value x) {
  Value u = code.add(x, 1.0), lost = code.sub(x, code.add(u, -1.0));
  // The part of x that u lost, seen from the other side where x is the larger.
  Value isLarge = code.compare(Predicate::OGT, x, 1.0);
  lost = code.select(isLarge, code.sub(code.constant(1.0), code.sub(u, x)), lost);
  Value sum = code.add(finiteLog(code, u), code.div(lost, u));
  Value isTiny = code.compare(Predicate::OLT, code.abs(x), code.isDouble() ? 1e-20 : 1e-10);
  return code.select(isTiny, x, special(code, u, sum));
}

namespace {
/// What decides the sign and the special cases of x^y.
struct PowCases {
  Value isInteger, isOdd, isNegative;
};
} // namespace

static PowCases powCases(FloatCode &code, Value x, Value y) {
  Value half = code.mul(y, 0.5);
  Value isInteger = code.compare(Predicate::OEQ, code.floor(y), y);
  Value isEven = code.compare(Predicate::OEQ, code.floor(half), half);
  Value isOdd = code.select(isEven, code.constant(0.0), code.constant(1.0));
  // The sign bit, so that -0 counts as negative.
  Value isNegative = code.compareBits(arith::CmpIPredicate::slt, code.toBits(x), 0);
  return {isInteger, code.both(isInteger, code.compare(Predicate::OEQ, isOdd, 1.0)), isNegative};
}

/// 2^(y log2 |x|); the sign of an odd power, NaN for other powers of negative numbers, 1 for x = 1 or y = 0.
Value helion::emitPow(FloatCode code, Value x, Value y) {
  double infinity = std::numeric_limits<double>::infinity();
  FloatCode wide = code.wide();
  Value size = code.abs(x);
  Value log = emitLog2(wide, code.toWide(size));
  Value product = wide.mul(log, code.toWide(y));
  Value result = code.fromWide(emitExp2(wide, product));
  // |x| = 1 with an infinite y is 0 * infinity above.
  result = code.select(code.compare(Predicate::OEQ, size, 1.0), code.select(code.isNan(y), y, size), result);
  PowCases cases = powCases(code, x, y);
  Value isOddNegative = code.both(cases.isOdd, cases.isNegative);
  result = code.select(isOddNegative, code.neg(result), result);
  Value isFiniteNegative = code.both(code.compare(Predicate::OLT, x, 0.0), code.compare(Predicate::OGT, x, -infinity));
  Value isPlain = code.select(cases.isInteger, code.constant(1.0), code.constant(0.0));
  Value isUndefined = code.both(isFiniteNegative, code.compare(Predicate::OEQ, isPlain, 0.0));
  isUndefined = code.both(isUndefined, code.compare(Predicate::OLT, code.abs(y), infinity));
  result = code.select(isUndefined, code.constant(std::numeric_limits<double>::quiet_NaN()), result);
  Value isOne = code.either(code.compare(Predicate::OEQ, y, 0.0), code.compare(Predicate::OEQ, x, 1.0));
  return code.select(isOne, code.constant(1.0), result);
}
