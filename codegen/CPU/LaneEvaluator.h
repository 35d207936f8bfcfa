// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes lanes of tile values: given a value and the index of each of its dims, emits scalar or vector code for
// exactly those lanes. The nest emitter owns the loops; this owns what stands in them.

#ifndef HELION_CODEGEN_CPU_LANEEVALUATOR_H
#define HELION_CODEGEN_CPU_LANEEVALUATOR_H

#include "codegen/CPU/TileMemory.h"
#include "codegen/CPU/TilePlan.h"
#include "codegen/Common/Quotients.h"
#include <map>
#include <vector>

namespace helion::cpu {
/// Lane index along one dim. `lanes`: a vector of consecutive lanes starts there, else one lane.
struct Position {
  mlir::Value index;
  int dim = -1; // Dim of the nest that it runs along, or -1.
  bool lanes = false;
};

/// What holds for all lanes that the code at hand computes.
struct NestFacts {
  llvm::SmallVector<mlir::Value> bounds; // Per dim of the nest: lanes are below this bound; null: not known.
  llvm::SmallVector<int> levels;         // Per dim of the nest: the loop that runs along it, outermost 0.
  int64_t width = 1;                     // Lanes that are computed together, one or more vectors of the target.
  int64_t nativeWidth = 1;               // Lanes of a vector of the target.
  bool unitStride = false;               // Lane strides that are not constant are known to be 1.
  bool streams = false;                  // The nest's store goes past the caches and is aligned to whole vectors.
  // Loads that ask for what they will read in the next round of loop `aheadDim`.
  llvm::SmallVector<mlir::Value> ahead;
  int aheadDim = -1;
  mlir::Value tail;  // Lanes of this vector that exist; null: all.
  mlir::Value split; // One more bound known to hold along the vector's dim.
};

class LaneEvaluator {
public:
  LaneEvaluator(mlir::OpBuilder &builder, const TilePlan &plan, TileMemory &memory)
      : builder(builder), plan(plan), memory(memory) {}

  /// Lanes of `value` at the positions: a scalar when none of them is a vector, or when the value does not change along
  /// it.
  mlir::Value evaluate(mlir::Value value, llvm::ArrayRef<Position> at);

  /// A scalar repeated to the width; vectors as they are. With width 1 scalars stay.
  mlir::Value spread(mlir::Value lane);

  /// Writes lanes to a view, those of the tail only.
  void storeTo(const View &view, llvm::ArrayRef<Position> at, mlir::Value lane);

  /// Writes the lanes that a store keeps. The nest must be clipped to its tiles. No positions: the scalar of a scalar
  /// store.
  void storeTo(StoreOp store, llvm::ArrayRef<Position> at);
  mlir::Value loadScalar(LoadOp load);

  /// Address and lanes to access of an atomic, which goes lane by lane.
  struct Element {
    mlir::Value memory, index, valid;
  };
  Element elementOf(AtomicOp atomic, llvm::ArrayRef<Position> at);

  /// Number of valid lanes of a bound, computed once where its tile is made.
  mlir::Value validCount(mlir::Value bound);

  /// First index of a tile.
  mlir::Value beginOf(mlir::Value tile);

  /// Starts a nest: forgets what was computed. `facts` may be changed between steps. `passing` are values to compute
  /// although they have a buffer, and the view to write each to, if any.
  using Passing = llvm::SmallVector<std::pair<mlir::Value, std::optional<View>>>;
  void startNest(NestFacts facts, Passing passing = {});
  NestFacts facts;
  /// Forgets lanes that depend on loops at `level` or inside; where code outside of `level` goes from now on.
  void enterLevel(int level);
  /// Code that depends on no loop inside `level` goes before `op`.
  void hoistTo(int level, mlir::Operation *op);

private:
  struct Access {
    View view;
    mlir::Value index;       // Scalar part, in elements.
    mlir::Value laneStride;  // Of the vector's dim; null when the address does not change along it.
    mlir::Value laneOffsets; // Per lane, from tensor indices.
    llvm::SmallVector<mlir::Value> valid;
    bool isVector() const { return laneStride || laneOffsets; }
  };
  Access access(mlir::Value memref, mlir::OperandRange indices, mlir::Value mask, llvm::ArrayRef<Position> at);
  void addTensorIndex(Access &access, mlir::Value memref, unsigned dim, mlir::Value lane);
  bool isContiguous(const Access &access) const;
  mlir::Value laneIndices(const Access &access);
  mlir::Value conjunction(llvm::ArrayRef<mlir::Value> terms);
  mlir::Value predicate(mlir::Value bound, const Position &at);
  mlir::Value tailMask();
  mlir::Value compute(mlir::Value value, llvm::ArrayRef<Position> at);
  mlir::Value computeLane(mlir::Operation *op, llvm::ArrayRef<Position> at);
  mlir::Value readStored(mlir::Value value, llvm::ArrayRef<Position> at);
  mlir::Value read(const Access &access, mlir::Type element, mlir::Value other);
  mlir::Value readAccess(const Access &access, mlir::Type element, mlir::Value fill);
  mlir::Value readScalar(const Access &access, mlir::Value fill);
  void writeAccess(const Access &access, mlir::Value lane, bool streams = false);
  void prefetchNext(LoadOp load, const Access &access, llvm::ArrayRef<Position> at);
  mlir::Value iota(IotaOp op, const Position &at);
  mlir::Value mask(MaskOp op, llvm::ArrayRef<Position> at);
  mlir::Value elementwise(mlir::Operation *op, llvm::ArrayRef<Position> at);
  bool sharesDivisor(mlir::arith::DivFOp op, llvm::ArrayRef<mlir::Value> lanes) const;
  mlir::Value timesReciprocal(mlir::Location loc, mlir::Value lane, mlir::Value divisor);
  mlir::Value zero(mlir::Type element);

  using Key = std::pair<void *, std::vector<void *>>;
  mlir::OpBuilder &builder;
  const TilePlan &plan;
  TileMemory &memory;
  Passing passing;
  std::vector<std::map<Key, mlir::Value>> known; // By level + 1.
  std::vector<mlir::Operation *> hoists;         // By level + 1.
  llvm::DenseMap<mlir::Value, mlir::Value> counts;
  llvm::DenseMap<mlir::Value, Reciprocal> reciprocals; // Of scalar divisors.
};
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_LANEEVALUATOR_H
