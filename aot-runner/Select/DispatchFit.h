// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fits the dispatcher: a tree of `feature <= limit` over the members of a set. Cost-sensitive: a split is worth the
// time that its leaves save, not how many rows they get right. Built top down; where no single split helps, pairs are
// tried.
#ifndef HELION_AOT_RUNNER_SELECT_DISPATCHFIT_H
#define HELION_AOT_RUNNER_SELECT_DISPATCHFIT_H

#include "aot-runner/Select/Features.h"
#include "aot-runner/Select/Matrix.h"
#include "aot-runner/Select/Ranking.h"

namespace helion::aot {

struct FitRequest {
  std::vector<unsigned> members; // Candidates; variant N of the tree is members[N].
  unsigned fallback = 0;         // The variant that a leaf keeps unless another gains more than the noise; universal.
  Goal goal = Goal::MaxSlowdown;
  double threshold = 1.1;
  BeyondVariants beyond = {};
};

/// The universal member with the least sum of slowdowns: an index into `members`, which holds one.
unsigned fallbackOf(const Matrix &matrix, llvm::ArrayRef<unsigned> members);

/// Looks at the picking half of the matrix only. `features` hold a value for each of its rows.
DispatchTree fitDispatch(const Matrix &matrix, llvm::ArrayRef<Feature> features, const FitRequest &request);

/// The variant that runs a row: the leaf's, or the nearest one where the leaf's is illegal.
llvm::Expected<unsigned> dispatched(const Matrix &matrix, unsigned row, const DispatchTree &tree,
                                    const Binding &binding, const FitRequest &request);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SELECT_DISPATCHFIT_H
