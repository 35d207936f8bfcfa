// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-run: runs one kernel of a file on .npy arrays. `--interpret` is the oracle: double precision, any block sizes.

#include "mlir/Parser/Parser.h"
#include "tools/helion-run/CallText.h"
#include "tools/helion-run/Output.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace helion;
using namespace helion::interp;
using namespace helion::run;
namespace cl = llvm::cl;

static cl::OptionCategory kCategory("helion-run");
static const cl::cat kOurs(kCategory);
static cl::opt<std::string> kFile(cl::Positional, cl::desc("<kernel.mlir>"), cl::init("-"), kOurs);
static cl::opt<bool> kInterpret("interpret", cl::desc("Run the oracle"), kOurs);
static cl::opt<std::string> kKernel("kernel", cl::desc("Which kernel, when there are several"), kOurs);
static cl::list<std::string> kArgs("arg", cl::desc("NAME=FILE.npy or NAME=NUMBER"), kOurs);
static cl::list<std::string> kDtypes("dtype", cl::desc("NAME=TYPE of raw bytes: bf16, f8E4M3FN, f8E5M2"), kOurs);
static cl::list<std::string> kSizes("sizes", cl::desc("NAME=N,N,..: view of a .npy"), kOurs);
static cl::list<std::string> kStrides("strides", cl::desc("NAME=N,N,..: in elements, 0 and below too"), kOurs);
static cl::list<std::string> kOffsets("offset", cl::desc("NAME=N: first element"), kOurs);
static cl::list<std::string> kOuts("out", cl::CommaSeparated, cl::desc("FILE.npy per result"), kOurs);
static cl::list<std::string> kOutArgs("out-arg", cl::desc("NAME=FILE.npy: an argument after the run"), kOurs);
static cl::opt<bool> kPrint("print", cl::desc("Print the results"), kOurs);
static cl::opt<std::string> kBlocks("blocks", cl::desc("NAME=N,..: extents of blocks"), kOurs);
static cl::opt<std::string> kDevice("device", cl::desc("NAME=N,..: facts, sms=4 by default"), kOurs);
static cl::list<int64_t> kPrograms("programs", cl::CommaSeparated, cl::desc("Run only these of each launch"), kOurs);
static cl::opt<bool> kTwoBindings("two-bindings", cl::desc("Run again with other blocks, compare"), kOurs);
static cl::opt<std::string> kSecondBlocks("second-blocks", cl::desc("NAME=N,..: blocks of the second run"), kOurs);
static cl::opt<double> kTolerance("tolerance", cl::desc("Of --two-bindings, relative"), kOurs);

static llvm::Expected<RunOptions> readOptions() {
  RunOptions options;
  llvm::Expected<BlockMap> blocks = readNumbers("blocks", kBlocks), device = readNumbers("device", kDevice);
  if (!blocks || !device)
    return llvm::joinErrors(blocks.takeError(), device.takeError());
  options.blocks = std::move(*blocks);
  for (auto &[name, number] : *device)
    options.deviceFacts[name] = number;
  if (!kPrograms.empty())
    options.selectProgram = [](llvm::StringRef, int64_t program, int64_t) {
      return llvm::is_contained(kPrograms, program);
    };
  return options;
}

static llvm::Error runKernel(KernelOp kernel) {
  CallText text{kArgs, kDtypes, kSizes, kStrides, kOffsets};
  llvm::Expected<RunOptions> options = readOptions();
  if (!options)
    return options.takeError();
  llvm::Expected<std::vector<Argument>> arguments = readCall(kernel, text);
  if (!arguments)
    return arguments.takeError();
  SecondRun second = secondRunOf(*arguments, *options);
  if (kTolerance.getNumOccurrences())
    second.tolerance = kTolerance;
  llvm::Expected<BlockMap> secondBlocks = readNumbers("second-blocks", kSecondBlocks);
  if (!secondBlocks)
    return secondBlocks.takeError();
  second.options.blocks = std::move(*secondBlocks);
  llvm::Expected<RunResult> result = Interpreter::run(kernel, *arguments, *options);
  if (!result)
    return result.takeError();
  if (llvm::Error error = writeResults(kernel, *result, *arguments, {kOuts, kOutArgs, kPrint}))
    return error;
  return kTwoBindings ? compareSecondRun(kernel, *arguments, *result, second) : llvm::Error::success();
}

static int report(llvm::Error error) {
  if (!error)
    return 0;
  llvm::handleAllErrors(
      std::move(error), [](const RunError &inKernel) { llvm::errs() << inKernel.message << "\n"; },
      [](const llvm::ErrorInfoBase &other) { llvm::errs() << "helion-run: " << other.message() << "\n"; });
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(kCategory);
  cl::ParseCommandLineOptions(argc, argv, "Helion kernel runner\n");
  if (!kInterpret)
    return report(llvm::createStringError("`--interpret` is needed: it is the one way to run"));
  mlir::DialectRegistry registry;
  registry.insert<HelionDialect>();
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(kFile, sources, &context);
  if (!module)
    return 1; // the parser has said why
  llvm::Expected<KernelOp> kernel = findKernel(*module, kKernel);
  return report(kernel ? runKernel(*kernel) : kernel.takeError());
}
