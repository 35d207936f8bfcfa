// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of boxes that the device makes (`cp.async.bulk.tensor`), and the barriers that count their bytes, for
// helion-lower-threads.
#ifndef HELION_CODEGEN_NVIDIA_BOXCOPIES_H
#define HELION_CODEGEN_NVIDIA_BOXCOPIES_H

#include "codegen/Common/LowerThreads.h"

namespace helion {
/// `helion.load_async` through tensor maps.
void populateBoxCopyPatterns(threads::ThreadContext &code, const mlir::TypeConverter &types,
                             mlir::RewritePatternSet &patterns);
threads::BoxVendor boxCopies();
} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_BOXCOPIES_H
