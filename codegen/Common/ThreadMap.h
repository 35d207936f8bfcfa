// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowering to threads asks of a layout, in plain numbers: what a register adds to an index, which registers
// are neighbours in memory, which thread stores a replicated element, where a thread finds an element among its own
// registers.

#ifndef HELION_CODEGEN_COMMON_THREADMAP_H
#define HELION_CODEGEN_COMMON_THREADMAP_H

#include "dialect/IR/Layout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace helion::threads {
/// A contribution to one output of a map: y = (thread.bits ^ reg.bits) + thread.digits + reg.digits.
struct Part {
  int64_t bits = 0, digits = 0;
  int64_t sum() const { return bits + digits; }
};

int64_t registersOf(const IndexMap &map);
Part registerPart(const IndexMap &map, int64_t reg, unsigned out);
/// Bits of `out` that are hit by a register and by a thread.
int64_t sharedBits(const IndexMap &map, unsigned out);
/// True when there are none: the parts of both just add.
bool partsAdd(const IndexMap &map, unsigned out);

/// The dim of a tile in staged memory along which `count` neighbours, at a multiple of `count`, lie together.
std::optional<unsigned> contiguousDim(const Layout &staged, int64_t count);

/// Registers in groups of `width`, ascending along `out` and equal in the other outputs; each group begins at a
/// multiple of `width` in every thread. `width` is the largest power of two up to `limit` for which that holds.
struct Runs {
  int64_t width = 1;
  llvm::SmallVector<llvm::SmallVector<int64_t>> groups;
};
Runs runsAlong(const IndexMap &map, unsigned out, int64_t limit);

/// Which of the threads and registers that hold an element acts for it: those that pass all tests.
struct Ownership {
  /// `(x / stride) % count` must be 0; with count 0, `x / stride`.
  struct Test {
    LayoutSpace space;
    int64_t stride, count;
  };
  llvm::SmallVector<Test> tests;
  llvm::SmallVector<bool> registers;
};
Ownership ownershipOf(const Layout &layout, int64_t lanes, int64_t warps);

/// For each register of `result` the register of `operand` in the same thread that holds element `sourceOf(index)`.
/// None when some thread does not hold it there.
std::optional<llvm::SmallVector<int64_t>> localSources(const Layout &result, const Layout &operand, int64_t lanes,
                                                       int64_t warps,
                                                       llvm::function_ref<Point(llvm::ArrayRef<int64_t>)> sourceOf);

/// One factor of a dim, held by registers, lanes or warps.
struct DimUnit {
  LayoutSpace space;
  int64_t inStride, outStride, count;
};
/// The factors of `dim` in ascending order. None when a thread or register moves along this dim and another at once, or
/// when two of them move along one bit: then the dim cannot be combined factor by factor.
std::optional<llvm::SmallVector<DimUnit>> unitsAlong(const Layout &layout, unsigned dim);
} // namespace helion::threads

#endif // HELION_CODEGEN_COMMON_THREADMAP_H
