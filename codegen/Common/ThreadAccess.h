// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One load, store or atomic of a host tensor, seen from a thread: where its registers lie, which of them are inside the
// bounds, and which lie together.

#ifndef HELION_CODEGEN_COMMON_THREADACCESS_H
#define HELION_CODEGEN_COMMON_THREADACCESS_H

#include "codegen/Common/ThreadAddress.h"
#include "mlir/Transforms/DialectConversion.h"

namespace helion::threads {
/// Begin and bound of a tile's lanes, and how far its addresses are moved. Null: no bound, not moved. The values are
/// those of the original function.
struct TileSpan {
  mlir::Value begin, end;
  llvm::SmallVector<mlir::Value> shifts;
  int64_t extent;
};
/// None for a tile that no `helion.make_tile` makes.
std::optional<TileSpan> spanOf(mlir::Value tile);

/// For an index operand of an access: the dims of the value that it makes.
struct IndexDims {
  unsigned first = 0, count = 0;
};
llvm::SmallVector<IndexDims> indexDimsOf(mlir::ValueRange indices);

/// How many neighbours in a tile, the first at a multiple of their number, are inside or outside together, up to
/// `limit`: a power of two, by what is known of begin and bound.
int64_t decidedTogether(const ThreadContext &code, const TileSpan &span, int64_t limit);

/// Compares indices along one dim with a tile's bound, for any register.
class DimBound {
public:
  DimBound(ThreadContext &code, mlir::ConversionPatternRewriter &b, mlir::Location loc, const IndexMap &map,
           unsigned dim, const TileSpan &span);
  mlir::Value contains(int64_t reg);
  /// How many of `count` indices from that of `reg` on are inside, an i32; the indices follow each other in every
  /// thread.
  mlir::Value countFrom(int64_t reg, int64_t count);

private:
  ThreadContext &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const IndexMap &map;
  unsigned dim;
  mlir::Value room; // Indices below it are inside; with `adds`, the thread's own part is taken off.
  bool adds;
};

class TileAccess {
public:
  /// `layout` is none for a scalar. `indices` and `mask` are original values, `lowered*` their vectors.
  TileAccess(ThreadContext &code, mlir::ConversionPatternRewriter &b, mlir::Location loc, mlir::Value memref,
             mlir::ValueRange indices, mlir::ValueRange loweredIndices, const std::optional<Layout> &layout);
  void setMask(mlir::Value mask, mlir::Value lowered);

  mlir::Value memory() const { return view.memory; }
  mlir::Type held() const { return mlir::cast<mlir::MemRefType>(view.memory.getType()).getElementType(); }
  mlir::Value at(int64_t reg);
  /// Null: always.
  mlir::Value isInside(int64_t reg);
  /// How many elements of a run along `dim` are inside the tiles, an index; null: all.
  mlir::Value countInside(llvm::ArrayRef<int64_t> run, unsigned dim);
  bool gathersElements() const { return !gathers.empty(); }
  /// Registers of one access each. Inside or outside together when `together` is set; else the last one decides for all
  /// when it is inside.
  const Runs &runs() const { return chosen; }
  bool together() const { return isTogether; }
  int64_t alignment() const { return alignedElements * bytesOf(held()); }
  /// Equal for accesses that touch an element from the same thread (kPlaceAttr); null when that is not known.
  mlir::Attribute place() const;

private:
  void addIndex(unsigned dim, mlir::Value index, mlir::Value lowered, IndexDims dims);
  void addTile(unsigned dim, mlir::Value tile, unsigned valueDim);
  void addTensor(unsigned dim, mlir::Value index, mlir::Value lowered, IndexDims dims);
  void chooseRuns();

  /// Element `sources[reg]` of an index tensor, times a stride.
  struct Gather {
    llvm::SmallVector<mlir::Value> elements;
    llvm::SmallVector<int64_t> sources;
    mlir::OpFoldResult stride;
    mlir::Value size;
  };

  ThreadContext &code;
  mlir::ConversionPatternRewriter &b;
  mlir::Location loc;
  mlir::Value memref;
  View view;
  std::optional<Layout> layout;
  IndexMap map;
  IndexMath math;
  llvm::SmallVector<mlir::OpFoldResult> strides; // by dim of the value
  mlir::Value base;
  llvm::SmallVector<std::pair<unsigned, TileSpan>> spans; // by dim of the value, those with a bound
  llvm::SmallVector<DimBound> bounds;                     // of `spans`
  llvm::SmallVector<Gather> gathers;
  llvm::SmallVector<mlir::Value> maskElements;
  llvm::SmallVector<int64_t> maskSources;
  std::optional<Addresses> addresses;
  llvm::SmallVector<int64_t> placed; // by dim of the tensor: the value's dim, -1 for an index
  bool isPlaced = true;
  int64_t commonMultiple = 0, alignedElements = 1;
  Runs chosen;
  unsigned runDim = 0; // along which runs of several registers lie
  bool isTogether = true;
};

/// The registers of a load, one run after the other; `fill` where a lane is outside. `place` is for kPlaceAttr
/// and `hint` for kCacheHintAttr.
llvm::SmallVector<mlir::Value> loadRegisters(mlir::OpBuilder &b, mlir::Location loc, TileAccess &access,
                                             mlir::Value fill, mlir::Attribute place = {}, mlir::StringAttr hint = {});

/// An `scf.if` whose condition differs between threads; no barrier may stand in it.
mlir::scf::IfOp divergentIf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value condition,
                            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)> inside,
                            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)> outside = {});
} // namespace helion::threads

#endif // HELION_CODEGEN_COMMON_THREADACCESS_H
