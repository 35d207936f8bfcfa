// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of what there is.

#include "codegen/NVIDIA/ThreadVendor.h"
#include "codegen/NVIDIA/AsyncCopies.h"
#include "codegen/NVIDIA/BoxCopies.h"
#include "codegen/NVIDIA/GroupDots.h"
#include "codegen/NVIDIA/MatrixDots.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

Vendor helion::nvidiaThreads(bool tensorMaps, bool groupMatrices) {
  Vendor vendor;
  vendor.dialects = [](DialectRegistry &registry) {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, nvgpu::NVGPUDialect>();
  };
  vendor.patterns = [groupMatrices](ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
    populateMatrixDotPatterns(code, types, patterns);
    populateAsyncCopyPatterns(code, types, patterns);
    populateBoxCopyPatterns(code, types, patterns);
    if (groupMatrices)
      populateGroupDotPatterns(code, types, patterns);
  };
  vendor.commit = commitCopies;
  vendor.wait = waitForCopies;
  if (tensorMaps)
    vendor.boxes = boxCopies();
  if (groupMatrices)
    vendor.waitForDots = waitForGroupDots;
  return vendor;
}
