// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-lower-thread-ops: upstream's patterns for the `gpu` dialect, on functions that stand in a plain module.

#include "codegen/NVIDIA/Passes.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace helion {
#define GEN_PASS_DEF_LOWERTHREADOPSPASS
#include "codegen/NVIDIA/Passes.h.inc"
} // namespace helion

namespace {
struct LowerThreadOps : helion::impl::LowerThreadOpsPassBase<LowerThreadOps> {
  void runOnOperation() override {
    LLVMTypeConverter types(&getContext());
    configureGpuToNVVMTypeConverter(types);
    RewritePatternSet patterns(&getContext());
    populateGpuToNVVMConversionPatterns(types, patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addIllegalDialect<gpu::GPUDialect>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
