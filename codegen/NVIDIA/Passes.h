// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of Passes.td.
#ifndef HELION_CODEGEN_NVIDIA_PASSES_H
#define HELION_CODEGEN_NVIDIA_PASSES_H

#include "mlir/Pass/Pass.h"

namespace helion {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/NVIDIA/Passes.h.inc"
} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_PASSES_H
