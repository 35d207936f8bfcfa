// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaviest class first, each by the cheapest of what its accesses and its decided neighbours ask for. Costs are in
// instructions of a warp; they only rank candidates.

#include "passes/Layout/LayoutChoice.h"
#include "dialect/IR/LayoutBuilders.h"
#include "passes/Layout/ScanLayouts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;

static int64_t evenPart(int64_t extent) { return extent & -extent; }

static int64_t elementsOf(ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  return elements;
}

Layout helion::spreadBlocked(ArrayRef<int64_t> shape, const BlockedWish &wish, const LayoutTarget &target) {
  BlockedSpread spread;
  SmallVector<int64_t> left;
  for (int64_t extent : shape)
    left.push_back(evenPart(extent));
  spread.perThread.assign(shape.size(), 1);
  spread.lanes = spread.warps = spread.perThread;
  spread.order.push_back(wish.fastDim);
  for (unsigned dim = shape.size(); dim-- != 0;)
    if (dim != wish.fastDim)
      spread.order.push_back(dim);

  auto take = [&](SmallVector<int64_t> &counts, unsigned dim, int64_t most) {
    counts[dim] = std::min(left[dim], most);
    left[dim] /= counts[dim];
    return counts[dim];
  };
  // What is odd of the extents repeats in registers, so that lanes and warps share the rest: none idles for wide
  // vectors.
  int64_t share = std::max<int64_t>(1, elementsOf(left) / (target.lanes * target.warps));
  take(spread.perThread, wish.fastDim, std::min<int64_t>(wish.vector, llvm::bit_floor(uint64_t(share))));
  int64_t lanes = target.lanes, warps = target.warps;
  for (unsigned dim : spread.order)
    lanes /= take(spread.lanes, dim, lanes);
  // Slow dims first, those that are reduced last.
  for (unsigned reductions = 0; warps > 1 && reductions <= *llvm::max_element(wish.reductions); ++reductions)
    for (unsigned dim : llvm::reverse(spread.order))
      if (wish.reductions[dim] == reductions)
        warps /= take(spread.warps, dim, warps);
  return llvm::cantFail(blockedLayout(shape, spread));
}

namespace {
/// Two accesses of staged memory and a barrier for each element that moves, plus what a conversion costs at least.
constexpr int64_t kConversion = 60;
constexpr int64_t kDefaultVector = 4;

class LayoutChooser {
public:
  LayoutChooser(TileGraph &graph, const LayoutTarget &target) : graph(graph), target(target) {
    for (TileClass &each : graph.classes) {
      int64_t frequency = 1;
      for (Value value : each.values)
        if (Operation *op = value.getDefiningOp())
          frequency = std::max(frequency, frequencyOf(op));
      weights.push_back(elementsOf(each.shape) * frequency);
    }
  }

  void run() {
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, graph.classes.size()));
    llvm::sort(order, [&](unsigned a, unsigned b) { return std::pair(weights[b], a) < std::pair(weights[a], b); });
    for (unsigned number : order)
      if (!graph.classes[number].dots.empty())
        placeDots(number);
    while (!order.empty()) {
      SmallVector<Layout> candidates;
      auto *next = llvm::find_if(order, [&](unsigned number) {
        if (graph.classes[number].layout)
          return true;
        candidates = candidatesOf(number);
        return !candidates.empty();
      });
      if (next == order.end()) {
        next = order.begin();
        candidates = {spreadBlocked(graph.classes[*next].shape, wishOf(*next, std::nullopt, kDefaultVector), target)};
      }
      unsigned number = *next;
      order.erase(next);
      if (!graph.classes[number].layout)
        graph.classes[number].layout = cheapest(number, candidates);
      for (unsigned access : graph.classes[number].accesses)
        placeAccess(graph.accesses[access]);
    }
  }

private:
  //===-- Dots ----------------------------------------------------------------------------------------------------===//

  /// Values of rows are reduced from the accumulator or repeated over it.
  bool combinesRows(unsigned number) const {
    const TileClass &own = graph.classes[number];
    int64_t columns = own.shape.size() - 1;
    return llvm::any_of(own.rules, [&](unsigned index) {
      const LayoutRule &rule = graph.rules[index];
      if (rule.source != number)
        return false;
      if (rule.kind == LayoutRule::Kind::Reduced)
        return rule.op->getAttrOfType<IntegerAttr>("dim").getInt() == columns;
      return rule.kind == LayoutRule::Kind::Repeated &&
             !llvm::is_contained(cast<BroadcastOp>(rule.op).getDims(), columns);
    });
  }

  void placeDots(unsigned number) {
    TileClass &own = graph.classes[number];
    bool matrices = false, groups = false;
    for (DotOp dot : own.dots) {
      bool isGroup = dot->getParentOp()->hasAttr(kGroupDotsAttr) && runsOnGroupMatrices(dot, target);
      const WarpInstruction *instruction = matrixInstructionFor(dot, target);
      if (!isGroup && !instruction)
        continue;
      (isGroup ? groups : matrices) = true;
      dot->setAttr(kInstructionAttr,
                   StringAttr::get(dot.getContext(), isGroup ? kGroupInstruction : instruction->name));
    }
    own.split = groups ? splitGroupDot(own.dots.front(), target)
                       : splitDot(own.dots.front(), matrices, combinesRows(number), target);
    own.layout = accumulatorLayout(own.shape, own.split);
  }

  //===-- Candidates ----------------------------------------------------------------------------------------------===//

  BlockedWish wishOf(unsigned number, std::optional<unsigned> fastDim, int64_t vector) const {
    const TileClass &own = graph.classes[number];
    BlockedWish wish{fastDim.value_or(own.shape.size() - 1), vector, SmallVector<unsigned>(own.shape.size(), 0)};
    for (unsigned index : own.rules)
      if (const LayoutRule &rule = graph.rules[index]; rule.kind == LayoutRule::Kind::Reduced && rule.source == number)
        ++wish.reductions[rule.op->getAttrOfType<IntegerAttr>("dim").getInt()];
    for (Operation *scan : own.scans)
      ++wish.reductions[scannedDim(scan)];
    return wish;
  }

  Layout wishOf(const PlacedAccess &placed) const {
    return spreadBlocked(graph.classes[placed.tileClass].shape,
                         wishOf(placed.tileClass, placed.access.fastDim, placed.access.vector), target);
  }

  SmallVector<Layout> candidatesOf(unsigned number) const {
    SmallVector<Layout> found;
    auto add = [&](std::optional<Layout> layout) {
      if (layout && !llvm::is_contained(found, *layout))
        found.push_back(*layout);
    };
    const TileClass &own = graph.classes[number];
    for (unsigned access : own.accesses)
      add(wishOf(graph.accesses[access]));
    for (unsigned index : own.rules) {
      const LayoutRule &rule = graph.rules[index];
      const TileClass &source = graph.classes[rule.source], &target = graph.classes[rule.target];
      if (rule.target == number && source.layout)
        add(rule.derive(graph.layoutOfSource(rule), source.split));
      else if (rule.source == number && target.layout && !rule.access)
        add(rule.invert(*target.layout, own.shape));
    }
    // Not before there is something to weigh them against.
    if (!found.empty())
      for (Operation *scan : own.scans)
        llvm::for_each(layoutsForScan(own.shape, scannedDim(scan), target), add);
    return found;
  }

  //===-- Costs ---------------------------------------------------------------------------------------------------===//

  static int64_t registersOf(const Layout &layout) { return layout.size(LayoutSpace::Reg); }
  static int64_t conversionCost(const Layout &from, const Layout &to) {
    return from == to ? 0 : kConversion + registersOf(from) + registersOf(to);
  }

  int64_t costOfRule(unsigned number, const LayoutRule &rule, const Layout &layout) const {
    const TileClass &source = graph.classes[rule.source], &target = graph.classes[rule.target];
    bool isSource = rule.source == number, isTarget = rule.target == number;
    if ((!isSource && !source.layout) || (!isTarget && !target.layout) || (rule.access && isSource && isTarget))
      return 0;
    std::optional<Layout> wanted = rule.derive(isSource ? layout : graph.layoutOfSource(rule), source.split);
    const Layout &given = isTarget ? layout : *target.layout;
    return (wanted ? conversionCost(given, *wanted) : kConversion + registersOf(given)) * frequencyOf(rule.op);
  }

  int64_t costOf(unsigned number, const Layout &layout) const {
    const TileClass &own = graph.classes[number];
    int64_t cost = 0;
    for (Value value : own.values)
      if (Operation *op = value.getDefiningOp())
        cost += registersOf(layout) * frequencyOf(op);
    for (unsigned access : own.accesses) {
      const PlacedAccess &placed = graph.accesses[access];
      Layout wish = wishOf(placed);
      int64_t converted = accessCost(placed.access, wish, target) + conversionCost(layout, wish);
      cost += std::min(accessCost(placed.access, layout, target), converted) * frequencyOf(placed.access.op);
    }
    for (Operation *scan : own.scans)
      cost += scanCost(scan, layout) * frequencyOf(scan);
    for (unsigned rule : own.rules)
      cost += costOfRule(number, graph.rules[rule], layout);
    return cost;
  }

  Layout cheapest(unsigned number, ArrayRef<Layout> candidates) const {
    if (candidates.size() == 1)
      return candidates.front();
    const Layout *best = nullptr;
    int64_t bestCost = 0;
    for (const Layout &candidate : candidates) {
      int64_t cost = costOf(number, candidate);
      if (!best || cost < bestCost) {
        best = &candidate;
        bestCost = cost;
      }
    }
    return *best;
  }

  void placeAccess(PlacedAccess &placed) const {
    const Layout &given = *graph.classes[placed.tileClass].layout;
    Layout wish = wishOf(placed);
    if (accessCost(placed.access, wish, target) + conversionCost(given, wish) <
        accessCost(placed.access, given, target))
      placed.layout = wish;
  }

  TileGraph &graph;
  const LayoutTarget &target;
  SmallVector<int64_t> weights;
};
} // namespace

void helion::chooseLayouts(TileGraph &graph, const LayoutTarget &target) { LayoutChooser(graph, target).run(); }
