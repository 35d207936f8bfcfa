// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What matrix instructions of a warp and of four take: extents and types of a dot. Targets, the space of configs,
// layouts and code all ask here.
#ifndef HELION_DIALECT_IR_MATRIXSHAPE_H
#define HELION_DIALECT_IR_MATRIXSHAPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace helion {
class DotOp;

/// Extents of one instruction. Its depth is as many bytes of an operand whatever the type of its elements. A dot runs
/// on it when its own extents are multiples.
struct MatrixShape {
  int64_t rows, columns, depthBytes;

  constexpr int64_t depth(int64_t elementBytes) const { return depthBytes / elementBytes; }
  bool divides(int64_t dotRows, int64_t dotColumns, int64_t dotDepth, int64_t elementBytes) const {
    return dotRows % rows == 0 && dotColumns % columns == 0 && dotDepth % depth(elementBytes) == 0;
  }
};

/// Of one warp.
constexpr MatrixShape kWarpMatrix{16, 8, 32};

/// An instruction of one warp, named by rows, columns and steps of depth, and the bytes of an operand's element.
struct WarpInstruction {
  llvm::StringLiteral name;
  int64_t elementBytes;

  int64_t depth() const { return kWarpMatrix.depth(elementBytes); }
};
/// f32 rounded to tf32, into f32; 16-bit floats into f32; i8 into i32.
constexpr WarpInstruction kWarpInstructions[] = {{"mma16x8x8", 4}, {"mma16x8x16", 2}, {"mma16x8x32", 1}};
/// The one that takes the types of the dot, and gives what its precision asks for; null where there is none.
const WarpInstruction *warpInstructionFor(DotOp dot);
/// Null where none has the name.
const WarpInstruction *warpInstruction(llvm::StringRef name);

/// `wgmma64xNx16`: 16-bit floats into f32, by four warps, which read operands from shared memory. N is a multiple of 8;
/// that of a dot is one of 16, so that rows of either operand are whole pieces of 32 bytes there.
constexpr MatrixShape kGroupMatrix{64, 16, 32};
constexpr int64_t kGroupWarps = 4;
/// Of one instruction.
constexpr int64_t kGroupColumns = 8, kMostGroupColumns = 256;
/// Bytes of an element that it takes. Elements of four would be cut to tf32, not rounded.
constexpr int64_t kGroupElementBytes = 2;

/// Whether the instruction of four warps takes the types of the dot.
bool hasGroupTypes(DotOp dot);

} // namespace helion

#endif // HELION_DIALECT_IR_MATRIXSHAPE_H
