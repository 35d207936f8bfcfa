// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SiteOptions behind MLIR's own option parser: entries arrive whole, brackets and all, and errors name what is wrong.
#include "passes/Config/SiteOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace helion;

namespace {

/// Reads one option of each kind and prints what it got.
struct ReadSitesPass : public PassWrapper<ReadSitesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReadSitesPass)
  ReadSitesPass() = default;
  ReadSitesPass(const ReadSitesPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "read-sites"; }

  ListOption<std::string> orders{*this, "orders"}, sizes{*this, "sizes"}, kinds{*this, "kinds"}, flags{*this, "flags"};
  static inline std::string seen;

  void runOnOperation() override {
    SiteOptions list("orders", SiteOptions::Kind::List), integer("sizes", SiteOptions::Kind::Integer),
        word("kinds", SiteOptions::Kind::Word), flag("flags", SiteOptions::Kind::Flag);
    Operation *module = getOperation();
    if (failed(list.parse(module, orders)) || failed(integer.parse(module, sizes)) ||
        failed(word.parse(module, kinds)) || failed(flag.parse(module, flags)) ||
        failed(integer.checkSites(module, {"bk", "bm"})) || failed(flag.checkSites(module, {})))
      return signalPassFailure();
    seen.clear();
    for (StringRef site : {"loop.ij", "loop.k"})
      if (std::optional<ArrayRef<int64_t>> order = list.list(site))
        for (int64_t dim : *order)
          seen += std::to_string(dim) + " ";
    for (StringRef site : {"bk", "bm"})
      seen += std::to_string(integer.integer(site).value_or(-1)) + " ";
    seen += word.word("f").value_or("none").str();
  }
};

/// What the pass saw, or its diagnostic.
std::string run(StringRef options) {
  static PassRegistration<ReadSitesPass> registration;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  PassManager manager(&context, ModuleOp::getOperationName());
  std::string text = ("read-sites{" + options + "}").str();
  if (failed(parsePassPipeline(text, manager, llvm::nulls())))
    return "pipeline";
  return failed(manager.run(*module)) ? message : ReadSitesPass::seen;
}

TEST(SiteOptions, EntriesArriveWhole) {
  EXPECT_EQ(run("orders=loop.ij=[1,0],loop.k=[2,0,1] sizes=bk=64,bm=128 kinds=f=xyz"), "1 0 2 0 1 64 128 xyz");
  EXPECT_EQ(run("sizes=bm=128"), "-1 128 none");
  EXPECT_EQ(run("sizes=bm=-3"), "-1 -3 none");
}

TEST(SiteOptions, ErrorsNameKeyAndEntry) {
  // A key that stands twice arrives as one list, so a repeated site is seen.
  EXPECT_EQ(run("sizes=bm=1 sizes=bm=2"), "sizes: site `bm` has two values");
  EXPECT_EQ(run("sizes=bm=1,bm=1"), "sizes: site `bm` has two values");
  EXPECT_EQ(run("sizes=bx=1"), "sizes: no site `bx`; there are `bk`, `bm`");
  EXPECT_EQ(run("flags=loop.i"), "flags: no site `loop.i`; this kernel has none for it");
  EXPECT_EQ(run("flags=loop.i=1"), "flags: entry `loop.i=1` is not of the form `site`");
  EXPECT_EQ(run("sizes=bm"), "sizes: entry `bm` is not of the form `site=integer`");
  EXPECT_EQ(run("sizes=bm=big"), "sizes: entry `bm=big` is not of the form `site=integer`");
  EXPECT_EQ(run("sizes=bm=[1]"), "sizes: entry `bm=[1]` is not of the form `site=integer`");
  EXPECT_EQ(run("kinds=f=3"), "kinds: entry `f=3` is not of the form `site=word`");
  EXPECT_EQ(run("orders=f=3"), "orders: entry `f=3` is not of the form `site=[integer,..]`");
  EXPECT_EQ(run("orders=f=[1,]"), "orders: entry `f=[1,]` has no value: list `[1,]` holds ``, not an integer");
  EXPECT_EQ(run("sizes=bm=1:2"),
            "sizes: entry `bm=1:2` has no value: `1:2` is no value; expected an integer, a word or a "
            "list such as `[1,0]`");
}

} // namespace
