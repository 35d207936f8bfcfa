// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-outline-launches: the loop over programs, the launch steps, and the end of the kernel op. HostPlan reads the
// host part, LaunchBody makes the functions.

#include "codegen/Common/LaunchBody.h"
#include "codegen/Common/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace helion {
#define GEN_PASS_DEF_OUTLINELAUNCHESPASS
#include "codegen/Common/Passes.h.inc"
} // namespace helion

using namespace helion;

static unsigned axisOf(StringRef axis) { return axis[0] - 'x'; }

/// p = x + grid[0] * (y + grid[1] * z). Axes beyond the launch's grid have size 1.
static SmallVector<Value> programIds(OpBuilder &b, Location loc, LaunchBody &body, Value program, unsigned rank) {
  SmallVector<Value> ids;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (axis >= rank) {
      ids.push_back(arith::ConstantIndexOp::create(b, loc, 0));
      continue;
    }
    if (axis + 1 == rank) {
      ids.push_back(program);
      continue;
    }
    Value size = body.gridSize(axis);
    ids.push_back(arith::RemUIOp::create(b, loc, program, size));
    program = arith::DivUIOp::create(b, loc, program, size);
  }
  return ids;
}

/// Replaces what the launch's code asks of its program. Ids that nobody asks for are left to dead code elimination.
static LogicalResult replaceProgramOps(LaunchOp launch, LaunchBody &body, ArrayRef<Value> ids) {
  unsigned rank = launch.getGrid().size();
  WalkResult result = launch.walk([&](Operation *op) {
    Value replacement;
    if (auto id = dyn_cast<ProgramIdOp>(op)) {
      replacement = ids[axisOf(id.getAxis())];
    } else if (auto count = dyn_cast<NumProgramsOp>(op)) {
      unsigned axis = axisOf(count.getAxis());
      replacement = axis < rank ? body.gridSize(axis)
                                : arith::ConstantIndexOp::create(body.builder(), op->getLoc(), 1).getResult();
    } else if (isa<BlockSizeOp, DeviceFactOp>(op)) {
      FailureOr<Value> inside = body.materialise(op->getResult(0), op);
      if (failed(inside))
        return WalkResult::interrupt();
      replacement = *inside;
    } else if (isa<TileOp>(op)) {
      op->emitOpError() << "is still a tile loop; launches are outlined after they are scheduled";
      return WalkResult::interrupt();
    }
    if (replacement) {
      op->getResult(0).replaceAllUsesWith(replacement);
      op->erase();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult replaceCaptures(LaunchOp launch, LaunchBody &body) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  for (Value host : captured) {
    Operation *user = *llvm::find_if(host.getUsers(), [&](Operation *op) { return launch->isProperAncestor(op); });
    FailureOr<Value> inside = body.materialise(host, user);
    if (failed(inside))
      return failure();
    replaceAllUsesInRegionWith(host, *inside, launch.getBody());
  }
  return success();
}

/// The grid of a launch step. A GPU's y and z count to 65535 only.
static LogicalResult readGrid(HostPlan &plan, LaunchOp launch, Programs programs, PlanLaunch &step) {
  constexpr int64_t maxBlocksYZ = 65535;
  step.grid.assign(3, SizeExpr::constant(1));
  if (launch.getGrid().empty())
    return launch.emitOpError() << "has no grid; launches are outlined after their programs are mapped";
  for (auto [axis, size] : llvm::enumerate(launch.getGrid())) {
    FailureOr<SizeExpr> expr = plan.expr(size, launch, "grid size " + Twine(axis));
    if (failed(expr))
      return failure();
    step.grid[axis] = *expr;
    if (programs == Programs::Block && axis > 0)
      plan.addFact(Pred::compare(Pred::Compare::LE, *expr, SizeExpr::constant(maxBlocksYZ)));
  }
  return success();
}

/// The loop over a span's programs, and the ids inside; it comes last, after the prologue that materialise still may
/// add to. A block's ids are the hardware's.
static Block *startPrograms(LaunchBody &body, Location loc, Programs programs, unsigned rank, SmallVector<Value> &ids) {
  OpBuilder &b = body.builder();
  if (programs == Programs::Block) {
    for (unsigned axis = 0; axis < 3; ++axis)
      ids.push_back(axis < rank ? gpu::BlockIdOp::create(b, loc, gpu::Dimension(axis)).getResult()
                                : arith::ConstantIndexOp::create(b, loc, 0).getResult());
    return b.getInsertionBlock();
  }
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, body.begin(), body.end(), one);
  b.setInsertionPoint(loop);
  OpBuilder inLoop(loop.getContext());
  inLoop.setInsertionPointToStart(loop.getBody());
  ids = programIds(inLoop, loc, body, loop.getInductionVar(), rank);
  return loop.getBody();
}

/// Choices on the launch that later passes read from the function.
static void carryChoices(LaunchOp launch, func::FuncOp function) {
  if (Attribute vectors = launch->getAttr("step_vectors"))
    function->setAttr(kStepVectorsAttr, vectors);
  if (IntegerAttr warps = launch.getWarpsAttr())
    function->setAttr(kWarpsAttr, warps);
}

static FailureOr<PlanLaunch> outline(HostPlan &plan, LaunchOp launch, ModuleOp module, StringRef symbol,
                                     Programs programs) {
  PlanLaunch step;
  step.symbol = symbol.str();
  if (failed(readGrid(plan, launch, programs, step)))
    return failure();
  LaunchBody body(plan, launch, symbol, module, programs);
  carryChoices(launch, body.function());
  if (failed(replaceCaptures(launch, body)))
    return failure();
  SmallVector<Value> ids;
  Block *block = startPrograms(body, launch.getLoc(), programs, launch.getGrid().size(), ids);
  if (failed(replaceProgramOps(launch, body, ids)))
    return failure();
  Block &code = launch.getBody().front();
  code.getTerminator()->erase();
  auto end = programs == Programs::Span ? block->getTerminator()->getIterator() : block->end();
  block->getOperations().splice(end, code.getOperations());
  step.arguments = body.finish();
  return step;
}

namespace {
struct OutlineLaunchesPass : helion::impl::OutlineLaunchesPassBase<OutlineLaunchesPass> {
  using OutlineLaunchesPassBase::OutlineLaunchesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (programs != "span" && programs != "block") {
      module.emitError() << "`programs` is `" << programs << "`; `span` and `block` are allowed";
      return signalPassFailure();
    }
    Programs kind = programs == "span" ? Programs::Span : Programs::Block;
    SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
    if (kernels.size() != 1) {
      module.emitError() << "has `" << kernels.size() << "` kernels; an artifact is made of one";
      return signalPassFailure();
    }
    KernelOp kernel = kernels.front();
    HostPlan plan(kernel);
    unsigned number = 0;
    LogicalResult built = plan.build([&](LaunchOp launch) {
      std::string symbol = (kernel.getSymName() + "_" + Twine(number++)).str();
      FailureOr<PlanLaunch> step = outline(plan, launch, module, symbol, kind);
      if (failed(step))
        return failure();
      words += step->arguments.size();
      plan.manifest.plan.steps.push_back(std::move(*step));
      return success();
    });
    if (failed(built))
      return signalPassFailure();
    launches += number;
    module->setAttr(kManifestAttr, StringAttr::get(module.getContext(), plan.manifest.text()));
    kernel.erase();
  }
};
} // namespace
