// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk from the last op to the first: the sites of a value are known when its definition is reached.

#include "codegen/CPU/TilePlan.h"
#include "codegen/CPU/TileChain.h"
#include <set>

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

// In lanes of plain arithmetic: what it must cost to compute a value twice before a store and a load are cheaper,
// within one round of a loop and where a loop would repeat it.
static constexpr unsigned kSharedCost = 10;
static constexpr unsigned kRepeatedCost = 2;

static unsigned opCost(Operation *op) {
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 6;
  if (isa<math::AbsFOp, math::FmaOp, math::FloorOp, math::CeilOp, math::AbsIOp, math::CopySignOp>(op))
    return 1;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return 10;
  if (auto load = dyn_cast<LoadOp>(op))
    return llvm::any_of(load.getIndices().getTypes(), isTileValue) ? 8 : 1;
  if (op->getDialect() && op->getDialect()->getNamespace() == math::MathDialect::getDialectNamespace())
    return 15;
  return isa<SplatOp, BroadcastOp, PermuteOp, ReshapeOp, ReboundOp, IotaOp, arith::ConstantOp>(op) ? 0 : 1;
}

TilePlan::TilePlan(func::FuncOp function, const LaneReach &reach) : lanes(reach) {
  for (Block &block : function.getBody())
    visitBlock(block);
  sortBuffers();
}

/// The pointer that a memref descriptor made by hand holds; null for any other value.
static Value pointerOf(Value memref) {
  auto cast = memref.getDefiningOp<UnrealizedConversionCastOp>();
  if (!cast || cast.getInputs().empty())
    return {};
  // Pointer fields first, then numbers; each insertion has the container and the new field.
  for (Operation *op = cast.getInputs()[0].getDefiningOp(); op && op->getNumOperands() == 2;
       op = op->getOperand(0).getDefiningOp())
    if (!op->getOperand(1).getType().isInteger())
      return op->getOperand(1);
  return {};
}

Value TilePlan::rootOf(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::ReinterpretCastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
             memref::TransposeOp, memref::SubViewOp>(op))
      break;
    memref = op->getOperand(0);
  }
  Value pointer = pointerOf(memref);
  auto argument = dyn_cast_or_null<BlockArgument>(pointer);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (!function)
    return pointer ? pointer : memref;
  // Pointers that are not known to be distinct may all be one.
  if (function.getArgAttr(argument.getArgNumber(), "llvm.noalias"))
    return argument;
  return *llvm::find_if(function.getArguments(), [&](BlockArgument other) {
    return other.getType() == argument.getType() && !function.getArgAttr(other.getArgNumber(), "llvm.noalias");
  });
}

bool TilePlan::isStored(Value value) const {
  Operation *op = value.getDefiningOp();
  return !op || !isLaneOp(op) || buffered.contains(value);
}

ArrayRef<Value> TilePlan::buffersBefore(Operation *op) const {
  auto found = before.find(op);
  return found == before.end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
}

ArrayRef<Site> TilePlan::sitesOf(Value value) const {
  auto found = sites.find(value);
  return found == sites.end() ? ArrayRef<Site>() : ArrayRef<Site>(found->second);
}

void TilePlan::visitBlock(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (!isa<ReduceFnOp, ScanFnOp>(op))
          visitBlock(inner);
    visitOp(&op);
  }
}

void TilePlan::addSite(Value value, Site site) {
  if (!isTileValue(value.getType()))
    return;
  SmallVector<Site> &known = sites[value];
  if (!llvm::is_contained(known, site))
    known.push_back(site);
}

void TilePlan::visitOp(Operation *op) {
  bool split = isa<ReshapeOp>(op) && !isLaneOp(op);
  if (!isLaneOp(op) && !split) {
    for (Value operand : op->getOperands())
      addSite(operand, {op, false});
    return;
  }
  Value result = op->getResult(0);
  SmallVector<Site> mine = sites.lookup(result);
  if (!mine.empty() && (split || wantsBuffer(op))) {
    Operation *place = nullptr;
    for (Site site : mine) {
      Operation *at = op->getBlock()->findAncestorOpInBlock(*site.op);
      if (!place || at->isBeforeInBlock(place))
        place = at;
    }
    auto load = dyn_cast<LoadOp>(op);
    if (load && isPinned(load))
      place = op->getNextNode();
    buffered.insert(result);
    before[place].push_back(result);
    mine = {{place, true}};
  }
  for (Value operand : op->getOperands())
    for (Site site : mine)
      addSite(operand, site);
}

void TilePlan::sortBuffers() {
  for (auto &[op, values] : before)
    llvm::sort(values, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
}

/// Arithmetic per lane from stored values and memory on. A tile value is made in one block, so the chain is short.
unsigned TilePlan::cost(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isTileValue(value.getType()) || !op || !isLaneOp(op))
    return 0;
  auto [entry, isNew] = costs.try_emplace(value, 0);
  if (!isNew)
    return entry->second;
  unsigned sum = opCost(op);
  for (Value operand : op->getOperands())
    sum += cost(operand);
  return costs[value] = sum;
}

/// True when a consumer that reads lanes in turn lies in a loop that the value's own block does not have. Dots pack
/// their operands outside such loops themselves.
bool TilePlan::crossesLoop(Operation *op) const {
  return llvm::any_of(sites.lookup(op->getResult(0)), [&](Site site) {
    Operation *at = op->getBlock()->findAncestorOpInBlock(*site.op);
    return at != site.op && isa<scf::ForOp>(at) && !isa<DotOp>(site.op);
  });
}

/// True when a broadcast repeats the value along a dim outside the ones it has, so that no loop level computes it once.
static bool isRepeatedOutside(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto broadcast = dyn_cast<BroadcastOp>(user);
    if (!broadcast || broadcast.getDims().empty())
      return false;
    for (auto [dim, extent] : llvm::enumerate(shapeOf(broadcast.getResult())))
      if (int64_t(dim) < broadcast.getDims().back() && extent > 1 && !llvm::is_contained(broadcast.getDims(), dim))
        return true;
    return false;
  });
}

/// True for what a scan along the last dim reads: the scan goes lane by lane, and what it reads need not.
static bool feedsLaneByLane(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isa<ScanOp, ScanFnOp>(user) &&
           user->getAttrOfType<IntegerAttr>("dim").getInt() + 1 == int64_t(shapeOf(value).size());
  });
}

bool TilePlan::wantsBuffer(Operation *op) {
  Value result = op->getResult(0);
  if (auto load = dyn_cast<LoadOp>(op); load && isPinned(load))
    return true;
  if (crossesLoop(op) && cost(result) >= kRepeatedCost)
    return true;
  return cost(result) >= kSharedCost &&
         (sites.lookup(result).size() > 1 || isRepeatedOutside(result) || feedsLaneByLane(result));
}

static bool writesRoot(Operation *op, Value root) {
  return op
      ->walk([&](Operation *inner) {
        Value dest;
        if (auto store = dyn_cast<StoreOp>(inner))
          dest = store.getDest();
        else if (auto atomic = dyn_cast<AtomicOp>(inner))
          dest = atomic.getDest();
        return dest && TilePlan::rootOf(dest) == root ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A store that reads its own place lane by lane: the same tensor, the same indices, nothing between that moves lanes.
static bool isSameLane(LoadOp load, StoreOp store) {
  if (load.getSource() != store.getDest() || !llvm::equal(load.getIndices(), store.getIndices()))
    return false;
  SmallVector<Operation *> work = {load};
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (isa<BroadcastOp, PermuteOp, ReshapeOp>(user))
        return false;
      if (isLaneOp(user))
        work.push_back(user);
    }
  return true;
}

bool TilePlan::isPinned(LoadOp load) const {
  Value root = rootOf(load.getSource());
  for (Site site : sites.lookup(load.getResult())) {
    Operation *at = load->getBlock()->findAncestorOpInBlock(*site.op);
    for (Operation *op = load->getNextNode(); op && op != at; op = op->getNextNode())
      if (writesRoot(op, root))
        return true;
    if (site.before && at == site.op)
      continue;
    auto store = dyn_cast<StoreOp>(at);
    if (writesRoot(at, root) && !(store && isSameLane(load, store)))
      return true;
  }
  return false;
}

void cpu::walkChain(Value value, ArrayRef<int> at, function_ref<bool(Value)> isLeaf,
                    function_ref<void(Value, ArrayRef<int>)> visit) {
  SmallVector<std::pair<Value, SmallVector<int>>> work = {{value, SmallVector<int>(at)}};
  std::set<std::pair<void *, std::vector<int>>> seen;
  while (!work.empty()) {
    auto [current, positions] = work.pop_back_val();
    if (!seen.emplace(current.getAsOpaquePointer(), std::vector<int>(positions.begin(), positions.end())).second)
      continue;
    visit(current, positions);
    if (isLeaf(current))
      continue;
    auto push = [&](Value operand, ArrayRef<int> from) { work.push_back({operand, SmallVector<int>(from)}); };
    forEachSource<int>(current.getDefiningOp(), positions, -1, push);
  }
}
