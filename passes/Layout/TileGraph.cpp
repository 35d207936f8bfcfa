// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes and rules, op by op.

#include "passes/Layout/TileGraph.h"
#include "dialect/IR/LayoutRules.h"
#include "mlir/IR/Matchers.h"
#include "passes/Layout/ScanLayouts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

int64_t helion::frequencyOf(Operation *op) {
  constexpr int64_t kTrips = 8, kMost = 512;
  int64_t frequency = 1;
  for (Operation *parent = op->getParentOp(); parent && !isa<LaunchOp>(parent); parent = parent->getParentOp())
    if (isa<scf::ForOp>(parent))
      frequency = std::min(frequency * kTrips, kMost);
  return frequency;
}

//===-- Rules -----------------------------------------------------------------------------------------------------===//

static OperandRange indicesOf(Operation *access) {
  return TypeSwitch<Operation *, OperandRange>(access).Case<LoadOp, StoreOp, AtomicOp>(
      [](auto op) { return op.getIndices(); });
}

std::optional<Layout> LayoutRule::derive(const Layout &layout, const DotSplit &split) const {
  switch (kind) {
  case Kind::Same:
    return layout;
  case Kind::Reduced:
    return layout.withoutDim(op->getAttrOfType<IntegerAttr>("dim").getInt());
  case Kind::Repeated:
    return broadcastOperand(layout, cast<BroadcastOp>(op).getDims(),
                            cast<RankedTensorType>(use->get().getType()).getShape());
  case Kind::Permuted:
    return layout.permuted(cast<PermuteOp>(op).getDims());
  case Kind::Reshaped:
    return reshapedLayout(layout, cast<RankedTensorType>(def.getType()).getShape(), cast<ReshapeOp>(op).getGroups());
  case Kind::Index:
    return indexOperand(layout, indicesOf(op).getTypes());
  case Kind::Left:
  case Kind::Right:
    return dotOperandLayout(cast<DotOp>(op), kind == Kind::Left, layout, split);
  }
  llvm_unreachable("covered switch");
}

std::optional<Layout> LayoutRule::invert(const Layout &layout, ArrayRef<int64_t> sourceShape) const {
  if (kind == Kind::Same)
    return layout;
  if (kind == Kind::Reshaped)
    return reshapedLayout(layout, sourceShape, cast<ReshapeOp>(op).getGroups());
  if (kind != Kind::Permuted)
    return std::nullopt;
  ArrayRef<int64_t> dims = cast<PermuteOp>(op).getDims();
  SmallVector<int64_t> back(dims.size());
  for (auto [to, from] : llvm::enumerate(dims))
    back[from] = to;
  return layout.permuted(back);
}

const Layout &TileGraph::layoutOfSource(const LayoutRule &rule) const {
  if (rule.access && accesses[*rule.access].layout)
    return *accesses[*rule.access].layout;
  return *classes[rule.source].layout;
}

//===-- Building --------------------------------------------------------------------------------------------------===//

/// What fits into the registers of no device; layouts of more cannot be written.
static constexpr int64_t kMostElements = int64_t(1) << 22;

namespace helion {
class TileGraphBuilder {
public:
  TileGraphBuilder(LaunchOp launch, const LayoutTarget &target)
      : launch(launch), target(target), reader(cast<KernelOp>(launch->getParentOp()), target) {}

  FailureOr<TileGraph> build() {
    auto tied = launch.walk<WalkOrder::PreOrder>([&](Operation *op) {
      tie(op);
      return failed ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (tied.wasInterrupted())
      return failure();
    number();
    launch.walk<WalkOrder::PreOrder>([&](Operation *op) { addRules(op); });
    return std::move(graph);
  }

private:
  /// All tile values in the ranges are placed alike.
  void unite(ValueRange some, ValueRange others = {}) {
    Value first;
    for (ValueRange range : {some, others})
      for (Value value : range) {
        if (!isTileValue(value.getType()))
          continue;
        ties.insert(value);
        if (first)
          ties.unionSets(first, value);
        else
          first = value;
      }
  }
  void uniteEach(ValueRange some, ValueRange others) {
    for (auto [one, other] : llvm::zip_equal(some, others))
      unite(one, other);
  }

  void tie(Operation *op) {
    for (Value result : op->getResults()) {
      unite(result);
      checkSize(result);
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      uniteEach(loop.getInitArgs(), loop.getResults());
      uniteEach(loop.getRegionIterArgs(), loop.getResults());
      uniteEach(loop.getBody()->getTerminator()->getOperands(), loop.getResults());
    } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
      for (Region &region : op->getRegions())
        if (!region.empty())
          uniteEach(region.front().getTerminator()->getOperands(), op->getResults());
    } else if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || isa<MaskOp>(op)) {
      unite(op->getOperands(), op->getResults());
    } else if (auto reduce = dyn_cast<ReduceFnOp>(op)) {
      unite(reduce.getValues());
    } else if (isScan(op)) {
      unite(op->getOperands(), op->getResults());
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      unite(dot.getAcc(), dot.getResult());
    } else if (touchesTiles(op) && !isa<LoadOp, StoreOp, AtomicOp, ReduceOp, BroadcastOp, PermuteOp, ReshapeOp, IotaOp,
                                        SplatOp, scf::YieldOp>(op)) {
      failed = true;
      op->emitOpError() << "has no rule for the layouts of its tile values";
    }
  }

  void checkSize(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    int64_t elements = 1;
    for (int64_t extent : type ? type.getShape() : ArrayRef<int64_t>())
      elements = extent > kMostElements / std::max<int64_t>(elements, 1) ? kMostElements + 1 : elements * extent;
    if (failed)
      return;
    int64_t threads = target.lanes * target.warps;
    if (target.threadElements && elements > target.threadElements * threads && elements <= kMostElements) {
      failed = true;
      value.getDefiningOp()->emitError() << "tile of type " << type << " has `" << elements / threads
                                         << "` elements for each thread of `" << target.warps << "` warps; at most `"
                                         << target.threadElements
                                         << "` are allowed; choose smaller blocks or more warps";
      return;
    }
    if (target.blockElements && elements > target.blockElements && elements <= kMostElements) {
      failed = true;
      value.getDefiningOp()->emitError() << "tile of type " << type << " has `" << elements << "` elements; at most `"
                                         << target.blockElements << "` are allowed; choose smaller blocks";
      return;
    }
    if (elements >= 1 && elements <= kMostElements)
      return;
    failed = true;
    value.getDefiningOp()->emitError() << "tile of type " << type << " does not have 1 to `" << kMostElements
                                       << "` elements; choose other blocks";
  }

  static bool touchesTiles(Operation *op) {
    return llvm::any_of(op->getOperandTypes(), isTileValue) || llvm::any_of(op->getResultTypes(), isTileValue);
  }

  /// Numbers the classes in the order of the text.
  void number() {
    llvm::DenseMap<Value, unsigned> leaders;
    auto add = [&](Value value) {
      if (!isTileValue(value.getType()))
        return;
      auto [it, isNew] = leaders.try_emplace(ties.getLeaderValue(value), graph.classes.size());
      if (isNew)
        graph.classes.emplace_back().shape.assign(cast<RankedTensorType>(value.getType()).getShape());
      graph.classes[it->second].values.push_back(value);
      graph.numbers[value] = it->second;
    };
    launch.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), add);
      llvm::for_each(op->getResults(), add);
    });
  }

  using Kind = LayoutRule::Kind;

  void addRule(LayoutRule rule) {
    for (unsigned end : {rule.source, rule.target})
      if (graph.classes[end].rules.empty() || graph.classes[end].rules.back() != graph.rules.size())
        graph.classes[end].rules.push_back(graph.rules.size());
    graph.rules.push_back(std::move(rule));
  }
  void ruleOfUse(Kind kind, Value source, OpOperand &use, std::optional<unsigned> access = std::nullopt) {
    addRule({kind, graph.classOf(source), graph.classOf(use.get()), use.getOwner(), &use, Value(), access});
  }
  void ruleOfDef(Kind kind, Value source, Value def, std::optional<unsigned> access = std::nullopt) {
    if (isTileValue(def.getType()))
      addRule({kind, graph.classOf(source), graph.classOf(def), def.getDefiningOp(), nullptr, def, access});
  }

  void addRules(Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case<LoadOp>([&](LoadOp load) { addAccess(load, load.getSource(), load.getResult()); })
        .Case<StoreOp>([&](StoreOp store) { addAccess(store, store.getDest(), store.getValue()); })
        .Case<AtomicOp>([&](AtomicOp atomic) { addAccess(atomic, atomic.getDest(), atomic.getValue()); })
        .Case<ReduceOp>([&](ReduceOp reduce) { ruleOfDef(Kind::Reduced, reduce.getValue(), reduce.getResult()); })
        .Case<ReduceFnOp>([&](ReduceFnOp reduce) {
          for (auto [value, result] : llvm::zip(reduce.getValues(), reduce.getResults()))
            ruleOfDef(Kind::Reduced, value, result);
        })
        .Case<ScanOp, ScanFnOp>(
            [&](auto scan) { graph.classes[graph.classOf(scan->getResult(0))].scans.push_back(scan); })
        .Case<BroadcastOp>([&](BroadcastOp op) { ruleOfUse(Kind::Repeated, op.getResult(), op.getValueMutable()); })
        .Case<PermuteOp>([&](PermuteOp op) { ruleOfDef(Kind::Permuted, op.getValue(), op.getResult()); })
        .Case<ReshapeOp>([&](ReshapeOp op) { ruleOfDef(Kind::Reshaped, op.getValue(), op.getResult()); })
        .Case<DotOp>([&](DotOp dot) {
          graph.classes[graph.classOf(dot.getResult())].dots.push_back(dot);
          ruleOfUse(Kind::Left, dot.getResult(), dot.getLhsMutable());
          ruleOfUse(Kind::Right, dot.getResult(), dot.getRhsMutable());
        });
  }

  template <typename AccessOp> void addAccess(AccessOp op, Value host, Value value) {
    if (!isTileValue(value.getType()))
      return;
    unsigned number = graph.accesses.size();
    graph.accesses.push_back({reader.read(op, host, op.getIndices()), graph.classOf(value), std::nullopt});
    graph.classes[graph.classOf(value)].accesses.push_back(number);
    for (OpOperand &use : op->getOpOperands()) {
      if (!isTileValue(use.get().getType()))
        continue;
      bool isIndex = llvm::any_of(op.getIndicesMutable(), [&](OpOperand &index) { return &index == &use; });
      ruleOfUse(isIndex ? Kind::Index : Kind::Same, value, use, number);
    }
    for (Value result : op->getResults())
      ruleOfDef(Kind::Same, value, result, number);
  }

  LaunchOp launch;
  LayoutTarget target;
  AccessReader reader;
  llvm::EquivalenceClasses<Value> ties;
  TileGraph graph;
  bool failed = false;
};
} // namespace helion

FailureOr<TileGraph> TileGraph::build(LaunchOp launch, const LayoutTarget &target) {
  return TileGraphBuilder(launch, target).build();
}
