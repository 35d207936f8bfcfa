// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes from 1 up; candidates that another one beats everywhere are left out before the search.
#include "aot-runner/Select/ConfigSet.h"
#include "aot-runner/Select/SetSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace helion::aot;

/// What a row adds to the sum: the goal's figure is a monotone function of the sum (or of the maximum).
static double rowCost(const Matrix &matrix, Goal goal, unsigned row, unsigned candidate) {
  double slowdown = matrix.pickSlowdown(row, candidate), weight = matrix.rows()[row].weight;
  switch (goal) {
  case Goal::MaxSlowdown:
    return slowdown;
  case Goal::GeomeanSlowdown:
    return weight * std::log(slowdown);
  case Goal::AvgSlowdown:
    return weight * slowdown;
  }
  llvm_unreachable("all goals are handled");
}

static double figure(const Matrix &matrix, Goal goal, double cost) {
  if (goal == Goal::MaxSlowdown)
    return cost;
  double weight = 0;
  for (const MatrixRow &row : matrix.rows())
    weight += row.weight;
  return goal == Goal::GeomeanSlowdown ? std::exp(cost / weight) : cost / weight;
}

/// Whether `a` can always stand in for `b`; of two equal ones the smaller, then the first.
static bool dominates(const Matrix &matrix, llvm::ArrayRef<std::vector<double>> costs, unsigned a, unsigned b) {
  const MatrixCandidate &left = matrix.candidates()[a], &right = matrix.candidates()[b];
  if (a == b || left.universal < right.universal)
    return false;
  bool equal = left.universal == right.universal;
  for (auto [x, y] : llvm::zip_equal(costs[a], costs[b])) {
    if (x > y)
      return false;
    equal &= x == y;
  }
  return !equal || std::make_pair(left.codeBytes, a) < std::make_pair(right.codeBytes, b);
}

ConfigSet helion::aot::bestSet(const Matrix &matrix, Goal goal, unsigned size, uint64_t nodeLimit) {
  std::vector<std::vector<double>> costs(matrix.numCandidates(), std::vector<double>(matrix.numRows()));
  for (unsigned c = 0; c < matrix.numCandidates(); ++c)
    for (unsigned r = 0; r < matrix.numRows(); ++r)
      costs[c][r] = rowCost(matrix, goal, r, c);

  SetProblem problem;
  problem.size = size;
  problem.nodeLimit = nodeLimit;
  std::vector<unsigned> kept;
  for (unsigned c = 0; c < matrix.numCandidates(); ++c)
    if (llvm::none_of(llvm::seq(0u, matrix.numCandidates()),
                      [&](unsigned other) { return dominates(matrix, costs, other, c); })) {
      kept.push_back(c);
      problem.costs.push_back(costs[c]);
      problem.universal.push_back(matrix.candidates()[c].universal);
    }

  SetSolution solution = goal == Goal::MaxSlowdown ? leastMaximum(problem) : leastSum(problem);
  ConfigSet result;
  result.value = figure(matrix, goal, solution.cost);
  result.lowerBound = figure(matrix, goal, solution.lowerBound);
  result.nodes = solution.nodes;
  for (unsigned member : solution.members) {
    result.members.push_back(kept[member]);
    result.codeBytes += matrix.candidates()[kept[member]].codeBytes;
  }
  llvm::sort(result.members);
  return result;
}

SetChoice helion::aot::chooseSet(const Matrix &matrix, const SetRequest &request) {
  SetChoice choice;
  bool smallerFail = true; // Proved for each size tried so far.
  for (unsigned size = 1; size <= request.maxConfigs; ++size) {
    ConfigSet set = bestSet(matrix, request.goal, size, request.nodeLimit);
    choice.curve.push_back(set);
    bool better = choice.set.members.empty() || set.value < choice.set.value;
    if (better)
      choice.set = set;
    if (set.value <= request.threshold) {
      choice.met = true;
      choice.minimal = smallerFail;
      return choice;
    }
    smallerFail &= set.lowerBound > request.threshold;
    if (set.proved() && set.members.size() < size)
      break; // More members do not help.
  }
  choice.minimal = smallerFail;
  return choice;
}
