// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-unroll-loops: upstream's unroller on the loops that the config names.

#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "passes/Config/SiteOptions.h"
#include "passes/Config/Sites.h"
#include "passes/Schedule/Passes.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_UNROLLLOOPSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace helion

static LogicalResult unrollFully(scf::ForOp loop, StringRef site) {
  std::optional<llvm::APInt> trips = loop.getStaticTripCount();
  if (!trips)
    return loop.emitError() << "static_ranges: trip count of `" << site << "` is no constant";
  if (trips->getSExtValue() > kMaxUnrolledTrips)
    return loop.emitError() << "static_ranges: `" << site << "` has `" << trips->getSExtValue()
                            << "` iterations; at most `" << kMaxUnrolledTrips << "` are unrolled";
  return loopUnrollFull(loop);
}

namespace {
struct UnrollLoops : public helion::impl::UnrollLoopsPassBase<UnrollLoops> {
  using UnrollLoopsPassBase::UnrollLoopsPassBase;

  void runOnOperation() override {
    SiteOptions factors("range_unroll_factors", SiteOptions::Kind::Integer),
        full("static_ranges", SiteOptions::Kind::Flag);
    SmallVector<scf::ForOp> loops;
    SmallVector<StringRef> sites;
    // Inner loops first, so that a copy of the outer body holds unrolled loops.
    getOperation().walk<WalkOrder::PostOrder>([&](scf::ForOp loop) {
      if (auto site = loop->getAttrOfType<StringAttr>("site")) {
        loops.push_back(loop);
        sites.push_back(site.getValue());
      }
    });
    Operation *module = getOperation();
    if (failed(factors.parse(module, rangeUnrollFactors)) || failed(factors.checkSites(module, sites)) ||
        failed(factors.checkValues(module)) || failed(full.parse(module, staticRanges)) ||
        failed(full.checkSites(module, sites)))
      return signalPassFailure();
    for (auto [loop, site] : llvm::zip(loops, sites))
      if (failed(unroll(loop, site, factors.integer(site).value_or(1), full.flag(site))))
        return signalPassFailure();
  }

  LogicalResult unroll(scf::ForOp loop, StringRef site, int64_t factor, bool full) {
    if (!full && factor < 2)
      return success();
    ++unrolled;
    if (full)
      return unrollFully(loop, site);
    return failure(failed(loopUnrollByFactor(loop, factor)));
  }
};
} // namespace
