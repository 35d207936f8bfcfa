// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-map-programs: from grid loops to program ids.
//
// A launch runs the tiles of its grid loops, numbered through: T = sum over loops of the product of tile counts. The
// kind of program id says which program runs tile t; `Decoder` turns t into one tile per dim. Tile counts are host
// values, so a grid is a plan expression.

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Config/SiteOptions.h"
#include "passes/Config/Sites.h"
#include "passes/Normalize/Passes.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/TileLoops.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_MAPPROGRAMSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace helion

namespace {
enum class PidType { Flat, Xyz, PersistentBlocked, PersistentInterleaved };

/// The word is one that the knob has.
PidType parsePidType(StringRef word) {
  return llvm::StringSwitch<PidType>(word)
      .Case("flat", PidType::Flat)
      .Case("xyz", PidType::Xyz)
      .Case("persistent_blocked", PidType::PersistentBlocked)
      .Case("persistent_interleaved", PidType::PersistentInterleaved);
}

/// What the config says of one launch.
struct Mapping {
  PidType pidType = PidType::Flat;
  int64_t multiplier = 1;
};

/// Maps one launch.
class Mapper {
public:
  Mapper(LaunchOp launch, Mapping mapping, const SiteOptions &groupings)
      : launch(launch), mapping(mapping), groupings(groupings), host(launch), builder(launch.getContext()),
        loc(launch.getLoc()) {}
  LogicalResult map();
  unsigned numLoops() const { return loops.size(); }

private:
  LogicalResult check();
  void countTiles();
  void mapXyz();
  void mapLinear();
  Value beginPersistent(scf::ForOp &forOp);
  void emitLoop(unsigned number, Value tile);
  SmallVector<Value> decode(unsigned number, Value tile);
  void inlineBody(TileOp loop, ValueRange ids);

  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value div(Value a, Value b) { return arith::DivUIOp::create(builder, loc, a, b); }
  Value rem(Value a, Value b) { return arith::RemUIOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulIOp::create(builder, loc, a, b); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }

  LaunchOp launch;
  Mapping mapping;
  const SiteOptions &groupings;
  OpBuilder host, builder;
  Location loc;
  SmallVector<TileOp> loops;
  SmallVector<SmallVector<Value>> counts; // per loop and dim, host values
  SmallVector<Value> totals;              // per loop
  Value total;
};
} // namespace

//===-- Checks and counts ----------------------------------------------------------------------------------------===//

LogicalResult Mapper::check() {
  for (TileOp loop : loops)
    for (Value bound : llvm::concat<Value>(SmallVector<Value>(loop.getLowers()), SmallVector<Value>(loop.getUppers())))
      if (launch->isAncestor(bound.getParentRegion()->getParentOp()))
        return loop.emitError() << "bound of grid loop `" << loop.getSite() << "` is computed on the device";
  bool xyz = mapping.pidType == PidType::Xyz;
  if (xyz && !canMapXyz(launch))
    return launch.emitError() << "pid_type `xyz` of `" << launch.getName() << "` needs one grid loop of 2 or 3 dims";
  if (xyz && groupings.integer(loops[0].getSite()).value_or(1) != 1)
    return launch.emitError() << "l2_groupings of `" << loops[0].getSite() << "` needs a linear program id, not `xyz`";
  bool persistent = mapping.pidType == PidType::PersistentBlocked || mapping.pidType == PidType::PersistentInterleaved;
  if (!persistent && mapping.multiplier != 1)
    return launch.emitError() << "num_sm_multiplier of `" << launch.getName() << "` needs a persistent pid_type";
  return success();
}

void Mapper::countTiles() {
  for (TileOp loop : loops) {
    counts.emplace_back();
    Value product;
    for (unsigned dim = 0; dim != loop.getNumDims(); ++dim) {
      Value count = tileCount(host, loop, dim);
      counts.back().push_back(count);
      product = product ? arith::MulIOp::create(host, loc, product, count) : count;
    }
    totals.push_back(product);
    total = total ? arith::AddIOp::create(host, loc, total, product) : product;
  }
}

//===-- Decoding -------------------------------------------------------------------------------------------------===//

/// Tile number to one index per dim. The last dim varies fastest; with a grouping of G, G tiles of the last but one dim
/// are visited before the last dim moves on (Triton's grouped order).
SmallVector<Value> Mapper::decode(unsigned number, Value tile) {
  ArrayRef<Value> count = counts[number];
  unsigned dims = count.size();
  SmallVector<Value> ids(dims);
  int64_t group = groupings.integer(loops[number].getSite()).value_or(1);
  unsigned last = dims;
  if (group > 1 && dims >= 2) {
    Value rows = count[dims - 2], columns = count[dims - 1];
    Value plane = tile;
    if (dims > 2) {
      Value planeSize = mul(rows, columns);
      plane = rem(tile, planeSize);
      tile = div(tile, planeSize);
    }
    Value span = mul(index(group), columns);
    Value first = mul(div(plane, span), index(group));
    Value height = arith::MinUIOp::create(builder, loc, sub(rows, first), index(group));
    Value inside = rem(plane, span);
    ids[dims - 2] = add(first, rem(inside, height));
    ids[dims - 1] = div(inside, height);
    last = dims - 2;
  }
  for (unsigned dim = last; dim-- > 0;) {
    ids[dim] = dim == 0 ? tile : rem(tile, count[dim]);
    if (dim)
      tile = div(tile, count[dim]);
  }
  return ids;
}

/// Moves the body of a grid loop to the builder's place, its tiles made of `ids`.
void Mapper::inlineBody(TileOp loop, ValueRange ids) {
  for (unsigned dim = 0; dim != loop.getNumDims(); ++dim) {
    Value begin = boundExtent(loop, dim) == 1 ? ids[dim] : mul(ids[dim], index(boundExtent(loop, dim)));
    if (!isConstantIntValue(loop.getLowers()[dim], 0))
      begin = add(begin, loop.getLowers()[dim]);
    replaceTile(builder, loop, dim, begin);
  }
  loop.getYield().erase();
  builder.getInsertionBlock()->getOperations().splice(builder.getInsertionPoint(),
                                                      loop.getBody().front().getOperations());
}

/// Runs tile `tile` of the launch: the loops in order, each over its own span of numbers.
void Mapper::emitLoop(unsigned number, Value tile) {
  if (number + 1 == loops.size())
    return inlineBody(loops[number], decode(number, tile));
  Value mine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, tile, totals[number]);
  auto branch = scf::IfOp::create(builder, loc, mine, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  inlineBody(loops[number], decode(number, tile));
  builder.setInsertionPointToStart(branch.elseBlock());
  emitLoop(number + 1, sub(tile, totals[number]));
}

//===-- Kinds of program ids -------------------------------------------------------------------------------------===//

void Mapper::mapXyz() {
  static const char *const axes[] = {"x", "y", "z"};
  SmallVector<Value> grid, ids;
  for (auto [axis, count] : llvm::enumerate(llvm::reverse(counts[0]))) {
    grid.push_back(count);
    ids.insert(ids.begin(), ProgramIdOp::create(builder, loc, builder.getIndexType(), axes[axis]));
  }
  launch.getGridMutable().assign(grid);
  inlineBody(loops[0], ids);
}

/// A loop over the tiles that this program runs; the builder ends inside it.
Value Mapper::beginPersistent(scf::ForOp &forOp) {
  Value sms = DeviceFactOp::create(host, loc, host.getIndexType(), "sms");
  Value programs = arith::MulIOp::create(host, loc, sms, arith::ConstantIndexOp::create(host, loc, mapping.multiplier));
  Value grid = arith::MinUIOp::create(host, loc, total, programs);
  launch.getGridMutable().assign(grid);
  Value id = ProgramIdOp::create(builder, loc, builder.getIndexType(), "x");
  Value from = id, to = total, step;
  if (mapping.pidType == PidType::PersistentInterleaved) {
    step = NumProgramsOp::create(builder, loc, builder.getIndexType(), "x");
  } else {
    // Without tiles there is no program, but the expression is evaluated all the same.
    Value divisor = arith::MaxUIOp::create(host, loc, grid, arith::ConstantIndexOp::create(host, loc, 1));
    Value share = arith::CeilDivUIOp::create(host, loc, total, divisor);
    from = mul(id, share);
    to = arith::MinUIOp::create(builder, loc, add(from, share), total);
    step = index(1);
  }
  forOp = scf::ForOp::create(builder, loc, from, to, step);
  forOp->setAttr("site", launch.getNameAttr());
  builder.setInsertionPointToStart(forOp.getBody());
  return forOp.getInductionVar();
}

void Mapper::mapLinear() {
  scf::ForOp persistent;
  Value tile;
  if (mapping.pidType == PidType::Flat) {
    launch.getGridMutable().assign(total);
    tile = ProgramIdOp::create(builder, loc, builder.getIndexType(), "x");
  } else {
    tile = beginPersistent(persistent);
  }
  emitLoop(0, tile);
}

LogicalResult Mapper::map() {
  Block &body = launch.getBody().front();
  llvm::append_range(loops, body.getOps<TileOp>());
  if (loops.empty())
    return launch.emitError() << "launch `" << launch.getName() << "` has no grid loop";
  if (failed(check()))
    return failure();
  countTiles();
  builder.setInsertionPoint(loops.front());
  // What stands between two grid loops belongs before all of them.
  for (TileOp loop : llvm::drop_begin(loops))
    loop->moveAfter(loops.front());
  builder.setInsertionPoint(body.getTerminator());
  if (mapping.pidType == PidType::Xyz)
    mapXyz();
  else
    mapLinear();
  for (TileOp loop : loops)
    loop.erase();
  return success();
}

namespace {
struct MapPrograms : public helion::impl::MapProgramsPassBase<MapPrograms> {
  using MapProgramsPassBase::MapProgramsPassBase;

  void runOnOperation() override {
    SiteOptions groupings("l2_groupings", SiteOptions::Kind::Integer);
    SiteOptions multipliers("num_sm_multiplier", SiteOptions::Kind::Integer);
    SiteOptions pidTypes("pid_type", SiteOptions::Kind::Word);
    SmallVector<StringRef> launches, grids;
    SmallVector<LaunchOp> work;
    getOperation().walk([&](LaunchOp launch) {
      work.push_back(launch);
      launches.push_back(launch.getName());
      for (auto loop : launch.getBody().getOps<TileOp>())
        if (loop.getNumDims() >= 2)
          grids.push_back(loop.getSite());
    });
    Operation *module = getOperation();
    if (failed(groupings.parse(module, l2Groupings)) || failed(groupings.checkSites(module, grids)) ||
        failed(multipliers.parse(module, numSmMultiplier)) || failed(multipliers.checkSites(module, launches)) ||
        failed(pidTypes.parse(module, pidType)) || failed(pidTypes.checkSites(module, launches)) ||
        failed(groupings.checkValues(module)) || failed(multipliers.checkValues(module)) ||
        failed(pidTypes.checkValues(module)))
      return signalPassFailure();
    for (LaunchOp launch : work)
      if (failed(mapLaunch(launch, groupings, multipliers, pidTypes)))
        return signalPassFailure();
    lowerInnerLoops();
    getOperation()->setAttr(kFormAttr, StringAttr::get(&getContext(), "scheduled"));
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(verifyFormScheduled(kernel)))
        return signalPassFailure();
  }

  LogicalResult mapLaunch(LaunchOp launch, const SiteOptions &groupings, const SiteOptions &multipliers,
                          const SiteOptions &pidTypes) {
    PidType pidType = parsePidType(pidTypes.word(launch.getName()).value_or("flat"));
    Mapper mapper(launch, {pidType, multipliers.integer(launch.getName()).value_or(1)}, groupings);
    if (failed(mapper.map()))
      return failure();
    mapped += mapper.numLoops();
    return success();
  }

  void lowerInnerLoops() {
    SmallVector<TileOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](TileOp loop) { loops.push_back(loop); });
    for (TileOp loop : loops)
      lowerToFor(loop);
  }
};
} // namespace
