// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory as the emitter sees it: a flat view, an offset and strides in elements. Kernel arguments and scratch buffers
// look the same; vector accesses go to the flat view, so strides that are known only at run time are no special case.

#ifndef HELION_CODEGEN_CPU_TILEMEMORY_H
#define HELION_CODEGEN_CPU_TILEMEMORY_H

#include "dialect/IR/Helion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"

namespace helion::cpu {
/// Marks the allocations that the scratch planner places.
constexpr llvm::StringLiteral kTileBufferAttr = "helion.tile_buffer";

/// Arithmetic on indices that folds constants as it goes.
class IndexMath {
public:
  explicit IndexMath(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value floorTo(mlir::Value a, int64_t step);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};
/// The constant an index value is, if it is one.
std::optional<int64_t> constantOf(mlir::Value value);

struct View {
  mlir::Value memory; // One-dimensional, unit stride; elements as `memoryElement` has them.
  mlir::Value offset;
  llvm::SmallVector<mlir::Value> strides;
};

/// Where tile values live, and the flat views of host tensors.
class TileMemory {
public:
  /// The view of a host tensor; its ops stand right behind the tensor's definition.
  View viewOf(mlir::Value memref);

  /// A new scratch buffer for a value of this shape, rows padded to a multiple of `rowMultiple`.
  View allocate(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> shape, mlir::Type element,
                int64_t rowMultiple = 1);

  /// Buffers of tile values that are stored.
  llvm::DenseMap<mlir::Value, View> stored;

  /// The block that holds a value now: bodies of rebuilt loops have moved, their arguments have not.
  mlir::Block *blockOf(mlir::Value value) const;
  llvm::DenseMap<mlir::Block *, mlir::Block *> moved;

private:
  llvm::DenseMap<mlir::Value, View> views;
};
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_TILEMEMORY_H
