// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipeline of helion-lower, symbol names from the code's hash, the lowered module's manifest.

#include "codegen/Driver/Lowering.h"
#include "codegen/CPU/Pipeline.h"
#include "codegen/Common/Passes.h"
#include "codegen/Driver/Passes.h"
#include "codegen/NVIDIA/Pipeline.h"
#include "codegen/NVIDIA/ThreadVendor.h"
#include "dialect/IR/Helion.h"
#include "dialect/IR/MatrixShape.h"
#include "dialect/Target/ContentHash.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Layout/Passes.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace helion;

/// Digits of the code's hash in a symbol: enough to tell the variants of one package apart.
static constexpr unsigned symbolHashDigits = 8;

static void lowerFor(OpPassManager &pipeline, const CpuDevice &device) {
  pipeline.addPass(createOutlineLaunchesPass());
  CPUOptions options;
  options.vectorBits = device.vectorBytes * 8;
  options.vectorRegisters = device.vectorRegisters;
  buildCPUPipeline(pipeline, options);
}

static void lowerFor(OpPassManager &pipeline, const NvidiaDevice &device) {
  AssignLayoutsPassOptions layouts;
  layouts.lanes = device.lanes;
  for (const WarpInstruction &instruction : kWarpInstructions)
    layouts.dotInstruction.push_back(instruction.name.str());
  layouts.threadElements = device.threadElements();
  layouts.blockElements = device.blockElements();
  pipeline.addPass(createAssignLayoutsPass(layouts));
  pipeline.addNestedPass<KernelOp>(createFillLoadsPass());
  pipeline.addPass(createPipelineLoadsPass());
  pipeline.addPass(createOutlineLaunchesPass({"block"}));
  LowerThreadsPassOptions threads;
  threads.lanes = device.lanes;
  pipeline.addNestedPass<func::FuncOp>(createMarkMathPass());
  pipeline.addNestedPass<func::FuncOp>(
      createLowerThreadsPass(threads, nvidiaThreads(device.tensorMaps, device.groupMatrices)));
  NVIDIAOptions options;
  options.lanes = device.lanes;
  options.maxThreads = device.maxThreads;
  options.maxShared = device.sharedBytes;
  buildNVIDIAPipeline(pipeline, options);
}

void helion::buildLoweringPipeline(OpPassManager &pipeline, const Device &device) {
  // What the choices leave behind, so that configs which differ in nothing give equal code.
  pipeline.addPass(createCanonicalizerPass());
  pipeline.addPass(createCSEPass());
  std::visit([&](const auto &facts) { lowerFor(pipeline, facts); }, device.facts);
}

/// The memref lowering calculates addresses as if strides were unsigned, but a caller's may be negative.
static void allowNegativeStrides(ModuleOp module) {
  module.walk([](Operation *op) {
    if (auto address = dyn_cast<LLVM::GEPOp>(op))
      address.setNoWrapFlags(address.getNoWrapFlags() & LLVM::GEPNoWrapFlags::inbounds);
    else if (auto arithmetic = dyn_cast<LLVM::IntegerOverflowFlagsInterface>(op))
      arithmetic.setOverflowFlags(arithmetic.getOverflowFlags() & LLVM::IntegerOverflowFlags::nsw);
  });
}

llvm::Expected<Manifest> helion::manifestOf(ModuleOp module) {
  auto text = module->getAttrOfType<StringAttr>(kManifestAttr);
  if (!text)
    return llvm::createStringError("the module has no `" + kManifestAttr + "`; lower it with `helion-lower` first");
  return Manifest::parse(text.getValue(), kManifestAttr);
}

void helion::setManifest(ModuleOp module, const Manifest &manifest) {
  module->setAttr(kManifestAttr, StringAttr::get(module.getContext(), manifest.text()));
}

Toolchain helion::thisToolchain() { return {HELION_VERSION_STRING, LLVM_VERSION_STRING}; }

/// Hash of what the object file is made of, as long as nothing is named after it: code, facts and target.
static std::string hashCode(ModuleOp module, const Manifest &manifest) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (NamedAttribute attribute : llvm::to_vector((*copy)->getDiscardableAttrs()))
    (*copy)->removeDiscardableAttr(attribute.getName());
  std::string code, facts;
  llvm::raw_string_ostream os(code);
  copy->print(os, OpPrintingFlags().enableDebugInfo(false).assumeVerified());
  for (const Pred &fact : manifest.facts)
    facts += fact.str() + "\n";
  return contentHash({code, facts, manifest.target});
}

/// `matmul_0` -> `matmul_0a1b2c3d_0`, in the code and in the plan.
static LogicalResult renameSymbols(ModuleOp module, Manifest &manifest, StringRef id) {
  std::string old = manifest.kernel + "_", fresh = old + id.str() + "_";
  SymbolTable symbols(module);
  for (auto function : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>())) {
    StringRef name = function.getName();
    if (!function.isExternal() && name.consume_front(old) && failed(symbols.rename(function, fresh + name.str())))
      return failure();
  }
  for (PlanStep &step : manifest.plan.steps)
    if (auto *launch = std::get_if<PlanLaunch>(&step))
      launch->symbol = fresh + launch->symbol.substr(old.size());
  return success();
}

static ThreadBlock blockOf(LLVM::LLVMFuncOp function, int64_t lanes) {
  auto number = [&](StringRef name) {
    auto attribute = function->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  return {number(kWarpsAttr) * lanes, number(kSharedBytesAttr)};
}

LogicalResult helion::finishLoweredModule(ModuleOp module, const Device &device) {
  llvm::Expected<Manifest> manifest = manifestOf(module);
  if (!manifest)
    return module.emitError() << llvm::toString(manifest.takeError());
  manifest->target = device.name();
  if (auto config = module->getAttrOfType<StringAttr>(kConfigAttr))
    manifest->config = config.str();
  manifest->toolchain = thisToolchain();
  allowNegativeStrides(module);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (auto bytes = function->getAttrOfType<IntegerAttr>(kScratchBytesAttr))
      manifest->resources.scratchBytes = std::max(manifest->resources.scratchBytes, bytes.getInt());
  if (const NvidiaDevice *facts = device.nvidia())
    for (PlanStep &step : manifest->plan.steps)
      if (auto *launch = std::get_if<PlanLaunch>(&step))
        launch->block = blockOf(module.lookupSymbol<LLVM::LLVMFuncOp>(launch->symbol), facts->lanes);
  std::string id = hashCode(module, *manifest).substr(0, symbolHashDigits);
  if (failed(renameSymbols(module, *manifest, id)))
    return module.emitError() << "has two functions of one name";
  setManifest(module, *manifest);
  module->setAttr(kFormAttr, StringAttr::get(module.getContext(), "target"));
  return success();
}
