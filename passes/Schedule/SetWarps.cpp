// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-set-warps: the number of warps of each launch, for targets whose programs are run by several. Layouts read it.

#include "mlir/IR/Builders.h"
#include "passes/Config/SiteOptions.h"
#include "passes/Schedule/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_SETWARPSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace helion

namespace {
struct SetWarps : public helion::impl::SetWarpsPassBase<SetWarps> {
  using SetWarpsPassBase::SetWarpsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SiteOptions warps("num_warps", SiteOptions::Kind::Integer);
    SmallVector<LaunchOp> launches;
    SmallVector<StringRef> sites;
    module.walk([&](LaunchOp launch) {
      launches.push_back(launch);
      sites.push_back(launch.getName());
    });
    if (failed(warps.parse(module, numWarps)) || failed(warps.checkSites(module, sites)))
      return signalPassFailure();
    for (auto [launch, site] : llvm::zip(launches, sites))
      if (failed(set(launch, warps.integer(site).value_or(kDefaultWarps))))
        return signalPassFailure();
  }

  LogicalResult set(LaunchOp launch, int64_t warps) {
    if (warps < 1 || warps > kMaxWarps || !llvm::isPowerOf2_64(warps))
      return launch.emitError() << "num_warps of `" << launch.getName() << "` is `" << warps
                                << "`; it is a power of two from 1 to " << kMaxWarps;
    launch.setWarps(warps);
    return success();
  }

  /// As in passes/Knobs.td. More than 32 warps are in no block of any vendor.
  static constexpr int64_t kDefaultWarps = 4, kMaxWarps = 32;
};
} // namespace
