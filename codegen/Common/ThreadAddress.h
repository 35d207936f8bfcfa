// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of a thread's registers: one base that the thread computes, and what each register adds to it. Host tensors
// and shared memory use the same.

#ifndef HELION_CODEGEN_COMMON_THREADADDRESS_H
#define HELION_CODEGEN_COMMON_THREADADDRESS_H

#include "codegen/Common/ThreadContext.h"

namespace helion::threads {
/// Index arithmetic that folds constants.
struct IndexMath {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value constant(int64_t value);
  /// Null is 0.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value times(mlir::Value x, mlir::OpFoldResult factor);
  mlir::Value value(mlir::OpFoldResult number);
  mlir::Value fromI32(mlir::Value value);
};

/// Element `sum over outs of (origin + index(reg)) * stride` of flat memory, for the registers of a map.
class Addresses {
public:
  /// `base` is in elements; null for 0. A stride of 0 leaves an output out.
  Addresses(ThreadContext &code, mlir::OpBuilder &b, mlir::Location loc, const IndexMap &map,
            llvm::ArrayRef<mlir::OpFoldResult> strides, mlir::Value base);
  mlir::Value at(int64_t reg);

private:
  ThreadContext &code;
  IndexMath math;
  const IndexMap &map;
  llvm::SmallVector<mlir::OpFoldResult> strides;
  mlir::Value base;
};

/// Index of register `reg` along an output, i32: for maps whose parts do not just add.
mlir::Value indexOf(ThreadContext &code, mlir::OpBuilder &b, mlir::Location loc, const IndexMap &map, int64_t reg,
                    unsigned out);

/// `count` elements of a shared buffer from `place`, a multiple of `count`, on, by loads as wide as that allows.
llvm::SmallVector<mlir::Value> readNeighbours(ThreadContext &code, mlir::OpBuilder &b, mlir::Location loc,
                                              mlir::Value buffer, mlir::Type element, mlir::Value place, int64_t count);

/// Of a tile that is a part of a buffer: the element that it begins at (null for 0), and whether the buffer is a
/// ring's.
struct SharedPart {
  mlir::Value begin;
  bool isRing = false;
};

/// A tile in shared memory and how the registers of a layout lie in it.
class SharedTile {
public:
  /// In a layout of staged memory, or in plain rows without one (or where the layouts do not line up). `gap` elements
  /// lie behind each row.
  SharedTile(ThreadContext &code, mlir::Value buffer, const Layout &registers, const Layout *staged, int64_t gap = 0);
  SharedTile(ThreadContext &code, mlir::Value buffer, const Layout &registers, const Layout *staged, SharedPart part);
  void write(mlir::OpBuilder &b, mlir::Location loc, mlir::ArrayRef<mlir::Value> elements,
             llvm::ArrayRef<bool> registers = {});
  llvm::SmallVector<mlir::Value> read(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element);
  /// Of these registers alone, as few accesses as they lie together for.
  llvm::SmallVector<mlir::Value> readSome(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element,
                                          llvm::ArrayRef<int64_t> registers);
  /// The registers that lie together, up to `limit` elements, and the place of the first of each.
  Runs runs(int64_t limit) const { return runsAlong(map, contiguous, limit); }
  mlir::Value placeOf(mlir::OpBuilder &b, mlir::Location loc, int64_t reg) { return addresses(b, loc).at(reg); }

private:
  Addresses addresses(mlir::OpBuilder &b, mlir::Location loc);
  int64_t limit() const;
  void readRun(mlir::OpBuilder &b, mlir::Location loc, Addresses &places, llvm::ArrayRef<int64_t> run,
               mlir::Type element, llvm::SmallVectorImpl<mlir::Value> &elements) const;
  void mark(mlir::Operation *access) const;

  ThreadContext &code;
  mlir::Value buffer;
  SharedPart part;
  IndexMap map;
  llvm::SmallVector<int64_t> strides;
  unsigned contiguous;
};
} // namespace helion::threads

#endif // HELION_CODEGEN_COMMON_THREADADDRESS_H
