// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the passes in Passes.td.

#ifndef HELION_PASSES_LAYOUT_PASSES_H
#define HELION_PASSES_LAYOUT_PASSES_H

#include "dialect/IR/Helion.h"
#include "mlir/Pass/Pass.h"

namespace helion {
#define GEN_PASS_DECL
#include "passes/Layout/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Layout/Passes.h.inc"
} // namespace helion

#endif // HELION_PASSES_LAYOUT_PASSES_H
