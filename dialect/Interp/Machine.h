// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of one run: what each SSA value holds, extents of blocks, spans of the ranges in scope, the current program.
// The handlers of ops (OpTable.h) read and write it; nothing outlives the run.

#ifndef HELION_DIALECT_INTERP_MACHINE_H
#define HELION_DIALECT_INTERP_MACHINE_H

#include "dialect/Interp/Interpreter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"
#include <array>
#include <deque>
#include <set>

namespace helion::interp {

/// A scalar (no dims) or tile value: doubles or wrapped integers, row-major. Never changed once it is bound to a value.
struct Lanes {
  Shape shape;
  bool isFloat = false;
  std::vector<double> floats;
  std::vector<int64_t> ints;

  int64_t count() const { return isFloat ? floats.size() : ints.size(); }
};
using LanesRef = std::shared_ptr<const Lanes>;

/// What a tile variable holds. Valid lanes are a prefix: begin + lane < end.
struct TileSpan {
  int64_t begin = 0, end = 0, extent = 1;
  int64_t shift = 0;            // added to addresses only
  int64_t lower = 0, upper = 0; // of its loop
  int64_t validLanes() const { return std::clamp<int64_t>(end - begin, 0, extent); }
};

/// One buffer of a slot of staged memory (form L).
struct Staged {
  LanesRef lanes;
};
using StagedRef = std::shared_ptr<Staged>;
struct Ring;
/// A slot in hand: the ring that it belongs to, and its buffers.
struct Slot {
  std::shared_ptr<Ring> ring;
  std::vector<StagedRef> buffers;
};
/// A ring of a running program: slots that wait for a reader, and how many are neither free nor read yet.
struct Ring {
  int64_t depth = 1, inUse = 0;
  bool staysInGroup = false;
  std::deque<Slot> full;
};
using RingRef = std::shared_ptr<Ring>;

using Cell = std::variant<std::monostate, LanesRef, TileSpan, HostTensor, StagedRef, Slot, RingRef>;
using Cells = llvm::SmallVector<Cell, 4>;

/// Where the current program stands in its grid (form S).
struct GridPosition {
  std::array<int64_t, 3> id = {0, 0, 0}, size = {1, 1, 1};
};

class Machine {
public:
  Machine(KernelOp kernel, const RunOptions &options) : kernel(kernel), options(options) {}

  //===-- Values -------------------------------------------------------------------------------------------------===//
  LanesRef lanes(mlir::Value value) const { return *std::get_if<LanesRef>(&cell(value)); }
  int64_t integer(mlir::Value value) const { return lanes(value)->ints[0]; }
  const HostTensor &host(mlir::Value value) const { return *std::get_if<HostTensor>(&cell(value)); }
  const StagedRef &staged(mlir::Value value) const { return *std::get_if<StagedRef>(&cell(value)); }
  const Slot &slot(mlir::Value value) const { return *std::get_if<Slot>(&cell(value)); }
  const RingRef &ring(mlir::Value value) const { return *std::get_if<RingRef>(&cell(value)); }
  /// Lanes of a tile value, or what a buffer holds now.
  LanesRef contents(mlir::Value value) const {
    return mlir::isa<BufType>(value.getType()) ? staged(value)->lanes : lanes(value);
  }
  const TileSpan &tile(mlir::Value value) const { return *std::get_if<TileSpan>(&cell(value)); }
  const Cell &cell(mlir::Value value) const { return cells.find(value)->second; }
  bool has(mlir::Value value) const { return cells.contains(value); }

  mlir::LogicalResult set(mlir::Value value, Cell cell);
  mlir::LogicalResult setFloats(mlir::Value value, llvm::ArrayRef<int64_t> shape, std::vector<double> lanes);
  mlir::LogicalResult setInts(mlir::Value value, llvm::ArrayRef<int64_t> shape, std::vector<int64_t> lanes);
  mlir::LogicalResult setInteger(mlir::Value value, int64_t number) { return setInts(value, {}, {number}); }

  //===-- Execution ----------------------------------------------------------------------------------------------===//
  /// Runs the ops up to the terminator, whose operands are the result.
  mlir::LogicalResult runBlock(mlir::Block &block, Cells &yielded);
  mlir::LogicalResult runOp(mlir::Operation *op);
  /// Records the first error of the run, with the op's name and place, and fails.
  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &text,
                           RunError::Kind kind = RunError::Kind::Execution);
  llvm::Error takeError();

  //===-- Dims ---------------------------------------------------------------------------------------------------===//
  mlir::FailureOr<int64_t> extentOf(mlir::Operation *op, DimAttr dim);
  mlir::FailureOr<Shape> shapeOf(mlir::Operation *op, mlir::Type type);
  /// Lanes of a dim that its range admits: all of them on a plain dim.
  mlir::FailureOr<int64_t> validLanesOf(mlir::Operation *op, DimAttr dim);
  /// Whether a lane of a value of this type is inside all ranges; false in forms S and L, where types do not say.
  bool isSurelyVisible(mlir::Operation *op, mlir::Type type, int64_t lane);
  void bindRange(DimAttr dim, const TileSpan &span);
  void bindBlock(llvm::StringRef name, int64_t extent);
  /// Default extent of a growing slice's block over `size` indices.
  int64_t sliceExtent(llvm::StringRef block, int64_t size);

  KernelOp kernel;
  const RunOptions &options;
  BlockMap blocks;
  /// Blocks of slices that nobody bound: they follow the size.
  std::set<std::string> growingSlices;
  GridPosition program;
  std::string launch;

private:
  llvm::DenseMap<mlir::Value, Cell> cells;
  llvm::DenseMap<DimAttr, int64_t> extents;
  llvm::DenseMap<mlir::StringAttr, TileSpan> ranges;
  std::unique_ptr<RunError> error;
};

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_MACHINE_H
