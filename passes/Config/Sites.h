// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a kernel in form K has choices: the sites of every kind, read from the IR.
#ifndef HELION_PASSES_CONFIG_SITES_H
#define HELION_PASSES_CONFIG_SITES_H

#include "dialect/IR/Helion.h"
#include "passes/Config/Knob.h"

namespace helion {

struct Site {
  SiteKind kind;
  std::string name;
  std::string launch;  // The launch around it; of a block, the first with a tile of it.
  mlir::Operation *op; // Block, range, loop, launch, dot or store.
};

/// In program order; one op may be a site of several kinds.
std::vector<Site> sitesOf(KernelOp kernel);

/// Whether a slice may become a loop: no value of it is captured by a region or a combiner, reduced by argmax or
/// argmin, scanned along it, rebound, or used through its bounds as numbers. helion-roll-reductions also follows memory
/// and may still refuse.
bool canRoll(RangeOp range);
/// The grid loop of a launch of form K; null where it has several.
TileOp onlyGrid(LaunchOp launch);
/// Whether each tile of a launch can be a program with one grid dim of the device per loop dim; there are three.
bool canMapXyz(LaunchOp launch);
/// Iterations of a loop that is unrolled completely, at most: Helion's bound.
constexpr int64_t kMaxUnrolledTrips = 8;
/// The load of `block` that gives the operand of a dot as it is, or with dims in another order, and nothing else.
LoadOp loadBehind(mlir::Value operand, mlir::Block &block);
/// The loads of `block` that go to its dots as they are, or with dims in another order: those that may be copied to
/// shared memory on their way. Form K or S; dots that matrix instructions of a warp take.
llvm::SmallVector<LoadOp> loadsForDots(mlir::Block &block);
/// Loads of the body of a grid loop that may be copied to shared memory while an earlier program runs: plain loads of
/// tile values whose place follows from the program's number alone, before anything that the program stores. `body` is
/// that of a grid loop of form K, or of the loop over a program's tiles of form S.
llvm::SmallVector<LoadOp> loadsOfPrograms(mlir::Block &body);
/// Whether matrix instructions of several warps may read both operands of the dot where they are copied to: loads as
/// they are, of types that those take.
bool readsSlots(DotOp dot);
/// Whether a grid of several dims is pointwise: it starts at 0 and its body neither nests, combines nor moves lanes.
bool canFlatten(TileOp loop);

} // namespace helion

#endif // HELION_PASSES_CONFIG_SITES_H
