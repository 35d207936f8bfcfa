// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the loops of nests. Dims become scalar loops but one, whose loop steps by vectors: first whole vectors that
// are known to be valid, then the rest, then one masked step.

#ifndef HELION_CODEGEN_CPU_NESTEMITTER_H
#define HELION_CODEGEN_CPU_NESTEMITTER_H

#include "codegen/CPU/Combine.h"
#include "codegen/CPU/LaneEvaluator.h"
#include "codegen/CPU/TileNest.h"

namespace helion::cpu {
/// Lanes of a nest that are combined one after the other; vectors of them side by side where `isVector`.
struct OrderedLanes {
  mlir::OpBuilder &builder;
  LaneEvaluator &lanes;
  const Nest &nest;
  mlir::Location loc;
  bool isVector;

  mlir::Value spread(mlir::Value value) { return isVector ? lanes.spread(value) : value; }
  Held spreadAll(mlir::ValueRange values);
  /// What the nest's values have at a place, narrow floats widened.
  Held next(llvm::ArrayRef<Position> at);
};

class NestEmitter {
public:
  NestEmitter(mlir::OpBuilder &builder, const TilePlan &plan, TileMemory &memory, const CodeOptions &options)
      : builder(builder), plan(plan), memory(memory), options(options), lanes(builder, plan, memory) {}

  /// Emits the group at the builder's place; twice under a test where only run time knows that lane strides are 1.
  void emit(const NestGroup &group);

  /// Calls `body(true)` at the builder's place; where only run time knows that the group's lane strides are 1,
  /// `body(true)` and `body(false)` in the branches of a test.
  void emitUnderTest(const NestGroup &group, llvm::function_ref<void(bool)> body);

  /// A bound that loads and masks ask for along a dim whose lanes are all computed: below it nothing needs a test.
  mlir::Value splitBoundOf(const Nest &nest, int dim);

  LaneEvaluator &evaluator() { return lanes; }

  /// True when a store past the caches was emitted: it must be fenced before other threads may read.
  bool streamed = false;

private:
  /// A stretch of the loop along the vector's dim.
  struct Segment {
    mlir::Value begin, end;
    int64_t lanes = 1; // Per round.
    mlir::Value split; // Bound known to hold.
    bool isTail = false;
  };
  using Body = llvm::function_ref<void(mlir::Value)>;

  /// What is known of one version of a group's code.
  struct Version {
    bool unitStride = true, streams = false;
  };
  mlir::Value unitStrideTest(const NestGroup &group);
  mlir::Value streamTest(const NestGroup &group);
  bool canStream(const Nest &member) const;
  mlir::Value streamTest(StoreOp store, int64_t vectorBytes, int vectorDim);
  void emitShared(const NestGroup &group, unsigned level, Version version);
  void emitNest(const Nest &nest, unsigned level, Version version, llvm::ArrayRef<mlir::Value> ahead);
  void emitLevel(unsigned level);
  void emitVectorLoop(unsigned level, Body body);
  void emitStep();
  void emitAtomic();
  void emitVectorReduce();
  void emitSequence(mlir::Value base);
  void emitScan(mlir::Value base);
  Held accumulate(const Segment &segment, const Held &start);
  mlir::scf::ForOp openLoop(mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange inits = {});
  mlir::scf::ForOp openRounds(const Segment &segment, mlir::ValueRange inits = {});
  llvm::SmallVector<Segment> segments(int dim);
  void enterSegment(const Segment &segment, mlir::Value index);
  void leaveSegment();
  mlir::Value tripCount(const Nest &nest, int dim);
  llvm::SmallVector<Position> positionsAt(int dim, mlir::Value index, bool isVector);
  llvm::SmallVector<Position> withoutCombined(llvm::ArrayRef<Position> at);
  int levelOf(int dim) const;

  mlir::OpBuilder &builder;
  const TilePlan &plan;
  TileMemory &memory;
  const CodeOptions &options;
  LaneEvaluator lanes;
  const Nest *nest = nullptr;
  mlir::Location loc = builder.getUnknownLoc();
  llvm::SmallVector<Position> at; // Of the nest's dims, as far as their loops are open.
};
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_NESTEMITTER_H
