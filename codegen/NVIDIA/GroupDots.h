// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots in flight (`wgmma`), whose operands are slots of rings, for helion-lower-threads.
#ifndef HELION_CODEGEN_NVIDIA_GROUPDOTS_H
#define HELION_CODEGEN_NVIDIA_GROUPDOTS_H

#include "codegen/Common/LowerThreads.h"

namespace helion {
/// `helion.dot_async` of two buffers, `helion.wait`, `helion.ready`.
void populateGroupDotPatterns(threads::ThreadContext &code, const mlir::TypeConverter &types,
                              mlir::RewritePatternSet &patterns);
void waitForGroupDots(mlir::OpBuilder &b, mlir::Location loc, int64_t younger);
} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_GROUPDOTS_H
