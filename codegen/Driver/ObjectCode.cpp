// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One target machine per call; LLVM's default O3 pipeline with a library of three functions.

#include "codegen/Driver/ObjectCode.h"
#include "codegen/Common/OptimizeCode.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>
#include <set>

using namespace llvm;
using namespace helion;

static constexpr StringLiteral triple = "x86_64-unknown-linux-gnu";
static constexpr StringLiteral allowedSymbols[] = {"memcpy", "memmove", "memset"};

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

static Expected<std::unique_ptr<TargetMachine>> makeTargetMachine(const Device &device) {
  initializeTarget();
  std::string message;
  Triple target(triple);
  const Target *registered = TargetRegistry::lookupTarget(target, message);
  if (!registered)
    return createStringError(message);
  std::unique_ptr<TargetMachine> machine(registered->createTargetMachine(
      target, device.chip, /*Features=*/"", TargetOptions(), Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("no code generator for `" + device.name() + "`");
  return machine;
}

/// Kernels neither throw nor unwind; the vector width is the device's, where LLVM would prefer a narrower one.
static void prepareFunctions(Module &module, const Device &device, const TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (Function &function : module) {
    function.setDoesNotThrow();
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", device.chip);
    function.addFnAttr("prefer-vector-width", std::to_string(device.cpu()->vectorBytes * 8));
  }
}

static TargetLibraryInfoImpl freestandingLibrary(const TargetMachine &machine) {
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  for (LibFunc function : {LibFunc_memcpy, LibFunc_memmove, LibFunc_memset})
    library.setAvailable(function);
  return library;
}

Expected<std::string> helion::emitObjectCode(Module &module, const Device &device) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeTargetMachine(device);
  if (!machine)
    return machine.takeError();
  prepareFunctions(module, device, **machine);
  TargetLibraryInfoImpl library = freestandingLibrary(**machine);
  optimizeCode(module, **machine, library);

  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(library));
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr, CodeGenFileType::ObjectFile))
    return createStringError("`" + device.name() + "` has no object files");
  passes.run(module);
  std::string object(bytes.begin(), bytes.end());
  if (Error error = checkSelfContained(object))
    return error;
  return object;
}

static Expected<std::unique_ptr<object::ObjectFile>> openObject(StringRef object) {
  return object::ObjectFile::createObjectFile(MemoryBufferRef(object, "kernel"));
}

Expected<int64_t> helion::codeBytes(StringRef object) {
  Expected<std::unique_ptr<object::ObjectFile>> file = openObject(object);
  if (!file)
    return file.takeError();
  int64_t bytes = 0;
  for (const object::SectionRef &section : (*file)->sections())
    if (section.isText())
      bytes += section.getSize();
  return bytes;
}

Error helion::checkSelfContained(StringRef object) {
  Expected<std::unique_ptr<object::ObjectFile>> file = openObject(object);
  if (!file)
    return file.takeError();
  std::set<std::string> missing;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags.takeError(), name.takeError());
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty() && !is_contained(allowedSymbols, *name))
      missing.insert(name->str());
  }
  if (missing.empty())
    return Error::success();
  return createStringError("the code calls `" + join(missing, "`, `") +
                           "`, which a kernel has no library for; only `memcpy`, `memmove` and `memset` may be called");
}
