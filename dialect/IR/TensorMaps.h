// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the type of a tensor map says to the one who encodes it and to the one who copies through it.

#ifndef HELION_DIALECT_IR_TENSORMAPS_H
#define HELION_DIALECT_IR_TENSORMAPS_H

#include "dialect/IR/Helion.h"

namespace helion {
/// Dims of the host tensor as devices count them.
struct BoxForm {
  /// Dims of the host tensor, the contiguous one first, then the others from the last to the first.
  llvm::SmallVector<unsigned> dims;
  /// By dim of the host tensor: the dim of the tile that it is, or -1.
  llvm::SmallVector<int> tileDims;
  unsigned swizzleBytes = 0;
};
/// None where the tile is no box as tensor copies place it.
std::optional<BoxForm> boxFormOf(TensorMapType map);

/// Elements of a box along one dim, and dims, at most: those of `cuTensorMapEncodeTiled`.
constexpr int64_t kMostBoxElements = 256;
constexpr unsigned kMostBoxDims = 5;

/// The largest box that a buffer of this layout is whole boxes of, as its extents; none where there is none.
std::optional<llvm::SmallVector<int64_t>> largestBox(const Layout &buffer, unsigned elementBytes);
} // namespace helion

#endif // HELION_DIALECT_IR_TENSORMAPS_H
