// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two phases that learn: collect finds candidates, measure times them until what build will decide is known well
// enough. Both go on where an earlier run ended.
#ifndef HELION_AOT_RUNNER_PHASES_TUNING_H
#define HELION_AOT_RUNNER_PHASES_TUNING_H

#include "aot-runner/Phases/Pool.h"

namespace helion::aot {

/// Default, seeds and random configs until the pool has its size, one sample each on every row, then neighbours of the
/// rows' winners, a few generations of them.
llvm::Error collect(Workbench &bench, Pool &pool);
/// More samples for the contenders of each row, then for what the selection would ship and the bests it is judged by,
/// while a row is undecided; bounded.
llvm::Error measure(Workbench &bench, Pool &pool);

/// The first part of `measure`: all candidates once, contenders a few times more.
llvm::Error measureContenders(Workbench &bench, Pool &pool);

/// Where the candidates of a pool come from.
struct PoolShare {
  unsigned random = 0; // Distinct artifacts that were drawn at random with this run's seed.
  bool whole = false;  // Every legal config was tried.
};
llvm::Expected<PoolShare> poolShare(const Options &options, Pool &pool);

SetRequest setRequest(const Options &options);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_TUNING_H
