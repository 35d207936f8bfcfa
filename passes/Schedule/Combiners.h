// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions as arithmetic: the op that merges two partial results of a reduction kind, and its identity as a value.
// Read by the passes that split a reduction.

#ifndef HELION_PASSES_SCHEDULE_COMBINERS_H
#define HELION_PASSES_SCHEDULE_COMBINERS_H

#include "dialect/IR/Helion.h"
#include "mlir/IR/Builders.h"

namespace helion {
/// Merges two values of one type. The kind is none of argmax and argmin.
mlir::Value combineValues(mlir::OpBuilder &builder, mlir::Location loc, ReductionKind kind, mlir::Value lhs,
                          mlir::Value rhs);

/// The identity of a kind over `element` as a scalar constant.
mlir::Value identityValue(mlir::OpBuilder &builder, mlir::Location loc, ReductionKind kind, mlir::Type element);
} // namespace helion

#endif // HELION_PASSES_SCHEDULE_COMBINERS_H
