// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form S -> LLVM's dialect (helion-lower) -> LLVM IR -> object code -> the manifest's last lines.

#include "codegen/Driver/Artifact.h"
#include "codegen/Driver/Lowering.h"
#include "codegen/Driver/ObjectCode.h"
#include "codegen/Driver/Passes.h"
#include "codegen/NVIDIA/Assembler.h"
#include "codegen/NVIDIA/Ptx.h"
#include "dialect/Target/ContentHash.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/Config/Space.h"
#include "passes/Config/TargetKnobs.h"
#include "passes/Normalize/Passes.h"
#include "passes/Pipelines/Schedule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;
using namespace helion;

namespace {
/// Collects the errors of one compile as text, notes behind them, without the ops as text.
class ErrorText {
public:
  explicit ErrorText(MLIRContext *context)
      : context(context), printsOps(context->shouldPrintOpOnDiagnostic()),
        handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          append(diagnostic, "");
          for (Diagnostic &note : diagnostic.getNotes())
            append(note, "note: ");
          return success();
        }) {
    context->printOpOnDiagnostic(false);
  }
  ~ErrorText() { context->printOpOnDiagnostic(printsOps); }
  llvm::Error error(StringRef fallback) const {
    return llvm::createStringError(text.empty() ? fallback : StringRef(text));
  }

private:
  void append(Diagnostic &diagnostic, StringRef prefix) {
    text += text.empty() ? "" : "\n";
    if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      text +=
          (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" + Twine(place.getColumn()) + ": ").str();
    text += prefix.str() + diagnostic.str();
  }

  MLIRContext *context;
  bool printsOps;
  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

llvm::Expected<Artifact> helion::compile(ModuleOp scheduled, const Device &device, StringRef config) {
  MLIRContext *context = scheduled.getContext();
  ErrorText errors(context);
  OwningOpRef<ModuleOp> module = scheduled.clone();
  (*module)->setAttr(kConfigAttr, StringAttr::get(context, config));
  PassManager passes(context);
  passes.addPass(createLowerPass({device.name()}));
  if (failed(passes.run(*module)))
    return errors.error("lowering failed without a message");
  return emitArtifact(*module);
}

/// The canonical text of a config that is legal for the module's kernel, which is normalised.
static llvm::Expected<std::string> canonicalConfig(ModuleOp module, const Device &device, StringRef config) {
  auto kernels = llvm::to_vector(module.getOps<KernelOp>());
  if (kernels.size() != 1)
    return llvm::createStringError("has `" + llvm::Twine(kernels.size()) + "` kernels; a config is of one");
  llvm::Expected<KnobTable> knobs = knobsOf(module.getContext(), device.name());
  if (!knobs)
    return knobs.takeError();
  llvm::Expected<Config> parsed = parseConfig(config, Space(kernels.front(), *knobs));
  if (!parsed)
    return llvm::createStringError("config: " + llvm::toString(parsed.takeError()));
  return parsed->print();
}

llvm::Expected<Artifact> helion::compileKernel(ModuleOp kernel, const Device &device, StringRef config) {
  OwningOpRef<ModuleOp> module = kernel.clone();
  ErrorText errors(module->getContext());
  PassManager passes(module->getContext());
  passes.addPass(createNormalizePass());
  if (failed(passes.run(*module)))
    return errors.error("normalising failed without a message");
  llvm::Expected<std::string> canonical = canonicalConfig(*module, device, config);
  if (!canonical)
    return canonical.takeError();
  if (failed(schedule(*module, *canonical)))
    return errors.error("a choice failed without a message");
  return compile(*module, device, *canonical);
}

StringRef helion::objectEnding(const Device &device, StringRef object) {
  if (device.cpu())
    return ".o";
  return object.starts_with("\x7f"
                            "ELF")
             ? ".cubin"
             : ".ptx";
}

/// A cubin, in the manifest what its assembler says, and in `text` the PTX where other chips run that; PTX alone and a
/// warning where there is no assembler.
static llvm::Expected<std::string> emitDeviceCode(llvm::Module &code, const Device &device, Manifest &manifest,
                                                  std::string &text, ModuleOp lowered) {
  llvm::Expected<std::string> ptx = emitPtx(code, device);
  if (!ptx)
    return ptx.takeError();
  std::optional<Assembler> assembler = findAssembler();
  if (!assembler) {
    lowered.emitWarning()
        << "no CUDA toolkit in `CUDA_HOME`, behind `nvcc` or in /usr/local/cuda; the object is PTX text, whose "
        << "registers nobody has counted";
    return std::move(*ptx);
  }
  llvm::Expected<Cubin> cubin = assembler->assemble(*ptx, device);
  if (!cubin)
    return cubin.takeError();
  int64_t dynamicBytes = 0;
  for (const PlanStep &step : manifest.plan.steps)
    if (auto *launch = std::get_if<PlanLaunch>(&step); launch && launch->block)
      dynamicBytes = std::max(dynamicBytes, launch->block->sharedBytes);
  manifest.resources.threads = cubin->resources;
  manifest.resources.threads->sharedBytes += dynamicBytes;
  manifest.toolchain.assembler = assembler->description;
  bool isPortable = llvm::isDigit(device.chip.back());
  if (isPortable)
    text = std::move(*ptx);
  return std::move(cubin->bytes);
}

llvm::Expected<Artifact> helion::emitArtifact(ModuleOp lowered) {
  llvm::Expected<Manifest> manifest = manifestOf(lowered);
  if (!manifest)
    return manifest.takeError();
  llvm::Expected<const Device *> device = parseDevice(manifest->target);
  if (!device)
    return device.takeError();
  ErrorText errors(lowered.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(lowered, context, manifest->kernel);
  if (!code)
    return errors.error("translation to LLVM IR failed without a message");
  // The object names its source file; a kernel's name is the same on every machine.
  code->setSourceFileName(manifest->kernel);
  bool isGpu = (*device)->nvidia();
  std::string text;
  llvm::Expected<std::string> object =
      isGpu ? emitDeviceCode(*code, **device, *manifest, text, lowered) : emitObjectCode(*code, **device);
  if (!object)
    return object.takeError();
  llvm::Expected<int64_t> bytes =
      objectEnding(**device, *object) == ".ptx" ? int64_t(object->size()) : codeBytes(*object);
  if (!bytes)
    return bytes.takeError();
  manifest->resources.codeBytes = *bytes;
  manifest->objectHash = contentHash(*object);
  return Artifact{std::move(*manifest), std::move(*object), std::move(text)};
}
