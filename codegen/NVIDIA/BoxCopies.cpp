// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread of the block issues a slot's copies; all wait for the phase of the slot's barrier. PTX ISA, "Data movement
// and conversion instructions: Tensor copy" and "mbarrier".

#include "codegen/NVIDIA/BoxCopies.h"
#include "codegen/Common/ThreadRings.h"
#include "dialect/IR/TensorMaps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

// How long a wait may sleep before it looks again, ns: as long as it likes.
static constexpr int64_t kTicks = 10000000;

/// The thread that issues.
static Value isIssuer(ThreadContext &code, OpBuilder &b, Location loc) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, code.thread(), i32(b, loc, 0));
}

/// Barriers in shared memory as the dialect has them.
static Value groupOf(OpBuilder &b, Location loc, Value barriers) {
  auto type = cast<MemRefType>(barriers.getType());
  auto group = nvgpu::MBarrierGroupType::get(b.getContext(), type.getMemorySpace(), type.getNumElements());
  return UnrealizedConversionCastOp::create(b, loc, group, barriers).getResult(0);
}

static Value barriersOf(ThreadContext &code, Operation *side) {
  return code.rings.barriers.lookup(side->getOperand(0).getDefiningOp());
}

static void openBarriers(ThreadContext &code, OpBuilder &b, RingOp ring, Value barriers) {
  Location loc = ring.getLoc();
  divergentIf(b, loc, isIssuer(code, b, loc), [&](OpBuilder &at) {
    Value group = groupOf(at, loc, barriers), one = arith::ConstantIndexOp::create(at, loc, 1);
    for (int64_t slot = 0, depth = ring.getRing().getType().getDepth(); slot != depth; ++slot)
      nvgpu::MBarrierInitOp::create(at, loc, group, one, arith::ConstantIndexOp::create(at, loc, slot), Value());
    // The copies see shared memory by another way than the threads.
    NVVM::FenceProxyOp::create(at, loc, NVVM::ProxyKind::async_shared,
                               NVVM::SharedSpaceAttr::get(at.getContext(), NVVM::SharedSpace::shared_cta));
    return SmallVector<Value>();
  });
  gpu::BarrierOp::create(b, loc);
}

static void expectBytes(ThreadContext &code, OpBuilder &b, AcquireOp acquire, int64_t bytes) {
  Location loc = acquire.getLoc();
  divergentIf(b, loc, isIssuer(code, b, loc), [&](OpBuilder &at) {
    nvgpu::MBarrierArriveExpectTxOp::create(at, loc, groupOf(at, loc, barriersOf(code, acquire)),
                                            arith::ConstantIndexOp::create(at, loc, bytes),
                                            code.rings.numbers.lookup(acquire), Value());
    return SmallVector<Value>();
  });
}

static void waitForBytes(ThreadContext &code, OpBuilder &b, TakeOp take) {
  Location loc = take.getLoc();
  nvgpu::MBarrierTryWaitParityOp::create(b, loc, groupOf(b, loc, barriersOf(code, take)),
                                         code.rings.phases.lookup(take), arith::ConstantIndexOp::create(b, loc, kTicks),
                                         code.rings.numbers.lookup(take));
}

BoxVendor helion::boxCopies() { return {openBarriers, expectBytes, waitForBytes}; }

//===-- Copies ----------------------------------------------------------------------------------------------------===//

static nvgpu::TensorMapSwizzleKind swizzleOf(unsigned bytes) {
  switch (bytes) {
  case 32:
    return nvgpu::TensorMapSwizzleKind::SWIZZLE_32B;
  case 64:
    return nvgpu::TensorMapSwizzleKind::SWIZZLE_64B;
  case 128:
    return nvgpu::TensorMapSwizzleKind::SWIZZLE_128B;
  }
  return nvgpu::TensorMapSwizzleKind::SWIZZLE_NONE;
}

namespace {
struct LowerBoxLoad : ThreadPattern<LoadAsyncOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(LoadAsyncOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    auto map = dyn_cast<TensorMapType>(op.getSource().getType());
    auto parameter = op.getSource().getDefiningOp<UnrealizedConversionCastOp>();
    std::optional<BoxForm> form = map ? boxFormOf(map) : std::nullopt;
    if (!form || !parameter)
      return failure();
    Location loc = op.getLoc();
    SlotBuffer buffer = slotBuffer(code, b, loc, op.getDest());
    Value barriers = barriersOf(code, op.getDest().getDefiningOp());
    Value slot = b.getRemappedValue(code.rings.numbers.lookup(op.getDest().getDefiningOp()));
    SmallVector<Value> begins = beginsOf(op, adaptor, b);
    Point shape(cast<BufType>(op.getDest().getType()).getTile().getShape());
    std::optional<IndexMap> places = buffer.layout.map().inverse();
    divergentIf(b, loc, isIssuer(code, b, loc), [&](OpBuilder &at) {
      Value group = groupOf(at, loc, barriers);
      forEachBox(shape, map.getTile().getShape(), [&](const Point &origin) {
        int64_t place = places->apply(origin)[unsigned(LayoutSpace::Offset)];
        Value box = boxAt(at, loc, buffer, place, map, *form);
        Value descriptor = describe(at, loc, parameter.getInputs()[0], cast<MemRefType>(box.getType()), *form);
        auto copy = nvgpu::TmaAsyncLoadOp::create(at, loc, box, group, descriptor,
                                                  coordinates(at, loc, begins, origin, *form), slot, Value(), Value());
        markRingAccess(copy);
      });
      return SmallVector<Value>();
    });
    b.eraseOp(op);
    return success();
  }

private:
  /// Where the tile begins, by dim of the host tensor.
  static SmallVector<Value> beginsOf(LoadAsyncOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) {
    SmallVector<Value> begins;
    for (auto [index, lowered] : llvm::zip_equal(op.getIndices(), adaptor.getIndices()))
      begins.push_back(isa<TileType>(index.getType()) ? b.getRemappedValue(spanOf(index)->begin) : lowered);
    return begins;
  }

  static void forEachBox(const Point &shape, ArrayRef<int64_t> box, llvm::function_ref<void(const Point &)> visit) {
    Point origin(shape.size(), 0);
    while (true) {
      visit(origin);
      unsigned dim = 0;
      for (; dim != shape.size() && (origin[dim] += box[dim]) == shape[dim]; ++dim)
        origin[dim] = 0;
      if (dim == shape.size())
        return;
    }
  }

  /// The box in its slot, as the copy's dims are: the contiguous one last.
  static Value boxAt(OpBuilder &b, Location loc, const SlotBuffer &buffer, int64_t place, TensorMapType map,
                     const BoxForm &form) {
    IndexMath math{b, loc};
    SmallVector<int64_t> sizes, strides(form.dims.size(), 1);
    for (unsigned dim : llvm::reverse(form.dims))
      sizes.push_back(map.getBox()[dim]);
    for (unsigned dim = sizes.size() - 1; dim-- != 0;)
      strides[dim] = strides[dim + 1] * sizes[dim + 1];
    auto flat = cast<MemRefType>(buffer.memory.getType());
    auto type =
        MemRefType::get(sizes, flat.getElementType(),
                        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides), flat.getMemorySpace());
    Value begin = math.add(buffer.begin, math.constant(place));
    SmallVector<OpFoldResult> sizeAttrs = getAsIndexOpFoldResult(b.getContext(), sizes),
                              strideAttrs = getAsIndexOpFoldResult(b.getContext(), strides);
    return memref::ReinterpretCastOp::create(b, loc, type, buffer.memory, OpFoldResult(begin), sizeAttrs, strideAttrs);
  }

  static Value describe(OpBuilder &b, Location loc, Value parameter, MemRefType box, const BoxForm &form) {
    auto type = nvgpu::TensorMapDescriptorType::get(
        b.getContext(),
        MemRefType::get(box.getShape(), box.getElementType(), MemRefLayoutAttrInterface(), box.getMemorySpace()),
        swizzleOf(form.swizzleBytes), nvgpu::TensorMapL2PromoKind::L2PROMO_256B, nvgpu::TensorMapOOBKind::OOB_ZERO,
        nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE);
    return UnrealizedConversionCastOp::create(b, loc, type, parameter).getResult(0);
  }

  static SmallVector<Value> coordinates(OpBuilder &b, Location loc, ArrayRef<Value> begins, const Point &origin,
                                        const BoxForm &form) {
    IndexMath math{b, loc};
    SmallVector<Value> result;
    for (unsigned dim : form.dims) {
      int64_t within = form.tileDims[dim] < 0 ? 0 : origin[form.tileDims[dim]];
      result.push_back(within ? math.add(begins[dim], math.constant(within)) : begins[dim]);
    }
    return result;
  }
};
} // namespace

void helion::populateBoxCopyPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerBoxLoad>(code, types, patterns.getContext(), /*benefit=*/3);
}
