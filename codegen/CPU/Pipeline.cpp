// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of passes. A comment says what later steps may assume.

#include "codegen/CPU/Pipeline.h"
#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileNest.h"
#include "codegen/Common/ExpandMath.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

void helion::buildCPUTilePipeline(OpPassManager &manager, const CPUOptions &options) {
  VectorizeTilesPassOptions vectorize;
  vectorize.vectorBits = options.vectorBits;
  vectorize.vectorRegisters = options.vectorRegisters;
  vectorize.streamBytes = options.streamBytes;
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createVectorizeTilesPass(vectorize));
  // No tile values any more.
  functions.addPass(createPlanScratchPass());
  // No allocations any more.
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createExpandMathPass());
  // No math function that LLVM would call a library for.
  if (options.vectorBits < kFusedVectorBits)
    functions.addPass(createSplitFmaPass());
  functions.addPass(createSplitVectorsPass());
  // No vector of several registers where its order matters.
  functions.addPass(createCSEPass());
}

void helion::buildCPUPipeline(OpPassManager &manager, const CPUOptions &options) {
  buildCPUTilePipeline(manager, options);
  manager.addNestedPass<func::FuncOp>(memref::createExpandOpsPass());
  manager.addPass(createConvertVectorToSCFPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  // Memory is bare pointers and strides from here on.
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void helion::registerCPUPipelines() {
  PassPipelineRegistration<CPUOptions>(
      "helion-lower-cpu", "Lower functions of form S to the LLVM dialect for a CPU",
      [](OpPassManager &manager, const CPUOptions &options) { buildCPUPipeline(manager, options); });
}
