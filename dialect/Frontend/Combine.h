// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds loops whose carried values are plain sums, products, maxima or minima over the iterations, and says so with a
// `combine` region: only such loops may be reversed, split or distributed.
#pragma once

#include "dialect/IR/Helion.h"

namespace helion::frontend {

/// Adds the region if every carried value allows it; leaves the loop alone otherwise.
void deriveCombine(TileOp loop);

} // namespace helion::frontend
