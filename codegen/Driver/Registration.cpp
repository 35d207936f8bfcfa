// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of dialects, translations and passes.

#include "codegen/Driver/Registration.h"
#include "codegen/CPU/Knobs.h"
#include "codegen/CPU/Passes.h"
#include "codegen/CPU/Pipeline.h"
#include "codegen/Common/ExpandMath.h"
#include "codegen/Common/Passes.h"
#include "codegen/Driver/Passes.h"
#include "codegen/NVIDIA/Knobs.h"
#include "codegen/NVIDIA/Passes.h"
#include "codegen/NVIDIA/Pipeline.h"
#include "dialect/IR/Helion.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "passes/Config/Passes.h"
#include "passes/Layout/Passes.h"
#include "passes/Normalize/Passes.h"
#include "passes/Schedule/Passes.h"

using namespace mlir;

void helion::registerAllDialects(DialectRegistry &registry) {
  registry.insert<HelionDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, nvgpu::NVGPUDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, vector::VectorDialect>();
  registerCpuKnobs(registry);
  registerNvidiaKnobs(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void helion::registerAllPasses() {
  registerHelionConfigPasses();
  registerHelionLayoutPasses();
  registerHelionNormalizePasses();
  registerHelionSchedulePasses();
  registerHelionExpandMathPasses();
  registerHelionCodegenCommonPasses();
  registerHelionCPUPasses();
  registerCPUPipelines();
  registerHelionNVIDIAPasses();
  registerNVIDIAPipelines();
  registerHelionCodegenDriverPasses();
}
