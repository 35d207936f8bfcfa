// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two searches behind ConfigSet: covers for the worst row, sums for the means. Both see costs only.
#ifndef HELION_AOT_RUNNER_SELECT_SETSEARCH_H
#define HELION_AOT_RUNNER_SELECT_SETSEARCH_H

#include <cstdint>
#include <vector>

namespace helion::aot {

/// The cost of a set is, by row, the least cost of its members; then the largest of these, or their sum. Infinity: does
/// not serve the row.
struct SetProblem {
  std::vector<std::vector<double>> costs; // By candidate, then row.
  std::vector<bool> universal;            // By candidate; a set needs one that is.
  unsigned size = 1;                      // At most so many members.
  uint64_t nodeLimit = 0;

  unsigned numCandidates() const { return costs.size(); }
  unsigned numRows() const { return costs.empty() ? 0 : costs.front().size(); }
};

struct SetSolution {
  std::vector<unsigned> members; // Empty where no set has a finite cost.
  double cost;
  double lowerBound;
  uint64_t nodes = 0;
};

/// A start: adds the member that lowers the sum most, then swaps members while that helps.
std::vector<unsigned> greedySet(const SetProblem &problem);
SetSolution leastMaximum(const SetProblem &problem);
SetSolution leastSum(const SetProblem &problem);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SELECT_SETSEARCH_H
