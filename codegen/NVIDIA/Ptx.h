// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR -> PTX text for one chip, by LLVM's own code generator in process.
#ifndef HELION_CODEGEN_NVIDIA_PTX_H
#define HELION_CODEGEN_NVIDIA_PTX_H

#include "dialect/Target/Device.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace helion {

/// Optimizes `module` at O3 for `device`, an NVIDIA row, and prints it; equal modules give equal text. Safe to call on
/// several threads, each with a context of its own.
llvm::Expected<std::string> emitPtx(llvm::Module &module, const Device &device);

} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_PTX_H
