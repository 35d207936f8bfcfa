// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What matrix instructions of a warp and of four take: extents and types of a dot. Targets, the space of configs,
// layouts and code all ask here.
#ifndef HELION_DIALECT_IR_MATRIXSHAPE_H
#define HELION_DIALECT_IR_MATRIXSHAPE_H

#include <cstdint>

namespace helion {
class DotOp;

/// Extents of one instruction. A dot runs on it when its own are multiples.
struct MatrixShape {
  int64_t rows, columns, depth;

  bool divides(int64_t dotRows, int64_t dotColumns, int64_t dotDepth) const {
    return dotRows % rows == 0 && dotColumns % columns == 0 && dotDepth % depth == 0;
  }
};

/// `mma16x8x16`: 16-bit floats into f32.
constexpr MatrixShape kWarpMatrix{16, 8, 16};

/// `wgmma64xNx16`: 16-bit floats into f32, by four warps, which read operands from shared memory. N is a multiple of 8;
/// that of a dot is one of 16, so that rows of either operand are whole pieces of 32 bytes there.
constexpr MatrixShape kGroupMatrix{64, 16, 16};
constexpr int64_t kGroupWarps = 4;
/// Of one instruction.
constexpr int64_t kGroupColumns = 8, kMostGroupColumns = 256;

/// Whether the instruction takes the types of the dot.
bool hasMatrixTypes(DotOp dot);

} // namespace helion

#endif // HELION_DIALECT_IR_MATRIXSHAPE_H
