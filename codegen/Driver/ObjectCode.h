// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR -> the bytes of a position-independent object file for one target. Kernels are freestanding: the optimizer may
// call memcpy, memmove and memset, nothing else, and an object that needs more is refused.
#ifndef HELION_CODEGEN_DRIVER_OBJECTCODE_H
#define HELION_CODEGEN_DRIVER_OBJECTCODE_H

#include "dialect/Target/Device.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace helion {

/// Optimizes `module` at O3 for `device` and emits it; equal modules give equal bytes. Safe to call on several threads,
/// each with a context of its own.
llvm::Expected<std::string> emitObjectCode(llvm::Module &module, const Device &device);

/// Bytes of machine code: the size of all sections of code.
llvm::Expected<int64_t> codeBytes(llvm::StringRef object);

/// An error naming what `object` needs beyond memcpy, memmove and memset.
llvm::Error checkSelfContained(llvm::StringRef object);

} // namespace helion

#endif // HELION_CODEGEN_DRIVER_OBJECTCODE_H
