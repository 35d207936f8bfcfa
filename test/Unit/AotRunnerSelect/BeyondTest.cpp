// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs calls beyond the rows: times as they were recorded for a softmax whose rows are short, where some
// candidates hold whole rows and end, and others walk them.
#include "aot-runner/Select/Beyond.h"
#include "Synthetic.h"
#include "aot-runner/Select/Verdict.h"
#include "gtest/gtest.h"

using namespace helion;
using namespace helion::aot;

namespace {

enum : unsigned { Whole128, Whole1024, Whole4096, Chunks128, Universal, Long1024Threads, Long512Threads };

struct Recorded {
  Matrix matrix;
  std::vector<Binding> rows;
};

Matrix withKinds(Matrix matrix) {
  std::vector<MatrixCandidate> candidates(matrix.candidates().begin(), matrix.candidates().end());
  for (unsigned c = 0; c < candidates.size(); ++c) {
    candidates[c].universal = c == Universal;
    candidates[c].reaches = c >= Chunks128;
  }
  candidates[Long1024Threads].modelled = 0;
  candidates[Long512Threads].modelled = 1;
  Matrix result(std::vector<MatrixRow>(matrix.rows().begin(), matrix.rows().end()), candidates);
  for (unsigned row = 0; row < matrix.numRows(); ++row)
    for (unsigned c = 0; c < candidates.size(); ++c)
      result.set(row, c, matrix.at(row, c));
  return result;
}

Recorded shortRows() {
  constexpr double no = kIllegal;
  return {withKinds(matrixOf({{4.2, 5.0, 6.0, 4.3, 7.0, 9.0, 8.0},
                              {no, 5.3, 6.0, 9.0, 8.0, 8.5, 8.0},
                              {no, 7.6, 11.0, 20.0, 14.0, 30.0, 25.0},
                              {no, no, 31.9, 90.0, 70.0, 60.0, 50.0}})),
          {callOf({1024, 128}), callOf({512, 1024}), callOf({4096, 512}), callOf({4096, 4096})}};
}

std::vector<unsigned> rankingFor(const Selection &selection, const Binding &call) {
  std::vector<double> means(selection.fit.members.size(), 1);
  unsigned leaf = llvm::cantFail(selection.tree.leafFor(call));
  std::vector<unsigned> candidates;
  for (unsigned variant : rankingAt(selection.tree, leaf, means, selection.fit.fallback, selection.fit.beyond))
    candidates.push_back(selection.fit.members[variant]);
  return candidates;
}

TEST(Beyond, WhereEveryRowIsHeldByOneThatEndsTheModelSpeaks) {
  Recorded recorded = shortRows();
  Selection selection = llvm::cantFail(select(recorded.matrix, recorded.rows, {Goal::MaxSlowdown, 1.05}));
  EXPECT_EQ(selection.verdict.outcome, Outcome::Met);
  ASSERT_TRUE(selection.fit.beyond.first);
  EXPECT_EQ(selection.fit.members[*selection.fit.beyond.first], Long1024Threads);
  // It is no part of the set that serves the rows.
  EXPECT_EQ(selection.treeMinimum, selection.fit.members.size() - 1);
  for (const DispatchTree::Node &node : selection.tree.nodes)
    EXPECT_NE(node.variant, selection.fit.beyond.first);
  // A longer row: what holds the longest rows does not hold it, and neither what is tuned for short ones nor what
  // serves everything comes first.
  std::vector<unsigned> order = rankingFor(selection, callOf({2048, 32768}));
  EXPECT_EQ(order.front(), Whole4096);
  auto place = [&](unsigned candidate) { return llvm::find(order, candidate) - order.begin(); };
  for (unsigned member : selection.fit.members) {
    if (member < Chunks128)
      EXPECT_LT(place(member), place(Long1024Threads)) << member;
    else if (member != Long1024Threads)
      EXPECT_GT(place(member), place(Long1024Threads)) << member;
  }
  EXPECT_EQ(order.back(), Universal);
}

TEST(Beyond, WhatFailedIsNotPicked) {
  Recorded recorded = shortRows();
  for (unsigned row = 0; row < recorded.matrix.numRows(); ++row)
    recorded.matrix.set(row, Long1024Threads, {exactly(kIllegal), exactly(kIllegal)});
  Selection selection = llvm::cantFail(select(recorded.matrix, recorded.rows, {Goal::MaxSlowdown, 1.05}));
  EXPECT_EQ(selection.fit.members[*selection.fit.beyond.first], Long512Threads);
}

TEST(Beyond, MeasuredLongRowsDecide) {
  constexpr double no = kIllegal;
  Recorded recorded = {withKinds(matrixOf({{4.2, 5.0, 6.0, 4.3, 7.0, 9.0, 8.0},
                                           {no, no, no, 400.0, 225.2, 100.0, 95.0},
                                           {no, no, no, 800.0, 500.0, 210.0, 195.0}})),
                       {callOf({1024, 128}), callOf({2048, 32768}), callOf({2048, 65536})}};
  Selection selection = llvm::cantFail(select(recorded.matrix, recorded.rows, {Goal::MaxSlowdown, 1.05}));
  EXPECT_EQ(selection.fit.members[*selection.fit.beyond.first], Long512Threads);
  EXPECT_EQ(selection.treeMinimum, selection.fit.members.size());
}

TEST(Beyond, AMemberThatDoesAsWellIsEnough) {
  // Nothing ends, as where a kernel has no slices; the second is best and the first within the threshold of it.
  std::vector<MatrixCandidate> candidates = {{"a", 10, true, true}, {"b", 10, false, true}, {"c", 10, true, true}};
  Matrix matrix(std::vector<MatrixRow>(2), candidates);
  for (unsigned row : {0, 1})
    for (unsigned c : {0, 1, 2})
      matrix.set(row, c, {exactly(c == 2 ? 9 : 5.2 - 0.2 * c), exactly(c == 2 ? 9 : 5.2 - 0.2 * c)});
  Selection selection = llvm::cantFail(select(matrix, {callOf({8}), callOf({64})}, {Goal::MaxSlowdown, 1.1}));
  EXPECT_EQ(selection.fit.members, (std::vector<unsigned>{0}));
  EXPECT_EQ(selection.fit.beyond.first, 0u);
}

TEST(Beyond, NoRoomNoMember) {
  Recorded recorded = shortRows();
  SetRequest request{Goal::MaxSlowdown, 1.05};
  request.maxConfigs = llvm::cantFail(select(recorded.matrix, recorded.rows, request)).fit.members.size() - 1;
  Selection selection = llvm::cantFail(select(recorded.matrix, recorded.rows, request));
  EXPECT_EQ(selection.fit.members.size(), request.maxConfigs);
  EXPECT_FALSE(selection.fit.beyond.first);
  EXPECT_EQ(rankingFor(selection, callOf({2048, 32768})).back(), Universal);
}

} // namespace
