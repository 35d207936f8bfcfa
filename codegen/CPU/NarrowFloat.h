// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 and f16 are kept as their bits, i16, in lanes and in memory; arithmetic is done in f32. Both directions are
// exact up to the one rounding to nearest even, NaN stays NaN. All functions take scalars and vectors.

#ifndef HELION_CODEGEN_CPU_NARROWFLOAT_H
#define HELION_CODEGEN_CPU_NARROWFLOAT_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace helion::cpu {
/// True for bf16 and f16.
bool isNarrowFloat(mlir::Type element);

/// The type of `value` with another element.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// The type that lanes of `element` have: i16 for bf16 and f16, else the element.
mlir::Type laneElement(mlir::Type element);

/// The type they have in memory: a byte for i1, else that of lanes.
mlir::Type memoryElement(mlir::Type element);

/// A scalar of the kernel as a lane.
mlir::Value scalarLane(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar);

/// Lanes of bf16 or f16 as f32; lanes of other elements as they are.
mlir::Value widen(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lane, mlir::Type element);

/// f32 or f64 as lanes of bf16 or f16, rounded once.
mlir::Value narrow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type to);

/// Lanes of any float or integer element as lanes of another; integers are signed.
mlir::Value convertElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lane, mlir::Type from,
                           mlir::Type to);
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_NARROWFLOAT_H
