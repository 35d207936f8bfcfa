// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines by text: what runs in process is parsed from the same string that a person passes to helion-opt.

#include "passes/Pipelines/Schedule.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/Config/Passes.h"
#include "passes/Normalize/Passes.h"
#include "passes/Schedule/Passes.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace mlir;

void helion::registerSchedulePasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerHelionConfigPasses();
    registerHelionNormalizePasses();
    registerHelionSchedulePasses();
  });
}

std::string helion::schedulePipeline(llvm::StringRef config) { return ("helion-normalize," + config).str(); }

LogicalResult helion::schedule(ModuleOp module, llvm::StringRef config) {
  PassManager manager(module.getContext());
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(parsePassPipeline(schedulePipeline(config), manager, os)))
    return module.emitError() << "config text does not parse: " << llvm::StringRef(message).trim();
  return manager.run(module);
}
