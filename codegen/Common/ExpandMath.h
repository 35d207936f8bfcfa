// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math functions as arithmetic, one expansion for all targets: no library, no device bitcode.

#ifndef HELION_CODEGEN_COMMON_EXPANDMATH_H
#define HELION_CODEGEN_COMMON_EXPANDMATH_H

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace helion {
#define GEN_PASS_DECL
#include "codegen/Common/ExpandMath.h.inc"
#define GEN_PASS_REGISTRATION
#include "codegen/Common/ExpandMath.h.inc"

/// Attribute (unit) of `math.exp`: the operand is NaN or not above 0, so that nothing overflows.
constexpr llvm::StringLiteral kNonPositiveAttr = "helion.non_positive";

/// Patterns for scalars and vectors of f32 and f64.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);
} // namespace helion

#endif // HELION_CODEGEN_COMMON_EXPANDMATH_H
