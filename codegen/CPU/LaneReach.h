// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lanes of each tile value anybody looks at. A store drops the lanes past its tile's end, so what feeds only that
// store needs none of them; what feeds a reduction of all lanes needs all. The emitter clips its loops by this answer.

#ifndef HELION_CODEGEN_CPU_LANEREACH_H
#define HELION_CODEGEN_CPU_LANEREACH_H

#include "dialect/IR/Helion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseMap.h"

namespace helion::cpu {
/// Lanes of one dim: none, those below the end of a tile, or all.
struct Lanes {
  enum class Kind { None, Below, All };
  Kind kind = Kind::None;
  mlir::Value bound; // For Below: a bound that `LaneReach::boundOf` returns.

  static Lanes all() { return {Kind::All, {}}; }
  static Lanes below(mlir::Value bound) { return bound ? Lanes{Kind::Below, bound} : all(); }
  /// The smallest of the three that holds both.
  Lanes join(const Lanes &other) const;
  bool operator==(const Lanes &other) const { return kind == other.kind && bound == other.bound; }
};

class LaneReach {
public:
  /// Fails with a diagnostic when a tile does not come from `helion.make_tile`.
  static mlir::FailureOr<LaneReach> create(mlir::func::FuncOp function);

  /// One representative for all tiles with the same begin, end and extent; shifted tiles have the lanes of their
  /// origin. Null when all lanes of the tile are valid.
  mlir::Value boundOf(mlir::Value tile) const;

  /// Lanes of dim `dim` of `value` that are looked at. A bound is one that exists where the value is made.
  Lanes lanes(mlir::Value value, unsigned dim) const;
  /// The same of any result of the op, whose results have one shape, by dim.
  llvm::SmallVector<Lanes> resultLanes(mlir::Operation *op) const;

  /// The bound along k outside which both operands of a dot are 0, so that their products can be left out; else null.
  mlir::Value contractionBound(DotOp dot) const;

private:
  mlir::LogicalResult collectBounds(mlir::func::FuncOp function);
  void solve(mlir::func::FuncOp function);
  void need(mlir::Value value, llvm::ArrayRef<Lanes> lanes);
  void visit(mlir::Operation *op);
  void visitSink(mlir::Operation *op);
  void visitLoop(mlir::scf::ForOp loop);
  void visitAccess(mlir::OperandRange indices, mlir::Value value, mlir::Value mask, bool clips);
  llvm::SmallVector<Lanes> lanesOf(mlir::Value value) const;
  llvm::SmallVector<Lanes> scannedLanes(mlir::Operation *op, unsigned dim, bool reverse) const;
  mlir::Value zeroBound(mlir::Value value, unsigned dim) const;

  llvm::DenseMap<mlir::Value, mlir::Value> bounds;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Lanes>> reach;
  std::unique_ptr<mlir::DominanceInfo> dominance;
  bool changed = false;
};

/// True when `op` fills masked lanes with the neutral value of `kind`.
bool fillsIdentity(MaskOp op, ReductionKind kind);
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_LANEREACH_H
