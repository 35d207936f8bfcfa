// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verdicts: said of the tree, by the half of the samples that did not choose it.
#include "aot-runner/Select/Verdict.h"
#include "Synthetic.h"
#include "gtest/gtest.h"

using namespace helion;
using namespace helion::aot;

static std::vector<Binding> callsOf(const std::vector<int64_t> &sizes) {
  std::vector<Binding> calls;
  for (int64_t size : sizes)
    calls.push_back(callOf({size}));
  return calls;
}

TEST(Verdict, OutcomesOfIntervals) {
  EXPECT_EQ(outcomeOf({1.05, 1.0, 1.1}, 1.1), Outcome::Met);
  EXPECT_EQ(outcomeOf({1.05, 1.0, 1.2}, 1.1), Outcome::Undecided);
  EXPECT_EQ(outcomeOf({1.3, 1.2, 1.4}, 1.1), Outcome::Missed);
}

TEST(Verdict, MetOnTheTree) {
  Matrix matrix = matrixOf({{1, 2}, {1, 2}, {2, 1}});
  Selection selection = llvm::cantFail(select(matrix, callsOf({1, 2, 9}), {Goal::MaxSlowdown, 1.1, 8}));
  EXPECT_EQ(selection.verdict.outcome, Outcome::Met);
  EXPECT_EQ(selection.verdict.worst.median, 1);
  EXPECT_EQ(selection.setMinimum, 2u);
  EXPECT_EQ(selection.treeMinimum, 2u);
  EXPECT_TRUE(selection.minimumProved);
}

TEST(Verdict, ATreeThatCannotTellRowsApartMisses) {
  // The set of two is perfect, but both rows look alike; no third config helps.
  Matrix matrix = matrixOf({{1, 2}, {2, 1}});
  Selection selection = llvm::cantFail(select(matrix, callsOf({7, 7}), {Goal::MaxSlowdown, 1.1, 8}));
  EXPECT_EQ(selection.setMinimum, 2u);
  EXPECT_FALSE(selection.treeMinimum);
  EXPECT_EQ(selection.verdict.outcome, Outcome::Missed);
  EXPECT_EQ(selection.verdict.worst.median, 2);
}

TEST(Verdict, JudgedOnTheOtherHalf) {
  // Candidate 1 was lucky in the half that picks: the judge says 1.5.
  Matrix matrix = matrixOf({{1, 2, 1.05}, {1, 1, 1.05}});
  matrix.set(0, 2, {exactly(1.0), {1.5, 1.4, 1.6}});
  Selection selection = llvm::cantFail(select(matrix, callsOf({1, 2}), {Goal::MaxSlowdown, 1.1, 1}));
  EXPECT_EQ(selection.fit.members, (std::vector<unsigned>{0}));
  Verdict verdict = llvm::cantFail(judge(matrix, callsOf({1, 2}), selection.tree, {{2}, 0}));
  EXPECT_EQ(verdict.rows[0].outcome, Outcome::Missed);
  EXPECT_DOUBLE_EQ(verdict.rows[0].slowdown.median, 1.5);
}

TEST(Verdict, UndecidedWhereTheIntervalHoldsTheThreshold) {
  Matrix matrix = matrixOf({{1.08, 1}});
  matrix.set(0, 0, {exactly(1.08), {1.08, 1.0, 1.2}});
  DispatchTree tree;
  tree.addLeaf(0);
  EXPECT_EQ(llvm::cantFail(judge(matrix, callsOf({1}), tree, {{0}, 0})).outcome, Outcome::Undecided);
  EXPECT_EQ(llvm::cantFail(judge(matrix, callsOf({1}), tree, {{1}, 0})).outcome, Outcome::Met);
}

TEST(Verdict, LeftOutGroupsAreWorseThanTheCorpus) {
  // Each group has its own winner, so a tree that never saw it is wrong there.
  std::vector<std::vector<double>> times = {{1, 2, 2}, {1, 2, 2}, {2, 1, 2}, {2, 1, 2}, {2, 2, 1}, {2, 2, 1}};
  Matrix plain = matrixOf(times);
  std::vector<MatrixRow> rows;
  for (size_t r = 0; r < times.size(); ++r)
    rows.push_back({1, "group" + std::to_string(r / 2)});
  Matrix matrix(rows, plain.candidates().vec());
  for (unsigned r = 0; r < times.size(); ++r)
    for (unsigned c = 0; c < 3; ++c)
      matrix.set(r, c, plain.at(r, c));
  std::vector<Binding> calls = callsOf({1, 2, 10, 20, 100, 200});
  SetRequest request{Goal::MaxSlowdown, 1.1, 8};
  EXPECT_EQ(llvm::cantFail(select(matrix, calls, request)).verdict.worst.median, 1);
  std::optional<Verdict> out = llvm::cantFail(heldOut(matrix, calls, request));
  ASSERT_TRUE(out);
  EXPECT_EQ(out->worst.median, 2);
  EXPECT_EQ(out->outcome, Outcome::Missed);
}

TEST(Verdict, NoSetServesEveryRow) {
  Matrix matrix = matrixOf({{1, kIllegal}, {kIllegal, 1}}, {false, false});
  llvm::Expected<Selection> selection = select(matrix, callsOf({1, 2}), {Goal::MaxSlowdown, 1.1, 8});
  ASSERT_FALSE(selection);
  EXPECT_EQ(llvm::toString(selection.takeError()), "no set of 8 configs serves every row; raise `--max-configs`");
}
