// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: check, plan, emit.

#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileChain.h"
#include "codegen/CPU/TileEmitter.h"
#include "codegen/Common/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

namespace helion {
#define GEN_PASS_DEF_VECTORIZETILESPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace helion

static bool isSupportedElement(Type element) {
  if (isa<IndexType>(element) || element.isF32() || element.isF64() || isNarrowFloat(element))
    return true;
  auto integer = dyn_cast<IntegerType>(element);
  return integer && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

static LogicalResult checkTypes(Operation *op, const CodeOptions &options) {
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes()))) {
    if (isTileValue(type) && !cast<RankedTensorType>(type).hasStaticShape())
      return op->emitOpError() << "has a tile value of type " << type << ", whose extents are not bound yet";
    if (isTileValue(type) && !isSupportedElement(getElementTypeOrSelf(type)))
      return op->emitOpError() << "has elements of type " << getElementTypeOrSelf(type)
                               << "; the CPU target has f16, bf16, f32, f64, i1, i8, i16, i32, i64 and index";
    if (isTileValue(type) && getElementTypeOrSelf(type).isF16() && options.vectorBits < kFusedVectorBits)
      return op->emitOpError() << "has elements of type 'f16', which vectors of `" << options.vectorBits
                               << "` bits cannot convert; take a target from `x86-64-v3` on, or bf16";
  }
  return success();
}

static LogicalResult checkAtomic(AtomicOp op) {
  Type element = getElementTypeOrSelf(op.getValue().getType());
  if (isNarrowFloat(element) || element.isInteger(1))
    return op.emitOpError() << "on elements of type " << element << " has no code for the CPU; use f32";
  return success();
}

static LogicalResult checkDot(DotOp dot, const CodeOptions &options) {
  Type element = getElementTypeOrSelf(dot.getAcc().getType());
  if (isNarrowFloat(element) || element.isInteger(1))
    return dot.emitOpError() << "has an accumulator of type " << element
                             << "; the CPU target sums in f32, f64 or integers";
  return registerTile(dot, options);
}

template <typename Op> static LogicalResult checkRegion(Op op) {
  for (Value value : op.getValues())
    if (isNarrowFloat(getElementTypeOrSelf(value.getType())))
      return op.emitOpError() << "combines elements of type " << getElementTypeOrSelf(value.getType())
                              << "; extend them to f32 first";
  return success();
}

static LogicalResult checkOp(Operation *op, const CodeOptions &options) {
  if (failed(checkTypes(op, options)))
    return failure();
  auto isTileValued = [](Type type) { return isTileValue(type); };
  bool hasTiles = llvm::any_of(op->getResultTypes(), isTileValued) || llvm::any_of(op->getOperandTypes(), isTileValued);
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && hasTiles && !isa<SplatElementsAttr>(constant.getValue()))
    return op->emitOpError() << "of different lanes has no code for the CPU; build it from `helion.iota`";
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return checkAtomic(atomic);
  if (auto dot = dyn_cast<DotOp>(op))
    return checkDot(dot, options);
  if (auto reduce = dyn_cast<ReduceFnOp>(op))
    return checkRegion(reduce);
  if (auto scan = dyn_cast<ScanFnOp>(op))
    return checkRegion(scan);
  bool known =
      isLaneOp(op) || isa<StoreOp, LoadOp, ReduceOp, ReduceFnOp, ScanOp, ScanFnOp, ReshapeOp, MakeTileOp, TileShiftOp,
                          TileBeginOp, TileEndOp, YieldOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op);
  if (!known && (hasTiles || isa_and_nonnull<HelionDialect>(op->getDialect())))
    return op->emitOpError() << "has no code for the CPU at this place";
  return success();
}

LogicalResult cpu::checkSupported(func::FuncOp function, const CodeOptions &options) {
  WalkResult walk = function.walk([&](Operation *op) -> WalkResult { return checkOp(op, options); });
  return failure(walk.wasInterrupted());
}

namespace {
struct VectorizeTiles : helion::impl::VectorizeTilesPassBase<VectorizeTiles> {
  using VectorizeTilesPassBase::VectorizeTilesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    CodeOptions options{vectorBits, vectorRegisters, streamBytes, stepVectors};
    if (auto chosen = dyn_cast_or_null<IntegerAttr>(function->removeAttr(kStepVectorsAttr)))
      options.stepVectors = chosen.getInt();
    if (failed(checkSupported(function, options)))
      return signalPassFailure();
    FailureOr<LaneReach> reach = LaneReach::create(function);
    if (failed(reach))
      return signalPassFailure();
    TilePlan plan(function, *reach);
    TileEmitter emitter(function, plan, options);
    emitter.run();
    nests += emitter.numNests;
    dots += emitter.numDots;
  }
};
} // namespace
