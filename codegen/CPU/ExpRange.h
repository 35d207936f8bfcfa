// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of the operands of exp from the ops around it, so that its code can leave tests out.

#ifndef HELION_CODEGEN_CPU_EXPRANGE_H
#define HELION_CODEGEN_CPU_EXPRANGE_H

#include "codegen/CPU/LaneReach.h"

namespace helion::cpu {
/// True when `op` is exp of a value minus the largest along one of its dims: NaN or not above 0 in every lane that
/// anybody looks at.
bool isExpOfNonPositive(mlir::Operation *op, const LaneReach &reach);
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_EXPRANGE_H
