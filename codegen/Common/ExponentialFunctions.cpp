// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exponential family: x = n ln 2 + r with |r| <= ln 2 / 2, a polynomial in r, then 2^n by the exponent's bits.
// Polynomials for f32 are minimax fits of the relative error; for f64 they are Taylor's, whose rest is below half a
// unit.

#include "codegen/Common/MathFunctions.h"
#include <cmath>

using namespace mlir;
using namespace helion;
using Predicate = arith::CmpFPredicate;

static constexpr double kLog2E = 1.4426950408889634074;
// ln 2 in two parts; products of the first with any n that occurs are exact.
static constexpr double kLn2High32 = 0.693145751953125, kLn2Low32 = 1.42860682030941723212e-6;
static constexpr double kLn2High64 = 6.93147180369123816490e-01, kLn2Low64 = 1.90821492927058770002e-10;

// (e^r - 1 - r) / r^2, error 3.1e-9.
static constexpr double kExp32[] = {0.4999999403953552, 0.1666652113199234, 0.04166838899254799, 0.00836874544620514,
                                    0.001381453825160861};
// (e^r - 1) / r, error 9.2e-8: one operation less than kExp32 for one more unit.
static constexpr double kShortExp32[] = {0.9999997063123949, 0.49999147838873337, 0.16667638128725107,
                                         0.04189815992537471, 0.00829027215234062};
// (2^r - 1) / r, error 2.0e-9.
static constexpr double kExp2of32[] = {0.6931471824645996,  0.24022647738456726,  0.05550331994891167,
                                       0.00961843878030777, 0.001339900423772633, 0.00015353257185779512};

/// 1/2!, 1/3!, ... for (e^r - 1 - r) / r^2 in f64.
static SmallVector<double> taylorExp() {
  SmallVector<double> result;
  double factor = 1;
  for (int k = 2; k <= 14; ++k)
    result.push_back(factor /= k);
  return result;
}

namespace {
struct Reduced {
  FloatCode::Rounded n;
  Value r;
};
} // namespace

/// n = round(x / ln 2), its bits those of a power, r = x - n ln 2.
static Reduced reduce(FloatCode &code, Value x) {
  FloatCode::Rounded n = code.nearestExponent(x, kLog2E);
  bool wide = code.isDouble();
  Value r = code.fma(n.value, code.constant(wide ? -kLn2High64 : -kLn2High32), x);
  return {n, code.fma(n.value, code.constant(wide ? -kLn2Low64 : -kLn2Low32), r)};
}

/// e^r - 1 for a reduced r.
static Value smallExpM1(FloatCode &code, Value r) {
  SmallVector<double> coefficients = code.isDouble() ? taylorExp() : SmallVector<double>(ArrayRef<double>(kExp32));
  return code.fma(code.mul(r, r), code.polynomial(r, coefficients), r);
}

/// Twice e^r for a reduced r. In f32 one long chain: of all forms it has the fewest operations and values alive at a
/// time, and the vectors beside it fill the waiting.
static Value twiceExp(FloatCode &code, Value r) {
  SmallVector<double> coefficients = code.isDouble() ? taylorExp() : SmallVector<double>(ArrayRef<double>(kExp32));
  for (double &coefficient : coefficients)
    coefficient *= 2;
  if (!code.isDouble()) {
    coefficients.insert(coefficients.begin(), {2.0, 2.0});
    return code.horner(r, coefficients);
  }
  Value low = code.fma(r, 2.0, code.constant(2.0));
  return code.fma(code.mul(r, r), code.polynomial(r, coefficients), low);
}

static Value raise(FloatCode &code, Value x) { return code.atLeast(x, code.isDouble() ? -708.5 : -87.5); }

/// At and beyond the bounds the result is 0 or infinite.
static Value bound(FloatCode &code, Value x) {
  return code.isDouble() ? code.clamp(x, -708.5, 710.0) : code.clamp(x, -87.5, 89.0);
}

static Value preciseExp(FloatCode &code, Value bounded) {
  Reduced reduced = reduce(code, bounded);
  return code.scale(twiceExp(code, reduced.r), reduced.n);
}

static Value shortExp(FloatCode &code, Value bounded) {
  if (code.isDouble())
    return preciseExp(code, bounded);
  Reduced reduced = reduce(code, bounded);
  SmallVector<double> coefficients = {2.0};
  for (double coefficient : kShortExp32)
    coefficients.push_back(2 * coefficient);
  return code.scale(code.horner(reduced.r, coefficients), reduced.n);
}

Value helion::emitExp(FloatCode code, Value x) { return shortExp(code, bound(code, x)); }
Value helion::emitExpOfNonPositive(FloatCode code, Value x) { return shortExp(code, raise(code, x)); }
Value helion::emitPreciseExp(FloatCode code, Value x) { return preciseExp(code, bound(code, x)); }

Value helion::emitExp2(FloatCode code, Value x) {
  Value bounded = code.isDouble() ? code.clamp(x, -1022.0, 1024.0) : code.clamp(x, -126.0, 128.0);
  FloatCode::Rounded n = code.nearestExponent(bounded, 1.0);
  Value r = code.sub(bounded, n.value);
  if (code.isDouble())
    return code.scale(twiceExp(code, code.mul(r, M_LN2)), n);
  SmallVector<double> coefficients = {2.0};
  for (double coefficient : kExp2of32)
    coefficients.push_back(2 * coefficient);
  return code.scale(code.horner(r, coefficients), n);
}

/// 2^n (e^r - 1) + (2^n - 1), with n one smaller and the sum doubled so that 2^n does not overflow before the result
/// does.
Value helion::emitExpM1(FloatCode code, Value x) {
  Value bounded = code.isDouble() ? code.clamp(x, -40.0, 710.0) : code.clamp(x, -18.0, 89.0);
  Reduced reduced = reduce(code, bounded);
  Value small = smallExpM1(code, reduced.r);
  Value half = code.fromBits(code.shiftLeft(reduced.n.bits, code.mantissaBits()));
  Value sum = code.fma(half, small, code.add(half, -0.5));
  // Halving a denormal would lose its last bit.
  Value isTiny = code.compare(Predicate::OLT, code.abs(x), code.isDouble() ? 1e-20 : 1e-10);
  Value result = code.select(isTiny, x, code.mul(sum, 2.0));
  return code.select(code.isNan(x), x, result);
}

/// -t / (t + 2) with t = e^(-2|x|) - 1.
Value helion::emitTanh(FloatCode code, Value x) {
  Value t = emitExpM1(code, code.mul(code.abs(x), -2.0));
  Value size = code.div(code.neg(t), code.add(t, 2.0));
  return code.withSignOf(size, x);
}

/// (t + t / (t + 1)) / 2 with t = e^|x| - 1; near the largest result, where t overflows first, from half the exponent.
Value helion::emitSinh(FloatCode code, Value x) {
  Value size = code.abs(x), t = emitExpM1(code, size);
  Value moderate = code.mul(code.add(t, code.div(t, code.add(t, 1.0))), 0.5);
  Value root = emitPreciseExp(code, code.mul(size, 0.5));
  Value large = code.mul(code.mul(root, 0.5), root);
  Value isLarge = code.compare(Predicate::OGT, size, code.isDouble() ? 40.0 : 20.0);
  return code.withSignOf(code.select(isLarge, large, moderate), x);
}

Value helion::emitCosh(FloatCode code, Value x) {
  Value root = emitPreciseExp(code, code.mul(code.abs(x), 0.5));
  Value half = code.mul(code.mul(root, 0.5), root);
  Value inverse = code.div(code.constant(0.25), half);
  return code.add(half, inverse);
}
