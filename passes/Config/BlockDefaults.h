// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extent of a block that no config names. helion-bind-blocks and the search space ask the same function, so a
// dropped default and a bound one agree.
#ifndef HELION_PASSES_CONFIG_BLOCKDEFAULTS_H
#define HELION_PASSES_CONFIG_BLOCKDEFAULTS_H

#include "dialect/IR/Helion.h"
#include "llvm/ADT/StringMap.h"

namespace helion {

/// The least and largest value that `block_sizes` has for a full slice, and the default.
constexpr int64_t kMinSliceExtent = 8, kMaxSliceExtent = 65536, kDefaultSliceExtent = 1024;

/// A fixed block has its value. A slice has 1024. Others follow Helion's rule: with n blocks of kind tile or registered
/// and R = the product of the distinct constant extents of what is loaded, each rounded up to a power of two,
///   32 if n <= 2 and R <= 128; else the largest power of two <= (32768 / R)^(1/n) if n >= 3 and R > 1;
///   else 16 if R <= 256; else 1,
/// then moved into the block's min, max and multiple. A slice of unknown size counts as 1 in R.
int64_t defaultExtent(BlockOp block);

/// Extents of all blocks together, by name, from which the default config of a target starts whose programs run on
/// lanes: tiles of about 1024 lanes, long along the dims that stand last; with dots, up to 64 along their dims, 32
/// along those that they sum, and tiles of up to 4096 lanes. Slices have 1024.
llvm::StringMap<int64_t> startExtents(KernelOp kernel);

} // namespace helion

#endif // HELION_PASSES_CONFIG_BLOCKDEFAULTS_H
