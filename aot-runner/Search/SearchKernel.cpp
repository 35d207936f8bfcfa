// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From text to space, and from text and config to an artifact.
#include "aot-runner/Search/SearchKernel.h"

#include "codegen/Driver/Registration.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/Analysis/KernelHash.h"
#include "passes/Config/TargetKnobs.h"
#include "passes/Pipelines/Schedule.h"
#include "llvm/Support/SourceMgr.h"
#include <mutex>

using namespace mlir;
using namespace helion;
using namespace helion::aot;

namespace {
/// A context with everything registered, which keeps its errors as text.
class Workshop {
public:
  Workshop()
      : context(registry(), MLIRContext::Threading::DISABLED), handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            append(diagnostic);
          return success();
        }) {}

  OwningOpRef<ModuleOp> parse(StringRef text, StringRef file) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, file), llvm::SMLoc());
    return parseSourceFile<ModuleOp>(sources, &context);
  }
  llvm::Error error(StringRef fallback) const { return llvm::createStringError(errors.empty() ? fallback : errors); }

  MLIRContext context;

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    static std::once_flag once;
    std::call_once(once, [] {
      registerSchedulePasses();
      registerAllPasses(); // Choice passes of the targets.
    });
    return registry;
  }
  void append(Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(errors);
    if (!errors.empty())
      os << "\n";
    if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      os << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
    os << diagnostic.str();
  }

  std::string errors;
  ScopedDiagnosticHandler handler;
};
} // namespace

static llvm::Expected<KernelOp> onlyKernel(ModuleOp module, StringRef file) {
  KernelOp found;
  for (auto kernel : module.getOps<KernelOp>()) {
    if (found)
      return llvm::createStringError(file + ": two kernels, `" + found.getName() + "` and `" + kernel.getName() +
                                     "`; a module has one");
    found = kernel;
  }
  if (!found)
    return llvm::createStringError(file + ": no kernel; a module has one `helion.kernel`");
  return found;
}

static LogicalResult normalize(ModuleOp module) {
  PassManager manager(module.getContext());
  return success(succeeded(parsePassPipeline("helion-normalize", manager)) && succeeded(manager.run(module)));
}

llvm::Expected<SearchKernel> SearchKernel::make(std::string text, std::string file, const Device &device) {
  Workshop workshop;
  OwningOpRef<ModuleOp> module = workshop.parse(text, file);
  if (!module || failed(normalize(*module)))
    return workshop.error(file + ": no module in form K");
  llvm::Expected<KernelOp> kernel = onlyKernel(*module, file);
  if (!kernel)
    return kernel.takeError();
  llvm::Expected<KnobTable> knobs = knobsOf(&workshop.context, device.name());
  if (!knobs)
    return knobs.takeError();
  return SearchKernel(std::move(text), std::move(file), kernelHash(*kernel), kernel->getName().str(), device,
                      Space(*kernel, *knobs), RowModel(*kernel));
}

llvm::Expected<helion::Artifact> SearchKernel::compile(StringRef config) const {
  Workshop workshop;
  OwningOpRef<ModuleOp> module = workshop.parse(text, file);
  if (!module || failed(schedule(*module, config)))
    return workshop.error("a pass failed without a message");
  return helion::compile(*module, *device, config);
}
