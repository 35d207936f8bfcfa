// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are cheaper to make again than to move between threads.

#ifndef HELION_PASSES_LAYOUT_CHEAPVALUES_H
#define HELION_PASSES_LAYOUT_CHEAPVALUES_H

#include "dialect/IR/Helion.h"

namespace helion {
/// Gives each reader of a splat, an iota, a constant, or a short computation of those its own copy, beside the original
/// one, so that each copy may have the layout that its reader wants. Constants of tiles that stand outside of the
/// launch come into it. Copies that end up alike are for CSE.
void separateCheapValues(LaunchOp launch);
} // namespace helion

#endif // HELION_PASSES_LAYOUT_CHEAPVALUES_H
