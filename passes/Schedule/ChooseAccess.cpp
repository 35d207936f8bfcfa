// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-choose-access: how wide loads and stores may be, and what caches hear of them, for targets with lanes. What a
// wide access relies on becomes facts here; layouts and code only read them.

#include "passes/Analysis/WideAccess.h"
#include "passes/Config/SiteOptions.h"
#include "passes/Schedule/Passes.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_CHOOSEACCESSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace helion

namespace {
/// Bytes that one thread moves at once at most, on every target with lanes.
constexpr int64_t kVectorBytes = 16;
/// Tiles of fewer groups than the smallest warp has lanes are not worth a fact.
constexpr int64_t kFewestGroups = 32;

/// Elements of a group; 1 for a tile that has too few of them.
int64_t groupOf(Operation *op, const WideAccess &access) {
  Type type = isa<LoadOp>(op) ? op->getResult(0).getType() : cast<StoreOp>(op).getValue().getType();
  auto tile = dyn_cast<RankedTensorType>(type);
  int64_t group = std::min(access.most(), kVectorBytes / bytesOfElement(type));
  return tile && tile.getNumElements() >= group * kFewestGroups ? group : 1;
}

struct ChooseAccess : public helion::impl::ChooseAccessPassBase<ChooseAccess> {
  using ChooseAccessPassBase::ChooseAccessPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> accesses;
    SmallVector<StringRef> all, loads, stores;
    module.walk([&](Operation *op) {
      if (!isa<LoadOp, StoreOp>(op))
        return;
      accesses.push_back(op);
      all.push_back(siteOf(op));
      (isa<LoadOp>(op) ? loads : stores).push_back(all.back());
    });
    SiteOptions widths("indexing", SiteOptions::Kind::Word),
        evictions("load_eviction_policies", SiteOptions::Kind::Word),
        modifiers("store_cache_modifiers", SiteOptions::Kind::Word);
    if (failed(read(widths, indexing, all)) || failed(read(evictions, loadEvictionPolicies, loads)) ||
        failed(read(modifiers, storeCacheModifiers, stores)))
      return signalPassFailure();
    HostExprs exprs;
    for (Operation *op : accesses) {
      StringRef site = siteOf(op);
      setWidth(exprs, op, widths.word(site).value_or("vector"));
      const SiteOptions &hints = isa<LoadOp>(op) ? evictions : modifiers;
      if (StringRef hint = hints.word(site).value_or("none"); hint != "none")
        op->setAttr("evict", StringAttr::get(&getContext(), hint));
    }
  }

private:
  static StringRef siteOf(Operation *op) { return op->getAttrOfType<StringAttr>("site").getValue(); }

  LogicalResult read(SiteOptions &options, ArrayRef<std::string> entries, ArrayRef<StringRef> sites) {
    ModuleOp module = getOperation();
    return failure(failed(options.parse(module, entries)) || failed(options.checkSites(module, sites)) ||
                   failed(options.checkWords(module)));
  }

  /// Facts that other choices state already stand once.
  void setWidth(HostExprs &exprs, Operation *op, StringRef width) {
    op->setAttr("access", StringAttr::get(&getContext(), width));
    if (width == "any")
      return;
    WideAccess access(exprs, op);
    std::optional<std::vector<Pred>> needs;
    if (width == "vector")
      for (int64_t elements = groupOf(op, access); elements > 1 && !needs; elements /= 2)
        needs = access.needs(elements);
    wide += needs.has_value();
    auto kernel = op->getParentOfType<KernelOp>();
    std::vector<Pred> known = factsOf(kernel);
    for (const Pred &need : needs ? *needs : access.contiguity())
      if (!follows(need, known))
        kernel.addFact(need.str());
  }
};
} // namespace
