// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites a function from tile values to loops and memory: walks its blocks in order, collects nests into groups,
// rebuilds loops and branches without carried tile values, and at the end erases what the tile values were.

#ifndef HELION_CODEGEN_CPU_TILEEMITTER_H
#define HELION_CODEGEN_CPU_TILEEMITTER_H

#include "codegen/CPU/DotEmitter.h"

namespace helion::cpu {
/// Diagnoses what the CPU target has no code for; nothing is changed.
mlir::LogicalResult checkSupported(mlir::func::FuncOp function, const CodeOptions &options);

class TileEmitter {
public:
  TileEmitter(mlir::func::FuncOp function, const TilePlan &plan, const CodeOptions &options);

  /// Needs a function that `checkSupported` accepts.
  void run();
  unsigned numNests = 0, numDots = 0;

private:
  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation *op);
  bool emitScalarOp(mlir::Operation *op);
  void emitReduce(mlir::Operation *op);
  void emitScan(mlir::Operation *op);
  void emitAtomic(AtomicOp op);
  void emitDot(DotOp op);
  void emitLoop(mlir::scf::ForOp loop);
  void emitBranch(mlir::scf::IfOp branch);
  void emitBuffers(mlir::Operation *op, std::optional<Nest> nest);
  void endCarried(mlir::Operation *yield, llvm::ArrayRef<View> views,
                  llvm::ArrayRef<llvm::SmallVector<mlir::Value>> bounds);
  void addNest(Nest nest);
  void flush();
  void shrinkBuffers();
  void shrinkBuffer(mlir::Value value, View &view);
  mlir::Value readScalar(const View &view, mlir::Type type);
  mlir::Value reusable(DotOp dot);
  View allocate(mlir::Value value);
  llvm::SmallVector<mlir::Value> boundsOf(mlir::Value value);
  void findAccumulators();
  void eraseTileOps();

  mlir::func::FuncOp function;
  const TilePlan &plan;
  const CodeOptions &options;
  mlir::OpBuilder builder;
  TileMemory memory;
  NestEmitter nests;
  DotEmitter dots;
  NestGroup pending;
  llvm::DenseMap<mlir::Value, int64_t> rowMultiples; // Of values whose buffer dots add to.
};
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_TILEEMITTER_H
