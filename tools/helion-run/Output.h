// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run leaves: files, printed results, and the verdict of a second run with other blocks.

#ifndef HELION_TOOLS_HELION_RUN_OUTPUT_H
#define HELION_TOOLS_HELION_RUN_OUTPUT_H

#include "dialect/Interp/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"

namespace helion::run {

/// The one kernel of the module, or the named one.
llvm::Expected<KernelOp> findKernel(mlir::ModuleOp module, llvm::StringRef name);

struct OutputText {
  std::vector<std::string> files;    // one per result, or none
  std::vector<std::string> argFiles; // NAME=FILE
  bool print = false;
};
llvm::Error writeResults(KernelOp kernel, const interp::RunResult &result, llvm::ArrayRef<interp::Argument> arguments,
                         const OutputText &text);

struct SecondRun {
  std::vector<interp::Argument> arguments;
  interp::RunOptions options;
  std::optional<double> tolerance; // else what reassociation can move
};
/// The same call with the other default blocks and the programs in reverse; tensor arguments are copied, so that a
/// kernel that writes them does not disturb it.
SecondRun secondRunOf(llvm::ArrayRef<interp::Argument> arguments, const interp::RunOptions &options);
/// Runs again and says on stdout that all results and written arguments agree, or fails with the first element that
/// does not.
llvm::Error compareSecondRun(KernelOp kernel, llvm::ArrayRef<interp::Argument> arguments,
                             const interp::RunResult &first, const SecondRun &second);

} // namespace helion::run

#endif // HELION_TOOLS_HELION_RUN_OUTPUT_H
