// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots are counted modulo the depth, by loops that carry the count. Copies in flight are the difference of commits and
// takes, the same on every path or unknown.

#include "codegen/Common/ThreadRings.h"
#include "codegen/Common/LowerThreads.h"
#include "codegen/Common/Passes.h"
#include "dialect/IR/LayoutBuilders.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

//===-- Slots -----------------------------------------------------------------------------------------------------===//

static bool isSideOf(Operation *op, RingOp ring, bool writes) {
  return (writes ? isa<AcquireOp>(op) : isa<TakeOp>(op)) && op->getOperand(0) == ring.getRing();
}

/// The device fills the slots, through tensor maps.
static bool hasBoxes(RingOp ring) {
  for (Operation *side : ring.getRing().getUsers())
    if (auto acquire = dyn_cast<AcquireOp>(side))
      for (Value buffer : acquire.getBuffers())
        for (Operation *user : buffer.getUsers())
          if (auto load = dyn_cast<LoadAsyncOp>(user); load && isa<TensorMapType>(load.getSource().getType()))
            return true;
  return false;
}

static bool holdsSideOf(Operation *op, RingOp ring, bool writes) {
  return op
      ->walk([&](Operation *inner) {
        return isSideOf(inner, ring, writes) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Casts of slots' numbers to their own type: uses that follow when a loop is made again with a value more.
using SlotMarks = llvm::MapVector<Operation *, UnrealizedConversionCastOp>;

namespace {
/// One side of one ring.
class SlotCounter {
public:
  /// Counts modulo `cycle`.
  SlotCounter(RingOp ring, bool writes, int64_t cycle, SlotMarks &marks)
      : ring(ring), cycle(cycle), writes(writes), marks(marks), b(ring->getContext()) {}

  /// Follows the text from the ring on.
  void run() {
    b.setInsertionPointAfter(ring);
    Value first = arith::ConstantIndexOp::create(b, ring.getLoc(), 0);
    count(ring->getBlock(), first);
  }

private:
  Value count(Block *block, Value next) {
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      if (isSideOf(&op, ring, writes)) {
        b.setInsertionPoint(&op);
        marks[&op] = UnrealizedConversionCastOp::create(b, op.getLoc(), next.getType(), next);
        next = after(&op, next);
      } else if (auto loop = dyn_cast<scf::ForOp>(op); loop && holdsSideOf(loop, ring, writes)) {
        next = carry(loop, next);
      }
    }
    return next;
  }

  Value after(Operation *op, Value slot) {
    if (cycle == 1)
      return slot;
    Location loc = op->getLoc();
    b.setInsertionPointAfter(op);
    Value one = arith::ConstantIndexOp::create(b, loc, 1), all = arith::ConstantIndexOp::create(b, loc, cycle),
          zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value next = arith::AddIOp::create(b, loc, slot, one);
    Value isEnd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, all);
    return arith::SelectOp::create(b, loc, isEnd, zero, next);
  }

  Value carry(scf::ForOp loop, Value next) {
    IRRewriter rewriter(loop);
    auto carried = llvm::cast<scf::ForOp>(
        loop.replaceWithAdditionalYields(rewriter, next, /*replaceInitOperandUsesInLoop=*/false,
                                         [](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
                                           return SmallVector<Value>(added.begin(), added.end());
                                         })
            ->getOperation());
    Value last = count(carried.getBody(), carried.getRegionIterArgs().back());
    Operation *yield = carried.getBody()->getTerminator();
    yield->setOperand(yield->getNumOperands() - 1, last);
    return carried.getResults().back();
  }

  RingOp ring;
  int64_t cycle;
  bool writes;
  SlotMarks &marks;
  OpBuilder b;
};

/// Commits less takes of one ring, along the text.
class FlightCounter {
public:
  FlightCounter(RingOp ring, RingSlots &slots) : ring(ring), slots(slots) {}

  void run() { count(ring->getBlock(), 0); }

private:
  using Flight = std::optional<int64_t>;

  Flight count(Block *block, Flight flight) {
    for (Operation &op : *block) {
      if (isSideOf(&op, ring, /*writes=*/false)) {
        slots.younger[&op] = std::max<int64_t>(flight.value_or(1) - 1, 0);
        flight = step(flight, -1);
      } else if (auto commit = dyn_cast<CommitOp>(op); commit && isOfRing(commit)) {
        flight = step(flight, 1);
      } else if (auto release = dyn_cast<ReleaseOp>(op); release && isOfRing(release) && release.getAfter()) {
        slots.younger[&op] = youngerDots(release, flight);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        flight = count(loop, flight);
      }
    }
    return flight;
  }

  /// A loop that changes the difference makes it unknown inside, and behind it unless its trips are.
  Flight count(scf::ForOp loop, Flight before) {
    Flight after = count(loop.getBody(), before);
    if (!before || !after || *before == *after)
      return after;
    std::optional<llvm::APInt> trips = loop.getStaticTripCount();
    count(loop.getBody(), std::nullopt);
    return trips ? Flight(*before + (*after - *before) * trips->getSExtValue()) : std::nullopt;
  }

  static Flight step(Flight flight, int64_t by) { return flight ? Flight(*flight + by) : std::nullopt; }
  /// The next acquire fills the slot of the take as many before this one as slots are free; dots of later takes may
  /// fly.
  int64_t youngerDots(ReleaseOp release, Flight flight) {
    int64_t depth = ring.getRing().getType().getDepth(), dots = 0;
    for (Value buffer : release.getSlot().getDefiningOp()->getResults().drop_front())
      for (Operation *user : buffer.getUsers())
        dots += isa<DotAsyncOp>(user) && user->getOperand(0) == buffer;
    return flight ? std::max<int64_t>(depth - 1 - *flight, 0) * dots : 0;
  }

  bool isOfRing(ReleaseOp release) {
    return release.getSlot().getDefiningOp<TakeOp>() && isSideOf(release.getSlot().getDefiningOp(), ring, false);
  }
  bool isOfRing(CommitOp commit) {
    auto acquire = commit.getSlot().getDefiningOp<AcquireOp>();
    return acquire && acquire.getRing() == ring.getRing();
  }

  RingOp ring;
  RingSlots &slots;
};
} // namespace

/// A count modulo twice the depth is the slot, and the phase of its barrier.
static void splitCount(RingSlots &slots, TakeOp take, Value count) {
  OpBuilder b(take);
  Location loc = take.getLoc();
  Value depth =
      arith::ConstantIndexOp::create(b, loc, take.getRing().getDefiningOp<RingOp>().getRing().getType().getDepth());
  Value isOdd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, count, depth);
  Value rest = arith::SubIOp::create(b, loc, count, depth);
  slots.phases[take] = isOdd;
  slots.numbers[take] = arith::SelectOp::create(b, loc, isOdd, rest, count);
}

RingSlots threads::numberSlots(func::FuncOp function) {
  RingSlots slots;
  SmallVector<RingOp> rings;
  function.walk([&](RingOp ring) { rings.push_back(ring); });
  SlotMarks marks;
  for (RingOp ring : rings) {
    int64_t depth = ring.getRing().getType().getDepth();
    SlotCounter(ring, /*writes=*/true, depth, marks).run();
    SlotCounter(ring, /*writes=*/false, hasBoxes(ring) ? 2 * depth : depth, marks).run();
    FlightCounter(ring, slots).run();
  }
  for (auto [op, mark] : marks) {
    auto take = dyn_cast<TakeOp>(op);
    if (take && hasBoxes(take.getRing().getDefiningOp<RingOp>()))
      splitCount(slots, take, mark.getOperand(0));
    else
      slots.numbers[op] = mark.getOperand(0);
    mark.erase();
  }
  return slots;
}

//===-- Buffers ---------------------------------------------------------------------------------------------------===//

static bool isRead(TakeOp take) {
  return llvm::any_of(take.getBuffers(), [](Value buffer) { return !buffer.use_empty(); });
}

/// Bytes that copies write into a slot.
static int64_t copiedBytes(AcquireOp acquire) {
  int64_t bytes = 0;
  for (Value buffer : acquire.getBuffers())
    for (Operation *user : buffer.getUsers())
      if (isa<LoadAsyncOp>(user)) {
        RankedTensorType tile = cast<BufType>(buffer.getType()).getTile();
        bytes += tile.getNumElements() * bytesOf(memoryElement(tile.getElementType()));
      }
  return bytes;
}

/// What a swizzle over 128 bytes repeats after: boxes are swizzled by the bits of their address.
static constexpr int64_t kBoxAlignment = 1024;

namespace {
/// Buffers, barriers and waits, op by op.
class RingOpener {
public:
  RingOpener(ThreadContext &code, const Vendor &vendor) : code(code), vendor(vendor) {}

  void open(RingOp ring) {
    OpBuilder b(ring);
    bool boxes = hasBoxes(ring);
    int64_t depth = ring.getRing().getType().getDepth();
    for (RankedTensorType tile : ring.getRing().getType().getBuffers()) {
      Value buffer = code.shared(b, ring.getLoc(), depth * tile.getNumElements(), tile.getElementType());
      if (boxes)
        buffer.getDefiningOp<memref::AllocOp>().setAlignment(kBoxAlignment);
      code.rings.buffers[ring].push_back(buffer);
    }
    if (!boxes)
      return;
    Value barriers = code.shared(b, ring.getLoc(), depth, b.getI64Type());
    // Nothing else may lie where a barrier was.
    barriers.getDefiningOp()->setAttr(kKeptAttr, b.getUnitAttr());
    code.rings.barriers[ring] = barriers;
    vendor.boxes->open(code, b, ring, barriers);
  }

  void open(AcquireOp acquire) {
    OpBuilder b(acquire->getContext());
    b.setInsertionPointAfter(acquire);
    if (code.rings.barriers.contains(ringOf(acquire)))
      vendor.boxes->expect(code, b, acquire, copiedBytes(acquire));
  }

  void open(TakeOp take) {
    OpBuilder b(take);
    if (code.rings.barriers.contains(ringOf(take)))
      vendor.boxes->wait(code, b, take);
    else if (vendor.wait)
      vendor.wait(b, take.getLoc(), code.rings.younger.lookup(take));
    if (isRead(take))
      gpu::BarrierOp::create(b, take.getLoc());
  }

  void close(ReleaseOp release) {
    OpBuilder b(release);
    if (release.getAfter())
      vendor.waitForDots(b, release.getLoc(), code.rings.younger.lookup(release));
  }

  void close(CommitOp commit) {
    OpBuilder b(commit);
    auto acquire = commit.getSlot().getDefiningOp<AcquireOp>();
    if (vendor.commit && !code.rings.barriers.contains(ringOf(acquire)))
      vendor.commit(b, commit.getLoc());
  }

private:
  static Operation *ringOf(Operation *side) { return side->getOperand(0).getDefiningOp(); }

  ThreadContext &code;
  const Vendor &vendor;
};
} // namespace

void threads::openRings(ThreadContext &code, const Vendor &vendor) {
  SmallVector<Operation *> all;
  code.function.walk([&](Operation *op) {
    if (isa<RingOp, AcquireOp, TakeOp, CommitOp, ReleaseOp>(op))
      all.push_back(op);
  });
  RingOpener opener(code, vendor);
  for (Operation *op : all) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<RingOp, AcquireOp, TakeOp>([&](auto side) { opener.open(side); })
        .Case<CommitOp, ReleaseOp>([&](auto end) { opener.close(end); });
    if (isa<CommitOp, ReleaseOp>(op))
      op->erase();
  }
}

void threads::closeRings(func::FuncOp function) {
  SmallVector<Operation *> left;
  function.walk([&](Operation *op) {
    if (isa<RingOp, AcquireOp, TakeOp>(op))
      left.push_back(op);
  });
  for (Operation *op : llvm::reverse(left))
    op->erase();
}

SlotBuffer threads::slotBuffer(ThreadContext &code, ConversionPatternRewriter &b, Location loc, Value buffer) {
  Operation *side = buffer.getDefiningOp();
  auto tile = cast<BufType>(buffer.getType()).getTile();
  unsigned number = cast<OpResult>(buffer).getResultNumber() - 1;
  Value memory = code.rings.buffers.lookup(side->getOperand(0).getDefiningOp())[number];
  Value slot = b.getRemappedValue(code.rings.numbers.lookup(side));
  IndexMath math{b, loc};
  return {memory, math.times(slot, b.getIndexAttr(tile.getNumElements())), layoutOf(tile).getLayout()};
}

void threads::markRingAccess(Operation *op) { op->setAttr(kRingAttr, UnitAttr::get(op->getContext())); }

Layout threads::copyLayout(ArrayRef<int64_t> shape, unsigned fast, int64_t vector, int64_t lanes, int64_t warps) {
  BlockedSpread spread;
  spread.perThread.assign(shape.size(), 1);
  spread.lanes = spread.warps = spread.perThread;
  spread.order.push_back(fast);
  for (unsigned dim = shape.size(); dim-- != 0;)
    if (dim != fast)
      spread.order.push_back(dim);
  SmallVector<int64_t> left = llvm::map_to_vector(shape, [](int64_t extent) { return extent & -extent; });
  auto take = [&](SmallVector<int64_t> &counts, unsigned dim, int64_t most) {
    counts[dim] = std::min(left[dim], most);
    left[dim] /= counts[dim];
    return counts[dim];
  };
  take(spread.perThread, fast, vector);
  for (unsigned dim : spread.order)
    lanes /= take(spread.lanes, dim, lanes);
  for (unsigned dim : llvm::reverse(spread.order))
    warps /= take(spread.warps, dim, llvm::bit_floor(uint64_t(warps)));
  return llvm::cantFail(blockedLayout(shape, spread));
}

//===-- Patterns --------------------------------------------------------------------------------------------------===//

namespace {
struct LowerRead : ThreadPattern<ReadOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ReadOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SlotBuffer buffer = slotBuffer(code, b, loc, op.getSource());
    SharedTile tile(code, buffer.memory, layoutIn(op.getResult()), &buffer.layout, {buffer.begin, /*isRing=*/true});
    b.replaceOp(op, pack(b, loc, tile.read(b, loc, getElementTypeOrSelf(op.getType()))));
    return success();
  }
};

struct LowerWrite : ThreadPattern<WriteOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(WriteOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SlotBuffer buffer = slotBuffer(code, b, loc, op.getDest());
    SharedTile tile(code, buffer.memory, layoutIn(op.getValue()), &buffer.layout, {buffer.begin, /*isRing=*/true});
    tile.write(b, loc, unpack(b, loc, adaptor.getValue()));
    b.eraseOp(op);
    return success();
  }
};

/// Through registers: what every target has.
struct LowerLoadAsync : ThreadPattern<LoadAsyncOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LoadAsyncOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SlotBuffer buffer = slotBuffer(code, b, loc, op.getDest());
    auto tile = cast<BufType>(op.getDest().getType()).getTile();
    int64_t vector = std::max<int64_t>(1, code.vectorBytes / bytesOf(memoryElement(tile.getElementType())));
    unsigned fast = contiguousDim(buffer.layout, vector).value_or(tile.getRank() - 1);
    Layout layout = copyLayout(tile.getShape(), fast, vector, code.lanes, code.warps);
    TileAccess access(code, b, loc, op.getSource(), op.getIndices(), adaptor.getIndices(), layout);
    SmallVector<Value> elements = loadRegisters(b, loc, access, zeroOf(b, loc, access.held()));
    SharedTile(code, buffer.memory, layout, &buffer.layout, {buffer.begin, /*isRing=*/true}).write(b, loc, elements);
    b.eraseOp(op);
    return success();
  }
};
} // namespace

void threads::populateRingPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerRead, LowerWrite, LowerLoadAsync>(code, types, patterns.getContext());
}
