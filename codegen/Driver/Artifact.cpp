// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form S -> LLVM's dialect (helion-lower) -> LLVM IR -> object code -> the manifest's last lines.

#include "codegen/Driver/Artifact.h"
#include "codegen/Driver/Lowering.h"
#include "codegen/Driver/ObjectCode.h"
#include "codegen/Driver/Passes.h"
#include "dialect/Target/ContentHash.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;
using namespace helion;

namespace {
/// Collects the errors of one compile as text, notes behind them.
class ErrorText {
public:
  explicit ErrorText(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          append(diagnostic, "");
          for (Diagnostic &note : diagnostic.getNotes())
            append(note, "note: ");
          return success();
        }) {}
  llvm::Error error(StringRef fallback) const {
    return llvm::createStringError(text.empty() ? fallback : StringRef(text));
  }

private:
  void append(Diagnostic &diagnostic, StringRef prefix) {
    text += text.empty() ? "" : "\n";
    if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      text += (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" + Twine(place.getColumn()) + ": ").str();
    text += prefix.str() + diagnostic.str();
  }

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
  llvm::Expected<std::string> object = emitObjectCode(*code, **device);
  if (!object)
    return object.takeError();
  llvm::Expected<int64_t> bytes = codeBytes(*object);
  if (!bytes)
    return bytes.takeError();
  manifest->resources.codeBytes = *bytes;
  manifest->objectHash = contentHash(*object);
  return Artifact{std::move(*manifest), std::move(*object)};
}
