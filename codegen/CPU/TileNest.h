// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A nest: one loop nest over the lanes of a value that ends in memory: a buffer fill, a store, a reduction. Here are
// its facts before any code exists; nests that share their outer loops form a group, so that a row stays in the cache.

#ifndef HELION_CODEGEN_CPU_TILENEST_H
#define HELION_CODEGEN_CPU_TILENEST_H

#include "codegen/CPU/TileMemory.h"
#include "codegen/CPU/TilePlan.h"
#include <vector>

namespace helion::cpu {
/// x86 has fused multiply-adds and conversions of f16 from the level that has vectors of this size.
constexpr unsigned kFusedVectorBits = 256;

/// On a loop whose round takes several vectors together: the lanes of one.
constexpr llvm::StringLiteral kNativeLanesAttr = "helion.native_lanes";

/// Numbers of the target that shape the code.
struct CodeOptions {
  unsigned vectorBits = 256;
  unsigned vectorRegisters = 16;
  // Tensors of at least this many bytes are written past the caches; 0: none are.
  int64_t streamBytes = 0;
  // A power of two. Vectors that one round of a loop computes together, op by op: while one waits for a result the next
  // one works.
  unsigned stepVectors = 4;
};

struct Nest {
  enum class Kind {
    Fill,     // value -> views
    Store,    // a store's value -> memory
    Reduce,   // lanes of `combined` by a plain kind
    Sequence, // lanes of `combined` in order: argmax, argmin, combiner regions
    Scan,     // the same, each lane on the way -> views
    Atomic    // lane by lane
  };
  Kind kind = Kind::Fill;
  bool computes = false;         // A fill that makes the one value of its plan buffer.
  mlir::Type convertTo;          // Element that a fill converts to; null: as it is.
  mlir::Operation *op = nullptr; // Store, reduction, scan or atomic; for Fill the op whose location and place it has.
  llvm::SmallVector<mlir::Value> values; // What is evaluated; all have one shape.
  llvm::SmallVector<View> views;         // Where results go; empty for stores.
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::Value> bounds;                // Lanes at and past a bound are left out; null: all lanes.
  int combined = -1;                                    // Dim that a reduction removes or a scan goes along.
  llvm::SmallVector<int> order;                         // Dims, outermost loop first.
  int vectorDim = -1;                                   // Dim of the vectors; -1: lane by lane.
  int64_t width = 1;                                    // Lanes of a vector of the target.
  int64_t step = 1;                                     // Vectors of a round, where that many are whole.
  llvm::SmallVector<std::pair<mlir::Value, View>> tees; // Values that are written to a buffer where they pass by.

  /// Values and accesses that the nest evaluates directly, with the nest's dims as positions.
  void forEachRoot(llvm::function_ref<void(mlir::Value, llvm::ArrayRef<int>)> visit) const;
  /// True for values that this nest computes although others find them in a buffer.
  bool passes(mlir::Value value) const;
  /// Everything down to stored values and loads.
  void walk(const TilePlan &plan, llvm::function_ref<void(mlir::Value, llvm::ArrayRef<int>)> visit) const;
  /// True when lanes of `combined` are walked one after the other.
  bool isOrdered() const { return kind == Kind::Sequence || kind == Kind::Scan; }
  /// Host tensor dims that the nest walks along dim `dim`: (tensor, its dim).
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> accessesAlong(const TilePlan &plan, int dim) const;
  /// How many leading loops could be shared: dims in natural order that are neither vector nor combined.
  unsigned sharableLoops() const;
};

/// Copies a value to a view; `computes` when the view is the buffer that the plan gives it.
Nest fillNest(const TilePlan &plan, mlir::Operation *place, mlir::Value value, View view, bool computes = false);
Nest storeNest(const TilePlan &plan, StoreOp store);
Nest reduceNest(const TilePlan &plan, ReduceOp reduce, View view);
Nest reduceFnNest(const TilePlan &plan, ReduceFnOp reduce, llvm::ArrayRef<View> views);
/// A view without memory where nobody reads the result.
Nest scanNest(const TilePlan &plan, ScanOp scan, llvm::ArrayRef<View> views);
Nest scanFnNest(const TilePlan &plan, ScanFnOp scan, llvm::ArrayRef<View> views);
/// Without a view when nobody reads the old values.
Nest atomicNest(const TilePlan &plan, AtomicOp atomic, std::optional<View> view);

/// Picks vector dim, width and loop order.
void shapeLoops(Nest &nest, const TilePlan &plan, const TileMemory &memory, const CodeOptions &options);

/// Nests that share `shared` outer loops.
struct NestGroup {
  std::vector<Nest> nests;
  unsigned shared = 0;
};
/// Adds the nest when sharing loops keeps every value; false: it must come after the group.
bool tryJoin(NestGroup &group, const Nest &nest, const TilePlan &plan, const TileMemory &memory);

/// Lets the nest write `value` to its buffer where it computes it, when it computes each needed lane exactly once.
bool tryTee(Nest &nest, mlir::Value value, View view, const TilePlan &plan);
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_TILENEST_H
