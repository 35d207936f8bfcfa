// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frontend's door: one kernel of a Helion file, for one signature, as a module in form K.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace helion::frontend {

struct ImportRequest {
  std::string path;      // of the Python file; errors name it as given
  std::string kernel;    // may be empty when the file has one kernel
  std::string arguments; // the signature: `x=bf16[?,?] y=bf16[?,128] bias=none n=64 eps=f32`
  std::string *missingSize =
      nullptr; // gets the size, `x.size(1)`, that the kernel wants fixed and the signature does not
};

/// Null after an error; then `errors` holds `file:line:column: error: ..` with the source line and a caret.
mlir::OwningOpRef<mlir::ModuleOp> importHelion(mlir::MLIRContext *context, const ImportRequest &request,
                                               llvm::raw_ostream &errors);

struct KernelSummary {
  std::string name;
  std::vector<std::string> parameters;
  unsigned line = 0, column = 0; // Of its name, from 1.
};
/// The kernels of a file in order; nothing after an error.
std::optional<std::vector<KernelSummary>> listKernels(const std::string &path, llvm::raw_ostream &errors);

} // namespace helion::frontend
