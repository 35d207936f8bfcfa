// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of addresses before a function is lowered to threads: numbers that indices and strides are multiples
// of, alignments of pointers, and which pointer a memref comes from.

#ifndef HELION_CODEGEN_COMMON_THREADFACTS_H
#define HELION_CODEGEN_COMMON_THREADFACTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace helion::threads {
class Multiples {
public:
  explicit Multiples(mlir::func::FuncOp function);
  /// A number that divides the value in every run; 0 for the constant 0.
  int64_t of(mlir::Value value) const;
  int64_t of(mlir::OpFoldResult value) const;

private:
  int64_t ofResult(mlir::OpResult result) const;
  llvm::DenseMap<mlir::Value, int64_t> known;
};

/// The pointer or memref that a memref's views and casts start from: an argument of the function, an allocation, or
/// what else makes memory.
mlir::Value rootOf(mlir::Value memref);
/// Bytes that the address of `memref`'s root is a multiple of: `llvm.align` of an argument; 1 when nothing is known.
int64_t rootAlignment(mlir::Value memref);
} // namespace helion::threads

#endif // HELION_CODEGEN_COMMON_THREADFACTS_H
