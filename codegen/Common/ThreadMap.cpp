// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables over registers, and elimination over the bits of lanes and warps.

#include "codegen/Common/ThreadMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;
using namespace helion;
using namespace helion::threads;

static constexpr unsigned kReg = unsigned(LayoutSpace::Reg), kLane = unsigned(LayoutSpace::Lane),
                          kWarp = unsigned(LayoutSpace::Warp);
static constexpr unsigned kThreadSpaces[] = {kLane, kWarp};

int64_t threads::registersOf(const IndexMap &map) { return map.ins()[kReg]; }

Part threads::registerPart(const IndexMap &map, int64_t reg, unsigned out) {
  Part part;
  for (auto [bit, value] : enumerate(map.basesOf(kReg)))
    if (reg >> bit & 1)
      part.bits ^= value[out];
  for (const IndexMap::Digit &digit : map.digits())
    if (digit.in == kReg && digit.out == out)
      part.digits += reg / digit.inStride % digit.count * digit.outStride;
  return part;
}

int64_t threads::sharedBits(const IndexMap &map, unsigned out) {
  int64_t serial = 0, parallel = 0;
  for (const Point &value : map.basesOf(kReg))
    serial |= value[out];
  for (unsigned space : kThreadSpaces)
    for (const Point &value : map.basesOf(space))
      parallel |= value[out];
  return serial & parallel;
}

bool threads::partsAdd(const IndexMap &map, unsigned out) { return sharedBits(map, out) == 0; }

std::optional<unsigned> threads::contiguousDim(const Layout &staged, int64_t count) {
  IndexMap places = *staged.map().inverse();
  for (unsigned dim = staged.rank(); dim-- != 0;) {
    auto isNext = [&](int64_t at) {
      Point index(staged.rank(), 0);
      index[dim] = at;
      return places.apply(index)[unsigned(LayoutSpace::Offset)] == at;
    };
    if (staged.shape()[dim] % count == 0 && all_of(seq<int64_t>(0, count), isNext))
      return dim;
  }
  return std::nullopt;
}

/// Every thread's part of `out` is a multiple of `width`.
static bool threadsAreMultiples(const IndexMap &map, unsigned out, int64_t width) {
  for (unsigned space : kThreadSpaces)
    for (const Point &value : map.basesOf(space))
      if (value[out] % width)
        return false;
  return all_of(map.digits(), [&](const IndexMap::Digit &digit) {
    return digit.in == kReg || digit.out != out || digit.outStride % width == 0;
  });
}

Runs threads::runsAlong(const IndexMap &map, unsigned out, int64_t limit) {
  Runs runs;
  for (runs.width = bit_floor(uint64_t(std::max<int64_t>(limit, 1))); runs.width > 1; runs.width /= 2) {
    if (!threadsAreMultiples(map, out, runs.width))
      continue;
    std::map<std::vector<int64_t>, std::map<int64_t, int64_t>> groups;
    for (int64_t reg = 0; reg != registersOf(map); ++reg) {
      std::vector<int64_t> key;
      for (unsigned other = 0; other != map.outs().size(); ++other)
        key.push_back(registerPart(map, reg, other).sum());
      int64_t position = key[out] % runs.width;
      key[out] -= position;
      groups[key].insert({position, reg});
    }
    if (int64_t(groups.size()) * runs.width != registersOf(map))
      continue;
    for (auto &[key, members] : groups)
      runs.groups.push_back(to_vector(make_second_range(members)));
    if (all_of(runs.groups, [&](ArrayRef<int64_t> group) { return int64_t(group.size()) == runs.width; })) {
      sort(runs.groups, [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) { return a.front() < b.front(); });
      return runs;
    }
    runs.groups.clear();
  }
  for (int64_t reg = 0; reg != registersOf(map); ++reg)
    runs.groups.push_back({reg});
  return runs;
}

//===-- Owners ----------------------------------------------------------------------------------------------------===//

namespace {
/// Rows over F2, one bit for each bit of each output.
class Elimination {
public:
  explicit Elimination(const IndexMap &map) : hit(map.hitBits()) {}
  /// False when the vector is a sum of those before it.
  bool add(ArrayRef<int64_t> vector) {
    uint64_t value = pack(vector);
    for (uint64_t row : rows)
      value = std::min(value, value ^ row);
    if (!value)
      return false;
    rows.push_back(value);
    return true;
  }

private:
  uint64_t pack(ArrayRef<int64_t> vector) const {
    uint64_t packed = 0;
    unsigned position = 0;
    for (auto [bits, component] : zip(hit, vector))
      for (unsigned bit = 0; bits >> bit; ++bit)
        if (bits >> bit & 1)
          packed |= uint64_t(component >> bit & 1) << position++;
    return packed;
  }
  Point hit;
  SmallVector<uint64_t> rows;
};
} // namespace

/// A basis that is a sum of others adds no element: of the points that differ in it, the one with 0 acts.
Ownership threads::ownershipOf(const Layout &layout, int64_t lanes, int64_t warps) {
  const IndexMap &map = layout.map();
  Ownership owners;
  owners.registers.assign(registersOf(map), true);
  Elimination independent(map);
  for (auto [bit, value] : enumerate(map.basesOf(kReg)))
    if (!independent.add(value))
      for (int64_t reg = 0; reg != registersOf(map); ++reg)
        owners.registers[reg] = owners.registers[reg] && !(reg >> bit & 1);
  for (unsigned space : kThreadSpaces) {
    SmallVector<IndexMap::Unit> units = *map.inUnits(space);
    for (const IndexMap::Unit &unit : units) {
      bool acts = unit.kind == IndexMap::Unit::Kind::Digit ||
                  (unit.kind == IndexMap::Unit::Kind::Bit && independent.add(map.basesOf(space)[Log2_64(unit.stride)]));
      if (!acts)
        owners.tests.push_back({LayoutSpace(space), unit.stride, unit.count});
    }
    if (map.ins()[space] < (space == kLane ? lanes : warps))
      owners.tests.push_back({LayoutSpace(space), map.ins()[space], 0});
  }
  return owners;
}

//===-- Elements of one thread ------------------------------------------------------------------------------------===//

static Point pointOf(const Layout &layout, int64_t lane, int64_t warp, int64_t reg) {
  Point point(kNumSpaces, 0);
  point[kReg] = reg;
  point[kLane] = lane % layout.size(LayoutSpace::Lane);
  point[kWarp] = warp % layout.size(LayoutSpace::Warp);
  return layout.indexAt(point);
}

/// Lanes enter a map bit by bit, so those with one bit set stand for all; warps may be digits.
static SmallVector<std::pair<int64_t, int64_t>> sampleThreads(int64_t lanes, int64_t warps) {
  SmallVector<std::pair<int64_t, int64_t>> threads;
  for (int64_t warp = 0; warp != warps; ++warp)
    threads.push_back({0, warp});
  for (int64_t lane = 1; lane < lanes; lane *= 2)
    threads.push_back({lane, 0});
  threads.push_back({lanes - 1, warps - 1});
  return threads;
}

std::optional<SmallVector<int64_t>> threads::localSources(const Layout &result, const Layout &operand, int64_t lanes,
                                                          int64_t warps,
                                                          function_ref<Point(ArrayRef<int64_t>)> sourceOf) {
  std::map<std::vector<int64_t>, int64_t> held;
  for (int64_t reg = operand.size(LayoutSpace::Reg) - 1; reg >= 0; --reg) {
    Point index = pointOf(operand, 0, 0, reg);
    held[std::vector<int64_t>(index.begin(), index.end())] = reg;
  }
  SmallVector<int64_t> sources;
  for (int64_t reg = 0; reg != result.size(LayoutSpace::Reg); ++reg) {
    Point index = sourceOf(pointOf(result, 0, 0, reg));
    auto found = held.find(std::vector<int64_t>(index.begin(), index.end()));
    if (found == held.end())
      return std::nullopt;
    sources.push_back(found->second);
  }
  for (auto [lane, warp] : sampleThreads(lanes, warps))
    for (auto [reg, source] : enumerate(sources))
      if (sourceOf(pointOf(result, lane, warp, reg)) != pointOf(operand, lane, warp, source))
        return std::nullopt;
  return sources;
}

std::optional<SmallVector<DimUnit>> threads::unitsAlong(const Layout &layout, unsigned dim) {
  const IndexMap &map = layout.map();
  SmallVector<DimUnit> units;
  int64_t bits = 0;
  for (unsigned space : {kReg, kLane, kWarp})
    for (auto [bit, value] : enumerate(map.basesOf(space))) {
      if (!value[dim])
        continue;
      bool isPure = all_of(enumerate(value), [&](auto entry) { return entry.index() == dim || entry.value() == 0; });
      if (!isPure)
        return std::nullopt;
      units.push_back({LayoutSpace(space), int64_t(1) << bit, value[dim], 2});
      ++bits;
    }
  if (bits != popcount(uint64_t(map.hitBits()[dim])))
    return std::nullopt;
  for (const IndexMap::Digit &digit : map.digits())
    if (digit.out == dim)
      units.push_back({LayoutSpace(digit.in), digit.inStride, digit.outStride, digit.count});
  sort(units, [](const DimUnit &a, const DimUnit &b) { return a.outStride < b.outStride; });
  return units;
}
