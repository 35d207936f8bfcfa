// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots whose layouts are the fragments of a matrix instruction, for helion-lower-threads.
#ifndef HELION_CODEGEN_NVIDIA_MATRIXDOTS_H
#define HELION_CODEGEN_NVIDIA_MATRIXDOTS_H

#include "codegen/Common/LowerThreads.h"

namespace helion {

/// What dots of this vendor name as their `instruction`.
constexpr llvm::StringLiteral kMmaInstruction = "mma16x8x16";

/// `mma.sync.m16n8k16` for dots of 16-bit floats into f32 that name it; operands from shared memory by `ldmatrix`.
void populateMatrixDotPatterns(threads::ThreadContext &code, const mlir::TypeConverter &types,
                               mlir::RewritePatternSet &patterns);

} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_MATRIXDOTS_H
