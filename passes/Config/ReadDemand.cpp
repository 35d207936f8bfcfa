// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts change where an access, a broadcast or another move of lanes wants one of its own, and where what a reduction
// gives meets others; what is only computed lane by lane keeps its layout.
#include "passes/Config/ReadDemand.h"
#include "dialect/IR/Dims.h"
#include "dialect/IR/MatrixShape.h"
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
  const WarpInstruction *instruction = warpInstructionFor(dot);
  return {source.lanes(ArrayRef<DimAttr>(left).drop_back(2)),
          one(left[left.size() - 2]),
          one(right.back()),
          one(left.back()),
          instruction ? instruction->elementBytes : 0,
          {bytesOf(dot.getLhs().getType()), bytesOf(dot.getRhs().getType())},
          {bool(loadBehind(dot.getLhs(), *dot->getBlock())), bool(loadBehind(dot.getRhs(), *dot->getBlock()))},
          readsSlots(dot)};
}

/// Goes to dots alone, as it is: counted as their operand.
static bool isOperand(LoadOp load) {
  return llvm::any_of(load->getBlock()->getOps<DotOp>(), [&](DotOp dot) {
    return loadBehind(dot.getLhs(), *dot->getBlock()) == load || loadBehind(dot.getRhs(), *dot->getBlock()) == load;
  });
}

/// Values around the op that may change their layout.
static SmallVector<Value> movedBy(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    // Indices and masks follow the layout of what is loaded.
    SmallVector<Value> values(op->getOperands());
    if (!isOperand(load))
      llvm::append_range(values, op->getResults());
    return values;
  }
  SmallVector<Value> values;
  if (isa<StoreOp, AtomicOp, ScanOp, BroadcastOp, ReshapeOp>(op))
    llvm::append_range(values, op->getOperands());
  if (isa<AtomicOp, ReduceOp, ReduceFnOp, ScanOp, PermuteOp, ReshapeOp>(op))
    llvm::append_range(values, op->getResults());
  return values;
}

namespace {
class DemandReader {
public:
  DemandReader(LaunchOp launch, DemandSource source) : launch(launch), source(source) {
    for (const Knob &knob : source.knobs.knobs())
      if (knob.matrix)
        demand.shape = knob.matrix;
  }

  LaunchDemand read() {
    forChoices(launch.getName(), [&](const Knob &knob, unsigned choice) {
      if (!knob.persistent.empty())
        demand.order = LaunchDemand::Order{choice, knob.persistent};
      if (knob.elements)
        demand.warps = choice;
      if (knob.isDepthOfGrid())
        demand.rings.push_back({choice, std::nullopt, std::nullopt, {}, readLoads()});
    });
    launch.walk([&](TileOp loop) {
      std::optional<unsigned> stages, copies, groups;
      forChoices(loop.getSite(), [&](const Knob &knob, unsigned choice) {
        if (knob.matrix)
          stages = choice;
        if (knob.copies)
          copies = choice;
        if (knob.groupMatrix)
          groups = choice;
      });
      if (!stages)
        return;
      LaunchDemand::Ring ring{*stages, copies, groups, {}, {}};
      for (DotOp dot : loop.getBody().getOps<DotOp>())
        ring.dots.push_back(readDot(dot, source));
      ringOf[loop] = demand.rings.size();
      demand.rings.push_back(std::move(ring));
    });
    launch.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    return std::move(demand);
  }

private:
  void forChoices(StringRef site, llvm::function_ref<void(const Knob &, unsigned)> visit) const {
    for (const Knob &knob : source.knobs.knobs())
      if (std::optional<unsigned> choice = source.choice(knob, site))
        visit(knob, *choice);
  }

  std::vector<LoadDemand> readLoads() const {
    std::vector<LoadDemand> loads;
    for (LoadOp load : loadsOfPrograms(onlyGrid(launch).getBody().front())) {
      SmallVector<DimAttr> dims = dimsOf(load.getType());
      loads.push_back({source.lanes(dims), source.lanes(dims.back()), bytesOf(load.getType())});
    }
    return loads;
  }

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
    addCombined(op, behind);
    for (Value value : movedBy(op))
      if (isTileValue(value.getType()))
        demand.pieces.push_back(
            {std::nullopt, std::nullopt, source.lanes(dimsOf(value.getType())), bytesOf(value.getType()), behind});
  }

  /// What warps hand on of all values is there at once.
  void addCombined(Operation *op, bool behind) {
    auto add = [&](ValueRange values, ArrayRef<DimAttr> dims, bool isPerWarp) {
      int64_t bytes = 0;
      for (Value value : values)
        bytes += std::max(bytesOf(value.getType()), kCombinedBytes);
      demand.pieces.push_back({std::nullopt, std::nullopt, source.lanes(dims), bytes, behind, isPerWarp});
    };
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      SmallVector<DimAttr> dims = dimsOf(reduce.getValue().getType());
      dims.erase(dims.begin() + reduce.getDim());
      bool givesIndex = reduce.getKind() == ReductionKind::ArgMax || reduce.getKind() == ReductionKind::ArgMin;
      SmallVector<Value> held{reduce.getValue()};
      if (givesIndex)
        held.push_back(reduce.getResult());
      add(held, dims, /*isPerWarp=*/true);
    }
    if (auto reduce = dyn_cast<ReduceFnOp>(op))
      add(reduce.getValues(), dimsOf(reduce.getValues()[0].getType()), /*isPerWarp=*/false);
    if (auto scan = dyn_cast<ScanFnOp>(op))
      add(scan.getValues(), dimsOf(scan.getValues()[0].getType()), /*isPerWarp=*/false);
  }

  /// Narrow floats are combined in f32.
  static constexpr int64_t kCombinedBytes = 4;

  LaunchOp launch;
  DemandSource source;
  LaunchDemand demand;
  llvm::MapVector<Operation *, unsigned> ringOf;
};
} // namespace

LaunchDemand helion::readDemand(LaunchOp launch, DemandSource source) { return DemandReader(launch, source).read(); }
