// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-set-stages: the depth of the ring of each loop that loads for dots, and of each loop over a program's tiles,
// who fills it, which instruction reads it, and the facts that copies need.

#include "codegen/NVIDIA/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "passes/Analysis/BoxFacts.h"
#include "passes/Analysis/TileLoop.h"
#include "passes/Analysis/WideAccess.h"
#include "passes/Config/LaunchDemand.h"
#include "passes/Config/SiteOptions.h"
#include "passes/Config/Sites.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_SETSTAGESPASS
#include "codegen/NVIDIA/Passes.h.inc"
} // namespace helion

namespace {
struct SetStages : helion::impl::SetStagesPassBase<SetStages> {
  using SetStagesPassBase::SetStagesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SiteOptions stages("num_stages", SiteOptions::Kind::Integer), words("copies", SiteOptions::Kind::Word),
        matrices("dots", SiteOptions::Kind::Word);
    SmallVector<scf::ForOp> loops;
    SmallVector<StringRef> sites;
    module.walk([&](scf::ForOp loop) {
      if (auto site = loop->getAttrOfType<StringAttr>("site")) {
        loops.push_back(loop);
        sites.push_back(site.getValue());
      }
    });
    if (failed(stages.parse(module, numStages)) || failed(stages.checkSites(module, sites)) ||
        failed(words.parse(module, copies)) || failed(words.checkSites(module, sites)) ||
        failed(matrices.parse(module, dots)) || failed(matrices.checkSites(module, sites)))
      return signalPassFailure();
    for (auto [loop, site] : llvm::zip(loops, sites))
      if (failed(set(loop, site, stages.integer(site).value_or(1))) ||
          failed(setCopies(loop, site, words.word(site).value_or("pieces"))) ||
          failed(setDots(loop, site, matrices.word(site).value_or("mma"))))
        return signalPassFailure();
  }

private:
  LogicalResult set(scf::ForOp loop, StringRef site, int64_t stages) {
    if (stages < 1 || stages > kMostStages)
      return loop.emitError() << "num_stages of `" << site << "` is `" << stages << "`; it is 1 to " << kMostStages;
    if (stages == 1)
      return success();
    SmallVector<LoadOp> loads = loadsOf(loop);
    if (loads.empty() && runsTiles(loop))
      return loop.emitError() << "num_stages of `" << site << "` is `" << stages
                              << "`, but no load of a tile in it, before its stores, has rows of "
                              << "multiples of `" << kPieceBytes << "` bytes; 1 is allowed";
    if (loads.empty())
      return loop.emitError()
             << "num_stages of `" << site << "` is `" << stages
             << "`, but no load in it goes as it is to a dot that a matrix instruction takes; 1 is allowed";
    for (LoadOp load : loads) {
      if (failed(record(load)))
        return failure();
      if (runsTiles(loop))
        load->setAttr(kStagedAttr, UnitAttr::get(&getContext()));
    }
    loop->setAttr(kStagesAttr, Builder(&getContext()).getI64IntegerAttr(stages));
    return success();
  }

  static SmallVector<LoadOp> loadsOf(scf::ForOp loop) {
    if (!runsTiles(loop))
      return loadsForDots(*loop.getBody());
    SmallVector<LoadOp> loads = loadsOfPrograms(*loop.getBody());
    llvm::erase_if(loads, [](LoadOp load) {
      auto type = cast<RankedTensorType>(load.getType());
      return type.getShape().back() * bytesOfElement(type) % kPieceBytes != 0;
    });
    return loads;
  }

  /// The unit stride is where a fact has it, else along the last dim.
  LogicalResult record(LoadOp load) {
    auto kernel = load->getParentOfType<KernelOp>();
    FailureOr<HostView> view = hostView(load.getSource());
    std::optional<std::vector<Pred>> facts;
    if (succeeded(view) && !view->strides.empty())
      facts = copyFacts(*view, contiguousDim(*view, factsOf(kernel)).dim,
                        getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() / 8);
    if (!facts)
      return load.emitError() << "num_stages: load `" << load.getSite()
                              << "` is of no argument whose rows could be pieces of 16 bytes; 1 is allowed";
    for (const Pred &fact : *facts)
      kernel.addFact(fact.str());
    return success();
  }

  LogicalResult setCopies(scf::ForOp loop, StringRef site, StringRef word) {
    if (word == "pieces")
      return success();
    if (word != "boxes")
      return loop.emitError() << "copies of `" << site << "` is `" << word << "`; it is `pieces` or `boxes`";
    if (!loop->hasAttr(kStagesAttr))
      return loop.emitError() << "copies of `" << site
                              << "` is `boxes`, but its num_stages is `1`; `pieces` is allowed, or 2 stages and more";
    for (LoadOp load : loadsOf(loop))
      if (failed(recordBox(load)))
        return failure();
    loop->setAttr(kBoxesAttr, UnitAttr::get(&getContext()));
    return success();
  }

  LogicalResult recordBox(LoadOp load) {
    auto kernel = load->getParentOfType<KernelOp>();
    HostExprs exprs;
    FailureOr<HostView> view = exprs.view(load.getSource());
    std::optional<std::vector<Pred>> facts;
    if (succeeded(view))
      facts = boxFacts(exprs, *view, contiguousDim(*view, factsOf(kernel)).dim, load.getIndices());
    if (!facts)
      return load.emitError() << "copies: load `" << load.getSite()
                              << "` is no box of one argument, with tiles that end where it ends; `pieces` is allowed";
    for (const Pred &fact : *facts)
      kernel.addFact(fact.str());
    return success();
  }

  /// Whether the instruction takes the dots is seen when they have layouts.
  LogicalResult setDots(scf::ForOp loop, StringRef site, StringRef word) {
    if (word == "mma")
      return success();
    if (word != "wgmma")
      return loop.emitError() << "dots of `" << site << "` is `" << word << "`; it is `mma` or `wgmma`";
    if (!loop->hasAttr(kBoxesAttr))
      return loop.emitError() << "dots of `" << site
                              << "` is `wgmma`, but its copies is `pieces`; `mma` is allowed, or copies `boxes`";
    loop->setAttr(kGroupDotsAttr, UnitAttr::get(&getContext()));
    return success();
  }

  /// As in Knobs.td.
  static constexpr int64_t kMostStages = 8;
};
} // namespace
