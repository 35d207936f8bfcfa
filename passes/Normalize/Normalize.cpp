// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-normalize: one text per kernel. Upstream's simplifications run first; what they leave behind that K cannot say
// is repaired, and sites get their final names.

#include "dialect/IR/Dims.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Analysis/KernelHash.h"
#include "passes/Normalize/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_NORMALIZEPASS
#include "passes/Normalize/Passes.h.inc"
} // namespace helion

namespace {
/// The scalar of a splat constant of symbolic shape; such attributes exist only as splats.
TypedAttr splatScalar(arith::ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !isTileValue(constant.getType()) || !elements.isSplat())
    return {};
  return cast<TypedAttr>(elements.getSplatValue<Attribute>());
}

/// What an op without a site is called after: the host tensor of an access, the op's own kind else.
std::string siteBase(Operation *op) {
  Value host;
  if (auto load = dyn_cast<LoadOp>(op))
    host = load.getSource();
  else if (auto store = dyn_cast<StoreOp>(op))
    host = store.getDest();
  else if (auto atomic = dyn_cast<AtomicOp>(op))
    host = atomic.getDest();
  while (host) {
    if (auto argument = dyn_cast<BlockArgument>(host))
      return cast<KernelOp>(argument.getOwner()->getParentOp()).getArgumentName(argument.getArgNumber()).str();
    Operation *source = host.getDefiningOp();
    if (auto name = source->getAttrOfType<StringAttr>("name"))
      return name.str();
    host = source->getOperand(0);
  }
  return isa<TileOp>(op) ? "loop" : isa<RangeOp>(op) ? "slice" : op->getName().stripDialect().str();
}

struct Normalize : public helion::impl::NormalizePassBase<Normalize> {
  using NormalizePassBase::NormalizePassBase;

  void runOnOperation() override {
    OpPassManager simplify(ModuleOp::getOperationName());
    simplify.addPass(createLaunchCopiesPass());
    simplify.addPass(createSplitLanesPass());
    simplify.addPass(createCanonicalizerPass());
    simplify.addPass(createCSEPass());
    if (failed(runPipeline(simplify, getOperation())))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      splatConstants(kernel);
      nameSites(kernel);
      if (failed(verifyFormKernel(kernel)))
        return signalPassFailure();
      recordKernelHash(kernel);
    }
    getOperation()->setAttr(kFormAttr, StringAttr::get(&getContext(), "kernel"));
  }

  void splatConstants(KernelOp kernel) {
    SmallVector<arith::ConstantOp> constants;
    kernel.walk([&](arith::ConstantOp op) { constants.push_back(op); });
    for (arith::ConstantOp op : constants) {
      TypedAttr scalar = splatScalar(op);
      if (!scalar)
        continue;
      OpBuilder builder(op);
      Value value = arith::ConstantOp::create(builder, op.getLoc(), scalar);
      for (LaunchOp launch : kernel.getOps<LaunchOp>())
        splatInto(launch, op, value);
      op.erase();
      ++splatted;
    }
  }

  /// Tile values live on the device, so each launch that uses the constant gets its own splat: the canonicalizer had
  /// hoisted the constant into the host part.
  void splatInto(LaunchOp launch, arith::ConstantOp constant, Value scalar) {
    auto inside = [&](OpOperand &use) { return launch->isProperAncestor(use.getOwner()); };
    if (llvm::none_of(constant->getUses(), inside))
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(&launch.getBody().front());
    Value splat = SplatOp::create(builder, constant.getLoc(), constant.getType(), scalar);
    constant.getResult().replaceUsesWithIf(splat, inside);
  }

  void nameSites(KernelOp kernel) {
    llvm::StringSet<> taken;
    SmallVector<Operation *> unnamed;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto site = op->getAttrOfType<StringAttr>("site");
      if (site && op->getDialect() == kernel->getDialect() && (site.empty() || !taken.insert(site.getValue()).second))
        unnamed.push_back(op);
    });
    for (Operation *op : unnamed) {
      std::string base = siteBase(op), name;
      for (unsigned number = 0; name.empty() || !taken.insert(name).second; ++number)
        name = base + "." + std::to_string(number);
      op->setAttr("site", StringAttr::get(&getContext(), name));
      ++named;
    }
  }
};
} // namespace
