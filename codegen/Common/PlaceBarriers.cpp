// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over the text with the accesses that no barrier has ended yet. An access that could meet one of them in
// another thread, one of both being a write, gets a barrier before it. Loops are walked until nothing is added.

#include "codegen/Common/Passes.h"
#include "codegen/Common/PlanShared.h"
#include "codegen/Common/ThreadContext.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

namespace {
enum class AccessKind { Read, Write, Atomic };

/// Bytes of the arena, or any of a host tensor.
struct Access {
  AccessKind kind;
  Value memory, root;
  int64_t begin = 0, end = 0; // of the arena
  Attribute place;            // equal places are touched by the same thread
  bool releases = false, acquires = false, isRing = false;

  bool operator==(const Access &other) const {
    return kind == other.kind && memory == other.memory && place == other.place && releases == other.releases &&
           acquires == other.acquires && isRing == other.isRing;
  }
};

using Pending = SmallVector<Access>;

class Walker {
public:
  explicit Walker(func::FuncOp function) : function(function) {}

  void walk(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, pending);
  }
  int64_t barriers = 0;

private:
  void visit(Operation *op, Pending &pending) {
    if (isa<gpu::BarrierOp>(op))
      return pending.clear();
    if (op->getNumRegions() && !op->hasAttr(kDivergentAttr))
      return visitRegions(op, pending);
    join(pending, separate(op, pending));
  }

  /// Puts a barrier before `op` where something in it meets what is pending; returns what it touches.
  SmallVector<Access> separate(Operation *op, Pending &pending) {
    SmallVector<Access> touched;
    op->walk([&](Operation *inner) { collect(inner, touched); });
    if (llvm::any_of(touched, [&](const Access &access) { return meets(access, pending); })) {
      OpBuilder b(op);
      gpu::BarrierOp::create(b, op->getLoc());
      ++barriers;
      pending.clear();
    }
    return touched;
  }

  /// Each region may run or not; those of loops also after themselves. What comes before a loop is waited for before
  /// it, once.
  void visitRegions(Operation *op, Pending &pending) {
    bool isLoop = isa<LoopLikeOpInterface>(op);
    if (isLoop)
      separate(op, pending);
    size_t before;
    Pending in = pending;
    do {
      before = in.size();
      Pending out = isLoop ? in : Pending();
      for (Region &region : op->getRegions()) {
        Pending inside = isLoop ? out : pending;
        for (Block &block : region)
          walk(block, inside);
        isLoop ? void(out = inside) : join(out, inside);
      }
      join(pending, out);
      join(in, out);
    } while (isLoop && in.size() != before);
  }

  void collect(Operation *op, SmallVectorImpl<Access> &touched) const {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return;
    // Of a ring: for a unit of the device that reads there.
    if (auto address = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op); address && op->hasAttr(kRingAttr)) {
      touched.push_back(accessOf(address.getSource(), AccessKind::Read, Attribute()));
      touched.back().isRing = true;
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      Value memory = effect.getValue();
      if (!memory || !isa<MemRefType>(memory.getType()) ||
          !isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()))
        continue;
      bool isAtomic = isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op);
      AccessKind kind = isAtomic                                       ? AccessKind::Atomic
                        : isa<MemoryEffects::Read>(effect.getEffect()) ? AccessKind::Read
                                                                       : AccessKind::Write;
      touched.push_back(accessOf(memory, kind, op->getAttr(kPlaceAttr)));
      touched.back().isRing = op->hasAttr(kRingAttr) && isShared(touched.back());
      auto order = op->getAttrOfType<StringAttr>(kOrderAttr);
      touched.back().releases = order && (order == "release" || order == "acq_rel");
      touched.back().acquires = order && (order == "acquire" || order == "acq_rel");
    }
  }

  static Access accessOf(Value memory, AccessKind kind, Attribute place) {
    // A box is a part of its buffer.
    while (auto part = memory.getDefiningOp<memref::ReinterpretCastOp>()) {
      if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(part.getType()))
        break;
      memory = part.getSource();
    }
    Access access{kind, memory, rootOf(memory), 0, 0, place};
    if (auto view = memory.getDefiningOp<memref::ViewOp>()) {
      APInt offset;
      MemRefType type = view.getType();
      bool known = matchPattern(view.getByteShift(), m_ConstantInt(&offset));
      access.begin = known ? offset.getSExtValue() : 0;
      access.end = known && type.hasStaticShape()
                       ? access.begin + type.getNumElements() * bytesOf(type.getElementType())
                       : INT64_MAX;
    }
    return access;
  }

  bool isAlone(Value root) {
    auto argument = dyn_cast<BlockArgument>(root);
    return argument && argument.getOwner() == &function.getBody().front() &&
           function.getArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName());
  }

  static bool isShared(const Access &access) {
    return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(cast<MemRefType>(access.memory.getType()));
  }

  bool mayOverlap(const Access &a, const Access &b) {
    bool aShared = isShared(a);
    if (aShared != isShared(b))
      return false;
    if (a.root != b.root)
      return !aShared && !isAlone(a.root) && !isAlone(b.root);
    return !aShared || !a.end || !b.end || (a.begin < b.end && b.begin < a.end);
  }

  bool meets(const Access &access, const Pending &pending) {
    return llvm::any_of(pending, [&](const Access &other) {
      // A take has its own barrier, and what is filled meanwhile is another slot; only one that was read may be filled
      // too early.
      if (access.isRing && other.isRing && access.memory == other.memory)
        return access.kind == AccessKind::Write && other.kind == AccessKind::Read;
      bool harmless = (access.kind == other.kind && access.kind != AccessKind::Write) ||
                      (access.place && access.place == other.place && access.memory == other.memory);
      // What an atomic orders, it orders for the whole block, though one thread makes it. Those of one tile go
      // together.
      bool together = access.kind == AccessKind::Atomic && other.kind == access.kind && other.memory == access.memory;
      bool ordered = !together && ((access.releases && !isShared(other)) || (other.acquires && !isShared(access)));
      return ordered || (!harmless && mayOverlap(access, other));
    });
  }

  static void join(Pending &pending, ArrayRef<Access> more) {
    for (const Access &access : more)
      if (!llvm::is_contained(pending, access))
        pending.push_back(access);
  }

  func::FuncOp function;
};
} // namespace

int64_t threads::placeBarriers(func::FuncOp function) {
  Walker walker(function);
  Pending pending;
  walker.walk(function.getBody().front(), pending);
  function.walk([](Operation *op) {
    op->removeAttr(kDivergentAttr);
    op->removeAttr(kPlaceAttr);
    op->removeAttr(kRingAttr);
  });
  return walker.barriers;
}
