// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form L across ops: slots and tokens are used once, rings have one writer and one reader, buffers are touched while
// their slot is held, and values fit the warps that hold them. What one op or type can check alone is in its verifier.

#include "passes/Normalize/VerifyLaidOut.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace helion;

namespace {
/// One launch in form L. Every rule has a label; its test bears the name.
class LaunchChecker {
public:
  explicit LaunchChecker(LaunchOp launch) : launch(launch) {}

  LogicalResult check() {
    launch.walk<WalkOrder::PreOrder>([&](Operation *op) {
      checkUses(op->getResults());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          checkUses(block.getArguments());
      checkPlace(op);
      if (auto ring = dyn_cast<RingOp>(op))
        checkRing(ring);
      if (isa<AcquireOp, TakeOp>(op))
        checkSlot(op);
      if (auto load = dyn_cast<LoadAsyncOp>(op))
        checkLoad(load);
      checkBuffers(op);
      if (isa<WarpGroupsOp>(op) && groups++)
        error(op) << "is the second of its launch; groups start together once"; // L1
    });
    return failure(failed);
  }

private:
  InFlightDiagnostic error(Operation *op) {
    failed = true;
    return op->emitOpError();
  }

  static StringRef nameOf(GroupOp group) { return group ? group.getName() : StringRef("the program"); }
  static GroupOp groupOf(Operation *op) { return op->getParentOfType<GroupOp>(); }

  //===-- Slots, tokens ------------------------------------------------------------------------------------------===//

  static bool isEnd(OpOperand &use) { return !isa<ReleaseOp>(use.getOwner()) || !isa<TokenType>(use.get().getType()); }

  /// Uses on one way through the block; none, after an error, where ways differ or repeat.
  std::optional<unsigned> usesOnPath(ArrayRef<OpOperand *> uses, Block *block, StringRef what) {
    unsigned total = 0;
    llvm::MapVector<Operation *, SmallVector<OpOperand *>> nested;
    for (OpOperand *use : uses) {
      Operation *op = block->findAncestorOpInBlock(*use->getOwner());
      if (op == use->getOwner())
        ++total;
      else
        nested[op].push_back(use);
    }
    for (auto &[op, inside] : nested) {
      std::optional<unsigned> within = usesInside(op, inside, what);
      if (!within)
        return std::nullopt;
      total += *within;
    }
    return total;
  }

  std::optional<unsigned> usesInside(Operation *op, ArrayRef<OpOperand *> uses, StringRef what) {
    if (isa<LoopLikeOpInterface>(op)) {
      error(op) << "ends a " << what << " from outside of it each time; a loop has to carry what it ends";
      return std::nullopt;
    }
    bool branches = isa<scf::IfOp, scf::IndexSwitchOp>(op);
    std::optional<unsigned> total;
    for (Region &region : op->getRegions()) {
      SmallVector<OpOperand *> inside;
      llvm::copy_if(uses, std::back_inserter(inside),
                    [&](OpOperand *use) { return region.isAncestor(use->getOwner()->getParentRegion()); });
      std::optional<unsigned> count = inside.empty() ? 0 : usesOnPath(inside, &region.front(), what);
      if (!count)
        return std::nullopt;
      if (branches && total && *total != *count) {
        error(op) << "ends a " << what << " in some of its branches only";
        return std::nullopt;
      }
      total = branches ? *count : total.value_or(0) + *count;
    }
    return total;
  }

  /// L2: a slot has one use on every path. L3: a token has one besides `after`.
  void checkUses(ValueRange values) {
    for (Value value : values) {
      if (!isa<SlotType, TokenType>(value.getType()))
        continue;
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : value.getUses())
        if (isEnd(use))
          uses.push_back(&use);
      StringRef what = isa<SlotType>(value.getType()) ? "slot" : "token";
      std::optional<unsigned> count = usesOnPath(uses, value.getParentBlock(), what);
      if (!count || *count == 1)
        continue;
      Operation *owner = value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp();
      error(owner) << what << " has " << *count << " uses; exactly one ends it or hands it on";
    }
  }

  /// What finally happens to a token, on each path: the wait, or the op that carries it away.
  static void endsOf(Value token, SmallVectorImpl<Operation *> &ends) {
    for (OpOperand &use : token.getUses()) {
      Operation *user = use.getOwner();
      if (!isEnd(use))
        continue;
      if (auto dot = dyn_cast<DotAsyncOp>(user))
        endsOf(dot.getToken(), ends);
      else if (auto ordered = dyn_cast<OrderedOp>(user->getParentOp()); ordered && isa<YieldOp>(user))
        endsOf(ordered.getResult(use.getOperandNumber()), ends);
      else
        ends.push_back(user);
    }
  }

  /// True when `op` comes before `end` in the innermost block that holds both, or they stand in different branches.
  static bool isBefore(Operation *op, Operation *end) {
    for (; end; end = end->getParentOp())
      if (Operation *ancestor = end->getBlock()->findAncestorOpInBlock(*op))
        return ancestor == end || ancestor->isBeforeInBlock(end);
    return true;
  }

  /// L4: buffers of a slot are not touched after its end, on any path. L5: nor is one released that a dot in flight
  /// reads.
  void checkSlot(Operation *op) {
    SmallVector<Operation *> ends;
    llvm::copy_if(op->getResult(0).getUsers(), std::back_inserter(ends),
                  llvm::IsaPred<CommitOp, ReleaseOp, StoreAsyncOp>);
    for (Value buffer : op->getResults().drop_front())
      for (Operation *user : buffer.getUsers()) {
        if (!llvm::all_of(ends, [&](Operation *end) { return isBefore(user, end); }))
          error(user) << "touches a buffer after the end of its slot";
        if (auto dot = dyn_cast<DotAsyncOp>(user))
          checkFlight(dot, ends);
      }
  }

  void checkFlight(DotAsyncOp dot, ArrayRef<Operation *> ends) {
    SmallVector<Operation *> stops;
    endsOf(dot.getToken(), stops);
    for (Operation *end : ends) {
      auto release = dyn_cast<ReleaseOp>(end);
      if (release && !release.getAfter() && !llvm::all_of(stops, [&](Operation *stop) { return isBefore(stop, end); }))
        error(end) << "releases a slot that a dot in flight reads; wait for the dot, or release `after` its token";
    }
  }

  //===-- Rings --------------------------------------------------------------------------------------------------===//

  /// The group of the ring's ops of one kind; L6: there is only one.
  template <typename SideOp> std::optional<GroupOp> sideOf(RingOp ring, StringRef verb) {
    std::optional<GroupOp> found;
    SmallVector<Operation *> users(ring->getUsers());
    for (Operation *user : llvm::reverse(users)) { // in the order of the text
      if (!isa<SideOp>(user))
        continue;
      GroupOp group = groupOf(user);
      if (found && *found != group)
        error(ring) << "is " << verb << " in `" << nameOf(*found) << "` and in `" << nameOf(group)
                    << "`; one group does";
      found = group;
    }
    return found;
  }

  static bool isStored(RingOp ring) {
    return llvm::any_of(ring->getUsers(), [](Operation *user) {
      return isa<AcquireOp>(user) && llvm::any_of(user->getResult(0).getUsers(), llvm::IsaPred<StoreAsyncOp>);
    });
  }

  void checkRing(RingOp ring) {
    for (Operation *user : ring->getUsers())
      if (!isa<AcquireOp, TakeOp>(user))
        error(user) << "uses a ring; only `helion.acquire` and `helion.take` do"; // L7
    if (!rings.try_emplace(ring.getSite(), ring).second)
      error(ring) << "site `" << ring.getSite() << "` names two rings"; // L8
    if (std::optional<StringRef> other = ring.getOverlay(); other && (!rings.count(*other) || *other == ring.getSite()))
      error(ring) << "overlays `" << *other << "`, which is no ring before it"; // L9
    if (ring.getCluster() && !launch.getCluster())
      error(ring) << "is filled by a cluster, but the launch has none"; // L10
    std::optional<GroupOp> writer = sideOf<AcquireOp>(ring, "acquired"), reader = sideOf<TakeOp>(ring, "taken");
    bool stored = isStored(ring);
    if (!writer || (!reader && !stored))
      error(ring) << "is never " << (writer ? "emptied" : "filled"); // L11
    else
      checkParts(ring, *writer, stored ? *writer : *reader);
  }

  /// L12: parts are for the instances that read. L13: a ring inside one group has a part for each instance, because
  /// instances meet nowhere else.
  void checkParts(RingOp ring, GroupOp writer, GroupOp reader) {
    int64_t count = reader ? reader.getCount() : 1;
    for (RankedTensorType buffer : ring.getRing().getType().getBuffers()) {
      int64_t parts = layoutOf(buffer).getLayout().size(LayoutSpace::Group);
      if (parts != 1 && parts != count)
        error(ring) << "has a buffer of `" << parts << "` parts for `" << count << "` instances of `" << nameOf(reader)
                    << "`";
      else if (writer == reader && parts != count)
        error(ring) << "stays inside `" << nameOf(reader) << "` of `" << count
                    << "` instances, but a buffer has no part for each";
    }
  }

  //===-- Buffers, groups ----------------------------------------------------------------------------------------===//

  /// L14: what fills a buffer got it by acquire, what reads it by take.
  void checkBuffers(Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<BufType>(operand.getType()))
        continue;
      bool fills = isa<LoadAsyncOp, WriteOp, StoreAsyncOp>(op);
      bool acquired = isa_and_nonnull<AcquireOp>(operand.getDefiningOp());
      bool taken = isa_and_nonnull<TakeOp>(operand.getDefiningOp());
      if (fills ? !acquired : !taken)
        error(op) << (fills ? "fills a buffer that no `helion.acquire` gave"
                            : "reads a buffer that no `helion.take` gave");
    }
  }

  void checkLoad(LoadAsyncOp load) {
    GroupOp group = groupOf(load);
    if (group && group.getElected() && !isa<TensorMapType>(load.getSource().getType()))
      error(load) << "copies a memref in an elected group, which has one lane for it"; // L15
    auto acquire = load.getDest().getDefiningOp<AcquireOp>();
    auto ring = acquire ? acquire.getRing().getDefiningOp<RingOp>() : RingOp();
    if (load.getMulticast() && ring && !ring.getCluster())
      error(load) << "copies to several CTAs, but ring `" << ring.getSite() << "` is no `cluster` one"; // L16
  }

  /// L17: with groups, tile values live in them. L18: a layout needs no more warps and instances than there are.
  void checkPlace(Operation *op) {
    GroupOp group = groupOf(op);
    for (Type type : op->getResultTypes()) {
      auto tile = isa<TokenType>(type) ? cast<TokenType>(type).getTile() : dyn_cast<RankedTensorType>(type);
      LayoutAttr layout = tile ? layoutOf(tile) : LayoutAttr();
      if (!layout)
        continue;
      if (!group && hasGroups())
        error(op) << "computes a tile value beside the groups of its launch";
      else
        checkSize(op, group, layout.getLayout());
    }
  }

  void checkSize(Operation *op, GroupOp group, const Layout &layout) {
    std::optional<int64_t> warps;
    if (group)
      warps = group.getWarps();
    else if (launch.getWarps())
      warps = *launch.getWarps();
    if (warps && layout.size(LayoutSpace::Warp) > *warps)
      error(op) << "layout spreads over `" << layout.size(LayoutSpace::Warp) << "` warps of `" << *warps << "`";
    int64_t count = group ? group.getCount() : 1;
    if (layout.size(LayoutSpace::Group) != 1 && layout.size(LayoutSpace::Group) != count)
      error(op) << "layout spreads over `" << layout.size(LayoutSpace::Group) << "` instances of `" << count << "`";
  }

  bool hasGroups() { return !launch.getBody().getOps<WarpGroupsOp>().empty(); }

  LaunchOp launch;
  bool failed = false;
  unsigned groups = 0;
  llvm::StringMap<RingOp> rings;
};
} // namespace

LogicalResult helion::verifyLaidOutLaunch(LaunchOp launch) { return LaunchChecker(launch).check(); }
