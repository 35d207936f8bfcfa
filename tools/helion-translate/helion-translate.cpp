// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-translate: kernels from Helion source, and to objects and artifacts. Each door is one row of the table below
// and one function of the room that owns the format. Errors go to stderr, with file, line and caret where there is a
// text; then nothing is written and the exit code is 1.

#include "codegen/Driver/Doors.h"
#include "dialect/Frontend/Import.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("helion-translate options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"), cl::Required, cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Output file"), cl::init("-"), cl::cat(category));
static cl::opt<bool> import("import-helion", cl::desc("Import a kernel of a Helion file and print form K"),
                            cl::cat(category));
static cl::opt<std::string> kernel("kernel", cl::desc("The kernel's name; not needed when the file has one"),
                                   cl::cat(category));
static cl::opt<std::string> arguments("args", cl::desc("The signature: 'x=bf16[?,128] bias=none n=64 eps=f32'"),
                                      cl::cat(category));
static cl::opt<bool>
    object("emit-object",
           cl::desc("Compile a module to an object file: a lowered or scheduled one, or a kernel with --config"),
           cl::cat(category));
static cl::opt<std::string> artifact("emit-artifact", cl::value_desc("folder"), cl::cat(category),
                                     cl::desc("Compile it to an object, a shared object and a manifest in a folder"));
static cl::opt<std::string> target("target", cl::desc("What a module that is not lowered is compiled for"),
                                   cl::init("cpu:x86-64-v3"), cl::cat(category));
static cl::opt<std::string> config("config", cl::cat(category),
                                   cl::desc("The text that schedules a kernel in form K before it is compiled"));

static int fail(const llvm::Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 1;
}
static int finish(llvm::Error error) { return error ? fail(llvm::toString(std::move(error))) : 0; }

static int runImport() {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      helion::frontend::importHelion(&context, {input, kernel, arguments}, llvm::errs());
  if (!module)
    return 1;
  std::error_code problem;
  llvm::ToolOutputFile file(output, problem, llvm::sys::fs::OF_Text);
  if (problem)
    return fail("cannot write `" + output + "`: " + problem.message());
  module->print(file.os(), mlir::OpPrintingFlags().printNameLocAsPrefix());
  file.os() << "\n";
  file.keep();
  return 0;
}
static helion::EmitRequest request(const std::string &to) {
  return {input, to, target, config.getNumOccurrences() ? std::optional(config.getValue()) : std::nullopt};
}
static int runObject() { return finish(helion::emitObjectFile(request(output))); }
static int runArtifact() { return finish(helion::emitArtifactFolder(request(artifact))); }

struct Door {
  const cl::Option &flag;
  int (*run)();
};
static const Door doors[] = {{import, runImport}, {object, runObject}, {artifact, runArtifact}};

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Helion kernels from source and to machine code\n");
  const Door *chosen = nullptr;
  unsigned asked = 0;
  for (const Door &door : doors)
    if (door.flag.getNumOccurrences() > 0 && ++asked)
      chosen = &door;
  if (asked == 1)
    return chosen->run();
  llvm::errs() << "error: say what to do with `" << input << "`, one of";
  for (const Door &door : doors)
    llvm::errs() << " `--" << door.flag.ArgStr << "`";
  llvm::errs() << "\n";
  return 1;
}
