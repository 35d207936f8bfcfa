// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest set: against all sets tried one by one, and the cases where a simple choice is wrong.
#include "aot-runner/Select/ConfigSet.h"
#include "Synthetic.h"
#include "gtest/gtest.h"
#include <random>

using namespace helion::aot;
using Members = std::vector<unsigned>;

static double valueOf(const Matrix &matrix, Goal goal, const Members &members) {
  std::vector<double> slowdowns;
  for (unsigned r = 0; r < matrix.numRows(); ++r) {
    double least = INFINITY;
    for (unsigned c : members)
      least = std::min(least, matrix.pickSlowdown(r, c));
    slowdowns.push_back(least);
  }
  return matrix.value(goal, slowdowns);
}

/// The least figure of all sets of at most `size` with a universal member.
static double bruteForce(const Matrix &matrix, Goal goal, unsigned size) {
  double best = INFINITY;
  for (unsigned mask = 1; mask < 1u << matrix.numCandidates(); ++mask) {
    Members members;
    bool universal = false;
    for (unsigned c = 0; c < matrix.numCandidates(); ++c)
      if (mask >> c & 1) {
        members.push_back(c);
        universal |= matrix.candidates()[c].universal;
      }
    if (members.size() <= size && universal)
      best = std::min(best, valueOf(matrix, goal, members));
  }
  return best;
}

static Matrix randomMatrix(std::mt19937 &random, unsigned numRows, unsigned numCandidates) {
  std::uniform_real_distribution<double> times(1, 4);
  std::vector<MatrixRow> rows(numRows);
  std::vector<MatrixCandidate> candidates(numCandidates);
  for (MatrixRow &row : rows)
    row.weight = times(random);
  for (unsigned c = 0; c < numCandidates; ++c)
    candidates[c] = {"a", 100, c % 3 == 0};
  Matrix matrix(rows, candidates);
  for (unsigned r = 0; r < numRows; ++r)
    for (unsigned c = 0; c < numCandidates; ++c)
      if (candidates[c].universal || random() % 5)
        matrix.set(r, c, {exactly(times(random)), exactly(1)});
  return matrix;
}

TEST(ConfigSet, EqualsBruteForceOnSmallMatrices) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 60; ++round) {
    Matrix matrix = randomMatrix(random, 2 + round % 9, 3 + round % 7);
    for (Goal goal : {Goal::MaxSlowdown, Goal::GeomeanSlowdown, Goal::AvgSlowdown})
      for (unsigned size = 1; size <= 4; ++size) {
        ConfigSet set = bestSet(matrix, goal, size, 100000);
        EXPECT_NEAR(set.value, bruteForce(matrix, goal, size), 1e-9);
        EXPECT_NEAR(set.value, valueOf(matrix, goal, set.members), 1e-9);
        EXPECT_TRUE(set.proved());
      }
  }
}

TEST(ConfigSet, FindsTheSmallestSetWhereGreedyDoesNot) {
  // Candidate 0 is good on four rows of six, so greedy takes it and needs two more; 1 and 2 cover all.
  double bad = 9;
  Matrix matrix =
      matrixOf({{1, 1, bad, 2}, {1, 1, bad, 2}, {bad, 1, bad, 2}, {1, bad, 1, 2}, {1, bad, 1, 2}, {bad, bad, 1, 2}});
  SetChoice choice = chooseSet(matrix, {Goal::MaxSlowdown, 1.05, 8});
  EXPECT_EQ(choice.set.members, (Members{1, 2}));
  EXPECT_TRUE(choice.met);
  EXPECT_TRUE(choice.minimal);
  EXPECT_EQ(choice.set.codeBytes, 2000);
  ASSERT_EQ(choice.curve.size(), 2u);
  EXPECT_EQ(choice.curve[0].members, (Members{3}));
  EXPECT_EQ(choice.curve[0].value, 2);
}

TEST(ConfigSet, ALooseThresholdNeedsOneConfig) {
  Matrix matrix = matrixOf({{1, 1.5}, {1.5, 1}});
  EXPECT_EQ(chooseSet(matrix, {Goal::MaxSlowdown, 1.5, 8}).set.members.size(), 1u);
  EXPECT_EQ(chooseSet(matrix, {Goal::MaxSlowdown, 1.49, 8}).set.members.size(), 2u);
  EXPECT_EQ(chooseSet(matrix, {Goal::AvgSlowdown, 1.25, 8}).set.members.size(), 1u);
}

TEST(ConfigSet, WeightsMoveMeansOnly) {
  Matrix matrix({{99, ""}, {1, ""}}, {{"a", 1, true}, {"b", 1, true}});
  matrix.set(0, 0, {exactly(1), exactly(1)});
  matrix.set(0, 1, {exactly(1.2), exactly(1)});
  matrix.set(1, 0, {exactly(2), exactly(1)});
  matrix.set(1, 1, {exactly(1), exactly(1)});
  EXPECT_EQ(bestSet(matrix, Goal::AvgSlowdown, 1, 1000).members, (Members{0}));
  EXPECT_EQ(bestSet(matrix, Goal::MaxSlowdown, 1, 1000).members, (Members{1}));
}

TEST(ConfigSet, MaxConfigsEndsTheSearchUnmet) {
  Matrix matrix = matrixOf({{1, 5, 5}, {5, 1, 5}, {5, 5, 1}});
  SetChoice choice = chooseSet(matrix, {Goal::MaxSlowdown, 1.1, 2});
  EXPECT_FALSE(choice.met);
  EXPECT_TRUE(choice.minimal); // Proved that no two do.
  EXPECT_EQ(choice.set.value, 5);
  EXPECT_TRUE(chooseSet(matrix, {Goal::MaxSlowdown, 1.1, 3}).met);
}

TEST(ConfigSet, IllegalCellsNeedAnotherMember) {
  Matrix matrix = matrixOf({{1, 3}, {kIllegal, 3}}, {false, true});
  EXPECT_EQ(chooseSet(matrix, {Goal::MaxSlowdown, 1.1, 8}).set.members, (Members{0, 1}));
  EXPECT_EQ(chooseSet(matrix, {Goal::MaxSlowdown, 3, 8}).set.members, (Members{1}));
}

TEST(ConfigSet, HoldsAUniversalMember) {
  Matrix matrix = matrixOf({{1, 2}, {1, 2}}, {false, true});
  EXPECT_EQ(chooseSet(matrix, {Goal::MaxSlowdown, 1.1, 8}).set.members, (Members{0, 1}));
  EXPECT_EQ(chooseSet(matrix, {Goal::MaxSlowdown, 1.1, 1}).set.members, (Members{1}));
  EXPECT_TRUE(chooseSet(matrixOf({{1}}, {false}), {Goal::AvgSlowdown, 1.1, 3}).set.members.empty());
}

TEST(ConfigSet, OfEqualCandidatesTheFirstIsKept) {
  Matrix matrix = matrixOf({{2, 1, 1}, {2, 1, 1}});
  EXPECT_EQ(chooseSet(matrix, {Goal::GeomeanSlowdown, 1.1, 8}).set.members, (Members{1}));
}

TEST(ConfigSet, ANodeLimitLeavesAnHonestBound) {
  std::mt19937 random(3);
  Matrix matrix = randomMatrix(random, 30, 60);
  for (Goal goal : {Goal::MaxSlowdown, Goal::AvgSlowdown}) {
    ConfigSet cut = bestSet(matrix, goal, 5, 3), full = bestSet(matrix, goal, 5, 10000000);
    EXPECT_TRUE(full.proved());
    EXPECT_LE(cut.lowerBound, full.value);
    EXPECT_GE(cut.value, full.value);
    EXPECT_FALSE(cut.proved());
  }
}

TEST(Matrix, MedianIntervals) {
  Interval few = medianInterval({3, 1, 2});
  EXPECT_EQ(few.median, 2);
  EXPECT_EQ(few.low, 1);
  EXPECT_EQ(few.high, 3);
  std::vector<double> twenty;
  for (int i = 20; i > 0; --i)
    twenty.push_back(i);
  Interval many = medianInterval(twenty);
  EXPECT_EQ(many.median, 10.5);
  EXPECT_EQ(many.low, 6); // The 6th and 15th of 20 hold the median with 95.9 %.
  EXPECT_EQ(many.high, 15);
  EXPECT_TRUE(std::isnan(medianInterval({}).median));
}
