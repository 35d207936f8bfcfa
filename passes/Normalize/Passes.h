// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the passes in Passes.td, and the form check as a function for passes that promise a form.

#ifndef HELION_PASSES_NORMALIZE_PASSES_H
#define HELION_PASSES_NORMALIZE_PASSES_H

#include "dialect/IR/Helion.h"
#include "mlir/Pass/Pass.h"

namespace helion {
#define GEN_PASS_DECL
#include "passes/Normalize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Normalize/Passes.h.inc"

/// Emits diagnostics and fails when a kernel is not in form K.
mlir::LogicalResult verifyFormKernel(KernelOp kernel);
/// The same for form S, and for form L.
mlir::LogicalResult verifyFormScheduled(KernelOp kernel);
mlir::LogicalResult verifyFormLaidOut(KernelOp kernel);
} // namespace helion

#endif // HELION_PASSES_NORMALIZE_PASSES_H
