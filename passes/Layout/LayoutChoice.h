// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One layout per class, and one per access where that of its class would be slow.

#ifndef HELION_PASSES_LAYOUT_LAYOUTCHOICE_H
#define HELION_PASSES_LAYOUT_LAYOUTCHOICE_H

#include "passes/Layout/TileGraph.h"

namespace helion {
/// How blocked layouts spread a tile: neighbours along `fastDim` in one thread, then lanes, then warps.
struct BlockedWish {
  unsigned fastDim;
  int64_t vector;
  /// Reductions and scans per dim: warps avoid dims with many.
  llvm::SmallVector<unsigned> reductions;
};
/// Fewer neighbours where the tile would not fill the threads else; replicated where it is smaller than they are.
Layout spreadBlocked(llvm::ArrayRef<int64_t> shape, const BlockedWish &wish, const LayoutTarget &target);

/// Fills the layouts of classes and accesses, and names the instruction of dots.
void chooseLayouts(TileGraph &graph, const LayoutTarget &target);
} // namespace helion

#endif // HELION_PASSES_LAYOUT_LAYOUTCHOICE_H
