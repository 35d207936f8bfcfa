// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function while it is lowered to the code of one thread: who the thread is, its part of a layout's indices, its
// words to other lanes. Patterns of this folder and of vendors build on it.

#ifndef HELION_CODEGEN_COMMON_THREADCONTEXT_H
#define HELION_CODEGEN_COMMON_THREADCONTEXT_H

#include "codegen/Common/ThreadFacts.h"
#include "codegen/Common/ThreadMap.h"
#include "dialect/IR/Helion.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace helion::threads {
/// A tensor in memory as a flat memref, with an element type that memory holds (bytes for booleans).
struct View {
  mlir::Value memory;
  mlir::OpFoldResult offset;
  llvm::SmallVector<mlir::OpFoldResult> strides;
};

/// Rings of the function (ThreadRings.h), by op.
struct RingSlots {
  /// Of an acquire or take: the slot's number, an index.
  llvm::DenseMap<mlir::Operation *, mlir::Value> numbers;
  /// Of a take: commits after its own on every path, which it does not wait for. Of a release behind a token: dots that
  /// may still read their slots, because those are filled later than the next acquire fills one.
  llvm::DenseMap<mlir::Operation *, int64_t> younger;
  /// Of a ring: all slots of each buffer, one after the other.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> buffers;
  /// Of a take from a ring that the device fills box by box: how often the slot was taken before, modulo 2; an i1.
  llvm::DenseMap<mlir::Operation *, mlir::Value> phases;
  /// Of such a ring: its barriers in shared memory, one a slot.
  llvm::DenseMap<mlir::Operation *, mlir::Value> barriers;
};

class ThreadContext {
public:
  /// Facts of the function are read here, before anything changes.
  ThreadContext(mlir::func::FuncOp function, int64_t lanes, int64_t warps, int64_t vectorBytes);

  const int64_t lanes, warps, vectorBytes;
  mlir::func::FuncOp function;
  const Multiples multiples;
  /// A vendor's patterns take dots that name an instruction.
  bool matrixDots = false;
  /// Operands of one dot that come through shared memory: changes of layout, of which it reads the source instead, and
  /// reads of rings.
  llvm::DenseSet<mlir::Operation *> leftToDots;
  RingSlots rings;

  /// Numbers of this thread in its block, in its warp, and of its warp: i32.
  mlir::Value thread();
  mlir::Value lane();
  mlir::Value warp();
  /// The warp's number in a form of which compilers see that all lanes have the same.
  mlir::Value uniformWarp();
  mlir::Value of(LayoutSpace space) { return space == LayoutSpace::Lane ? lane() : warp(); }

  /// What this thread adds to output `out` of a map: linear bits, and digits (ThreadMap.h). i32, null for 0; made once,
  /// at the start of the function.
  mlir::Value threadBits(const IndexMap &map, unsigned out);
  mlir::Value threadDigits(const IndexMap &map, unsigned out);
  /// Both together, for a map whose parts add.
  mlir::Value threadPart(const IndexMap &map, unsigned out);

  /// True in the threads that act for their elements; null when all do.
  mlir::Value actsFor(mlir::OpBuilder &b, mlir::Location loc, const Ownership &owners);
  /// True in the lanes whose entry is true; null when all are.
  mlir::Value inLanes(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<bool> lanes);
  /// `entry[lane]`, i32.
  mlir::Value byLane(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> entry);

  /// The value of the lane whose number differs in `mask`; of lane `from` (i32). Scalars of any type up to 64 bits.
  mlir::Value shuffleXor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, int64_t mask);
  mlir::Value shuffleFrom(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Value from);

  /// A buffer in shared memory; its place and its barriers are planned when the function is done (PlanShared.h).
  mlir::Value shared(mlir::OpBuilder &b, mlir::Location loc, int64_t elements, mlir::Type element);

  /// The flat view of a host tensor, made once behind the tensor.
  View viewOf(mlir::Value memref);

private:
  mlir::OpBuilder entry();
  mlir::Value cached(const llvm::Twine &key, llvm::function_ref<mlir::Value(mlir::OpBuilder &)> make);

  llvm::StringMap<mlir::Value> entryValues;
  mlir::Operation *lastAtEntry = nullptr;
  llvm::DenseMap<mlir::Value, View> views;
};

/// Registers of a lowered tile value as scalars, and back.
llvm::SmallVector<mlir::Value> unpack(mlir::OpBuilder &b, mlir::Location loc, mlir::Value vector);
mlir::Value pack(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::Value> elements);

/// `vector<RxT>` for a tile value with a layout.
mlir::VectorType registersType(mlir::Type tile);
Layout layoutIn(mlir::Value tile);

/// What memory holds of an element, and the conversions on scalars and vectors.
mlir::Type memoryElement(mlir::Type element);
mlir::Value fromMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value held, mlir::Type element);
mlir::Value toMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);
int64_t bytesOf(mlir::Type memoryElement);

/// Constants.
mlir::Value i32(mlir::OpBuilder &b, mlir::Location loc, int64_t value);
mlir::Value zeroOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);
/// `a` and `b`, where null is true.
mlir::Value both(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y);
} // namespace helion::threads

#endif // HELION_CODEGEN_COMMON_THREADCONTEXT_H
