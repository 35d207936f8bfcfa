// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of tiles into rings that fly while a thread goes on (`cp.async`), for helion-lower-threads.
#ifndef HELION_CODEGEN_NVIDIA_ASYNCCOPIES_H
#define HELION_CODEGEN_NVIDIA_ASYNCCOPIES_H

#include "codegen/Common/LowerThreads.h"

namespace helion {
/// `helion.load_async` from host tensors, where alignments allow pieces of 4, 8 or 16 bytes.
void populateAsyncCopyPatterns(threads::ThreadContext &code, const mlir::TypeConverter &types,
                               mlir::RewritePatternSet &patterns);
/// The copies that the thread has issued since the last call are a group.
void commitCopies(mlir::OpBuilder &b, mlir::Location loc);
void waitForCopies(mlir::OpBuilder &b, mlir::Location loc, int64_t youngerGroups);
} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_ASYNCCOPIES_H
