// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-finish-kernels: what NVVM wants to know of a kernel, and of its atomics.

#include "codegen/Common/Passes.h"
#include "codegen/NVIDIA/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_FINISHKERNELSPASS
#include "codegen/NVIDIA/Passes.h.inc"
} // namespace helion

namespace {
struct FinishKernels : helion::impl::FinishKernelsPassBase<FinishKernels> {
  using FinishKernelsPassBase::FinishKernelsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(kEntryAttr) && failed(finish(function)))
        return signalPassFailure();
    getOperation().walk([](LLVM::AtomicRMWOp op) { op.setSyncscope(StringRef("device")); });
  }

  LogicalResult finish(LLVM::LLVMFuncOp function) {
    auto warps = function->getAttrOfType<IntegerAttr>(kWarpsAttr);
    if (!warps)
      return function.emitOpError() << "does not say its warps; helion-set-warps chooses them";
    int64_t threads = warps.getInt() * lanes;
    if (threads > maxThreads)
      return function.emitOpError() << "has blocks of `" << threads << "` threads; at most `" << maxThreads.getValue()
                                    << "` are allowed";
    auto shared = function->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
    if (shared && shared.getInt() > maxShared)
      return function.emitOpError() << "needs `" << shared.getInt() << "` bytes of shared memory; at most `"
                                    << maxShared.getValue() << "` are allowed; smaller blocks need less";
    Builder b(&getContext());
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), b.getDenseI32ArrayAttr({int32_t(threads)}));
    // What passes before have read.
    for (unsigned argument = 0; argument < function.getNumArguments(); ++argument) {
      function.removeArgAttr(argument, kMultipleAttr);
      // Of a tensor map: copies read it where the parameters are.
      if (function.getArgAttr(argument, LLVM::LLVMDialect::getByValAttrName()))
        function.setArgAttr(argument, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
    }
    ++kernels;
    return success();
  }
};
} // namespace
