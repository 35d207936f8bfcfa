// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots whose layouts are the fragments of a matrix instruction, for helion-lower-threads.
#ifndef HELION_CODEGEN_NVIDIA_MATRIXDOTS_H
#define HELION_CODEGEN_NVIDIA_MATRIXDOTS_H

#include "codegen/Common/LowerThreads.h"

namespace helion {

/// `mma.sync` for dots that name it (dialect/IR/MatrixShape.h); operands from shared memory by `ldmatrix` where their
/// depth, or any dim of 16-bit elements, is contiguous there.
void populateMatrixDotPatterns(threads::ThreadContext &code, const mlir::TypeConverter &types,
                               mlir::RewritePatternSet &patterns);

} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_MATRIXDOTS_H
