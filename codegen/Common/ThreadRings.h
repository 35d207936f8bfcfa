// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings of form L in the code of one thread: which slot an acquire or take has, how many copies may still fly behind
// it, and the buffers. What barriers do follows from these: a take waits for its copies and meets all threads.

#ifndef HELION_CODEGEN_COMMON_THREADRINGS_H
#define HELION_CODEGEN_COMMON_THREADRINGS_H

#include "codegen/Common/ThreadAccess.h"

namespace helion::threads {
struct Vendor;

/// Loops carry the number of the next slot of each ring; slots of acquires and takes are filled in. Before facts of the
/// function are read, because loops become others.
RingSlots numberSlots(mlir::func::FuncOp function);

/// Makes the buffers, and waits and barriers where slots are taken. Commits and releases end.
void openRings(ThreadContext &code, const Vendor &vendor);
/// Erases what is left of rings after the conversion.
void closeRings(mlir::func::FuncOp function);

/// Where a buffer of a slot lies: a tile of its layout in shared memory from element `begin` on.
struct SlotBuffer {
  mlir::Value memory, begin;
  Layout layout;
};
SlotBuffer slotBuffer(ThreadContext &code, mlir::ConversionPatternRewriter &b, mlir::Location loc, mlir::Value buffer);

/// Says that an access is of a ring: its takes order what is written before what is read (PlaceBarriers).
void markRingAccess(mlir::Operation *op);

/// How threads share the copy of a tile: each takes `vector` neighbours along `fast`, as many as lie together.
Layout copyLayout(llvm::ArrayRef<int64_t> shape, unsigned fast, int64_t vector, int64_t lanes, int64_t warps);
} // namespace helion::threads

#endif // HELION_CODEGEN_COMMON_THREADRINGS_H
