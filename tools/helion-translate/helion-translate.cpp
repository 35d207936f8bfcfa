// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-translate: text that is not MLIR to MLIR. `--import-helion` reads a kernel of a Helion Python file for one
// signature and prints form K. Errors go to stderr with file, line, column and a caret; then nothing is printed and the
// exit code is 1.
#include "dialect/Frontend/Import.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("helion-translate options");
static cl::opt<bool> importHelion("import-helion", cl::desc("Import a kernel of a Helion file and print form K"),
                                  cl::cat(category));
static cl::opt<std::string> input(cl::Positional, cl::desc("<kernel.py>"), cl::Required, cl::cat(category));
static cl::opt<std::string> kernel("kernel", cl::desc("The kernel's name; not needed when the file has one"),
                                   cl::cat(category));
static cl::opt<std::string> arguments("args", cl::desc("The signature: 'x=bf16[?,128] bias=none n=64 eps=f32'"),
                                      cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Output file"), cl::init("-"), cl::cat(category));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Helion source to MLIR\n");
  if (!importHelion) {
    llvm::errs() << "error: say what to do with `" << input << "`; `--import-helion` is the one translation\n";
    return 1;
  }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      helion::frontend::importHelion(&context, {input, kernel, arguments}, llvm::errs());
  if (!module)
    return 1;
  std::error_code problem;
  llvm::ToolOutputFile file(output, problem, llvm::sys::fs::OF_Text);
  if (problem) {
    llvm::errs() << "error: cannot write `" << output << "`: " << problem.message() << "\n";
    return 1;
  }
  module->print(file.os(), mlir::OpPrintingFlags().printNameLocAsPrefix());
  file.os() << "\n";
  file.keep();
  return 0;
}
