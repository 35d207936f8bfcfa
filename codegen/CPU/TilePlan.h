// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides for each tile value whether its consumers compute it again, lane by lane, or read it from a buffer, and where
// that buffer is filled. Loads that a later store may overwrite are pinned: they are read where they stand.

#ifndef HELION_CODEGEN_CPU_TILEPLAN_H
#define HELION_CODEGEN_CPU_TILEPLAN_H

#include "codegen/CPU/LaneReach.h"
#include "llvm/ADT/SetVector.h"

namespace helion::cpu {
/// Where a value is computed: inside the nest of `op`, or in a nest of its own right before it.
struct Site {
  mlir::Operation *op = nullptr;
  bool before = false;
  bool operator==(const Site &other) const { return op == other.op && before == other.before; }
};

class TilePlan {
public:
  TilePlan(mlir::func::FuncOp function, const LaneReach &reach);

  /// True when readers of `value` find it in a buffer: results of loops, reductions and dots, and what this plan
  /// buffers.
  bool isStored(mlir::Value value) const;

  /// Values to compute into buffers right before `op`, in their order.
  llvm::ArrayRef<mlir::Value> buffersBefore(mlir::Operation *op) const;

  /// Where `value` is read, through values that are computed again.
  llvm::ArrayRef<Site> sitesOf(mlir::Value value) const;

  const LaneReach &reach() const { return lanes; }

  /// What a kernel's memory is known by: the host tensor that views are taken of.
  static mlir::Value rootOf(mlir::Value memref);

private:
  void visitBlock(mlir::Block &block);
  void visitOp(mlir::Operation *op);
  void addSite(mlir::Value value, Site site);
  bool wantsBuffer(mlir::Operation *op);
  bool isPinned(LoadOp load) const;
  bool crossesLoop(mlir::Operation *op) const;
  unsigned cost(mlir::Value value);
  void sortBuffers();

  const LaneReach &lanes;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Site>> sites;
  llvm::DenseMap<mlir::Value, unsigned> costs;
  llvm::DenseSet<mlir::Value> buffered;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> before;
};

/// Calls `visit(value, positions)` for `value` and everything it is computed from, leaves included, with the position
/// of each dim: the dim of `at` it runs along, or -1.
void walkChain(mlir::Value value, llvm::ArrayRef<int> at, llvm::function_ref<bool(mlir::Value)> isLeaf,
               llvm::function_ref<void(mlir::Value, llvm::ArrayRef<int>)> visit);
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_TILEPLAN_H
