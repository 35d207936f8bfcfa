// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices of the CPU: those of every target and those of Knobs.td beside this file.
#ifndef HELION_CODEGEN_CPU_KNOBS_H
#define HELION_CODEGEN_CPU_KNOBS_H

#include "mlir/IR/DialectRegistry.h"
#include "passes/Config/Knob.h"

namespace helion {

/// `cpu:x86-64-v3`, or `cpu:native`; fails on a chip that dialect/Target does not know.
llvm::Expected<KnobTable> cpuKnobs(llvm::StringRef target);

/// Lets passes find them by a target's name (passes/Config/TargetKnobs.h).
void registerCpuKnobs(mlir::DialectRegistry &registry);

} // namespace helion

#endif // HELION_CODEGEN_CPU_KNOBS_H
