// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs where a fact of the dispatched variant fails: the nearest one whose facts hold. Nearness is the tree's: the
// leaf's own variant, then those of its sibling, then of its parent's sibling and so on; then the rest. Ties go by the
// measured mean. Those that also serve calls far larger than the measured ones come after those that do not, the one
// that was picked for such calls first (docs/design/0019): what is near in the tree was tuned for small calls there.
#ifndef HELION_AOT_RUNNER_SELECT_RANKING_H
#define HELION_AOT_RUNNER_SELECT_RANKING_H

#include "aot-runner/Journal/Tuned.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace helion::aot {

/// What is known of calls that are larger than all measured ones.
struct BeyondVariants {
  std::optional<unsigned> first; // Runs them where the leaf's own variant does not.
  std::vector<bool> reach;       // By variant: serves them. Empty where nothing is known.
};

/// All variants in the order in which they are tried at `leaf`, a node of the tree. `means` are slowdowns by variant;
/// infinity for one that was measured nowhere. Ends with `universal`, which serves every call.
std::vector<unsigned> rankingAt(const DispatchTree &tree, unsigned leaf, llvm::ArrayRef<double> means,
                                unsigned universal, const BeyondVariants &beyond = {});

/// Geometric mean of the slowdowns of each variant on the rows where it was measured.
std::vector<double> meanSlowdowns(const TunedSignature &signature);
BeyondVariants beyondVariants(const TunedSignature &signature);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SELECT_RANKING_H
