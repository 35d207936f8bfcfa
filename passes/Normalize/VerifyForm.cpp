// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The borders of the forms: tables of what may occur, and the dependences that no single op can check.

#include "dialect/IR/Dims.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Normalize/Passes.h"
#include "passes/Normalize/VerifyLaidOut.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_VERIFYFORMPASS
#include "passes/Normalize/Passes.h.inc"
} // namespace helion

namespace {
enum class Form { Kernel, Scheduled, LaidOut };
constexpr StringLiteral kFormNames[] = {"kernel", "scheduled", "laidout"};

std::optional<Form> formOf(StringRef name) {
  const StringLiteral *it = llvm::find(kFormNames, name);
  return it == std::end(kFormNames) ? std::nullopt : std::optional<Form>(Form(it - kFormNames));
}

/// Ops of our dialect that do not exist in all forms; the others do.
const llvm::StringSet<> &onlyInKernel() {
  static const llvm::StringSet<> names = {"helion.tile",       "helion.range",      "helion.tile_id",
                                          "helion.tile_count", "helion.block_size", "helion.rebound",
                                          "helion.block",      "helion.lane",       "helion.stack"};
  return names;
}
const llvm::StringSet<> &sinceScheduled() {
  static const llvm::StringSet<> names = {"helion.make_tile", "helion.program_id", "helion.num_programs",
                                          "helion.device_fact"};
  return names;
}
const llvm::StringSet<> &sinceLaidOut() {
  static const llvm::StringSet<> names = {"helion.acquire",
                                          "helion.commit",
                                          "helion.convert_layout",
                                          "helion.dot_async",
                                          "helion.group",
                                          "helion.instance",
                                          "helion.load_async",
                                          "helion.ordered",
                                          "helion.read",
                                          "helion.ready",
                                          "helion.reduce_in_thread",
                                          "helion.release",
                                          "helion.ring",
                                          "helion.store_async",
                                          "helion.subtile",
                                          "helion.take",
                                          "helion.tensor_map",
                                          "helion.turn",
                                          "helion.wait",
                                          "helion.warp_groups",
                                          "helion.write"};
  return names;
}

bool belongsTo(Form form, StringRef name) {
  if (form == Form::Kernel)
    return !sinceScheduled().contains(name) && !sinceLaidOut().contains(name);
  return !onlyInKernel().contains(name) && (form == Form::LaidOut || !sinceLaidOut().contains(name));
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
  FormChecker(KernelOp kernel, Form form) : kernel(kernel), form(form) {}

  LogicalResult check() {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == kernel)
        return;
      checkName(op);
      checkTypes(op);
      if (mixesEncodings().contains(op->getName().getStringRef()))
        checkEncodings(op);
      if (form == Form::Kernel)
        checkNames(op);
      if (auto launch = dyn_cast<LaunchOp>(op); launch && form == Form::LaidOut)
        failed |= mlir::failed(verifyLaidOutLaunch(launch));
    });
    if (form == Form::Kernel)
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
    bool known = dialect == "helion" ? belongsTo(form, name) : upstreamDialects().contains(dialect);
    if (!known)
      error(op) << "`" << name << "` does not belong to form `" << kFormNames[unsigned(form)] << "`";
  }

  void checkTypes(Operation *op) {
    auto wrong = [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && (tensor.getRank() == 0 || !hasEncodingOfForm(tensor));
    };
    auto report = [&](Type type) {
      constexpr StringLiteral kinds[] = {"has no dims that fit its shape, as form `kernel` has",
                                         "is not of static shape without encoding, as form `scheduled` has",
                                         "has no `#helion.layout`, as form `laidout` has"};
      error(op) << "type " << type << " " << kinds[unsigned(form)];
    };
    for (Type type : op->getResultTypes())
      if (wrong(type))
        return report(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (wrong(type))
            return report(type);
    if (op->hasTrait<OpTrait::ConstantLike>() && form == Form::Kernel && isTileValue(op->getResult(0).getType()))
      error(op) << "constant of symbolic shape; use a scalar constant and `helion.splat`";
  }

  bool hasEncodingOfForm(RankedTensorType tensor) {
    if (form == Form::Scheduled)
      return tensor.hasStaticShape() && !tensor.getEncoding();
    if (form == Form::LaidOut)
      return isa_and_nonnull<LayoutAttr>(tensor.getEncoding());
    auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding());
    return dims && llvm::equal(dims.getShape(), tensor.getShape());
  }

  void checkEncodings(Operation *op) {
    RankedTensorType first;
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      if (!first)
        first = tensor;
      else if (dimsOf(first) != dimsOf(tensor))
        error(op) << "mixes dims " << dimsStr(dimsOf(first)) << " and " << dimsStr(dimsOf(tensor));
      else if (first.getEncoding() != tensor.getEncoding())
        error(op) << "mixes layouts";
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
  Form form;
  bool failed = false;
  llvm::StringMap<Operation *> sites;
  llvm::StringSet<> ranges;
};

struct VerifyForm : public helion::impl::VerifyFormPassBase<VerifyForm> {
  using VerifyFormPassBase::VerifyFormPassBase;

  void runOnOperation() override {
    std::optional<Form> wanted = formOf(form);
    if (!wanted) {
      getOperation().emitError() << "form `" << form << "` is none of `kernel`, `scheduled`, `laidout`";
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      kernel.walk([&](Operation *) { ++checked; });
      if (mlir::failed(FormChecker(kernel, *wanted).check()))
        signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

LogicalResult helion::verifyFormKernel(KernelOp kernel) { return FormChecker(kernel, Form::Kernel).check(); }
LogicalResult helion::verifyFormScheduled(KernelOp kernel) { return FormChecker(kernel, Form::Scheduled).check(); }
LogicalResult helion::verifyFormLaidOut(KernelOp kernel) { return FormChecker(kernel, Form::LaidOut).check(); }
