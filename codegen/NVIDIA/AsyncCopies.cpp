// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One copy for each run of elements that lie together in both memories. What is outside of the tiles is filled with 0
// by the copy itself: it reads fewer bytes than it writes.

#include "codegen/NVIDIA/AsyncCopies.h"
#include "codegen/Common/ThreadRings.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

// Bytes of one copy; the widest goes around the first cache.
static constexpr int64_t kLeast = 4, kMost = 16;

namespace {
/// One copy: offsets into the two memories, and how many of its elements are read.
struct Piece {
  Value from, to, count;
};

struct LowerLoadAsync : ThreadPattern<LoadAsyncOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(LoadAsyncOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto tile = cast<BufType>(op.getDest().getType()).getTile();
    int64_t bytes = bytesOf(memoryElement(tile.getElementType()));
    SlotBuffer buffer = slotBuffer(code, b, loc, op.getDest());
    std::optional<unsigned> fast = contiguousDim(buffer.layout, kMost / bytes);
    if (!fast)
      return failure();
    Layout layout = copyLayout(tile.getShape(), *fast, kMost / bytes, code.lanes, code.warps);
    TileAccess access(code, b, loc, op.getSource(), op.getIndices(), adaptor.getIndices(), layout);
    SharedTile shared(code, buffer.memory, layout, &buffer.layout, {buffer.begin, /*isRing=*/true});
    int64_t width = std::min(access.alignment(), kMost) / bytes;
    Runs runs = runsAlong(layout.map(), *fast, width);
    if (width * bytes < kLeast || runs.width != width || access.gathersElements() ||
        shared.runs(width).groups != runs.groups)
      return failure();
    // Of the threads that hold the same elements one copies: equal bytes from two would be a race all the same.
    Ownership owners = ownershipOf(layout, code.lanes, code.warps);
    SmallVector<Piece> pieces;
    for (ArrayRef<int64_t> run : runs.groups)
      if (owners.registers[run.front()])
        pieces.push_back({access.at(run.front()), shared.placeOf(b, loc, run.front()), access.countInside(run, *fast)});
    auto copy = [&](OpBuilder &at) {
      for (const Piece &piece : pieces)
        markRingAccess(nvgpu::DeviceAsyncCopyOp::create(
            at, loc, nvgpu::DeviceAsyncTokenType::get(at.getContext()), buffer.memory, piece.to, access.memory(),
            piece.from, at.getIndexAttr(width), piece.count, width * bytes == kMost ? at.getUnitAttr() : UnitAttr()));
      return SmallVector<Value>();
    };
    if (Value acts = code.actsFor(b, loc, owners))
      divergentIf(b, loc, acts, copy);
    else
      copy(b);
    b.eraseOp(op);
    return success();
  }
};
} // namespace

void helion::populateAsyncCopyPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerLoadAsync>(code, types, patterns.getContext(), /*benefit=*/2);
}

void helion::commitCopies(OpBuilder &b, Location loc) { NVVM::CpAsyncCommitGroupOp::create(b, loc); }

void helion::waitForCopies(OpBuilder &b, Location loc, int64_t youngerGroups) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, youngerGroups);
}
