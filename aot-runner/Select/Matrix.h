// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What selection decides from: the time of every candidate on every row, twice. Candidates are picked on one half of
// the samples and judged on the other, so that a lucky sample does not praise itself. Built from the journal by the
// build phase; read by everything in this folder.
#ifndef HELION_AOT_RUNNER_SELECT_MATRIX_H
#define HELION_AOT_RUNNER_SELECT_MATRIX_H

#include "aot-runner/Journal/Tuned.h"
#include "llvm/ADT/ArrayRef.h"

namespace helion::aot {

/// The figure over all rows that a threshold is put on. A slowdown is a time over the time of the pool's best.
enum class Goal {
  MaxSlowdown,     // The worst row counts; weights do not.
  GeomeanSlowdown, // Weighted geometric mean.
  AvgSlowdown      // Weighted arithmetic mean.
};
std::optional<Goal> parseGoal(llvm::StringRef name);
llvm::StringRef goalName(Goal goal);
std::string listOfGoals();

struct MatrixRow {
  double weight = 1;
  std::string group; // Rows of one group are left out together; a row without group is its own.
};

struct MatrixCandidate {
  std::string artifact;
  int64_t codeBytes = 0;
  bool universal = false; // Serves every legal call.
  bool reaches = false;   // Serves dense calls far larger than all rows.
  /// Place among what a model says of calls that only candidates which reach serve; the best is first.
  std::optional<unsigned> modelled = std::nullopt;
};

/// One candidate on one row. The median is NaN where the candidate is illegal there or was not measured.
struct Cell {
  Interval pick, judge;
  bool measured() const { return pick.median == pick.median; }
};

class Matrix {
public:
  Matrix(std::vector<MatrixRow> rows, std::vector<MatrixCandidate> candidates);

  llvm::ArrayRef<MatrixRow> rows() const { return rowList; }
  llvm::ArrayRef<MatrixCandidate> candidates() const { return candidateList; }
  unsigned numRows() const { return rowList.size(); }
  unsigned numCandidates() const { return candidateList.size(); }

  const Cell &at(unsigned row, unsigned candidate) const { return cells[row * candidateList.size() + candidate]; }
  void set(unsigned row, unsigned candidate, const Cell &cell) { cells[row * candidateList.size() + candidate] = cell; }

  /// The candidate with the least picking time on the row; none where nothing was measured.
  std::optional<unsigned> best(unsigned row) const;
  /// By the picking half; infinity where not measured.
  double pickSlowdown(unsigned row, unsigned candidate) const;
  /// By the judging half, against the candidate that was picked as best: exactly 1 for that one itself.
  Interval judgeSlowdown(unsigned row, unsigned candidate) const;

  /// The goal's figure of one slowdown per row.
  double value(Goal goal, llvm::ArrayRef<double> slowdowns) const;
  /// Only these rows, in this order.
  Matrix subset(llvm::ArrayRef<unsigned> keep) const;

private:
  std::vector<MatrixRow> rowList;
  std::vector<MatrixCandidate> candidateList;
  std::vector<Cell> cells; // By row, then candidate.
};

/// Median and, with at least 95 % confidence where there are 6 times or more, the interval that holds the median of
/// what the times were drawn from (order statistics; fewer times give their whole range). NaN for none.
Interval medianInterval(std::vector<double> times);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SELECT_MATRIX_H
