// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-lower-threads: what it takes, the conversion, and the plan of shared memory behind it.

#include "codegen/Common/LowerThreads.h"
#include "codegen/Common/PlanShared.h"
#include "codegen/Common/ThreadRings.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

namespace helion {
#define GEN_PASS_DEF_LOWERTHREADSPASS
#include "codegen/Common/Passes.h.inc"
} // namespace helion

//===-- Checks ----------------------------------------------------------------------------------------------------===//

static bool isKnown(Operation *op) {
  return isa<LoadOp, StoreOp, AtomicOp, ReduceOp, ReduceFnOp, ReduceInThreadOp, ScanOp, ScanFnOp, DotOp, SplatOp,
             IotaOp, BroadcastOp, PermuteOp, ReshapeOp, ReboundOp, MaskOp, ConvertLayoutOp, SubtileOp, MakeTileOp,
             TileShiftOp, TileBeginOp, TileEndOp, YieldOp, RingOp, AcquireOp, CommitOp, TakeOp, ReleaseOp, LoadAsyncOp,
             ReadOp, WriteOp, DotAsyncOp, ReadyOp, WaitOp>(op);
}

static LogicalResult checkType(Operation *op, Type type, int64_t lanes, int64_t warps) {
  if (!isTileValue(type))
    return success();
  LayoutAttr attr = layoutOf(type);
  if (!attr)
    return op->emitOpError() << "has a tile value of type " << type << " without a layout; assign layouts first";
  const Layout &layout = attr.getLayout();
  for (LayoutSpace space : {LayoutSpace::Group, LayoutSpace::Cta, LayoutSpace::Mem, LayoutSpace::Offset})
    if (layout.uses(space))
      return op->emitOpError() << "has a layout over `" << spaceName(space)
                               << "`; the code of a thread knows `reg`, `lane` and `warp`";
  if (layout.size(LayoutSpace::Lane) > lanes || layout.size(LayoutSpace::Warp) > warps)
    return op->emitOpError() << "has a layout over `" << layout.size(LayoutSpace::Warp) << "` warps of `"
                             << layout.size(LayoutSpace::Lane) << "` lanes; the function has `" << warps
                             << "` warps of `" << lanes << "` lanes";
  return success();
}

static LogicalResult checkDim(Operation *op, Value value, unsigned dim) {
  std::optional<SmallVector<DimUnit>> units = unitsAlong(layoutIn(value), dim);
  auto isPlain = [&](const DimUnit &unit) {
    bool isBit = llvm::isPowerOf2_64(unit.outStride) || !isa<ReduceFnOp>(op);
    return isBit && (unit.space != LayoutSpace::Lane || unit.count == 2);
  };
  if (units && llvm::all_of(*units, isPlain))
    return success();
  return op->emitOpError() << "combines dim `" << dim
                           << "`, along which registers, lanes and warps do not step alone; convert the layout first";
}

/// Slots and buffers are used where they are acquired or taken: in the text of the function or of its loops.
static LogicalResult checkRings(Operation *op, bool boxes) {
  for (Value operand : op->getOperands())
    if (isa<SlotType, BufType>(operand.getType()) && !isa_and_nonnull<AcquireOp, TakeOp>(operand.getDefiningOp()))
      return op->emitOpError() << "uses a slot or buffer that a loop or branch hands on";
  if (isa<AcquireOp, TakeOp>(op)) {
    if (!op->getOperand(0).getDefiningOp<RingOp>())
      return op->emitOpError() << "uses a ring that no `helion.ring` makes";
    for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent); parent = parent->getParentOp())
      if (!isa<scf::ForOp>(parent))
        return op->emitOpError() << "stands in a `" << parent->getName() << "`; slots are counted in loops alone";
  }
  auto load = dyn_cast<LoadAsyncOp>(op);
  if (!load)
    return success();
  if (!isa<MemRefType>(load.getSource().getType()) && !boxes)
    return op->emitOpError() << "copies through a tensor map, which the target does not have";
  for (Operation *side : load.getDest().getDefiningOp<AcquireOp>().getRing().getUsers())
    for (Value buffer : side->getResults())
      for (Operation *user : buffer.getUsers())
        if (auto other = dyn_cast<LoadAsyncOp>(user);
            other && isa<MemRefType>(other.getSource().getType()) != isa<MemRefType>(load.getSource().getType()))
          return op->emitOpError() << "fills a ring by threads that tensor maps fill too; one of both is allowed";
  if (load.getMulticast())
    return op->emitOpError() << "copies to several blocks, for which there is no code for threads";
  return success();
}

static LogicalResult checkOp(Operation *op, int64_t lanes, int64_t warps, const Vendor &vendor) {
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes())))
    if (failed(checkType(op, type, lanes, warps)))
      return failure();
  for (Value operand : op->getOperands())
    if (isa<TileType>(operand.getType()) && !spanOf(operand))
      return op->emitOpError() << "uses a tile that no `helion.make_tile` makes";
  if (isa_and_nonnull<HelionDialect>(op->getDialect()) && !isKnown(op))
    return op->emitOpError() << "has no code for threads at this place";
  if (isa<DotAsyncOp, ReadyOp, WaitOp>(op) && !vendor.waitForDots)
    return op->emitOpError() << "is of a dot in flight, which the target does not have";
  if (failed(checkRings(op, vendor.boxes.has_value())))
    return failure();
  if (auto atomic = dyn_cast<AtomicOp>(op); atomic && getElementTypeOrSelf(atomic.getValue()).isInteger(1))
    return op->emitOpError() << "on elements of type 'i1' has no code for threads; use i32";
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return checkDim(op, reduce.getValue(), reduce.getDim());
  if (auto reduce = dyn_cast<ReduceInThreadOp>(op))
    return checkDim(op, reduce.getValue(), reduce.getDim());
  if (auto reduce = dyn_cast<ReduceFnOp>(op))
    return checkDim(op, reduce.getValues()[0], reduce.getDim());
  if (auto scan = dyn_cast<ScanOp>(op))
    return checkDim(op, scan.getValue(), scan.getDim());
  if (auto scan = dyn_cast<ScanFnOp>(op))
    return checkDim(op, scan.getValues()[0], scan.getDim());
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isTileValue(constant.getType()) && !isa<SplatElementsAttr>(constant.getValue()))
    return op->emitOpError() << "of different elements has no code for threads; build it from `helion.iota`";
  return success();
}

LogicalResult threads::checkThreadOps(func::FuncOp function, int64_t lanes, int64_t warps, const Vendor &vendor) {
  WalkResult walk = function.walk([&](Operation *op) -> WalkResult { return checkOp(op, lanes, warps, vendor); });
  return failure(walk.wasInterrupted());
}

//===-- The pass --------------------------------------------------------------------------------------------------===//

namespace {
/// A tile value is its registers; all else stays what it is.
struct ThreadTypes : TypeConverter {
  ThreadTypes() {
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type) -> std::optional<Type> {
      if (!layoutOf(type))
        return std::nullopt;
      return registersType(type);
    });
    addConversion([](TokenType type) { return registersType(type.getTile()); });
  }
};

struct LowerThreadsPass : helion::impl::LowerThreadsPassBase<LowerThreadsPass> {
  using LowerThreadsPassBase::LowerThreadsPassBase;
  LowerThreadsPass(const LowerThreadsPassOptions &options, Vendor vendor)
      : LowerThreadsPassBase(options), vendor(std::move(vendor)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerThreadsPassBase::getDependentDialects(registry);
    if (vendor.dialects)
      vendor.dialects(registry);
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!llvm::isPowerOf2_64(lanes) || lanes > 64) {
      function.emitOpError() << "has warps of `" << int64_t(lanes) << "` lanes; a power of two up to 64 is allowed";
      return signalPassFailure();
    }
    auto warps = function->getAttrOfType<IntegerAttr>(kWarpsAttr);
    if (!warps || warps.getInt() < 1) {
      function.emitOpError() << "has no attribute `" << kWarpsAttr << "`, the warps of a program";
      return signalPassFailure();
    }
    if (failed(checkThreadOps(function, lanes, warps.getInt(), vendor)) || failed(convert(function, warps.getInt())))
      return signalPassFailure();
    eraseTiles(function);
    closeRings(function);
    SharedPlan plan = planShared(function);
    bytes += plan.bytes;
    barriers += plan.barriers;
  }

private:
  LogicalResult convert(func::FuncOp function, int64_t warps) {
    RingSlots slots = numberSlots(function);
    ThreadContext code(function, lanes, warps, vectorBytes);
    code.rings = std::move(slots);
    code.matrixDots = bool(vendor.patterns);
    findOperandsInShared(code);
    openRings(code, vendor);
    ThreadTypes types;
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    populateElementPatterns(code, types, patterns);
    populateMemoryPatterns(code, types, patterns);
    populateMovePatterns(code, types, patterns);
    populateReducePatterns(code, types, patterns);
    populateScanPatterns(code, types, patterns);
    populateRingPatterns(code, types, patterns);
    populateDotPatterns(code, types, patterns);
    if (vendor.patterns)
      vendor.patterns(code, types, patterns);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    target.addLegalOp<MakeTileOp, TileShiftOp, RingOp, AcquireOp, TakeOp>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      bool ends = op->getParentOfType<ReduceFnOp>() || op->getParentOfType<ScanFnOp>() || code.leftToDots.contains(op);
      return ends || (types.isLegal(op) && !isa_and_nonnull<HelionDialect>(op->getDialect()));
    });
    return applyPartialConversion(function, target, std::move(patterns));
  }

  static void eraseTiles(func::FuncOp function) {
    SmallVector<Operation *> tiles;
    function.walk([&](Operation *op) {
      if (isa<MakeTileOp, TileShiftOp>(op))
        tiles.push_back(op);
    });
    for (Operation *op : llvm::reverse(tiles))
      op->erase();
  }

  Vendor vendor;
};
} // namespace

std::unique_ptr<Pass> helion::createLowerThreadsPass(const LowerThreadsPassOptions &options, Vendor vendor) {
  return std::make_unique<LowerThreadsPass>(options, std::move(vendor));
}
