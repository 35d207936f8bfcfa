// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of Passes.td.
#ifndef HELION_CODEGEN_DRIVER_PASSES_H
#define HELION_CODEGEN_DRIVER_PASSES_H

#include "mlir/Pass/Pass.h"

namespace helion {
/// Module attribute: the canonical config text that led to this form.
constexpr llvm::StringLiteral kConfigAttr = "helion.config";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/Driver/Passes.h.inc"
} // namespace helion

#endif // HELION_CODEGEN_DRIVER_PASSES_H
