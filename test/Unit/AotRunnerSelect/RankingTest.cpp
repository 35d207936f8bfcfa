// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is tried where facts fail: near leaves first, then by the mean, the universal variant at last.
#include "aot-runner/Select/Ranking.h"
#include "Synthetic.h"
#include "aot-runner/Select/DispatchFit.h"
#include "gtest/gtest.h"
#include <limits>

using namespace helion;
using namespace helion::aot;

/// size <= 10 ? (size <= 5 ? 0 : 1) : (size <= 20 ? 2 : 3)
static DispatchTree fourLeaves() {
  DispatchTree tree;
  tree.addSplit(SizeExpr::size("x", 0), 10);
  tree.addSplit(SizeExpr::size("x", 0), 5);
  tree.addLeaf(0);
  tree.addLeaf(1);
  tree.addSplit(SizeExpr::size("x", 0), 20);
  tree.addLeaf(2);
  tree.addLeaf(3);
  tree.nodes[0].thenNode = 1;
  tree.nodes[0].elseNode = 4;
  tree.nodes[1].thenNode = 2;
  tree.nodes[1].elseNode = 3;
  tree.nodes[4].thenNode = 5;
  tree.nodes[4].elseNode = 6;
  return tree;
}

using Order = std::vector<unsigned>;
static constexpr double kNowhere = std::numeric_limits<double>::infinity();

TEST(Ranking, SiblingThenFartherByMeanThenTheRest) {
  std::vector<double> means = {1.5, 1.4, 1.3, 1.2, 1.1, kNowhere};
  EXPECT_EQ(rankingAt(fourLeaves(), 2, means, 5), (Order{0, 1, 3, 2, 4, 5}));
  EXPECT_EQ(rankingAt(fourLeaves(), 5, means, 5), (Order{2, 3, 1, 0, 4, 5}));
}

TEST(Ranking, NothingBehindTheUniversal) {
  std::vector<double> means = {1.5, 1.4, 1.3, 1.2};
  EXPECT_EQ(rankingAt(fourLeaves(), 2, means, 3), (Order{0, 1, 3}));
  EXPECT_EQ(rankingAt(fourLeaves(), 2, means, 0), (Order{0}));
}

TEST(Ranking, WhatReachesBeyondComesBehindWhatEnds) {
  // 1, 2 and 5 serve large calls too; 4 and 5 have no leaf.
  std::vector<double> means = {1.5, 1.4, 1.3, 1.2, 1.1, 1.6, kNowhere};
  BeyondVariants beyond{5, {false, true, true, false, false, true, true}};
  EXPECT_EQ(rankingAt(fourLeaves(), 2, means, 6, beyond), (Order{0, 3, 4, 5, 1, 2, 6}));
  // The leaf's own stays first.
  EXPECT_EQ(rankingAt(fourLeaves(), 5, means, 6, beyond), (Order{2, 3, 0, 4, 5, 1, 6}));
  beyond.first = 6;
  EXPECT_EQ(rankingAt(fourLeaves(), 2, means, 6, beyond), (Order{0, 3, 4, 6}));
}

TEST(Ranking, DispatchedTakesTheNearestThatIsLegal) {
  // By row, then variant; a size of 3 leads to variant 0, which is illegal there, as is its sibling.
  Matrix matrix = matrixOf({{kNowhere, kNowhere, 3, 2, 9}, {1, 2, 2, 2, 9}});
  for (unsigned variant : {0u, 1u})
    matrix.set(0, variant, {{NAN, NAN, NAN}, {NAN, NAN, NAN}});
  FitRequest request{{0, 1, 2, 3, 4}, 4};
  EXPECT_EQ(llvm::cantFail(dispatched(matrix, 0, fourLeaves(), callOf({3}), request)), 3u);
  for (unsigned variant : {2u, 3u})
    matrix.set(0, variant, {{NAN, NAN, NAN}, {NAN, NAN, NAN}});
  EXPECT_EQ(llvm::cantFail(dispatched(matrix, 0, fourLeaves(), callOf({3}), request)), 4u);
}

TEST(Ranking, MeansOverTheRowsThatWereMeasured) {
  TunedSignature signature;
  signature.variants.resize(3);
  for (unsigned id = 0; id < 3; ++id)
    signature.variants[id].id = id;
  TunedRow first, second;
  first.best = {10, 10, 10};
  first.variants = {{0, {20, 20, 20}}, {1, {10, 10, 10}}};
  second.best = {5, 5, 5};
  second.variants = {{0, {40, 40, 40}}};
  signature.rows = {first, second};
  std::vector<double> means = meanSlowdowns(signature);
  EXPECT_NEAR(means[0], 4, 1e-12);
  EXPECT_EQ(means[1], 1);
  EXPECT_EQ(means[2], kNowhere);
}
