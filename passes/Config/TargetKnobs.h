// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How passes that serve every target find a target's table of choices: codegen/<vendor> hangs a function on the dialect
// when it registers, and nobody here names a vendor.
#ifndef HELION_PASSES_CONFIG_TARGETKNOBS_H
#define HELION_PASSES_CONFIG_TARGETKNOBS_H

#include "dialect/IR/Helion.h"
#include "passes/Config/Knob.h"

namespace helion {

/// Reads a target's whole name (`vendor:chip`); fails where the chip is not known.
using KnobSource = llvm::Expected<KnobTable> (*)(llvm::StringRef target);

/// For a registry extension of the dialect.
void addTargetKnobs(HelionDialect *dialect, llvm::StringRef vendor, KnobSource source);

/// The table of `vendor:chip`, or the neutral one for an empty name. Fails on a vendor that did not register.
llvm::Expected<KnobTable> knobsOf(mlir::MLIRContext *context, llvm::StringRef target);

} // namespace helion

#endif // HELION_PASSES_CONFIG_TARGETKNOBS_H
