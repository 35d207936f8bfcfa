// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// math: the C library's double functions, lane by lane.

#include "dialect/Interp/Elementwise.h"
#include "dialect/Interp/OpTable.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace helion::interp;

static double absF(double a) { return std::fabs(a); }
static double acosF(double a) { return std::acos(a); }
static double acoshF(double a) { return std::acosh(a); }
static double asinF(double a) { return std::asin(a); }
static double asinhF(double a) { return std::asinh(a); }
static double atanF(double a) { return std::atan(a); }
static double atanhF(double a) { return std::atanh(a); }
static double cbrtF(double a) { return std::cbrt(a); }
static double ceilF(double a) { return std::ceil(a); }
static double cosF(double a) { return std::cos(a); }
static double coshF(double a) { return std::cosh(a); }
static double erfF(double a) { return std::erf(a); }
static double erfcF(double a) { return std::erfc(a); }
static double expF(double a) { return std::exp(a); }
static double exp2F(double a) { return std::exp2(a); }
static double expm1F(double a) { return std::expm1(a); }
static double floorF(double a) { return std::floor(a); }
static double logF(double a) { return std::log(a); }
static double log10F(double a) { return std::log10(a); }
static double log1pF(double a) { return std::log1p(a); }
static double log2F(double a) { return std::log2(a); }
static double roundF(double a) { return std::round(a); }
static double roundEvenF(double a) { return std::nearbyint(a); }
static double rsqrtF(double a) { return 1.0 / std::sqrt(a); }
static double sinF(double a) { return std::sin(a); }
static double sinhF(double a) { return std::sinh(a); }
static double sqrtF(double a) { return std::sqrt(a); }
static double tanF(double a) { return std::tan(a); }
static double tanhF(double a) { return std::tanh(a); }
static double truncF(double a) { return std::trunc(a); }
static double atan2F(double a, double b) { return std::atan2(a, b); }
static double copySignF(double a, double b) { return std::copysign(a, b); }
static double powF(double a, double b) { return std::pow(a, b); }
static double fmaF(double a, double b, double c) { return std::fma(a, b, c); }
static double clampF(double value, double low, double high) {
  return std::isnan(value) ? value : std::fmin(std::fmax(value, low), high);
}

static bool isFiniteF(double a) { return std::isfinite(a); }
static bool isInfF(double a) { return std::isinf(a); }
static bool isNanF(double a) { return std::isnan(a); }
static bool isNormalF(double a) { return std::isnormal(a); }

static int64_t absI(int64_t a, unsigned) { return a < 0 ? int64_t(0 - uint64_t(a)) : a; }
static int64_t countOnes(int64_t a, unsigned width) { return llvm::popcount(unsignedBits(a, width)); }
static int64_t leadingZeros(int64_t a, unsigned width) {
  return llvm::countl_zero(unsignedBits(a, width)) - (64 - int64_t(width));
}
static int64_t trailingZeros(int64_t a, unsigned width) {
  return std::min<int64_t>(llvm::countr_zero(unsignedBits(a, width)), width);
}

/// Wraps; a negative exponent truncates the true quotient, and 0 to a negative power is 0.
static int64_t powI(int64_t base, int64_t exponent, unsigned) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, factor = uint64_t(base);
  for (; exponent; exponent >>= 1, factor *= factor)
    if (exponent & 1)
      result *= factor;
  return int64_t(result);
}

static LogicalResult floatToIntPower(Machine &machine, math::FPowIOp op) {
  LanesRef a = machine.lanes(op.getLhs()), b = machine.lanes(op.getRhs());
  std::vector<double> result(a->floats.size());
  for (size_t i = 0; i != result.size(); ++i)
    result[i] = std::pow(a->floats[i], double(b->ints[i]));
  return machine.setFloats(op.getResult(), a->shape, std::move(result));
}

static LogicalResult sinCos(Machine &machine, math::SincosOp op) {
  LanesRef a = machine.lanes(op.getOperand());
  std::vector<double> sine(a->floats.size()), cosine(a->floats.size());
  for (size_t i = 0; i != sine.size(); ++i) {
    sine[i] = std::sin(a->floats[i]);
    cosine[i] = std::cos(a->floats[i]);
  }
  return success(succeeded(machine.setFloats(op.getSin(), a->shape, std::move(sine))) &&
                 succeeded(machine.setFloats(op.getCos(), a->shape, std::move(cosine))));
}

ArrayRef<OpRow> helion::interp::mathRows() {
  static const OpRow rows[] = {
      {"math.absf", mapFloat<absF>},
      {"math.absi", mapInt<absI>},
      {"math.acos", mapFloat<acosF>},
      {"math.acosh", mapFloat<acoshF>},
      {"math.asin", mapFloat<asinF>},
      {"math.asinh", mapFloat<asinhF>},
      {"math.atan", mapFloat<atanF>},
      {"math.atan2", zipFloat<atan2F>},
      {"math.atanh", mapFloat<atanhF>},
      {"math.cbrt", mapFloat<cbrtF>},
      {"math.ceil", mapFloat<ceilF>},
      {"math.clampf", zip3Float<clampF>},
      {"math.copysign", zipFloat<copySignF>},
      {"math.cos", mapFloat<cosF>},
      {"math.cosh", mapFloat<coshF>},
      {"math.ctlz", mapInt<leadingZeros>},
      {"math.ctpop", mapInt<countOnes>},
      {"math.cttz", mapInt<trailingZeros>},
      {"math.erf", mapFloat<erfF>},
      {"math.erfc", mapFloat<erfcF>},
      {"math.exp", mapFloat<expF>},
      {"math.exp2", mapFloat<exp2F>},
      {"math.expm1", mapFloat<expm1F>},
      {"math.floor", mapFloat<floorF>},
      {"math.fma", zip3Float<fmaF>},
      {"math.fpowi", runAs<math::FPowIOp, floatToIntPower>},
      {"math.ipowi", zipInt<powI>},
      {"math.isfinite", testFloat<isFiniteF>},
      {"math.isinf", testFloat<isInfF>},
      {"math.isnan", testFloat<isNanF>},
      {"math.isnormal", testFloat<isNormalF>},
      {"math.log", mapFloat<logF>},
      {"math.log10", mapFloat<log10F>},
      {"math.log1p", mapFloat<log1pF>},
      {"math.log2", mapFloat<log2F>},
      {"math.powf", zipFloat<powF>},
      {"math.round", mapFloat<roundF>},
      {"math.roundeven", mapFloat<roundEvenF>},
      {"math.rsqrt", mapFloat<rsqrtF>},
      {"math.sin", mapFloat<sinF>},
      {"math.sincos", runAs<math::SincosOp, sinCos>},
      {"math.sinh", mapFloat<sinhF>},
      {"math.sqrt", mapFloat<sqrtF>},
      {"math.tan", mapFloat<tanF>},
      {"math.tanh", mapFloat<tanhF>},
      {"math.trunc", mapFloat<truncF>},
  };
  return rows;
}
