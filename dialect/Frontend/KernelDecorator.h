// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes a function a kernel: Helion's decorators, and the settings they give.
#pragma once

#include "dialect/Frontend/Interpreter.h"

namespace helion::frontend {

/// Functions of the module with a decorator of Helion.
std::vector<std::shared_ptr<Function>> kernelsOf(mlir::MLIRContext *context, SourceDiagnostics &diagnostics,
                                                 const Statements &module);
/// The kernel called `name`, or the only one if the name is empty; null after an error.
std::shared_ptr<Function> chooseKernel(mlir::MLIRContext *context, SourceDiagnostics &diagnostics, const Statements &module,
                                       llvm::StringRef name);
/// Reads the settings that matter to numerics into the builder; refuses names that are no setting of Helion.
mlir::LogicalResult readSettings(Interpreter &interpreter, const Function &function);

} // namespace helion::frontend
