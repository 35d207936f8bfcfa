// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One target machine per call. Nothing may be called: a kernel has no library.

#include "codegen/NVIDIA/Ptx.h"
#include "codegen/Common/OptimizeCode.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace llvm;
using namespace helion;

static constexpr StringLiteral triple = "nvptx64-nvidia-cuda";

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

static Expected<std::unique_ptr<TargetMachine>> makeTargetMachine(const Device &device) {
  initializeTarget();
  std::string message, features = "+ptx" + std::to_string(device.nvidia()->ptxVersion);
  Triple target(triple);
  const Target *registered = TargetRegistry::lookupTarget(target, message);
  if (!registered)
    return createStringError(message);
  std::unique_ptr<TargetMachine> machine(registered->createTargetMachine(
      target, device.chip, features, TargetOptions(), std::nullopt, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("no code generator for `" + device.name() + "`");
  return machine;
}

/// A function without a body is a call of a library that is not there.
static Error checkSelfContained(const Module &module) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty())
      return createStringError("the code calls `" + function.getName() + "`, which a kernel has no library for");
  return Error::success();
}

Expected<std::string> helion::emitPtx(Module &module, const Device &device) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeTargetMachine(device);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  for (Function &function : module)
    function.setDoesNotThrow();
  TargetLibraryInfoImpl library((*machine)->getTargetTriple());
  library.disableAllFunctions();
  optimizeCode(module, **machine, library);
  if (Error error = checkSelfContained(module))
    return error;

  SmallVector<char, 0> text;
  raw_svector_ostream os(text);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(library));
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr, CodeGenFileType::AssemblyFile))
    return createStringError("`" + device.name() + "` has no assembly text");
  passes.run(module);
  return std::string(text.begin(), text.end());
}
