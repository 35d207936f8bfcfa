// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop of a scan: lane after lane along its dim, what is held is written on the way; with the vectors along another
// dim or none.

#include "codegen/CPU/Combine.h"
#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/NestEmitter.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

namespace {
/// What is held in the order of the scan. The lane that comes first is taken as it is: a region says of its identities
/// only what they do to lanes outside.
struct Running : OrderedLanes {
  Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

  Held start() {
    if (auto region = dyn_cast<ScanFnOp>(nest.op))
      return spreadAll(region.getOthers());
    Type element = accumulatorType(elementOf(nest.values[0]));
    return {spread(identityOf(builder, loc, cast<ScanOp>(nest.op).getKind(), element))};
  }

  Held add(const Held &held, ArrayRef<Position> at, Value isFirst) {
    Held added = next(at);
    auto region = dyn_cast<ScanFnOp>(nest.op);
    if (!region)
      return {combine(builder, loc, cast<ScanOp>(nest.op).getKind(), held[0], added[0])};
    Held joined = combineRegion(builder, region.getCombiner(), held, added, lanes.facts.width);
    for (auto [value, own] : llvm::zip(joined, added))
      value = arith::SelectOp::create(builder, loc, isFirst, own, spread(value));
    return joined;
  }

  void write(const Held &held, ArrayRef<Position> at) {
    for (auto [view, value, lane] : llvm::zip(nest.views, nest.values, held))
      if (view.memory)
        lanes.storeTo(view, at,
                      convertElement(builder, loc, lane, accumulatorType(elementOf(value)), elementOf(value)));
  }
};
} // namespace

/// `base` is where the vectors begin that are scanned side by side; none: one lane.
void NestEmitter::emitScan(Value base) {
  Running running{{builder, lanes, *nest, loc, bool(base)}};
  int dim = nest->combined, level = levelOf(dim);
  IndexMath math(builder, loc);
  Value end = tripCount(*nest, dim), begin = math.constant(0), last = math.sub(end, math.constant(1));
  Held start = running.start();
  OpBuilder::InsertionGuard guard(builder);
  auto loop = openLoop(begin, end, 1, start);
  lanes.hoistTo(level - 1, loop);
  lanes.enterLevel(level);
  Value step = loop.getInductionVar();
  bool reverse = nest->op->hasAttr("reverse");
  at[dim] = {reverse ? math.sub(last, step) : step, dim, false};
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, step, begin);
  Held next = running.add(Held(loop.getRegionIterArgs()), at, isFirst);
  running.write(next, at);
  scf::YieldOp::create(builder, loc, next);
}
