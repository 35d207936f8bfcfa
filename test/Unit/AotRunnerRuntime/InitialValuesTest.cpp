// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of initial value has the properties its name promises, and an element does not depend on the layout. A
// few frozen elements per kind: journals compare runs of different builds, so these bytes may not change.
#include "aot-runner/runtime/InitialValues.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace HELION_RUNTIME;

static std::vector<double> make(const char *text, const char *dtype, int64_t count, uint64_t seed) {
  InitialValues values;
  const char *problem = InitialValues::parse(text, values);
  EXPECT_EQ(problem, nullptr) << problem;
  DType type;
  EXPECT_TRUE(parseDType(dtype, type));
  std::vector<char> data(size_t(count * info(type).bytes));
  int64_t stride = 1;
  initialise({data.data(), type, 1, &count, &stride}, values, seed);
  std::vector<double> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(decode(type, &data[size_t(i * info(type).bytes)]));
  return result;
}

TEST(InitialValues, NormalHasItsMoments) {
  std::vector<double> values = make("normal", "f64", 200000, 1);
  double sum = 0, squares = 0, cubes = 0, neighbours = 0, largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    squares += values[i] * values[i];
    cubes += values[i] * values[i] * values[i];
    neighbours += values[i] * values[(i + 1) % values.size()];
    largest = std::max(largest, std::abs(values[i]));
  }
  double n = double(values.size());
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.02);
  EXPECT_NEAR(cubes / n, 0, 0.05);
  EXPECT_NEAR(neighbours / n, 0, 0.01);
  EXPECT_GT(largest, 3.5);
  EXPECT_LT(largest, 4.9);
}

TEST(InitialValues, UniformAndIntegersFillTheirRange) {
  std::vector<double> uniform = make("uniform(-2,3)", "f64", 100000, 2);
  auto [low, high] = std::minmax_element(uniform.begin(), uniform.end());
  EXPECT_GE(*low, -2);
  EXPECT_LT(*low, -1.99);
  EXPECT_LT(*high, 3);
  EXPECT_GT(*high, 2.99);
  std::vector<double> integers = make("randint(-2,3)", "i32", 10000, 2);
  for (int expected = -2; expected < 3; ++expected)
    EXPECT_NEAR(double(std::count(integers.begin(), integers.end(), expected)), 2000, 200) << expected;
}

TEST(InitialValues, PermutationHoldsEachOnce) {
  for (int64_t count : {1, 2, 3, 4, 5, 17, 64, 1000}) {
    std::vector<double> values = make("permutation", "i64", count, 7);
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(sorted[size_t(i)], double(i));
    if (count >= 17)
      EXPECT_NE(values, sorted);
  }
}

TEST(InitialValues, OffsetsAscendToTheTotal) {
  for (int64_t count : {2, 3, 10, 1001}) {
    for (int64_t total : {0, 1, 5, 100000}) {
      std::vector<double> values = make(("offsets(" + std::to_string(total) + ")").c_str(), "i32", count, 3);
      EXPECT_EQ(values.front(), 0);
      EXPECT_EQ(values.back(), double(total));
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    }
  }
  EXPECT_EQ(make("offsets(9)", "i32", 1, 3), std::vector<double>{9});
  std::vector<double> values = make("offsets(100000)", "i32", 11, 3);
  EXPECT_NE(values[1] - values[0], values[2] - values[1]);
}

TEST(InitialValues, SeedsDiffer) {
  for (const char *text : {"normal", "uniform(0,1)", "randint(0,1000000)", "permutation", "offsets(1000000)"})
    EXPECT_NE(make(text, "f64", 100, 1), make(text, "f64", 100, 2)) << text;
}

TEST(InitialValues, LayoutDoesNotMatter) {
  InitialValues values;
  ASSERT_EQ(InitialValues::parse("normal", values), nullptr);
  const int64_t sizes[] = {3, 5}, dense[] = {5, 1}, odd[] = {-2, 7};
  std::vector<float> plain(15), strided(40, NAN);
  initialise({plain.data(), DType::F32, 2, sizes, dense}, values, 9);
  initialise({strided.data() + 4, DType::F32, 2, sizes, odd}, values, 9);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 5; ++j)
      EXPECT_EQ(plain[size_t(i * 5 + j)], strided[size_t(4 - 2 * i + 7 * j)]);
  EXPECT_EQ(std::count_if(strided.begin(), strided.end(), [](float x) { return std::isnan(x); }), 25);
}

// Large tensors are made by several threads; elements on one address are not, and the last one stays.
TEST(InitialValues, LargeTensorsAreNoOthers) {
  InitialValues values;
  ASSERT_EQ(InitialValues::parse("normal", values), nullptr);
  const int64_t count = 3 << 20, stride = 1, none = 0;
  std::vector<float> large(size_t(count), NAN), first(1000);
  const int64_t few = 1000;
  float last = NAN;
  initialise({large.data(), DType::F32, 1, &count, &stride}, values, 9);
  initialise({first.data(), DType::F32, 1, &few, &stride}, values, 9);
  initialise({&last, DType::F32, 1, &count, &none}, values, 9);
  EXPECT_EQ(std::count_if(large.begin(), large.end(), [](float x) { return std::isnan(x); }), 0);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), large.begin()));
  EXPECT_EQ(last, large.back());
}

// The numbers come from a second implementation, in Python.
TEST(InitialValues, Frozen) {
  using Values = std::vector<double>;
  EXPECT_EQ(make("normal", "f64", 3, 42), (Values{0.47228297352781407, 1.0513343558678485, 0.5967519551687982}));
  EXPECT_EQ(make("uniform(-1,1)", "f64", 3, 42), (Values{0.6899904785330546, -0.901478357094226, 0.8494786813010287}));
  EXPECT_EQ(make("randint(-5,10)", "i32", 3, 42), (Values{7, -5, 8}));
  EXPECT_EQ(make("permutation", "i32", 10, 42), (Values{1, 5, 9, 3, 7, 0, 2, 8, 4, 6}));
  EXPECT_EQ(make("offsets(1000)", "i32", 5, 42), (Values{0, 137, 606, 659, 1000}));
}
