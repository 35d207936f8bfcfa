// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hardware's functions for code that helion-simulate-matrices made, each as far from the exact value as its documentation
// allows or a device was seen to go (docs/results/h200-values.md), whichever is more, in the direction that the test says: what is built
// on them must hold for all that they may give.
#include <algorithm>
#include <cmath>

static double lean = 0; // -1, 0, 1

/// `units` of the last place away from the exact value, rounded to nearest, and never further than half a unit more: above a power of
/// two a rounding takes a whole one. Results below the normal numbers are 0.
static float off(double exact, double units, bool flushes) {
  float result = float(exact);
  if (std::isfinite(exact) && exact != 0) {
    int exponent;
    std::frexp(exact, &exponent);
    double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
    result = float(exact + lean * units * unit);
    if (std::isfinite(result) && std::fabs(result - exact) > (std::fabs(lean) * units + 0.5) * unit)
      result = std::nextafter(result, float(exact));
  }
  return flushes && std::fabs(result) < 0x1p-126f ? std::copysign(0.0f, result) : result;
}

static float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

extern "C" {
void lean_to(double side) { lean = side; }

// An H200 shows 2.06 units, half of one by rounding here; documented is 2^-22.5 in the primary range, 1.41. Powers of two are exact.
float helion_harness_ex2_approx_ftz(float x) {
  x = flushed(x);
  return off(std::exp2(double(x)), std::nearbyint(x) == x ? 0 : 1.56, true);
}
float helion_harness_rcp_approx_ftz_f(float x) { return off(1.0 / double(flushed(x)), 0.5, true); }
// Documented is 2^-22.9, seen 1.51 units.
float helion_harness_rsqrt_approx_f(float x) { return off(1.0 / std::sqrt(double(x)), 1.01, false); }
float helion_harness_div_full(float x, float y) { return off(double(x) / double(y), 1.5, false); }
float helion_harness_fmin_f(float x, float y) { return std::fmin(x, y); }
float helion_harness_mul_rm_f(float x, float y) {
  double exact = double(x) * double(y);
  float near = float(exact);
  return near > exact ? std::nextafter(near, -INFINITY) : near;
}
}
