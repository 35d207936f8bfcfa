// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients by reciprocals, on every target (docs/design/0012-quotients-by-reciprocals.md): many numbers over one.

#ifndef HELION_CODEGEN_COMMON_QUOTIENTS_H
#define HELION_CODEGEN_COMMON_QUOTIENTS_H

#include "codegen/Common/FloatCode.h"
#include "mlir/IR/PatternMatch.h"

namespace helion {
/// The reciprocal of a scaled divisor, and the power of two that it was scaled by; null where it is in range without.
struct Reciprocal {
  mlir::Value value, scale;
};

/// Of an f32 scalar, behind whose definition it stands.
Reciprocal emitReciprocal(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value divisor);
/// Within 2 units of the quotient; 0, infinities and NaN as in a division. `reciprocal` has the type of `code`.
mlir::Value emitQuotient(FloatCode code, mlir::Value x, const Reciprocal &reciprocal);

/// True when the kernel allows a product with a reciprocal.
bool mayMultiply(mlir::arith::DivFOp op);
/// True for f32 over so few computed scalars that reciprocals pay; those of constants cost nothing.
bool sharesDivisors(mlir::arith::DivFOp op);

/// Makes a quotient that shares divisors a product with what `reciprocal` gives for each of them.
void multiplyByReciprocals(mlir::arith::DivFOp op, mlir::PatternRewriter &rewriter,
                           llvm::function_ref<Reciprocal(mlir::Location, mlir::Value)> reciprocal);

/// Products for quotients that may be and share divisors; others lose the permission, since LLVM would take a
/// reciprocal without a look at its range.
void populateQuotientPatterns(mlir::RewritePatternSet &patterns);
} // namespace helion

#endif // HELION_CODEGEN_COMMON_QUOTIENTS_H
