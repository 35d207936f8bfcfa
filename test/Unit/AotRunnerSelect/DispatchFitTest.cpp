// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dispatcher's fit: where it splits, what it takes for noise, when it keeps the fallback.
#include "aot-runner/Select/DispatchFit.h"
#include "Synthetic.h"
#include "gtest/gtest.h"

using namespace helion;
using namespace helion::aot;

static std::vector<Feature> featuresOfSizes(const std::vector<std::vector<int64_t>> &sizes) {
  std::vector<Binding> rows;
  for (const std::vector<int64_t> &row : sizes)
    rows.push_back(callOf(row));
  return featuresOf(rows);
}

static unsigned choose(const DispatchTree &tree, std::vector<int64_t> sizes) {
  return llvm::cantFail(tree.choose(callOf(std::move(sizes))));
}

TEST(Features, OnlyWhatDiffersAndEachOrderOnce) {
  // The second dim is constant; the third orders rows as the first does.
  std::vector<Feature> features = featuresOfSizes({{1, 64, 10}, {2, 64, 20}, {8, 64, 30}});
  ASSERT_EQ(features.size(), 1u);
  EXPECT_EQ(features[0].expr.str(), "x.size(0)");
}

TEST(Features, ProductsOfTwo) {
  std::vector<Feature> features = featuresOfSizes({{1, 9}, {2, 2}, {3, 3}});
  ASSERT_EQ(features.size(), 3u);
  EXPECT_EQ(features[2].expr.str(), "x.size(0) * x.size(1)");
  EXPECT_EQ(features[2].values, (std::vector<int64_t>{9, 4, 9}));
}

TEST(DispatchFit, SplitsBetweenObservedSizes) {
  Matrix matrix = matrixOf({{1, 2}, {1, 2}, {2, 1}});
  DispatchTree tree = fitDispatch(matrix, featuresOfSizes({{16}, {64}, {1024}}), {{0, 1}, 0});
  ASSERT_EQ(tree.nodes.size(), 3u);
  EXPECT_EQ(tree.nodes[0].limit, 256);
  EXPECT_EQ(choose(tree, {64}), 0u);
  EXPECT_EQ(choose(tree, {1000000}), 1u);
}

TEST(DispatchFit, TimeLostDecidesNotTheNumberOfRows) {
  // Two rows of three favour candidate 0, by little; the third loses much.
  Matrix matrix = matrixOf({{1.00, 1.02}, {1.00, 1.02}, {9, 1}});
  DispatchTree tree = fitDispatch(matrix, featuresOfSizes({{5}, {5}, {5}}), {{0, 1}, 0});
  ASSERT_EQ(tree.nodes.size(), 1u); // Nothing tells the rows apart.
  EXPECT_EQ(tree.nodes[0].variant, 1u);
}

TEST(DispatchFit, TiesWithinNoiseAreFree) {
  Matrix matrix = matrixOf({{1, 1}, {1, 1}});
  matrix.set(0, 1, {{0.98, 0.9, 1.1}, exactly(1)});
  matrix.set(1, 1, {{1.02, 0.9, 1.1}, exactly(1)});
  DispatchTree tree = fitDispatch(matrix, featuresOfSizes({{1}, {2}}), {{0, 1}, 0});
  ASSERT_EQ(tree.nodes.size(), 1u);
  EXPECT_EQ(tree.nodes[0].variant, 0u);
}

TEST(DispatchFit, AGainBelowTheNoiseKeepsTheFallback) {
  Matrix matrix = matrixOf({{1.2, 1}});
  matrix.set(0, 0, {{1.2, 1.15, 1.9}, exactly(1)});
  EXPECT_EQ(fitDispatch(matrix, featuresOfSizes({{1}}), {{0, 1}, 0, Goal::AvgSlowdown}).nodes[0].variant, 0u);
  matrix.set(0, 0, {{1.9, 1.85, 1.95}, exactly(1)});
  EXPECT_EQ(fitDispatch(matrix, featuresOfSizes({{1}}), {{0, 1}, 0, Goal::AvgSlowdown}).nodes[0].variant, 1u);
}

TEST(DispatchFit, PairsOfSplitsWhereNoSingleOneHelps) {
  // Winner by exclusive or of two sizes.
  std::vector<std::vector<int64_t>> sizes = {{1, 1}, {1, 8}, {8, 1}, {8, 8}};
  Matrix matrix = matrixOf({{1, 2}, {2, 1}, {2, 1}, {1, 2}});
  std::vector<Feature> features = featuresOfSizes(sizes);
  features.resize(2); // Without the product, which would do it with two splits in a row.
  DispatchTree tree = fitDispatch(matrix, features, {{0, 1}, 0, Goal::AvgSlowdown});
  for (auto [row, size] : llvm::enumerate(sizes))
    EXPECT_EQ(choose(tree, size), row == 0 || row == 3 ? 0u : 1u);
}

// A corpus of thousands of rows: linear walks, not a look at each row for each border of each border.
TEST(DispatchFit, ThousandsOfRows) {
  constexpr int kRows = 10000;
  std::vector<std::vector<int64_t>> sizes;
  std::vector<std::vector<double>> times;
  for (int row = 0; row < kRows; ++row) {
    sizes.push_back({row + 1, (row * 7919) % kRows + 1});
    bool odd = (row / 2500) % 2 != 0;
    times.push_back({odd ? 2.0 : 1.0, odd ? 1.0 : 2.0, 1.5 + row % 3});
  }
  DispatchTree tree = fitDispatch(matrixOf(times), featuresOfSizes(sizes), {{0, 1, 2}, 0, Goal::AvgSlowdown});
  EXPECT_LE(tree.nodes.size(), 15u); // Seven would do; a border that is looked ahead from is near the best one.
  for (int row = 0; row < kRows; row += 111)
    EXPECT_EQ(choose(tree, sizes[row]), (row / 2500) % 2 != 0 ? 1u : 0u) << row;
}

TEST(DispatchFit, IllegalLeavesFallBack) {
  Matrix matrix = matrixOf({{1, 3}, {kIllegal, 3}}, {false, true});
  FitRequest request{{0, 1}, 1};
  DispatchTree tree = fitDispatch(matrix, featuresOfSizes({{4}, {4}}), request);
  ASSERT_EQ(tree.nodes.size(), 1u);
  EXPECT_EQ(tree.nodes[0].variant, 0u); // Free on the second row, where the fallback runs anyway.
  EXPECT_EQ(llvm::cantFail(dispatched(matrix, 1, tree, callOf({4}), request)), 1u);
}

TEST(DispatchFit, TheFallbackIsTheFastestUniversalMember) {
  EXPECT_EQ(fallbackOf(matrixOf({{1, 3, 2}, {1, 3, 2}}, {false, true, true}), {0, 1, 2}), 2u);
}
