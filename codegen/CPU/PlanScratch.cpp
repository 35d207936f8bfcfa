// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places buffers by when they are live. Ops are numbered in order; a buffer lives from its allocation to its last use,
// which lasts to the end of the outermost loop below the allocation's own block that holds it.

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileMemory.h"
#include "codegen/Common/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

namespace helion {
#define GEN_PASS_DEF_PLANSCRATCHPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace helion

// A cache line: no buffer shares one with another, and vector accesses do not cross one more than they must.
static constexpr int64_t kAlignment = 64;

namespace {
struct Buffer {
  memref::AllocOp alloc;
  int64_t first = 0, last = 0, bytes = 0, offset = 0;

  bool overlaps(const Buffer &other) const { return first <= other.last && other.first <= last; }
};

struct PlanScratch : helion::impl::PlanScratchPassBase<PlanScratch> {
  using PlanScratchPassBase::PlanScratchPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    SmallVector<Buffer> found = collect(function);
    int64_t total = place(found);
    Value scratch = scratchOf(function);
    if (!found.empty() && !scratch) {
      function.emitOpError() << "needs `" << total << "` bytes of scratch and has no argument marked `" << kScratchAttr
                             << "`";
      return signalPassFailure();
    }
    for (Buffer &buffer : found)
      replace(buffer, scratch);
    function->setAttr(kScratchBytesAttr, Builder(function).getI64IntegerAttr(total));
    buffers += found.size();
  }

private:
  static Value scratchOf(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), kScratchAttr))
        return argument;
    return {};
  }

  static SmallVector<Buffer> collect(func::FuncOp function) {
    DenseMap<Operation *, int64_t> numbers, ends;
    int64_t next = 0;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { numbers[op] = next++; });
    function.walk([&](Operation *op) {
      int64_t &end = ends[op] = std::max(ends.lookup(op), numbers[op]);
      if (Operation *parent = op->getParentOp())
        ends[parent] = std::max(ends.lookup(parent), int64_t(end));
    });
    SmallVector<Buffer> result;
    function.walk([&](memref::AllocOp alloc) {
      if (!alloc->hasAttr(kTileBufferAttr))
        return;
      Buffer buffer{alloc, numbers[alloc], numbers[alloc]};
      MemRefType type = alloc.getType();
      unsigned bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
      buffer.bytes = llvm::alignTo(type.getNumElements() * llvm::divideCeil(bits, 8), kAlignment);
      for (Operation *user : alloc->getUsers())
        buffer.last = std::max(buffer.last, ends[alloc->getBlock()->findAncestorOpInBlock(*user)]);
      result.push_back(buffer);
    });
    return result;
  }

  /// Largest first, each at the lowest place that no buffer live at the same time has. Returns the size of all.
  static int64_t place(MutableArrayRef<Buffer> found) {
    SmallVector<Buffer *> order;
    for (Buffer &buffer : found)
      order.push_back(&buffer);
    llvm::sort(order,
               [](Buffer *a, Buffer *b) { return std::pair(-a->bytes, a->first) < std::pair(-b->bytes, b->first); });
    SmallVector<Buffer *> placed;
    int64_t total = 0;
    for (Buffer *buffer : order) {
      for (Buffer *other : placed) // In order of their offsets.
        if (buffer->overlaps(*other) && other->offset < buffer->offset + buffer->bytes)
          buffer->offset = std::max(buffer->offset, other->offset + other->bytes);
      auto behind = llvm::upper_bound(placed, buffer, [](Buffer *a, Buffer *b) { return a->offset < b->offset; });
      placed.insert(behind, buffer);
      total = std::max(total, buffer->offset + buffer->bytes);
    }
    return total;
  }

  static void replace(Buffer &buffer, Value scratch) {
    OpBuilder builder(buffer.alloc);
    Location loc = buffer.alloc.getLoc();
    Value offset = arith::ConstantIndexOp::create(builder, loc, buffer.offset);
    Value view = memref::ViewOp::create(builder, loc, buffer.alloc.getType(), scratch, offset, ValueRange());
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc.erase();
  }
};
} // namespace
