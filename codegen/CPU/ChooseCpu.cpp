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
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) { dots.push_back(dot); });
    if (failed(tiles.parse(getOperation(), registerTiles)) ||
        failed(tiles.checkSites(getOperation(), llvm::map_to_vector(dots, [](DotOp dot) { return dot.getSite(); }))))
      return signalPassFailure();
    for (DotOp dot : dots)
      if (std::optional<ArrayRef<int64_t>> tile = tiles.list(dot.getSite()); tile && failed(choose(dot, *tile)))
        return signalPassFailure();
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
