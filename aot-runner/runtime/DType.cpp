// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One conversion that is generic over the bits of exponent and mantissa.
#include "DType.h"

#include <cstring>

namespace HELION_RUNTIME {

bool parseDType(const char *name, DType &type) {
  for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); ++i) {
    if (std::strcmp(name, dtypes[i].name) == 0) {
      type = static_cast<DType>(i);
      return true;
    }
  }
  return false;
}

namespace {
/// A narrow float's bit patterns, sign apart.
struct Format {
  explicit Format(const DTypeInfo &type)
      : mantissaBits(type.mantissaBits), bias((1 << (type.exponentBits - 1)) - 1), hasInfinity(type.hasInfinity),
        topExponent(((uint64_t(1) << type.exponentBits) - 1) << type.mantissaBits),
        sign(uint64_t(1) << (type.exponentBits + type.mantissaBits)) {}

  /// Without infinities only the all-ones pattern is NaN.
  uint64_t nan() const {
    return hasInfinity ? topExponent | uint64_t(1) << (mantissaBits - 1)
                       : topExponent | ((uint64_t(1) << mantissaBits) - 1);
  }
  uint64_t overflow() const { return hasInfinity ? topExponent : nan(); }

  int mantissaBits;
  int bias;
  bool hasInfinity;
  uint64_t topExponent;
  uint64_t sign;
};
} // namespace

static uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double doubleOf(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// `significand >> shift`, rounded to nearest, ties to even.
static uint64_t shiftRounding(uint64_t significand, int shift) {
  if (shift > 54)
    return 0;
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = shift == 0 ? 1 : uint64_t(1) << (shift - 1);
  bool up = shift != 0 && (rest > half || (rest == half && (kept & 1)));
  return kept + (up ? 1 : 0);
}

static uint64_t narrow(const Format &format, double value) {
  uint64_t bits = bitsOf(value);
  uint64_t sign = bits >> 63 ? format.sign : 0;
  int exponent = int(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 0x7ff)
    return sign | (fraction ? format.nan() : format.overflow());
  if (exponent == 0)
    return sign; // A subnormal double is below half of the smallest value of every narrower type.
  uint64_t significand = fraction | uint64_t(1) << 52;
  int target = exponent - 1023 + format.bias;
  // Rounding the significand with the exponent in place lets a carry run into the exponent by itself.
  int shift = 52 - format.mantissaBits + (target < 1 ? 1 - target : 0);
  uint64_t rounded = shiftRounding(significand, shift);
  if (target >= 1)
    rounded += uint64_t(target - 1) << format.mantissaBits;
  uint64_t limit = format.hasInfinity ? format.topExponent : format.nan();
  return sign | (rounded >= limit ? format.overflow() : rounded);
}

static double widen(const Format &format, uint64_t bits) {
  bool negative = bits & format.sign;
  uint64_t magnitude = bits & (format.sign - 1);
  uint64_t exponent = magnitude >> format.mantissaBits;
  uint64_t fraction = magnitude & ((uint64_t(1) << format.mantissaBits) - 1);
  double value;
  if (format.hasInfinity ? magnitude >= format.topExponent : magnitude == format.nan()) {
    bool isNan = magnitude != format.topExponent || !format.hasInfinity;
    value = doubleOf(uint64_t(0x7ff) << 52 | (isNan ? uint64_t(1) << 51 : 0));
  } else if (exponent == 0) {
    double unit = doubleOf(uint64_t(1023 + 1 - format.bias - format.mantissaBits) << 52);
    value = double(fraction) * unit;
  } else {
    value = doubleOf((exponent + 1023 - uint64_t(format.bias)) << 52 | fraction << (52 - format.mantissaBits));
  }
  return negative ? -value : value;
}

static int64_t saturate(double value, int64_t low, int64_t high) {
  if (value != value)
    return 0;
  if (value <= double(low))
    return low;
  if (value >= double(high))
    return high;
  return int64_t(value);
}

static void integerRange(DType type, int64_t &low, int64_t &high) {
  if (type == DType::Bool || type == DType::UI8) {
    low = 0;
    high = type == DType::Bool ? 1 : 255;
    return;
  }
  high = int64_t(~uint64_t(0) >> (65 - 8 * info(type).bytes));
  low = -high - 1;
}

void encodeInteger(DType type, int64_t value, void *to) {
  const DTypeInfo &facts = info(type);
  if (facts.isFloat())
    return encode(type, double(value), to);
  int64_t low, high;
  integerRange(type, low, high);
  value = value < low ? low : value > high ? high : value;
  std::memcpy(to, &value, size_t(facts.bytes)); // Low bytes first: every target of ours is little-endian.
}

void encode(DType type, double value, void *to) {
  const DTypeInfo &facts = info(type);
  if (!facts.isFloat()) {
    int64_t low, high;
    integerRange(type, low, high);
    return encodeInteger(type, saturate(value, low, high), to);
  }
  uint64_t bits = type == DType::F64 ? bitsOf(value) : narrow(Format(facts), value);
  std::memcpy(to, &bits, size_t(facts.bytes));
}

double decode(DType type, const void *from) {
  const DTypeInfo &facts = info(type);
  uint64_t bits = 0;
  std::memcpy(&bits, from, size_t(facts.bytes));
  if (type == DType::F64)
    return doubleOf(bits);
  if (facts.isFloat())
    return widen(Format(facts), bits);
  if (type == DType::UI8 || type == DType::Bool)
    return double(bits);
  int unused = int(64 - 8 * facts.bytes);
  return double(int64_t(bits << unused) >> unused);
}

} // namespace HELION_RUNTIME
