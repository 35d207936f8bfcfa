// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-lower: the target's pipeline as a nested one, then names and manifest. The conversions to LLVM's dialect are
// the same for every kernel, so they stand here and not in a config.

#include "codegen/Common/Passes.h"
#include "codegen/Driver/Lowering.h"
#include "codegen/Driver/Passes.h"
#include "dialect/IR/Helion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace helion {
#define GEN_PASS_DEF_LOWERPASS
#include "codegen/Driver/Passes.h.inc"
} // namespace helion

using namespace helion;

namespace {
struct LowerPass : helion::impl::LowerPassBase<LowerPass> {
  using LowerPassBase::LowerPassBase;

  /// The nested pipeline may make ops only of dialects that are loaded before it runs.
  void getDependentDialects(DialectRegistry &registry) const override {
    for (const Device &device : knownDevices()) {
      OpPassManager pipeline(ModuleOp::getOperationName());
      buildLoweringPipeline(pipeline, device);
      pipeline.getDependentDialects(registry);
    }
    registry.insert<HelionDialect, LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<const Device *> device = parseDevice(target);
    if (!device) {
      module.emitError() << llvm::toString(device.takeError());
      return signalPassFailure();
    }
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildLoweringPipeline(pipeline, **device);
    if (failed(runPipeline(pipeline, module)) || failed(finishLoweredModule(module, **device)))
      return signalPassFailure();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      functions += !function.isPrivate();
  }
};
} // namespace
