// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop in which a program that stays runs its tiles, one after another.
#ifndef HELION_PASSES_ANALYSIS_TILELOOP_H
#define HELION_PASSES_ANALYSIS_TILELOOP_H

#include "dialect/IR/Helion.h"

namespace helion {
/// Whether the loop is that of its launch: helion-map-programs gives it the launch's name as its site. Form S or L.
bool runsTiles(mlir::scf::ForOp loop);
} // namespace helion

#endif // HELION_PASSES_ANALYSIS_TILELOOP_H
