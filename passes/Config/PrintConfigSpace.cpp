// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-print-config-space: the space of each kernel as JSON, or random configs of it as texts.
#include "passes/Config/Passes.h"
#include "passes/Config/Space.h"
#include "passes/Config/TargetKnobs.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_PRINTCONFIGSPACEPASS
#include "passes/Config/Passes.h.inc"
} // namespace helion

namespace {
struct PrintConfigSpace : public helion::impl::PrintConfigSpacePassBase<PrintConfigSpace> {
  using PrintConfigSpacePassBase::PrintConfigSpacePassBase;

  void runOnOperation() override {
    llvm::Expected<KnobTable> table = knobsOf(&getContext(), target);
    if (!table) {
      getOperation().emitError() << llvm::toString(table.takeError());
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      print(Space(kernel, *table));
      ++printed;
    }
  }

  void print(const Space &space) {
    if (samples == 0)
      return space.printJson(llvm::outs());
    Random random(seed);
    if (cover) {
      for (const Config &config : space.coveringConfigs(samples, random))
        llvm::outs() << config.print() << "\n";
      return;
    }
    for (unsigned count = 0; count != samples; ++count)
      llvm::outs() << space.randomConfig(random).print() << "\n";
  }
};
} // namespace
