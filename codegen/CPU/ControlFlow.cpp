// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops and branches that carry tile values: each carried value gets one buffer, filled before the loop and written at
// the end of each round. And the end: tile values are gone.

#include "codegen/CPU/TileChain.h"
#include "codegen/CPU/TileEmitter.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

static bool isTile(Value value) { return isTileValue(value.getType()); }

/// Gives the yield only its scalars.
static void dropTiles(Operation *yield) {
  SmallVector<Value> scalars;
  llvm::copy_if(yield->getOperands(), std::back_inserter(scalars), [](Value value) { return !isTile(value); });
  yield->setOperands(scalars);
}

void TileEmitter::emitLoop(scf::ForOp loop) {
  SmallVector<View> views;
  SmallVector<SmallVector<Value>> bounds;
  SmallVector<Value> scalars;
  for (auto [init, arg, result] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    if (!isTile(init)) {
      scalars.push_back(init);
      continue;
    }
    views.push_back(allocate(result));
    bounds.push_back(boundsOf(result));
    memory.stored[arg] = memory.stored[result] = views.back();
    Nest start = fillNest(plan, loop, init, views.back());
    start.bounds = bounds.back();
    addNest(start);
  }
  flush();
  auto plain =
      scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), scalars);
  Block *body = plain.getBody(), *old = loop.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  body->getOperations().splice(body->end(), old->getOperations());
  memory.moved[old] = body;
  loop.getInductionVar().replaceAllUsesWith(plain.getInductionVar());
  unsigned next = 0;
  for (auto [arg, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    if (!isTile(arg)) {
      arg.replaceAllUsesWith(plain.getRegionIterArgs()[next]);
      result.replaceAllUsesWith(plain.getResults()[next++]);
    }
  emitBlock(*body);
  endCarried(body->getTerminator(), views, bounds);
  builder.setInsertionPointAfter(plain);
}

void TileEmitter::emitBranch(scf::IfOp branch) {
  flush();
  SmallVector<View> views;
  SmallVector<SmallVector<Value>> bounds;
  SmallVector<Type> scalars;
  for (Value result : branch.getResults()) {
    if (!isTile(result)) {
      scalars.push_back(result.getType());
      continue;
    }
    views.push_back(allocate(result));
    bounds.push_back(boundsOf(result));
    memory.stored[result] = views.back();
  }
  bool hasElse = !branch.getElseRegion().empty();
  auto plain = scf::IfOp::create(builder, branch.getLoc(), scalars, branch.getCondition(), hasElse);
  for (auto [from, to] : llvm::zip(branch->getRegions(), plain->getRegions())) {
    if (from.empty())
      continue;
    Block &body = to.front();
    body.clear();
    body.getOperations().splice(body.end(), from.front().getOperations());
    memory.moved[&from.front()] = &body;
    emitBlock(body);
    endCarried(body.getTerminator(), views, bounds);
  }
  unsigned next = 0;
  for (Value result : branch.getResults())
    if (!isTile(result))
      result.replaceAllUsesWith(plain.getResult(next++));
  builder.setInsertionPointAfter(plain);
}

namespace {
/// A carried value that is still to be written to its buffer.
struct Pending {
  Value value;
  View view;
  SmallVector<Value> bounds;
};
} // namespace

/// How `nest` reads a buffer: not at all, each lane at its own place, or otherwise.
enum class Reads { None, OwnLane, Other };
static Reads readsOf(const Nest &nest, Value buffer, const TilePlan &plan, const TileMemory &memory) {
  Reads reads = Reads::None;
  SmallVector<int> dims = llvm::to_vector(llvm::seq<int>(0, nest.extents.size()));
  nest.walk(plan, [&](Value value, ArrayRef<int> at) {
    auto stored = memory.stored.find(value);
    if (stored == memory.stored.end() || stored->second.memory != buffer || reads == Reads::Other)
      return;
    reads = llvm::equal(at, dims) ? Reads::OwnLane : Reads::Other;
  });
  return reads;
}

/// Writes the yielded values to the buffers of the carried ones. A buffer may be written only when no other yielded
/// value still needs its old contents; where each waits for another, one goes through a copy.
void TileEmitter::endCarried(Operation *yield, ArrayRef<View> views, ArrayRef<SmallVector<Value>> bounds) {
  builder.setInsertionPoint(yield);
  SmallVector<Pending> left;
  for (Value value : yield->getOperands())
    if (isTile(value)) {
      size_t index = left.size();
      left.push_back({value, views[index], bounds[index]});
    }
  auto nestOf = [&](const Pending &entry) {
    Nest nest = fillNest(plan, yield, entry.value, entry.view);
    nest.bounds = entry.bounds;
    return nest;
  };
  llvm::erase_if(left, [&](const Pending &entry) {
    auto stored = memory.stored.find(entry.value);
    return plan.isStored(entry.value) && stored != memory.stored.end() && stored->second.memory == entry.view.memory;
  });
  SmallVector<std::pair<Value, Value>> copies;
  while (!left.empty()) {
    auto isFree = [&](const Pending &entry) {
      return llvm::all_of(left, [&](const Pending &other) {
        Reads reads = readsOf(nestOf(other), entry.view.memory, plan, memory);
        return reads == Reads::None || (reads == Reads::OwnLane && &other == &entry);
      });
    };
    auto next = llvm::find_if(left, isFree);
    bool isCopied = next == left.end();
    Pending entry = isCopied ? left.front() : *next;
    left.erase(isCopied ? left.begin() : next);
    if (isCopied) {
      auto copy = memref::AllocOp::create(builder, yield->getLoc(), cast<MemRefType>(entry.view.memory.getType()));
      copy->setAttr(kTileBufferAttr, builder.getUnitAttr());
      copies.push_back({copy, entry.view.memory});
      entry.view.memory = copy;
    }
    addNest(nestOf(entry));
  }
  flush();
  for (auto [from, to] : copies)
    memref::CopyOp::create(builder, yield->getLoc(), from, to);
  dropTiles(yield);
}

/// Everything that touches a tile or a tile value, and the emptied loops and branches.
void TileEmitter::eraseTileOps() {
  SmallVector<Operation *> dead;
  auto isTileType = [](Type type) { return isTileValue(type) || isa<TileType>(type); };
  function.walk([&](Operation *op) {
    bool isEmptied = isa<scf::ForOp, scf::IfOp>(op) && op->getNumRegions() && !op->getRegion(0).empty() &&
                     op->getRegion(0).front().empty();
    if (isEmptied || llvm::any_of(op->getOperandTypes(), isTileType) ||
        llvm::any_of(op->getResultTypes(), isTileType) || isa_and_nonnull<HelionDialect>(op->getDialect()))
      dead.push_back(op);
  });
  for (Operation *op : dead)
    op->dropAllReferences();
  for (Operation *op : dead) {
    op->dropAllUses();
    op->erase();
  }
}
