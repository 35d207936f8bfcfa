// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of form L that no single op can check; a part of helion-verify-form.

#ifndef HELION_PASSES_NORMALIZE_VERIFYLAIDOUT_H
#define HELION_PASSES_NORMALIZE_VERIFYLAIDOUT_H

#include "dialect/IR/Helion.h"

namespace helion {
/// Emits diagnostics and fails when slots, tokens, rings or groups of a launch break a rule of form L.
mlir::LogicalResult verifyLaidOutLaunch(LaunchOp launch);
} // namespace helion

#endif // HELION_PASSES_NORMALIZE_VERIFYLAIDOUT_H
