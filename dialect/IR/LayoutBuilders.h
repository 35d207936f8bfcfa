// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts that passes start from: threads in blocks, fragments of matrix instructions, and shared memory with a
// swizzle. The manuals that each table follows are named beside the formulas that test it, in
// test/Unit/DialectIR/LayoutTest.cpp.

#ifndef HELION_DIALECT_IR_LAYOUTBUILDERS_H
#define HELION_DIALECT_IR_LAYOUTBUILDERS_H

#include "dialect/IR/Layout.h"

namespace helion {
/// How blockedLayout() spreads a tile: per dim, neighbours that one thread holds, then lanes, then warps; what is left
/// of the tile repeats in registers. `order` lists the dims, fastest first. Where the tile is smaller, the value is
/// replicated.
struct BlockedSpread {
  llvm::SmallVector<int64_t> perThread, lanes, warps;
  llvm::SmallVector<unsigned> order;
};
llvm::Expected<Layout> blockedLayout(llvm::ArrayRef<int64_t> shape, const BlockedSpread &spread);

/// Registers and lanes of one operand of one matrix instruction, by who runs it (a warp of 32, four such warps, a wave
/// of 64) and the extents of the operand: A is `m x k`, B `k x n`, C `m x n`. Elements of C have 32 bits; those of a
/// warp's A and B as many as make 256 along k, of the others 16.
enum class Fragment {
  Warp16x8A,
  Warp8x8B,
  Warp16x16A,
  Warp16x8B,
  Warp16x32A,
  Warp32x8B,
  Warp16x8C,
  Warps64x8C,  // to be repeated along n
  Warps64x16A, // from registers; to be repeated along k
  Wave32x32C,
  Wave32x8A,
  Wave16x16C,
  Wave16x16A,
};
LayoutText fragmentText(Fragment fragment);
/// The fragment repeated over a tile, in the order of `repeats`; register repeats along both dims fill up what is
/// missing, along dim 1 first. Fails when the tile is no multiple.
llvm::Expected<Layout> fragmentLayout(Fragment fragment, llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<LayoutText::Repeat> repeats = {});

/// Staged memory of `shape` (two dims) in boxes of `swizzleBytes` along `contiguous`, each 16 bytes moved by an XOR
/// with the number of the line, as tensor copies do for 32, 64 and 128 bytes; 0 means plain rows. Boxes follow each
/// other along the other dim first. Fails when the tile is no multiple of a box of 8 lines.
llvm::Expected<Layout> sharedLayout(llvm::ArrayRef<int64_t> shape, unsigned contiguous, unsigned elementBytes,
                                    unsigned swizzleBytes);
/// The same for a tile with dims of one element before the last two; `contiguous` is one of those two.
llvm::Expected<Layout> sharedTileLayout(llvm::ArrayRef<int64_t> shape, unsigned contiguous, unsigned elementBytes,
                                        unsigned swizzleBytes);
/// A tile of any dims in memory without gaps, line after line along `contiguous`, then along the others from the last
/// on.
Layout plainLayout(llvm::ArrayRef<int64_t> shape, unsigned contiguous);
/// True for two dims, and for more where those before the last two have one element.
bool isMatrixShape(llvm::ArrayRef<int64_t> shape);
/// The swizzle that makes sharedTileLayout() give `layout`: 0, 32, 64 or 128, and the contiguous dim. Of other shapes
/// than matrices that of plainLayout(), 0.
struct SharedForm {
  unsigned contiguous, swizzleBytes;
};
std::optional<SharedForm> sharedFormOf(const Layout &layout, unsigned elementBytes);
} // namespace helion

#endif // HELION_DIALECT_IR_LAYOUTBUILDERS_H
