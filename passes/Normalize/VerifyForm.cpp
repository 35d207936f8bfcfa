// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The borders of the forms: tables of what may occur, and the dependences that no single op can check.

#include "dialect/IR/Dims.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Normalize/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_VERIFYFORMPASS
#include "passes/Normalize/Passes.h.inc"
} // namespace helion

namespace {
/// Ops of our dialect that exist in one form only; the others belong to both.
const llvm::StringSet<> &onlyInKernel() {
  static const llvm::StringSet<> names = {"helion.tile",       "helion.range",   "helion.tile_id", "helion.tile_count",
                                          "helion.block_size", "helion.rebound", "helion.block"};
  return names;
}
const llvm::StringSet<> &onlyInScheduled() {
  static const llvm::StringSet<> names = {"helion.make_tile", "helion.program_id", "helion.num_programs",
                                          "helion.device_fact"};
  return names;
}

/// Upstream elementwise ops that do not compare the encodings of their operands, so that the form has to.
const llvm::StringSet<> &mixesEncodings() {
  static const llvm::StringSet<> names = {"math.fpowi", "arith.addui_extended", "arith.scaling_truncf",
                                          "arith.scaling_extf"};
  return names;
}

const llvm::StringSet<> &upstreamDialects() {
  static const llvm::StringSet<> names = {"arith", "math", "memref", "scf"};
  return names;
}

/// One kernel in one form: walks it once and reports everything that does not belong.
class FormChecker {
public:
  FormChecker(KernelOp kernel, bool scheduled) : kernel(kernel), scheduled(scheduled) {}

  LogicalResult check() {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == kernel)
        return;
      checkName(op);
      checkTypes(op);
      if (mixesEncodings().contains(op->getName().getStringRef()))
        checkEncodings(op);
      if (!scheduled)
        checkNames(op);
    });
    if (!scheduled)
      checkBlockDependence();
    return failure(failed);
  }

private:
  InFlightDiagnostic error(Operation *op) {
    failed = true;
    return op->emitError();
  }

  void checkName(Operation *op) {
    StringRef name = op->getName().getStringRef();
    StringRef dialect = op->getName().getDialectNamespace();
    const char *form = scheduled ? "scheduled" : "kernel";
    const llvm::StringSet<> &foreign = scheduled ? onlyInKernel() : onlyInScheduled();
    bool known = dialect == "helion" ? !foreign.contains(name) : upstreamDialects().contains(dialect);
    if (!known)
      error(op) << "`" << name << "` does not belong to form `" << form << "`";
  }

  void checkTypes(Operation *op) {
    auto wrong = [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return false;
      if (scheduled)
        return tensor.getEncoding() || !tensor.hasStaticShape() || tensor.getRank() == 0;
      auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding());
      return !dims || !llvm::equal(dims.getShape(), tensor.getShape()) || tensor.getRank() == 0;
    };
    auto report = [&](Type type) {
      error(op) << "type " << type
                << (scheduled ? " is not of static shape without encoding, as form `scheduled` has"
                              : " has no dims that fit its shape, as form `kernel` has");
    };
    for (Type type : op->getResultTypes())
      if (wrong(type))
        return report(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (wrong(type))
            return report(type);
    if (op->hasTrait<OpTrait::ConstantLike>() && !scheduled && isTileValue(op->getResult(0).getType()))
      error(op) << "constant of symbolic shape; use a scalar constant and `helion.splat`";
  }

  void checkEncodings(Operation *op) {
    SmallVector<DimAttr> first;
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
      if (!isTileValue(type))
        continue;
      if (first.empty())
        first = dimsOf(type);
      else if (first != dimsOf(type))
        error(op) << "mixes dims " << dimsStr(first) << " and " << dimsStr(dimsOf(type));
    }
  }

  /// Sites and ranges are unique, blocks are declared.
  void checkNames(Operation *op) {
    if (auto site = op->getAttrOfType<StringAttr>("site"); site && op->getDialect() == kernel->getDialect()) {
      auto [it, inserted] = sites.try_emplace(site.getValue(), op);
      if (site.getValue().empty())
        error(op) << "site is empty; run `helion-normalize`";
      else if (!inserted)
        error(op).append("site `", site.getValue(), "` is used twice").attachNote(it->second->getLoc()) << "first use";
    }
    SmallVector<TileType> defined;
    if (auto loop = dyn_cast<TileOp>(op))
      for (unsigned dim = 0; dim != loop.getNumDims(); ++dim)
        defined.push_back(loop.getTileType(dim));
    if (auto range = dyn_cast<RangeOp>(op))
      defined.push_back(range.getTile().getType());
    for (TileType tile : defined)
      if (StringAttr range = tile.getDim().getRange(); range && !ranges.insert(range.getValue()).second)
        error(op) << "range `" << range.getValue() << "` is defined twice";
    for (TileType tile : defined)
      for (StringAttr block : tile.getDim().getBlocks())
        if (!kernel.lookupSymbol<BlockOp>(block))
          error(op) << "block `" << block.getValue() << "` is not declared by a `helion.block`";
  }

  /// No result, assert or view may depend on a block size, or the ABI would depend on a choice.
  void checkBlockDependence() {
    SmallVector<Value> work;
    llvm::DenseSet<Value> seen;
    kernel.walk([&](BlockSizeOp op) { work.push_back(op.getResult()); });
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (Operation *user : value.getUsers()) {
        if (user->getParentOp() != kernel)
          continue;
        auto empty = dyn_cast<EmptyOp>(user);
        auto full = dyn_cast<FullOp>(user);
        if ((empty && empty.getWorkspace()) || (full && full.getWorkspace()) || isa<LaunchOp>(user))
          continue;
        if (empty || full || isa<AssertOp>(user) || isa<MemRefType>(value.getType()) ||
            isa<ViewLikeOpInterface>(user)) {
          error(user) << "depends on a block size; only workspace, grids and device code may";
          continue;
        }
        llvm::append_range(work, user->getResults());
      }
    }
  }

  KernelOp kernel;
  bool scheduled;
  bool failed = false;
  llvm::StringMap<Operation *> sites;
  llvm::StringSet<> ranges;
};

struct VerifyForm : public helion::impl::VerifyFormPassBase<VerifyForm> {
  using VerifyFormPassBase::VerifyFormPassBase;

  void runOnOperation() override {
    if (form != "kernel" && form != "scheduled") {
      getOperation().emitError() << "form `" << form << "` is none of `kernel`, `scheduled`";
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      kernel.walk([&](Operation *) { ++checked; });
      if (mlir::failed(FormChecker(kernel, form == "scheduled").check()))
        signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

LogicalResult helion::verifyFormKernel(KernelOp kernel) { return FormChecker(kernel, false).check(); }
LogicalResult helion::verifyFormScheduled(KernelOp kernel) { return FormChecker(kernel, true).check(); }
