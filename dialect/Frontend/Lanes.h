// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emission of operations on tile values: casts, promotion, broadcasting, reductions and products, with the rules of
// PyTorch on one side and those of form K's dims on the other. Every function reports at the builder's current place.
#pragma once

#include "dialect/Frontend/KernelBuilder.h"

namespace helion::frontend {

/// Emits one op (or a few) on operands of equal type: builtin scalars or tensors of equal dims.
using EmitLanes = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

//===--- types and numbers ---===//

/// True for what takes part in arithmetic: tile values, numbers, sizes.
bool isArithmetic(const PyValue &value);
/// torch's result type of the operands: tensors over tensors of rank 0 over Python numbers, within categories.
mlir::FailureOr<DType> resultType(KernelBuilder &k, llvm::ArrayRef<PyValue> operands);
/// A constant as a builtin scalar.
mlir::Value constant(KernelBuilder &k, double value, DType dtype);
mlir::Value constantInteger(KernelBuilder &k, int64_t value, DType dtype);
/// A number or a tile value of rank 0 as a builtin scalar of `dtype`.
mlir::FailureOr<mlir::Value> scalar(KernelBuilder &k, const PyValue &number, DType dtype);
/// An index for bounds and addresses.
mlir::FailureOr<mlir::Value> indexValue(KernelBuilder &k, const PyValue &number);
/// `.to(dtype)`; keeps numbers numbers.
mlir::FailureOr<PyValue> castTo(KernelBuilder &k, const PyValue &value, DType dtype);

//===--- dims ---===//

/// Dims as Python sees them; inserted ones are the integer 1.
llvm::SmallVector<DimAttr> dimsOf(const TileValue &value, mlir::MLIRContext *context);
/// A tile value whose every dim is a dim of its SSA value.
TileValue tileValue(mlir::Value value, DType dtype);
/// The value with exactly these dims, repeated where it is narrower; ranges are rebound. Fails where dims differ.
mlir::FailureOr<mlir::Value> broadcastTo(KernelBuilder &k, const TileValue &value, llvm::ArrayRef<DimAttr> dims);
/// The SSA value with the inserted dims in its type.
mlir::FailureOr<TileValue> withRealDims(KernelBuilder &k, const TileValue &value);
/// All operands broadcast to common dims, as tile values with one `axes`.
mlir::FailureOr<llvm::SmallVector<TileValue>> broadcastTogether(KernelBuilder &k, llvm::ArrayRef<TileValue> values);
/// A number or tile value of `dtype` spread over dims.
mlir::FailureOr<mlir::Value> filled(KernelBuilder &k, const PyValue &value, DType dtype, llvm::ArrayRef<DimAttr> dims);
/// Python's dim number, negative from the end, as 0..rank-1.
mlir::FailureOr<int> normalizeDim(KernelBuilder &k, int64_t dim, unsigned rank);

/// The lanes of these dims that the jagged tiles among them cover; null where there is none. Fails where the dims of a
/// tile's lengths are not among them.
mlir::FailureOr<mlir::Value> coveredLanes(KernelBuilder &k, llvm::ArrayRef<DimAttr> dims);

//===--- operations ---===//

/// Casts the operands to `operandType`, broadcasts, emits, and says the lanes are `laneType`. On the host the result is
/// a number that is computed where device code needs it.
mlir::FailureOr<PyValue> elementwise(KernelBuilder &k, llvm::ArrayRef<PyValue> operands, DType operandType,
                                     DType laneType, EmitLanes emit);
/// The same on the promoted type, computed in f32 for narrow floats and rounded back; integers become f32 if
/// `floatOnly`.
mlir::FailureOr<PyValue> arithmetic(KernelBuilder &k, llvm::ArrayRef<PyValue> operands, bool floatOnly, EmitLanes emit);

/// x / y. Up to f32 it may be a product with the reciprocal (`arcp`): within 2 units, as on GPUs, not correctly
/// rounded.
mlir::Value quotient(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y);

enum class Reduction { Sum, Prod, Max, Min, ArgMax, ArgMin, All, Any };
/// How a reduction combines lanes of `dtype`.
ReductionKind kindOf(Reduction reduction, DType dtype);
/// The value with `other` in the lanes that its jagged tiles do not cover, if `dim` is one of those dims or of their
/// lengths.
mlir::FailureOr<mlir::Value> uncovered(KernelBuilder &k, mlir::Value value, DimAttr dim, mlir::TypedAttr other);
/// Reduces one dim in the lane type.
mlir::FailureOr<TileValue> reduce(KernelBuilder &k, const TileValue &value, Reduction reduction, int dim, bool keepDim);
/// Each lane of one dim combined with all before it, or with `reverse` behind it, in the lane type; sums and products.
mlir::FailureOr<TileValue> scan(KernelBuilder &k, const TileValue &value, Reduction reduction, int dim, bool reverse);
/// Numbers that come of two sets of numbers, all of the first and then all of the second.
using CombineNumbers = llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::ValueRange)>;
/// The same by a function, which must be associative, over values that get the dims of the first.
mlir::FailureOr<llvm::SmallVector<TileValue>> scanBy(KernelBuilder &k, llvm::ArrayRef<TileValue> values, int dim,
                                                     bool reverse, CombineNumbers combine);
/// The number of lanes of a dim, as a number of `dtype`.
mlir::FailureOr<mlir::Value> laneCount(KernelBuilder &k, DimAttr dim, DType dtype);

/// lhs @ rhs + acc, accumulated and returned in `accType`; without `acc` from zero.
mlir::FailureOr<PyValue> product(KernelBuilder &k, const TileValue &lhs, const TileValue &rhs, const TileValue *acc,
                                 DType accType);

} // namespace helion::frontend
