// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-order-loops: permutes the dims of tile loops in form K.

#include "passes/Config/SiteOptions.h"
#include "passes/Schedule/Passes.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_ORDERLOOPSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace helion

static LogicalResult checkOrder(TileOp loop, ArrayRef<int64_t> order) {
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, loop.getNumDims())))
    return loop.emitError() << "loop_orders of `" << loop.getSite() << "` is no permutation of its "
                            << loop.getNumDims() << " dims";
  if (!loop.isGrid() && !loop.getInits().empty() && !loop.hasCombine())
    return loop.emitError() << "loop_orders: `" << loop.getSite()
                            << "` carries values in the order of its iterations and has no `combine`";
  return success();
}

/// Bounds and tiles take their new places; carried values stay behind the tiles.
static void reorder(TileOp loop, ArrayRef<int64_t> order) {
  Block &body = loop.getBody().front();
  unsigned dims = loop.getNumDims();
  SmallVector<Value> lowers(loop.getLowers()), uppers(loop.getUppers());
  SmallVector<BlockArgument> tiles(loop.getTiles());
  for (auto [place, dim] : llvm::enumerate(order)) {
    loop.getLowersMutable()[place].assign(lowers[dim]);
    loop.getUppersMutable()[place].assign(uppers[dim]);
    BlockArgument fresh = body.insertArgument(dims + place, tiles[dim].getType(), tiles[dim].getLoc());
    tiles[dim].replaceAllUsesWith(fresh);
  }
  body.eraseArguments(0, dims);
}

namespace {
struct OrderLoops : public helion::impl::OrderLoopsPassBase<OrderLoops> {
  using OrderLoopsPassBase::OrderLoopsPassBase;

  void runOnOperation() override {
    SiteOptions orders("loop_orders", SiteOptions::Kind::List);
    SmallVector<TileOp> loops;
    getOperation().walk([&](TileOp loop) {
      if (loop.getNumDims() > 1)
        loops.push_back(loop);
    });
    if (failed(orders.parse(getOperation(), loopOrders)) ||
        failed(orders.checkSites(getOperation(), llvm::map_to_vector(loops, [](TileOp op) { return op.getSite(); }))))
      return signalPassFailure();
    for (TileOp loop : loops) {
      std::optional<ArrayRef<int64_t>> order = orders.list(loop.getSite());
      if (!order)
        continue;
      if (failed(checkOrder(loop, *order)))
        return signalPassFailure();
      reorder(loop, *order);
      ++ordered;
    }
  }
};
} // namespace
