// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding of every float type, exhaustively for the narrow ones: each value survives, each midpoint between neighbours
// goes to the even one, and the doubles right beside a midpoint go to their side. Overflow at the rounded limit.
#include "aot-runner/runtime/DType.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace HELION_RUNTIME;

static uint64_t bitsOf(DType type, double value) {
  uint64_t bits = 0;
  encode(type, value, &bits);
  return bits;
}

static double valueOf(DType type, uint64_t bits) { return decode(type, &bits); }

namespace {
struct NarrowType {
  const char *name;
  uint64_t largest;  // bits of the largest finite value
  double value;      // and that value, from the format's definition
  double smallest;   // the smallest subnormal
  uint64_t overflow; // bits of what is too large
};
} // namespace

static const NarrowType narrowTypes[] = {
    {"f16", 0x7bff, 65504.0, 0x1p-24, 0x7c00},
    {"bf16", 0x7f7f, 0x1.fep127, 0x1p-133, 0x7f80},
    {"f8e4m3", 0x7e, 448.0, 0x1p-9, 0x7f},
    {"f8e5m2", 0x7b, 57344.0, 0x1p-16, 0x7c},
};

TEST(DType, NarrowFloatsRoundToNearestEven) {
  for (const NarrowType &narrow : narrowTypes) {
    SCOPED_TRACE(narrow.name);
    DType type;
    ASSERT_TRUE(parseDType(narrow.name, type));
    uint64_t sign = uint64_t(1) << (8 * info(type).bytes - 1);
    EXPECT_EQ(valueOf(type, narrow.largest), narrow.value);
    EXPECT_EQ(valueOf(type, 1), narrow.smallest);
    for (uint64_t bits = 0; bits < narrow.largest; ++bits) {
      double low = valueOf(type, bits), high = valueOf(type, bits + 1), middle = (low + high) / 2;
      ASSERT_LT(low, high);
      ASSERT_EQ(bitsOf(type, low), bits);
      ASSERT_EQ(bitsOf(type, -low), bits | sign);
      ASSERT_EQ(bitsOf(type, middle), bits % 2 == 0 ? bits : bits + 1);
      ASSERT_EQ(bitsOf(type, std::nextafter(middle, low)), bits);
      ASSERT_EQ(bitsOf(type, std::nextafter(middle, high)), bits + 1);
      ASSERT_EQ(bitsOf(type, -middle), (bits % 2 == 0 ? bits : bits + 1) | sign);
    }
    double step = narrow.value - valueOf(type, narrow.largest - 1);
    double limit = narrow.value + step / 2;
    EXPECT_EQ(bitsOf(type, std::nextafter(limit, 0)), narrow.largest);
    // E4M3FN's largest value is even, so the tie would stay; the others' is odd and overflows.
    EXPECT_EQ(bitsOf(type, limit), narrow.largest % 2 == 0 ? narrow.largest : narrow.overflow);
    EXPECT_EQ(bitsOf(type, std::nextafter(limit, INFINITY)), narrow.overflow);
    EXPECT_EQ(bitsOf(type, INFINITY), narrow.overflow);
    EXPECT_EQ(bitsOf(type, -1e300), narrow.overflow | sign);
    EXPECT_TRUE(std::isnan(valueOf(type, bitsOf(type, NAN))));
    EXPECT_EQ(std::signbit(valueOf(type, bitsOf(type, -0.0))), true);
  }
}

// The compiler's own conversion of double to float rounds the same way.
TEST(DType, F32AgreesWithTheMachine) {
  uint64_t state = 12345;
  for (int i = 0; i < 300000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    // Exponents around f32's range, among them its subnormals and what overflows.
    uint64_t bits = (state >> 12) | ((1023 - 152 + state % 290) << 52) | (state >> 63 << 63);
    double value;
    std::memcpy(&value, &bits, 8);
    float expected = float(value);
    uint32_t expectedBits;
    std::memcpy(&expectedBits, &expected, 4);
    ASSERT_EQ(bitsOf(DType::F32, value), expectedBits) << value;
    if (std::isfinite(expected))
      ASSERT_EQ(valueOf(DType::F32, expectedBits), double(expected));
  }
}

TEST(DType, IntegersSaturate) {
  EXPECT_EQ(bitsOf(DType::I8, 200), 0x7f);
  EXPECT_EQ(bitsOf(DType::I8, -200), 0x80);
  EXPECT_EQ(bitsOf(DType::UI8, 255.9), 0xff);
  EXPECT_EQ(bitsOf(DType::UI8, -3), 0);
  EXPECT_EQ(bitsOf(DType::Bool, 17), 1);
  EXPECT_EQ(bitsOf(DType::I16, -1), 0xffff);
  EXPECT_EQ(bitsOf(DType::I32, NAN), 0);
  EXPECT_EQ(bitsOf(DType::I64, 1e300), uint64_t(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(bitsOf(DType::I64, -1e300), uint64_t(1) << 63);
  EXPECT_EQ(valueOf(DType::I16, 0xfffe), -2);
  EXPECT_EQ(valueOf(DType::UI8, 0xfe), 254);
  int64_t exact = (int64_t(1) << 62) + 1, stored = 0;
  encodeInteger(DType::I64, exact, &stored);
  EXPECT_EQ(stored, exact);
}

TEST(DType, Names) {
  DType type;
  for (const char *name : {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "ui8", "bool"}) {
    ASSERT_TRUE(parseDType(name, type)) << name;
    EXPECT_STREQ(info(type).name, name);
  }
  EXPECT_FALSE(parseDType("f8", type));
  EXPECT_FALSE(parseDType("", type));
}
