// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the passes in Passes.td.

#ifndef HELION_CODEGEN_CPU_PASSES_H
#define HELION_CODEGEN_CPU_PASSES_H

#include "dialect/IR/Helion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace helion {
#define GEN_PASS_DECL
#include "codegen/CPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "codegen/CPU/Passes.h.inc"
} // namespace helion

#endif // HELION_CODEGEN_CPU_PASSES_H
