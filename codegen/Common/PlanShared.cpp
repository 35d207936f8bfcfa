// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers live from their allocation to their last use, in the order of the text; those that live at the same time lie
// apart. helion-plan-shared is this alone.

#include "codegen/Common/PlanShared.h"
#include "codegen/Common/Passes.h"
#include "codegen/Common/ThreadContext.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

namespace helion {
#define GEN_PASS_DEF_PLANSHAREDPASS
#include "codegen/Common/Passes.h.inc"
} // namespace helion

// The widest access that memory serves at once.
static constexpr int64_t kAlignment = 16;

namespace {
struct Buffer {
  memref::AllocOp alloc;
  int64_t first = 0, last = 0, bytes = 0, alignment = kAlignment, offset = 0;
  bool overlaps(const Buffer &other) const { return first <= other.last && other.first <= last; }
};
} // namespace

static SmallVector<Buffer> collect(func::FuncOp function) {
  DenseMap<Operation *, int64_t> numbers, ends;
  int64_t next = 0;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { numbers[op] = next++; });
  // Inner ops come first in this walk, so an op's end is known when its parent asks.
  function.walk([&](Operation *op) {
    int64_t end = std::max(ends.lookup(op), numbers[op]);
    ends[op] = end;
    if (Operation *parent = op->getParentOp())
      ends[parent] = std::max(ends.lookup(parent), end);
  });
  SmallVector<Buffer> result;
  function.walk([&](memref::AllocOp alloc) {
    if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(alloc.getType()))
      return;
    Buffer buffer{alloc, numbers[alloc], numbers[alloc]};
    buffer.bytes =
        llvm::alignTo(alloc.getType().getNumElements() * bytesOf(alloc.getType().getElementType()), kAlignment);
    buffer.alignment = std::max<int64_t>(kAlignment, alloc.getAlignment().value_or(1));
    for (Operation *user : alloc->getUsers())
      buffer.last = std::max(buffer.last, ends[alloc->getBlock()->findAncestorOpInBlock(*user)]);
    if (alloc->hasAttr(kKeptAttr)) {
      buffer.first = 0;
      buffer.last = next;
    }
    result.push_back(buffer);
  });
  return result;
}

/// Largest first, each at the lowest place that no buffer live at the same time has. Returns the size of all.
static int64_t place(MutableArrayRef<Buffer> found) {
  SmallVector<Buffer *> order = llvm::map_to_vector(found, [](Buffer &buffer) { return &buffer; });
  llvm::sort(order,
             [](Buffer *a, Buffer *b) { return std::pair(-a->bytes, a->first) < std::pair(-b->bytes, b->first); });
  SmallVector<Buffer *> placed; // in order of their offsets
  int64_t total = 0;
  for (Buffer *buffer : order) {
    for (Buffer *other : placed)
      if (buffer->overlaps(*other) && other->offset < buffer->offset + buffer->bytes)
        buffer->offset =
            std::max(buffer->offset, int64_t(llvm::alignTo(other->offset + other->bytes, buffer->alignment)));
    auto *behind = llvm::upper_bound(placed, buffer, [](Buffer *a, Buffer *b) { return a->offset < b->offset; });
    placed.insert(behind, buffer);
    total = std::max(total, buffer->offset + buffer->bytes);
  }
  return total;
}

SharedPlan threads::planShared(func::FuncOp function) {
  SmallVector<Buffer> buffers = collect(function);
  SharedPlan plan;
  plan.bytes = place(buffers);
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = function.getLoc();
  Value arena;
  for (Buffer &buffer : buffers) {
    if (!arena) {
      auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(), MemRefLayoutAttrInterface(),
                                  buffer.alloc.getType().getMemorySpace());
      arena = gpu::DynamicSharedMemoryOp::create(b, loc, type);
    }
    Value offset = arith::ConstantIndexOp::create(b, loc, buffer.offset);
    Value view = memref::ViewOp::create(b, loc, buffer.alloc.getType(), arena, offset, ValueRange());
    buffer.alloc.replaceAllUsesWith(view);
  }
  // Not before all views stand: the first allocation may be where they are put.
  for (Buffer &buffer : buffers)
    buffer.alloc.erase();
  plan.barriers = placeBarriers(function);
  function->setAttr(kSharedBytesAttr, b.getI64IntegerAttr(plan.bytes));
  return plan;
}

namespace {
struct PlanSharedPass : helion::impl::PlanSharedPassBase<PlanSharedPass> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    SharedPlan plan = planShared(getOperation());
    bytes += plan.bytes;
    barriers += plan.barriers;
  }
};
} // namespace
