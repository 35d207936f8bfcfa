// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-choose-cpu: the last choice pass of a CPU config. It decides nothing; it puts the choices where code
// generation reads them.

#include "codegen/CPU/Passes.h"
#include "mlir/IR/Builders.h"
#include "passes/Config/SiteOptions.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_CHOOSECPUPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace helion

namespace {
struct ChooseCpu : public helion::impl::ChooseCpuPassBase<ChooseCpu> {
  using ChooseCpuPassBase::ChooseCpuPassBase;

  void runOnOperation() override {
    SiteOptions tiles("register_tiles", SiteOptions::Kind::List);
    SiteOptions steps("step_vectors", SiteOptions::Kind::Integer);
    SiteOptions streams("stream_stores", SiteOptions::Kind::Word);
    auto dots = sitesOf<DotOp>([](DotOp dot) { return dot.getSite(); });
    auto stores = sitesOf<StoreOp>([](StoreOp store) { return store.getSite(); });
    auto launches = sitesOf<LaunchOp>([](LaunchOp launch) { return launch.getName(); });
    if (failed(read(tiles, registerTiles, dots)) || failed(read(steps, stepVectors, launches)) ||
        failed(read(streams, streamStores, stores)))
      return signalPassFailure();
    LogicalResult result = success();
    auto note = [&](LogicalResult one) { result = failed(one) ? one : result; };
    for (auto [dot, site] : dots)
      if (std::optional<ArrayRef<int64_t>> tile = tiles.list(site))
        note(choose(dot, *tile));
    for (auto [launch, site] : launches)
      if (std::optional<int64_t> vectors = steps.integer(site))
        note(choose(launch, *vectors));
    for (auto [store, site] : stores)
      if (std::optional<StringRef> when = streams.word(site))
        note(choose(store, *when));
    if (failed(result))
      signalPassFailure();
  }

  template <typename Op> using Sites = SmallVector<std::pair<Op, StringRef>>;

  template <typename Op, typename Name> Sites<Op> sitesOf(Name name) {
    Sites<Op> sites;
    getOperation().walk([&](Op op) { sites.push_back({op, name(op)}); });
    return sites;
  }

  template <typename Op>
  LogicalResult read(SiteOptions &options, ArrayRef<std::string> entries, const Sites<Op> &sites) {
    SmallVector<StringRef> names;
    for (auto [op, site] : sites)
      names.push_back(site);
    return success(succeeded(options.parse(getOperation(), entries)) &&
                   succeeded(options.checkSites(getOperation(), names)));
  }

  LogicalResult choose(LaunchOp launch, int64_t vectors) {
    if (vectors < 1 || vectors > 8 || !llvm::isPowerOf2_64(vectors))
      return launch.emitError() << "step_vectors of `" << launch.getName() << "` is `" << vectors
                                << "`; it is a power of two from 1 to 8";
    launch->setAttr("step_vectors", Builder(&getContext()).getIndexAttr(vectors));
    ++chosen;
    return success();
  }

  LogicalResult choose(StoreOp store, StringRef when) {
    if (!llvm::is_contained({"large", "always", "never"}, when))
      return store.emitError() << "stream_stores of `" << store.getSite() << "` is `" << when
                               << "`; it is `large`, `always` or `never`";
    store->setAttr("stream", StringAttr::get(&getContext(), when));
    ++chosen;
    return success();
  }

  LogicalResult choose(DotOp dot, ArrayRef<int64_t> tile) {
    if (tile.size() != 2 || tile[0] < 1 || tile[1] < 1)
      return dot.emitError() << "register_tiles of `" << dot.getSite() << "` is not two numbers of at least 1";
    dot->setAttr("register_tile", DenseI64ArrayAttr::get(&getContext(), tile));
    ++chosen;
    return success();
  }
};
} // namespace
