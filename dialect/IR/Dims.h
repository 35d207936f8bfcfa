// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dims of tile values, uniform over the forms: in K they come from the `#helion.dims` encoding, in S and L from the
// static shape. Verifiers, the importer and the passes ask here instead of looking at encodings.

#ifndef HELION_DIALECT_IR_DIMS_H
#define HELION_DIALECT_IR_DIMS_H

#include "dialect/IR/Helion.h"

namespace helion {
/// Dims of a tile value's type; empty for a scalar.
llvm::SmallVector<DimAttr> dimsOf(mlir::Type type);

/// Tile value type with these dims: with an encoding when a dim is symbolic or `forceEncoding` is set (form K), else
/// plain (S). No dims give the element type itself.
mlir::Type tileValueType(llvm::ArrayRef<DimAttr> dims, mlir::Type element, bool withEncoding = true);

/// The type with another element type, dims and encoding kept; works on scalars too.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// Dims a load or store with these index types has, after the rules of `helion.load`; none when the tensor indices
/// differ.
std::optional<llvm::SmallVector<DimAttr>> accessDims(mlir::TypeRange indices);

/// Dims as text for messages: `[bm@i, 64]`.
std::string dimsStr(llvm::ArrayRef<DimAttr> dims);

/// Product of dims as one dim, the rule of `helion.reshape`; none when one of several has a range.
std::optional<DimAttr> productOf(mlir::MLIRContext *context, llvm::ArrayRef<DimAttr> dims);

/// True when the type mentions `range`.
bool mentionsRange(mlir::Type type, mlir::StringAttr range);

/// Neutral value of a reduction over `element`; argmax and argmin have that of max and min.
mlir::TypedAttr reductionIdentity(ReductionKind kind, mlir::Type element);

/// True for the reduction kinds that take float elements; argmax and argmin take both.
bool acceptsElement(ReductionKind kind, mlir::Type element);
} // namespace helion

#endif // HELION_DIALECT_IR_DIMS_H
