// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products on memory-resident tiles: the right operand packed to panels, a register tile of the accumulator kept
// in vectors over the whole k loop, the left operand read in place where it lies in memory in the accumulator's type.

#ifndef HELION_CODEGEN_CPU_DOTEMITTER_H
#define HELION_CODEGEN_CPU_DOTEMITTER_H

#include "codegen/CPU/NestEmitter.h"

namespace helion::cpu {
/// Rows and columns of the accumulator that one inner loop holds in registers.
struct RegisterTile {
  int64_t rows = 1, columns = 1, width = 1;
};

/// The tile a dot asks for by `register_tile`, else the default for the vectors of the target.
mlir::FailureOr<RegisterTile> registerTile(DotOp dot, const CodeOptions &options);

class DotEmitter {
public:
  DotEmitter(mlir::OpBuilder &builder, const TilePlan &plan, TileMemory &memory, NestEmitter &nests,
             const CodeOptions &options)
      : builder(builder), plan(plan), memory(memory), nests(nests), options(options) {}

  /// Adds the product to `accumulator`, whose rows are padded to whole panels.
  void emit(DotOp dot, const View &accumulator);

private:
  struct Shape {
    llvm::SmallVector<mlir::Value> batch; // Trip counts.
    mlir::Value rows, columns, inner;
    RegisterTile tile;
  };
  struct Operands {
    View lhs, rhs, acc;
  };
  /// Where the loops that surround a panel stand.
  struct Place {
    mlir::Value acc, lhs, rhs; // Element indices of the panel's first row.
  };
  Shape shapeOfDot(DotOp dot);
  std::optional<View> inPlace(mlir::Value value, llvm::ArrayRef<mlir::Value> bounds, mlir::Type element);
  View leftOperand(DotOp dot);
  View rightOperand(DotOp dot, const Shape &shape);
  void pack(DotOp dot, const View &packed, const RegisterTile &tile, bool unitStride);
  void packPanels(DotOp dot, const View &packed, const RegisterTile &tile, llvm::ArrayRef<Position> batch);
  void packRow(DotOp dot, const View &packed, const RegisterTile &tile, llvm::ArrayRef<Position> at, mlir::Value panel,
               mlir::Value columns);
  void emitBatch(const Shape &shape, const Operands &operands, llvm::SmallVector<mlir::Value> batch);
  void emitRows(const Shape &shape, const Operands &operands, Place place);
  void emitKernel(const Shape &shape, const Operands &operands, Place place, int64_t rows);
  llvm::SmallVector<mlir::Value> accumulate(const Shape &shape, const Operands &operands, Place place, int64_t rows,
                                            llvm::SmallVector<mlir::Value> held);
  llvm::SmallVector<mlir::Value> multiplyStep(const Shape &shape, const Operands &operands, Place place, mlir::Value k,
                                              llvm::SmallVector<mlir::Value> held);
  mlir::Value trip(mlir::Value bound, int64_t extent);
  mlir::scf::ForOp openLoop(mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange inits = {});

  mlir::OpBuilder &builder;
  const TilePlan &plan;
  TileMemory &memory;
  NestEmitter &nests;
  const CodeOptions &options;
  mlir::Location loc = builder.getUnknownLoc();
};

/// The op before which work on `value` for `user` can stand: `user`, or the outermost loop around it that does not make
/// `value`.
mlir::Operation *hoistPlace(const TileMemory &memory, mlir::Value value, mlir::Operation *user);
} // namespace helion::cpu

#endif // HELION_CODEGEN_CPU_DOTEMITTER_H
