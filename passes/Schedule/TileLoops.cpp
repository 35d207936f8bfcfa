// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From tile loops with bound extents to index arithmetic.

#include "passes/Schedule/TileLoops.h"

using namespace mlir;
using namespace helion;

int64_t helion::boundExtent(TileOp loop, unsigned dim) { return *loop.getTileType(dim).getDim().getConstant(); }

static Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static bool isZero(Value value) { return isConstantIntValue(value, 0); }

Value helion::tileCount(OpBuilder &builder, TileOp loop, unsigned dim) {
  Location loc = loop.getLoc();
  Value lower = loop.getLowers()[dim], size = loop.getUppers()[dim];
  if (!isZero(lower)) {
    // An upper bound below the lower one means no tile.
    size = arith::SubIOp::create(builder, loc, size, lower);
    size = arith::MaxSIOp::create(builder, loc, size, constantIndex(builder, loc, 0));
  }
  if (boundExtent(loop, dim) == 1)
    return size;
  return arith::CeilDivSIOp::create(builder, loc, size, constantIndex(builder, loc, boundExtent(loop, dim)));
}

/// The number that a query on tile `dim`, which begins at `begin`, stands for; null for another kind of user.
static Value answerQuery(OpBuilder &builder, Operation *query, TileOp loop, unsigned dim, Value begin) {
  Location loc = query->getLoc();
  Value extent = constantIndex(builder, loc, boundExtent(loop, dim));
  if (isa<TileBeginOp>(query))
    return begin;
  if (isa<TileCountOp>(query))
    return tileCount(builder, loop, dim);
  if (isa<TileEndOp>(query)) {
    Value end = arith::AddIOp::create(builder, loc, begin, extent);
    return boundExtent(loop, dim) == 1 ? end : arith::MinSIOp::create(builder, loc, end, loop.getUppers()[dim]);
  }
  if (!isa<TileIdOp>(query))
    return {};
  Value lower = loop.getLowers()[dim];
  Value offset = isZero(lower) ? begin : arith::SubIOp::create(builder, loc, begin, lower);
  return arith::DivUIOp::create(builder, loc, offset, extent);
}

void helion::replaceTile(OpBuilder &builder, TileOp loop, unsigned dim, Value begin) {
  Value tile = loop.getTiles()[dim];
  // A tile of one lane has no lane outside.
  Value end = boundExtent(loop, dim) == 1 ? Value() : loop.getUppers()[dim];
  for (Operation *user : llvm::make_early_inc_range(tile.getUsers())) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(user);
    if (Value answer = answerQuery(builder, user, loop, dim, begin)) {
      user->replaceAllUsesWith(ValueRange(answer));
      user->erase();
    }
  }
  if (!tile.use_empty())
    tile.replaceAllUsesWith(MakeTileOp::create(builder, loop.getLoc(), tile.getType(), begin, end));
}

void helion::lowerToFor(TileOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<scf::ForOp> nest;
  ValueRange inits = loop.getInits();
  for (unsigned dim = 0; dim != loop.getNumDims(); ++dim) {
    Value step = constantIndex(builder, loc, boundExtent(loop, dim));
    auto forOp = scf::ForOp::create(builder, loc, loop.getLowers()[dim], loop.getUppers()[dim], step, inits);
    forOp->setAttr("site", loop.getSiteAttr());
    if (!nest.empty() && !inits.empty())
      scf::YieldOp::create(builder, loc, forOp.getResults());
    nest.push_back(forOp);
    inits = forOp.getRegionIterArgs();
    builder.setInsertionPointToStart(forOp.getBody());
  }
  for (unsigned dim = 0; dim != loop.getNumDims(); ++dim)
    replaceTile(builder, loop, dim, nest[dim].getInductionVar());
  for (auto [old, carried] : llvm::zip(loop.getCarried(), nest.back().getRegionIterArgs()))
    old.replaceAllUsesWith(carried);
  Block *body = nest.back().getBody(), *source = &loop.getBody().front();
  YieldOp yield = loop.getYield();
  SmallVector<Value> yielded(yield.getOperands());
  yield.erase();
  auto where = yielded.empty() ? Block::iterator(body->getTerminator()) : body->end();
  body->getOperations().splice(where, source->getOperations());
  if (!yielded.empty()) {
    builder.setInsertionPointToEnd(body);
    scf::YieldOp::create(builder, loc, yielded);
  }
  loop->replaceAllUsesWith(nest.front().getResults());
  loop.erase();
}
