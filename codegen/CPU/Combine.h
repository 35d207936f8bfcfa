// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How reductions and scans combine lanes: neutral values, one step, and the folding of a vector to a scalar.

#ifndef HELION_CODEGEN_CPU_COMBINE_H
#define HELION_CODEGEN_CPU_COMBINE_H

#include "dialect/IR/Helion.h"

namespace helion::cpu {
/// What a reduction carries from lane to lane.
using Held = llvm::SmallVector<mlir::Value>;

/// The type sums of `element` are kept in: f32 for bf16 and f16, else the element.
mlir::Type accumulatorType(mlir::Type element);

/// Neutral value of a plain kind, a scalar.
mlir::Value identityOf(mlir::OpBuilder &builder, mlir::Location loc, ReductionKind kind, mlir::Type element);

/// `a` combined with `b` by a plain kind. Max and min of floats are NaN when either is.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, ReductionKind kind, mlir::Value a, mlir::Value b);

/// One scalar from the lanes of a vector whose length is a power of two.
mlir::Value combineLanes(mlir::OpBuilder &builder, mlir::Location loc, ReductionKind kind, mlir::Value vector);

/// Argmax and argmin: (value, index) after another lane. The first of equals stays; the first NaN wins.
Held combineArg(mlir::OpBuilder &builder, mlir::Location loc, ReductionKind kind, const Held &held, mlir::Value value,
                mlir::Value index);

/// A combiner region applied to what is held and the next lanes, scalars or vectors of `width`.
Held combineRegion(mlir::OpBuilder &builder, mlir::Region &combiner, const Held &held, llvm::ArrayRef<mlir::Value> next,
                   int64_t width);
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_COMBINE_H
