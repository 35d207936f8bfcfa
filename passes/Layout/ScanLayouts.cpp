// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A count of what the lowering of scans makes of a layout: combinations in the thread, then for each block that lies in
// one thread steps from lane to lane and an exchange between warps.

#include "passes/Layout/ScanLayouts.h"
#include "dialect/IR/LayoutBuilders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;

bool helion::isScan(Operation *op) { return isa<ScanOp, ScanFnOp>(op); }

unsigned helion::scannedDim(Operation *scan) { return scan->getAttrOfType<IntegerAttr>("dim").getInt(); }

namespace {
/// How often each space divides the dim: register neighbours within what lanes and warps divide, and beyond.
struct Division {
  int64_t inner = 1, outer = 1, lanes = 1, warps = 1;
};
} // namespace

static Division divisionOf(const Layout &layout, unsigned dim) {
  struct Unit {
    LayoutSpace space;
    int64_t stride, count;
  };
  SmallVector<Unit> units;
  for (unsigned space = 0; space != kNumSpaces; ++space)
    for (const Point &value : layout.map().basesOf(space))
      if (value[dim])
        units.push_back({LayoutSpace(space), value[dim], 2});
  for (const IndexMap::Digit &digit : layout.map().digits())
    if (digit.out == dim)
      units.push_back({LayoutSpace(digit.in), digit.outStride, digit.count});
  llvm::sort(units, [](const Unit &a, const Unit &b) { return a.stride < b.stride; });
  Division division;
  for (const Unit &unit : units) {
    bool isInner = division.lanes * division.warps == 1;
    (unit.space == LayoutSpace::Lane   ? division.lanes
     : unit.space == LayoutSpace::Warp ? division.warps
     : isInner                         ? division.inner
                                       : division.outer) *= unit.count;
  }
  return division;
}

int64_t helion::scanCost(Operation *scan, const Layout &layout) {
  constexpr int64_t kShuffle = 2, kSelect = 1, kShared = 2, kExchange = 40;
  int64_t values = scan->getNumResults(), combine = 1;
  if (scan->getNumRegions())
    combine = std::max<int64_t>(1, scan->getRegion(0).front().getOperations().size() - 1);
  Division division = divisionOf(layout, scannedDim(scan));
  int64_t registers = layout.size(LayoutSpace::Reg), blocks = registers / division.inner;
  int64_t cost = registers * combine, handOn = registers * (combine + values * kSelect);
  if (division.lanes > 1)
    cost += blocks * llvm::Log2_64(division.lanes) * (combine + values * (kShuffle + kSelect)) + handOn;
  if (division.warps > 1)
    cost +=
        kExchange + blocks * (values * kShared + division.warps * (combine + values * (kShared + kSelect))) + handOn;
  if (division.outer > 1)
    cost += registers * combine;
  return cost;
}

static Layout spreadForScan(ArrayRef<int64_t> shape, unsigned dim, bool lanesAlong, const LayoutTarget &target) {
  BlockedSpread spread;
  SmallVector<int64_t> left;
  int64_t elements = 1;
  for (unsigned other = shape.size(); other-- != 0;)
    if (other != dim)
      spread.order.push_back(other);
  SmallVector<unsigned> others(spread.order);
  spread.order.insert(lanesAlong ? spread.order.begin() : spread.order.end(), dim);
  for (int64_t extent : shape) {
    left.push_back(extent & -extent);
    elements *= left.back();
  }
  spread.perThread.assign(shape.size(), 1);
  spread.lanes = spread.warps = spread.perThread;
  auto take = [&](SmallVector<int64_t> &counts, unsigned dim, int64_t most) {
    counts[dim] = std::min(left[dim], most);
    left[dim] /= counts[dim];
    return counts[dim];
  };
  int64_t lanes = target.lanes, warps = target.warps;
  take(spread.perThread, dim, std::max<int64_t>(1, elements / (lanes * warps)));
  for (unsigned next : spread.order)
    lanes /= take(spread.lanes, next, lanes);
  others.push_back(dim);
  for (unsigned next : others)
    warps /= take(spread.warps, next, warps);
  return llvm::cantFail(blockedLayout(shape, spread));
}

SmallVector<Layout> helion::layoutsForScan(ArrayRef<int64_t> shape, unsigned dim, const LayoutTarget &target) {
  return {spreadForScan(shape, dim, false, target), spreadForScan(shape, dim, true, target)};
}
