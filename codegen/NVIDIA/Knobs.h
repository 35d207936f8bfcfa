// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices of an NVIDIA target: those that every target with lanes has, and those of Knobs.td.
#ifndef HELION_CODEGEN_NVIDIA_KNOBS_H
#define HELION_CODEGEN_NVIDIA_KNOBS_H

#include "passes/Config/Knob.h"
#include "llvm/Support/Error.h"

namespace mlir {
class DialectRegistry;
}

namespace helion {

/// The table of `nvidia:chip`, with bounds from the chip's row.
llvm::Expected<KnobTable> nvidiaKnobs(llvm::StringRef target);

/// Lets passes find the table by the target's name.
void registerNvidiaKnobs(mlir::DialectRegistry &registry);

} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_KNOBS_H
