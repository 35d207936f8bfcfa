// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of blocks for a run: what the caller gave, checked against the block's constraints, and small defaults for
// the rest. There are two sets of defaults, so that a kernel can be run twice with nothing the same.

#ifndef HELION_DIALECT_INTERP_BINDINGS_H
#define HELION_DIALECT_INTERP_BINDINGS_H

#include "dialect/Interp/Interpreter.h"
#include <set>

namespace helion::interp {

struct Bindings {
  BlockMap blocks;
  /// Slices that nobody bound: their extent follows their size.
  std::set<std::string> growingSlices;
};

/// `given` wins over the kernel's `helion.blocks`, those over defaults of `variant` (0 or 1).
llvm::Expected<Bindings> bindBlocks(KernelOp kernel, const BlockMap &given, unsigned variant);

/// At least `size`; twice as much for variant 1.
int64_t defaultSliceExtent(BlockOp block, int64_t size, unsigned variant);

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_BINDINGS_H
