// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How good a selection is, said of the tree that is shipped and by the half of the samples that did not choose it.
#ifndef HELION_AOT_RUNNER_SELECT_VERDICT_H
#define HELION_AOT_RUNNER_SELECT_VERDICT_H

#include "aot-runner/Select/ConfigSet.h"
#include "aot-runner/Select/DispatchFit.h"

namespace helion::aot {

/// Undecided: the interval holds the threshold.
enum class Outcome { Met, Missed, Undecided };
llvm::StringRef name(Outcome outcome);
Outcome outcomeOf(const Interval &slowdown, double threshold);

struct RowVerdict {
  unsigned variant = 0;                 // That the tree gives the row.
  Interval slowdown;                    // Infinity where it was not measured.
  Outcome outcome = Outcome::Undecided; // Of this row alone against the threshold.
};

struct Verdict {
  std::vector<RowVerdict> rows;
  Interval figure;                      // The goal's.
  Outcome outcome = Outcome::Undecided; // For max_slowdown, met only if every row is.
  Interval worst, mean;                 // Largest and weighted geometric mean, whatever the goal.
};

/// What was selected for one signature.
struct Selection {
  FitRequest fit; // Members and fallback, with the one for calls beyond the rows.
  DispatchTree tree;
  Verdict verdict;
  /// The least sizes: of a set, and of the smallest set whose tree meets the goal; none where none does.
  std::optional<unsigned> setMinimum, treeMinimum;
  bool minimumProved = false; // Of the set.
  double setValue = 0, setLowerBound = 0;
  std::vector<ConfigSet> curve;
};

/// What the tree makes of rows whose times lie in `matrix`.
llvm::Expected<Verdict> judge(const Matrix &matrix, llvm::ArrayRef<Binding> rows, const DispatchTree &tree,
                              const FitRequest &request);

/// The smallest set whose tree meets the threshold on the judging half; where none does, the one with the best figure.
/// An error where no set serves every row.
llvm::Expected<Selection> select(const Matrix &matrix, llvm::ArrayRef<Binding> rows, const SetRequest &request);

/// Each group left out once (of many, some at a time): set and tree from the other rows, judged on the rows of the
/// group. None with one group.
llvm::Expected<std::optional<Verdict>> heldOut(const Matrix &matrix, llvm::ArrayRef<Binding> rows,
                                               const SetRequest &request);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SELECT_VERDICT_H
