// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a dispatcher may ask of a call: the sizes and integer scalars that differ between rows, and products of two.
#ifndef HELION_AOT_RUNNER_SELECT_FEATURES_H
#define HELION_AOT_RUNNER_SELECT_FEATURES_H

#include "dialect/Target/ResolvedPlan.h"

namespace helion::aot {

struct Feature {
  SizeExpr expr;
  std::vector<int64_t> values; // By row.
};

/// Plain sizes first, then scalars, then products. A feature that orders the rows as an earlier one does is left out,
/// so the dispatcher asks the simplest question.
std::vector<Feature> featuresOf(llvm::ArrayRef<Binding> rows);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SELECT_FEATURES_H
