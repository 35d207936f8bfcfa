// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws of a space in which every value of every choice occurs: for tests, and to begin a search broadly. Each config
// first pins values that no earlier one has, as many as go together, then draws the rest at random.
#include "passes/Config/Space.h"

using namespace llvm;

namespace helion {

/// Draws of the free choices before a set of pins counts as one that no legal config has.
static constexpr unsigned kMaxTries = 64;
/// Draws of a config that no earlier one equals.
static constexpr unsigned kMaxRepeats = 64;

class SpaceCover {
public:
  SpaceCover(const Space &space, Random &random)
      : space(space), random(random), states(space.choiceList.size()), pins(space.choiceList.size()) {
    for (auto [state, choice] : zip(states, space.choiceList))
      state.assign(choice.values.size(), State::Missing);
  }

  std::vector<Config> draw(unsigned count);

private:
  enum class State { Missing, Covered, Impossible };

  Space::Point next(size_t draws);
  std::vector<unsigned> byNeed(size_t draws);
  std::optional<size_t> farthestMissing(unsigned index) const;
  bool pinOne(unsigned index, Space::Point &point);

  std::optional<Space::Point> complete() const;
  void fitSlots(const Constraint &constraint, Space::Point &point) const;
  void fitMatrix(const Constraint &constraint, const LaunchDemand::Ring &ring, Space::Point &point) const;
  void fit(const LanesProduct &product, int64_t unit, int64_t multiple, Space::Point &point) const;
  bool repairNeeds(Space::Point &point) const;
  bool repairLimits(Space::Point &point) const;
  bool isFree(unsigned index) const { return !pins[index]; }
  bool isWanted(unsigned index, const Space::Point &point) const;
  void drawFree(Space::Point &point, unsigned index) const;
  /// Whether the choice could have another value than its default beside the others.
  bool hasMeaning(unsigned index, const Space::Point &point) const;
  bool breaks(const Constraint &constraint, const Space::Point &point) const { return !space.holds(constraint, point); }

  const Space &space;
  Random &random;
  std::vector<std::vector<State>> states; // Per choice and value.
  std::vector<const ConfigValue *> pins;  // Of the config in work; none for a free choice.
};

//===-- One legal point with the pins -----------------------------------------------------------------------------===//

void SpaceCover::drawFree(Space::Point &point, unsigned index) const {
  const std::vector<ConfigValue> &values = space.choiceList[index].values;
  if (isFree(index))
    point[index] = &values[random.below(values.size())];
}

bool SpaceCover::hasMeaning(unsigned index, const Space::Point &point) const {
  return all_of(space.constraintList, [&](const Constraint &constraint) {
    return !constraint.isNeed() || constraint.choices[0] != index || space.isMet(constraint, point);
  });
}

/// Free choices become such that the ring holds something.
void SpaceCover::fitSlots(const Constraint &constraint, Space::Point &point) const {
  unsigned index = constraint.choices[0];
  bool isGroup = constraint.kind == Constraint::Kind::Groups;
  auto ring = find_if(constraint.demand->rings, [&](const LaunchDemand::Ring &ring) {
    return isGroup ? ring.groups == index : ring.stages == index;
  });
  if (ring->loads.empty())
    return fitMatrix(constraint, *ring, point);
  const LoadDemand &load = ring->loads[random.below(ring->loads.size())];
  fit(load.row, load.bytes, kPieceBytes, point);
  for (const LanesTerm &term : load.lanes.terms)
    if (term.roll && isFree(*term.roll))
      point[*term.roll] = &space.choiceList[*term.roll].preset;
}

/// Free blocks of one dot of the ring get multiples of the instruction's extents, those of its batch one; warps a
/// multiple of those that the instruction is of.
void SpaceCover::fitMatrix(const Constraint &constraint, const LaunchDemand::Ring &ring, Space::Point &point) const {
  const GroupMatrix *group = nullptr;
  if (constraint.kind == Constraint::Kind::Groups)
    group = &*space.choiceList[constraint.choices[0]].knob->groupMatrix;
  // Of a ring some dot has types that the instruction takes.
  std::vector<const DotDemand *> dots;
  for (const DotDemand &each : ring.dots)
    if (each.matrixBytes)
      dots.push_back(&each);
  const DotDemand &dot = *dots[random.below(dots.size())];
  const MatrixShape &shape = group ? group->shape : *constraint.demand->shape;
  fit(dot.batch, 1, 0, point);
  fit(dot.rows, 1, shape.rows, point);
  fit(dot.columns, 1, shape.columns, point);
  fit(dot.depth, 1, shape.depth(dot.matrixBytes), point);
  if (group && constraint.demand->warps)
    fit(LanesProduct{{LanesTerm{*constraint.demand->warps, std::nullopt}}}, 1, group->warps, point);
}

/// Each free block of the product becomes such that it alone, times `unit`, is a multiple; one lane where that is 0.
void SpaceCover::fit(const LanesProduct &product, int64_t unit, int64_t multiple, Space::Point &point) const {
  for (const LanesTerm &term : product.terms) {
    if (!term.block || !isFree(*term.block))
      continue;
    std::vector<const ConfigValue *> fitting;
    for (const ConfigValue &value : space.choiceList[*term.block].values)
      if (multiple ? *value.asInteger() * product.factor * unit % multiple == 0 : value == ConfigValue(1))
        fitting.push_back(&value);
    if (!fitting.empty())
      point[*term.block] = fitting[random.below(fitting.size())];
  }
}

/// A pinned choice needs it, or one that is wanted itself.
bool SpaceCover::isWanted(unsigned index, const Space::Point &point) const {
  return any_of(space.constraintList, [&](const Constraint &constraint) {
    if (constraint.kind != Constraint::Kind::Needs || !is_contained(ArrayRef(constraint.choices).drop_front(), index))
      return false;
    unsigned needy = constraint.choices[0];
    return *point[needy] != space.choiceList[needy].preset && (!isFree(needy) || isWanted(needy, point));
  });
}

/// A pinned choice gets what it needs where that is free; a free one that lacks it, its default, or of rings every
/// second one blocks that fit. Ends, since a value that a pin needs is drawn only while another one stands there.
bool SpaceCover::repairNeeds(Space::Point &point) const {
  bool changed = false;
  for (const Constraint &constraint : space.constraintList) {
    unsigned needy = constraint.choices.empty() ? 0 : constraint.choices[0];
    if (!constraint.isNeed() || !breaks(constraint, point))
      continue;
    changed = true;
    bool isSlots = constraint.kind == Constraint::Kind::Slots;
    if (isFree(needy) && !isWanted(needy, point) && !(isSlots && random.below(2))) {
      point[needy] = &space.choiceList[needy].preset;
      continue;
    }
    if (isSlots || constraint.kind == Constraint::Kind::Groups) {
      fitSlots(constraint, point);
      continue;
    }
    std::vector<unsigned> free;
    for (unsigned other : ArrayRef(constraint.choices).drop_front())
      if (isFree(other))
        free.push_back(other);
    if (free.empty())
      continue;
    unsigned other = free[random.below(free.size())];
    std::vector<const ConfigValue *> wanted;
    for (const ConfigValue &value : space.choiceList[other].values)
      if (is_contained(constraint.values, value))
        wanted.push_back(&value);
    if (!wanted.empty())
      point[other] = wanted[random.below(wanted.size())];
  }
  return changed;
}

/// Draws the free choices of every broken limit again.
bool SpaceCover::repairLimits(Space::Point &point) const {
  bool changed = false;
  for (const Constraint &constraint : space.constraintList) {
    if (constraint.isNeed() || !breaks(constraint, point))
      continue;
    changed = true;
    for (unsigned index : constraint.involved())
      drawFree(point, index);
  }
  return changed;
}

/// None where no draw of the free choices is legal beside the pins and gives each pin a meaning.
std::optional<Space::Point> SpaceCover::complete() const {
  Space::Point point(pins);
  for (unsigned index = 0; index != point.size(); ++index)
    drawFree(point, index);
  for (unsigned round = 0; round != kMaxTries; ++round) {
    bool again = repairNeeds(point);
    again |= repairLimits(point);
    for (unsigned index = 0; index != point.size(); ++index)
      if (!isFree(index) && !hasMeaning(index, point)) {
        again = true;
        for (const Constraint &constraint : space.constraintList)
          if (constraint.isNeed() && constraint.demand && constraint.choices[0] == index)
            fitSlots(constraint, point);
          else if (constraint.isNeed() && constraint.choices[0] == index)
            for (unsigned other : ArrayRef(constraint.choices).drop_front())
              drawFree(point, other);
      }
    if (!again)
      return point;
  }
  return std::nullopt;
}

//===-- Which values come next ------------------------------------------------------------------------------------===//

/// The missing value with the most places between it and one that is there, so that any number of draws is spread
/// evenly.
std::optional<size_t> SpaceCover::farthestMissing(unsigned index) const {
  const std::vector<State> &state = states[index];
  std::optional<size_t> best;
  size_t most = 0;
  for (size_t place = 0; place != state.size(); ++place) {
    if (state[place] != State::Missing)
      continue;
    size_t distance = state.size();
    for (size_t other = 0; other != state.size(); ++other)
      if (state[other] == State::Covered)
        distance = std::min(distance, other < place ? place - other : other - place);
    if (distance > most) {
      most = distance;
      best = place;
    }
  }
  return best;
}

/// Choices with missing values. Short lists first, the fewest missing values first, so that none is left over when
/// another choice excludes it. Then those that have the least of the values that the draws have place for, so that of
/// two long lists that exclude each other both are spread.
std::vector<unsigned> SpaceCover::byNeed(size_t draws) {
  std::vector<std::tuple<bool, double, uint64_t>> rank(states.size());
  std::vector<unsigned> order;
  for (auto [index, state] : enumerate(states)) {
    size_t missing = count(state, State::Missing), possible = state.size() - count(state, State::Impossible);
    bool isLong = possible * 2 > draws;
    double covered = double(count(state, State::Covered)) / std::max<size_t>(std::min(draws, possible), 1);
    rank[index] = {isLong, isLong ? covered : double(missing), random.next()};
    if (missing)
      order.push_back(index);
  }
  sort(order, [&](unsigned a, unsigned b) { return rank[a] < rank[b]; });
  return order;
}

/// Pins a missing value of the choice, if one goes with the other pins. A value that no config has by itself is given
/// up.
bool SpaceCover::pinOne(unsigned index, Space::Point &point) {
  bool alone = all_of(pins, [](const ConfigValue *pin) { return !pin; });
  std::vector<State> before = states[index];
  bool found = false;
  while (std::optional<size_t> place = farthestMissing(index)) {
    pins[index] = &space.choiceList[index].values[*place];
    if (std::optional<Space::Point> whole = complete()) {
      point = *whole;
      found = true;
      break;
    }
    pins[index] = nullptr;
    states[index][*place] = State::Impossible; // For this config, or for good where nothing else is pinned.
  }
  if (!alone)
    states[index] = std::move(before);
  return found;
}

Space::Point SpaceCover::next(size_t draws) {
  pins.assign(pins.size(), nullptr);
  std::optional<Space::Point> free = complete();
  Space::Point point = free ? *free : space.defaultPoint();
  for (unsigned index : byNeed(draws))
    pinOne(index, point);
  return point;
}

std::vector<Config> SpaceCover::draw(unsigned count) {
  std::vector<Config> configs;
  std::set<Config> seen;
  while (configs.size() != count) {
    Space::Point point = next(count);
    for (unsigned repeat = 0; repeat != kMaxRepeats && seen.count(space.toConfig(point)); ++repeat)
      if (std::optional<Space::Point> other = complete())
        point = *other;
    for (unsigned index = 0; index != point.size(); ++index) {
      const std::vector<ConfigValue> &values = space.choiceList[index].values;
      if (hasMeaning(index, point))
        states[index][find(values, *point[index]) - values.begin()] = State::Covered;
    }
    configs.push_back(space.toConfig(point));
    seen.insert(configs.back());
  }
  return configs;
}

std::vector<Config> Space::coveringConfigs(unsigned count, Random &random) const {
  return SpaceCover(*this, random).draw(count);
}

} // namespace helion
