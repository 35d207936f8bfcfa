// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts change where an access, a reduction, a broadcast or another move of lanes wants one of its own; what is only
// computed lane by lane keeps its layout.
#include "passes/Config/ReadDemand.h"
#include "dialect/IR/Dims.h"
#include "passes/Config/Sites.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace helion;

static int64_t bytesOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 8 : std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

static DotDemand readDot(DotOp dot, DemandSource source) {
  SmallVector<DimAttr> left = dimsOf(dot.getLhs().getType()), right = dimsOf(dot.getRhs().getType());
  auto one = [&](DimAttr dim) { return source.lanes(dim); };
  DotDemand demand{
      source.lanes(ArrayRef<DimAttr>(left).drop_back(2)),
      one(left[left.size() - 2]),
      one(right.back()),
      one(left.back()),
      hasMatrixTypes(dot),
      {bytesOf(dot.getLhs().getType()), bytesOf(dot.getRhs().getType())},
      {bool(loadBehind(dot.getLhs(), *dot->getBlock())), bool(loadBehind(dot.getRhs(), *dot->getBlock()))}};
  return demand;
}

/// Goes to dots alone, as it is: counted as their operand.
static bool isOperand(LoadOp load) {
  return llvm::any_of(load->getBlock()->getOps<DotOp>(), [&](DotOp dot) {
    return loadBehind(dot.getLhs(), *dot->getBlock()) == load || loadBehind(dot.getRhs(), *dot->getBlock()) == load;
  });
}

/// Values around the op that may change their layout.
static SmallVector<Value> movedBy(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return isOperand(load) ? SmallVector<Value>() : SmallVector<Value>(op->getResults());
  if (isa<StoreOp, AtomicOp, ReduceOp, ReduceFnOp, BroadcastOp, PermuteOp, ReshapeOp>(op)) {
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    return values;
  }
  return {};
}

namespace {
class DemandReader {
public:
  DemandReader(LaunchOp launch, const MatrixShape &shape, DemandSource source) : launch(launch), source(source) {
    demand.shape = shape;
  }

  LaunchDemand read() {
    demand.order = source.choice("pid_type", launch.getName());
    launch.walk([&](TileOp loop) {
      std::optional<unsigned> stages = source.choice("num_stages", loop.getSite());
      if (!stages)
        return;
      LaunchDemand::Ring ring{*stages, source.choice("range_unroll_factors", loop.getSite()), {}};
      for (DotOp dot : loop.getBody().getOps<DotOp>())
        ring.dots.push_back(readDot(dot, source));
      ringOf[loop] = demand.rings.size();
      demand.rings.push_back(std::move(ring));
    });
    launch.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    return std::move(demand);
  }

private:
  /// Comes after every loop with a ring, and after the loops around those.
  bool isBehind(Operation *op) const {
    return llvm::all_of(ringOf, [&](const auto &entry) {
      Operation *outermost = entry.first;
      for (Operation *parent = outermost->getParentOp(); parent != launch; parent = parent->getParentOp())
        if (auto loop = dyn_cast<TileOp>(parent); loop && !loop.isGrid())
          outermost = parent;
      Operation *other = outermost->getBlock()->findAncestorOpInBlock(*op);
      return other && outermost->isBeforeInBlock(other);
    });
  }

  void visit(Operation *op) {
    bool behind = isBehind(op);
    if (auto dot = dyn_cast<DotOp>(op)) {
      auto ring = ringOf.find(op->getParentOp());
      demand.pieces.push_back({readDot(dot, source),
                               ring == ringOf.end() ? std::nullopt : std::optional<unsigned>(ring->second),
                               {},
                               0,
                               behind});
      return;
    }
    for (Value value : movedBy(op))
      if (isTileValue(value.getType()))
        demand.pieces.push_back(
            {std::nullopt, std::nullopt, source.lanes(dimsOf(value.getType())), bytesOf(value.getType()), behind});
  }

  LaunchOp launch;
  DemandSource source;
  LaunchDemand demand;
  llvm::MapVector<Operation *, unsigned> ringOf;
};
} // namespace

LaunchDemand helion::readDemand(LaunchOp launch, const MatrixShape &shape, DemandSource source) {
  return DemandReader(launch, shape, source).read();
}
