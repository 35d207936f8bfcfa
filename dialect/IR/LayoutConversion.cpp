// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions by table: who holds an element is looked up warp by warp, and every warp has to do the same.

#include "dialect/IR/LayoutConversion.h"
#include "dialect/IR/LayoutBuilders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace helion;

namespace {
constexpr LayoutSpace kOuter[] = {LayoutSpace::Warp, LayoutSpace::Group, LayoutSpace::Cta, LayoutSpace::Mem};

/// Elements that one thread has registers for on no device; tables for more would only take time.
constexpr int64_t kMostRegisters = 1024;

/// A register of a lane of some warp.
struct Place {
  int64_t lane, reg;
  bool operator==(const Place &other) const { return lane == other.lane && reg == other.reg; }
};

int64_t linearIndex(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t linear = 0;
  for (auto [value, extent] : zip(index, shape))
    linear = linear * extent + value;
  return linear;
}

/// The elements that one warp holds in a layout, by place. Coordinates that the layout does not know are replicated.
class WarpView {
public:
  WarpView(const Layout &layout, ArrayRef<int64_t> outer) : layout(layout), point(kNumSpaces, 0) {
    for (auto [space, value] : zip(kOuter, outer))
      point[unsigned(space)] = value % layout.size(space);
  }
  int64_t registers() const { return layout.size(LayoutSpace::Reg); }
  int64_t elementAt(Place place) {
    point[unsigned(LayoutSpace::Reg)] = place.reg;
    point[unsigned(LayoutSpace::Lane)] = place.lane % layout.size(LayoutSpace::Lane);
    return linearIndex(layout.indexAt(point), layout.shape());
  }

private:
  const Layout &layout;
  Point point;
};

/// Finds for each place of the result the place of the source that feeds it.
class Planner {
public:
  Planner(const Layout &from, const Layout &to, int64_t lanes) : from(from), to(to), lanes(lanes) {}

  /// The plan without its rounds.
  ConversionPlan outline() {
    ConversionPlan plan;
    if (from.uses(LayoutSpace::Offset) || to.uses(LayoutSpace::Offset) || from.shape() != to.shape() || !findSources())
      return plan;
    keep(plan);
    bool uniform = llvm::all_of(plan.kept, [&](const std::vector<int64_t> &row) { return row == plan.kept.front(); });
    bool local = !is_contained(plan.kept.front(), -1);
    plan.kind = uniform && local ? ConversionPlan::Kind::Registers : ConversionPlan::Kind::Shuffle;
    return plan;
  }

  ConversionPlan plan() {
    ConversionPlan plan = outline();
    if (plan.kind == ConversionPlan::Kind::Shuffle)
      schedule(plan);
    return plan;
  }

private:
  /// All warps, as points of the outer spaces.
  SmallVector<Point> warps() const {
    SmallVector<Point> list = {Point()};
    for (LayoutSpace space : kOuter) {
      SmallVector<Point> longer;
      for (const Point &prefix : list)
        for (int64_t value = 0, e = std::max(from.size(space), to.size(space)); value != e; ++value) {
          longer.push_back(prefix);
          longer.back().push_back(value);
        }
      list = std::move(longer);
    }
    return list;
  }

  /// Fills `sources` from the first warp; false when an element is not in the warp, or another warp would have to do
  /// otherwise.
  bool findSources() {
    if (std::max(from.size(LayoutSpace::Reg), to.size(LayoutSpace::Reg)) > kMostRegisters || !mayStayInWarp())
      return false;
    SmallVector<Point> all = warps();
    WarpView source(from, all.front()), target(to, all.front());
    DenseMap<int64_t, SmallVector<Place, 1>> holders;
    for (int64_t lane = 0; lane != lanes; ++lane)
      for (int64_t reg = 0; reg != source.registers(); ++reg)
        holders[source.elementAt({lane, reg})].push_back({lane, reg});
    for (int64_t lane = 0; lane != lanes; ++lane)
      for (int64_t reg = 0; reg != target.registers(); ++reg) {
        auto found = holders.find(target.elementAt({lane, reg}));
        if (found == holders.end())
          return false;
        auto *own = find_if(found->second, [&](Place place) { return place.lane == lane; });
        sources.push_back(own == found->second.end() ? found->second.front() : *own);
      }
    return all_of(ArrayRef(all).drop_front(), [&](const Point &outer) { return holdsIn(outer); });
  }

  /// A quick no for most conversions that leave the first warp: asks for the registers at powers of two only.
  bool mayStayInWarp() const {
    Point point(kNumSpaces, 0);
    auto inFirstWarp = [](const Point &owner) {
      return all_of(kOuter, [&](LayoutSpace space) { return owner[unsigned(space)] == 0; });
    };
    for (int64_t lane = 0; lane != to.size(LayoutSpace::Lane); ++lane)
      for (int64_t reg = 1; reg < 2 * to.size(LayoutSpace::Reg); reg *= 2) {
        point[unsigned(LayoutSpace::Lane)] = lane;
        point[unsigned(LayoutSpace::Reg)] = reg / 2;
        if (none_of(from.owners(to.indexAt(point)), inFirstWarp))
          return false;
      }
    return true;
  }

  bool holdsIn(ArrayRef<int64_t> outer) const {
    WarpView source(from, outer), target(to, outer);
    for (int64_t lane = 0; lane != lanes; ++lane)
      for (int64_t reg = 0; reg != target.registers(); ++reg)
        if (source.elementAt(sources[lane * target.registers() + reg]) != target.elementAt({lane, reg}))
          return false;
    return true;
  }

  void keep(ConversionPlan &plan) const {
    int64_t registers = to.size(LayoutSpace::Reg);
    plan.kept.assign(lanes, std::vector<int64_t>(registers, -1));
    for (int64_t lane = 0; lane != lanes; ++lane)
      for (int64_t reg = 0; reg != registers; ++reg)
        if (Place source = sources[lane * registers + reg]; source.lane == lane)
          plan.kept[lane][reg] = source.reg;
  }

  /// Greedy rounds: a lane takes the first element that it still needs from a lane that offers it, or nothing yet, in
  /// this round.
  void schedule(ConversionPlan &plan) const {
    int64_t registers = to.size(LayoutSpace::Reg);
    std::vector<std::vector<int64_t>> needed(lanes);
    int64_t left = 0;
    for (int64_t lane = 0; lane != lanes; ++lane)
      for (int64_t reg = 0; reg != registers; ++reg)
        if (plan.kept[lane][reg] < 0) {
          needed[lane].push_back(reg);
          ++left;
        }
    while (left) {
      ShuffleRound round{std::vector<int64_t>(lanes, -1), std::vector<int64_t>(lanes), std::vector<int64_t>(lanes, -1)};
      for (int64_t lane = 0; lane != lanes; ++lane) {
        round.lane[lane] = lane;
        auto next = find_if(needed[lane], [&](int64_t reg) {
          Place source = sources[lane * registers + reg];
          return round.offered[source.lane] < 0 || round.offered[source.lane] == source.reg;
        });
        if (next == needed[lane].end())
          continue;
        Place source = sources[lane * registers + *next];
        round.offered[source.lane] = source.reg;
        round.lane[lane] = source.lane;
        round.target[lane] = *next;
        needed[lane].erase(next);
        --left;
      }
      for (int64_t &offered : round.offered)
        offered = std::max<int64_t>(offered, 0);
      plan.rounds.push_back(std::move(round));
    }
  }

  const Layout &from, &to;
  int64_t lanes;
  std::vector<Place> sources; // by lane, then register of the result
};

/// The widest vector, in elements, that neighbouring registers and neighbouring places in memory make.
int64_t vectorWidth(const IndexMap &move, int64_t limit) {
  unsigned reg = unsigned(LayoutSpace::Reg), offset = unsigned(LayoutSpace::Offset);
  IndexMap tile(Point(kNumSpaces, 1), Point(kNumSpaces, 1));
  int64_t width = 1;
  for (unsigned bit = 0; width * 2 <= limit; ++bit) {
    Point value(kNumSpaces, 0);
    value[offset] = int64_t(1) << bit;
    tile.addBasis(reg, bit, value);
    tile.setInSize(reg, width * 2);
    tile.setOutSize(offset, width * 2);
    if (!move.divideLeft(tile))
      break;
    width *= 2;
  }
  return width;
}
} // namespace

ConversionPlan helion::planConversion(const Layout &from, const Layout &to, int64_t lanes) {
  return Planner(from, to, lanes).plan();
}

ConversionPlan::Kind helion::conversionKind(const Layout &from, const Layout &to, int64_t lanes) {
  return Planner(from, to, lanes).outline().kind;
}

/// Adds the turns of one instruction, whose lanes begin at these byte addresses.
static void addTurns(BankUse &use, ArrayRef<int64_t> addresses, const BankModel &model) {
  int64_t atOnce = std::max<int64_t>(1, model.banks * model.bankBytes / std::max(use.vectorBytes, model.bankBytes));
  for (; !addresses.empty(); addresses = addresses.drop_front(std::min<size_t>(atOnce, addresses.size()))) {
    SmallVector<int64_t> words;
    for (int64_t address : addresses.take_front(atOnce))
      for (int64_t byte = 0; byte < use.vectorBytes; byte += model.bankBytes)
        words.push_back((address + byte) / model.bankBytes);
    sort(words);
    words.erase(unique(words), words.end());
    SmallVector<int64_t> perBank(model.banks, 0);
    for (int64_t word : words)
      ++perBank[word % model.banks];
    use.wavefronts += *max_element(perBank);
    use.minimum += divideCeil(words.size(), model.banks);
  }
}

std::optional<BankUse> helion::countBankUse(const Layout &registers, const Layout &shared, int64_t elementBytes,
                                            const BankModel &model) {
  if (registers.shape() != shared.shape() || elementBytes < 1)
    return std::nullopt;
  std::optional<IndexMap> move = IndexMap::compose(registers.map(), *shared.map().inverse());
  if (!move)
    return std::nullopt;
  BankUse use;
  int64_t width = vectorWidth(*move, model.vectorBytes / elementBytes);
  use.vectorBytes = width * elementBytes;
  Point point(kNumSpaces, 0);
  for (int64_t reg = 0; reg < registers.size(LayoutSpace::Reg); reg += width) {
    SmallVector<int64_t> addresses;
    point[unsigned(LayoutSpace::Reg)] = reg;
    for (int64_t lane = 0; lane != model.lanes; ++lane) {
      point[unsigned(LayoutSpace::Lane)] = lane % registers.size(LayoutSpace::Lane);
      addresses.push_back(move->apply(point)[unsigned(LayoutSpace::Offset)] * elementBytes);
    }
    ++use.accesses;
    addTurns(use, addresses, model);
  }
  return use;
}

std::optional<SharedChoice> helion::chooseSharedLayout(const Layout &writer, const Layout &reader, int64_t elementBytes,
                                                       const BankModel &model) {
  std::optional<SharedChoice> best;
  if (writer.rank() != 2 || reader.shape() != writer.shape())
    return best;
  for (unsigned contiguous : {1u, 0u})
    for (unsigned swizzle : {0u, 32u, 64u, 128u}) {
      Expected<Layout> candidate = sharedLayout(writer.shape(), contiguous, elementBytes, swizzle);
      if (!candidate) {
        consumeError(candidate.takeError());
        continue;
      }
      std::optional<BankUse> in = countBankUse(writer, *candidate, elementBytes, model);
      std::optional<BankUse> out = countBankUse(reader, *candidate, elementBytes, model);
      if (in && out && (!best || in->wavefronts + out->wavefronts < best->wavefronts))
        best = SharedChoice{*candidate, in->wavefronts + out->wavefronts, in->minimum + out->minimum};
    }
  return best;
}
