// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of passes. A comment says what later steps may assume.

#include "codegen/NVIDIA/Pipeline.h"
#include "codegen/Common/ExpandMath.h"
#include "codegen/NVIDIA/Passes.h"
#include "codegen/NVIDIA/ThreadVendor.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace helion;

void helion::buildNVIDIAPipeline(OpPassManager &manager, const NVIDIAOptions &options) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createLowerCacheHintsPass());
  functions.addPass(createWidenPairsPass());
  functions.addPass(createExpandDeviceMathPass());
  functions.addPass(createExpandMathPass());
  // No math function that a library would be called for.
  functions.addPass(createCSEPass());
  functions.addPass(memref::createExpandOpsPass());
  manager.addPass(createLowerSharedMemoryPass());
  manager.addPass(createConvertVectorToSCFPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  // Memory is bare pointers and strides from here on.
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createConvertNVGPUToNVVMPass());
  // Before the `gpu` ops, whose patterns would make calls of math functions.
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createLowerThreadOpsPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  // What NVVM has as assembly alone, such as waits for barriers.
  manager.addPass(createConvertNVVMToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createFinishKernelsPass({options.lanes, options.maxThreads, options.maxShared}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void helion::registerNVIDIAPipelines() {
  PassPipelineRegistration<NVIDIAOptions>(
      "helion-lower-nvidia", "Lower one thread's code to kernels in LLVM's and NVVM's dialects",
      [](OpPassManager &manager, const NVIDIAOptions &options) { buildNVIDIAPipeline(manager, options); });
  PassPipelineRegistration<NVIDIAOptions>("helion-lower-nvidia-threads",
                                          "helion-lower-threads with matrix instructions and the moves that feed them",
                                          [](OpPassManager &manager, const NVIDIAOptions &options) {
                                            LowerThreadsPassOptions threads;
                                            threads.lanes = options.lanes;
                                            manager.addNestedPass<func::FuncOp>(createLowerThreadsPass(
                                                threads, nvidiaThreads(/*tensorMaps=*/true, /*groupMatrices=*/true)));
                                          });
}
