// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves in a space: random configs, neighbours, enumeration and counting. Everything is a function of the space and the
// seed, so two machines visit the same configs.
#include "passes/Config/Space.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <deque>

using namespace llvm;

namespace helion {

/// Draws of choices that break a limit, before they get their defaults.
static constexpr unsigned kMaxDraws = 64;
/// Partial configs that counting looks at in one group of choices that depend on each other.
static constexpr uint64_t kMaxCounted = 1 << 22;

std::set<unsigned> Constraint::involved() const {
  std::set<unsigned> indices = demand && kind == Kind::Shared ? demand->involved() : std::set<unsigned>();
  indices.insert(choices.begin(), choices.end());
  for (const Term &term : terms) {
    if (term.block)
      indices.insert(*term.block);
    if (term.roll)
      indices.insert(*term.roll);
  }
  return indices;
}

class SpaceWalk {
public:
  explicit SpaceWalk(const Space &space) : space(space) {}

  Space::Point random(Random &random);
  /// Choices whose needs do not hold get their defaults.
  void dropMeaningless(Space::Point &point) const;
  std::vector<Config> neighbours(const Config &config);

  /// Depth first over the values of `order`; the other choices keep what `point` has. A constraint is looked at once
  /// all its choices in `order` are set. Stops when `visit` or the budget says so: false then.
  bool enumerate(ArrayRef<unsigned> order, Space::Point &point, uint64_t budget, function_ref<bool()> visit);

  /// Choices that constraints connect, as groups in order.
  std::vector<std::vector<unsigned>> groups() const;

private:
  bool isLegal(const Space::Point &point) const {
    return all_of(space.constraintList, [&](const Constraint &constraint) { return space.holds(constraint, point); });
  }
  bool drawAgain(Space::Point &point, Random &random) const;
  void draw(Space::Point &point, unsigned index, Random &random) const {
    const std::vector<ConfigValue> &values = space.choiceList[index].values;
    point[index] = &values[random.below(values.size())];
  }

  std::vector<const ConfigValue *> steps(unsigned index, const ConfigValue &value);
  std::vector<const ConfigValue *> integerSteps(const Choice &choice, const ConfigValue &value) const;
  std::vector<const ConfigValue *> listSteps(const Choice &choice, const std::vector<int64_t> &list);
  std::vector<const ConfigValue *> wordsOf(const Choice &choice) const;
  const ConfigValue *middleList(const Choice &choice);
  const ConfigValue *keep(std::vector<int64_t> list) { return &kept.emplace_back(std::move(list)); }

  const Space &space;
  std::deque<ConfigValue> kept; // Values that no choice lists.
};

//===-- Random ----------------------------------------------------------------------------------------------------===//

/// Ends, since each round leaves fewer choices that are not at their defaults.
void SpaceWalk::dropMeaningless(Space::Point &point) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Constraint &constraint : space.constraintList) {
      if (!constraint.isNeed() || space.holds(constraint, point))
        continue;
      point[constraint.choices[0]] = &space.choiceList[constraint.choices[0]].preset;
      changed = true;
    }
  }
}

/// Draws the choices of every broken constraint again; false when none was.
bool SpaceWalk::drawAgain(Space::Point &point, Random &random) const {
  bool again = false;
  for (const Constraint &constraint : space.constraintList) {
    // To drop rings rather than draw again would leave few: most blocks fit no matrix instruction.
    if (constraint.kind == Constraint::Kind::Needs || space.holds(constraint, point))
      continue;
    again = true;
    for (unsigned index : constraint.involved())
      draw(point, index, random);
  }
  return again;
}

Space::Point SpaceWalk::random(Random &random) {
  Space::Point point(space.choiceList.size());
  for (unsigned index = 0; index != point.size(); ++index)
    draw(point, index, random);
  for (unsigned round = 0; round != kMaxDraws; ++round)
    if (!drawAgain(point, random))
      break;
  dropMeaningless(point);
  for (const Constraint &constraint : space.constraintList)
    if (!space.holds(constraint, point))
      for (unsigned index : constraint.involved())
        point[index] = &space.choiceList[index].start;
  dropMeaningless(point);
  return isLegal(point) ? point : space.defaultPoint();
}

Config Space::randomConfig(Random &random) const { return toConfig(SpaceWalk(*this).random(random)); }

Config Space::withoutMeaningless(const Config &config) const {
  Point point = toPoint(config);
  SpaceWalk(*this).dropMeaningless(point);
  return toConfig(point);
}

//===-- Neighbours ------------------------------------------------------------------------------------------------===//

/// The next tried integers below and above, and every word; from a word, every integer.
std::vector<const ConfigValue *> SpaceWalk::integerSteps(const Choice &choice, const ConfigValue &value) const {
  const ConfigValue *below = nullptr, *above = nullptr;
  std::vector<const ConfigValue *> steps;
  for (const ConfigValue &other : choice.values) {
    if (other == value)
      continue;
    if (other.asWord() || value.asWord())
      steps.push_back(&other);
    else if (other < value)
      below = &other;
    else if (!above)
      above = &other;
  }
  if (below)
    steps.push_back(below);
  if (above)
    steps.push_back(above);
  return steps;
}

std::vector<const ConfigValue *> SpaceWalk::listSteps(const Choice &choice, const std::vector<int64_t> &list) {
  std::vector<const ConfigValue *> steps = wordsOf(choice);
  if (choice.knob->kind == ValueKind::Permutation) {
    for (size_t place = 1; place < list.size(); ++place) {
      std::vector<int64_t> swapped = list;
      std::swap(swapped[place - 1], swapped[place]);
      steps.push_back(keep(std::move(swapped)));
    }
    return steps;
  }
  for (auto [place, span] : llvm::enumerate(choice.knob->spans)) {
    std::vector<int64_t> elements = span.all();
    size_t at = find(elements, list[place]) - elements.begin();
    for (size_t next : {at - 1, at + 1}) { // Below 0 wraps beyond the end.
      if (next >= elements.size())
        continue;
      std::vector<int64_t> moved = list;
      moved[place] = elements[next];
      steps.push_back(keep(std::move(moved)));
    }
  }
  return steps;
}

std::vector<const ConfigValue *> SpaceWalk::wordsOf(const Choice &choice) const {
  std::vector<const ConfigValue *> words;
  for (const ConfigValue &value : choice.values)
    if (value.asWord())
      words.push_back(&value);
  return words;
}

/// From a word that stands for a list, to the list in the middle.
const ConfigValue *SpaceWalk::middleList(const Choice &choice) {
  std::vector<int64_t> list;
  for (const Span &span : choice.knob->spans) {
    std::vector<int64_t> elements = span.all();
    list.push_back(elements[elements.size() / 2]);
  }
  return keep(std::move(list));
}

std::vector<const ConfigValue *> SpaceWalk::steps(unsigned index, const ConfigValue &value) {
  const Choice &choice = space.choiceList[index];
  if (value.asList())
    return listSteps(choice, *value.asList());
  if (choice.knob->kind == ValueKind::List)
    return {middleList(choice)};
  return integerSteps(choice, value);
}

std::vector<Config> SpaceWalk::neighbours(const Config &config) {
  Space::Point start = space.toPoint(config);
  std::set<Config> found;
  for (unsigned index = 0; index != start.size(); ++index)
    for (const ConfigValue *step : steps(index, *start[index])) {
      Space::Point point = start;
      point[index] = step;
      dropMeaningless(point);
      if (isLegal(point))
        found.insert(space.toConfig(point));
    }
  found.erase(space.canonical(config));
  return std::vector<Config>(found.begin(), found.end());
}

std::vector<Config> Space::neighbours(const Config &config) const { return SpaceWalk(*this).neighbours(config); }

//===-- Enumeration -----------------------------------------------------------------------------------------------===//

bool SpaceWalk::enumerate(ArrayRef<unsigned> order, Space::Point &point, uint64_t budget, function_ref<bool()> visit) {
  // Per depth, the constraints whose last choice is set there.
  std::vector<std::vector<const Constraint *>> settled(order.size());
  for (const Constraint &constraint : space.constraintList) {
    std::set<unsigned> indices = constraint.involved();
    for (size_t depth = order.size(); depth-- > 0;)
      if (indices.count(order[depth])) {
        settled[depth].push_back(&constraint);
        break;
      }
  }
  std::vector<size_t> next(order.size() + 1, 0); // Per depth, the value to try next.
  size_t depth = 0;
  while (true) {
    if (depth == order.size()) {
      if (!visit())
        return false;
      if (depth-- == 0)
        return true;
      continue;
    }
    const std::vector<ConfigValue> &values = space.choiceList[order[depth]].values;
    if (next[depth] == values.size()) {
      next[depth] = 0;
      if (depth-- == 0)
        return true;
      continue;
    }
    if (budget-- == 0)
      return false;
    point[order[depth]] = &values[next[depth]++];
    if (all_of(settled[depth], [&](const Constraint *constraint) { return space.holds(*constraint, point); }))
      ++depth;
  }
}

std::vector<std::vector<unsigned>> SpaceWalk::groups() const {
  EquivalenceClasses<unsigned> connected;
  for (unsigned index = 0; index != space.choiceList.size(); ++index)
    connected.insert(index);
  for (const Constraint &constraint : space.constraintList)
    for (unsigned index : constraint.involved())
      connected.unionSets(*constraint.involved().begin(), index);
  std::map<unsigned, std::vector<unsigned>> byLeader;
  for (unsigned index = 0; index != space.choiceList.size(); ++index)
    byLeader[connected.getLeaderValue(index)].push_back(index);
  std::vector<std::vector<unsigned>> groups;
  for (auto &[leader, group] : byLeader)
    groups.push_back(std::move(group));
  return groups;
}

std::vector<Config> Space::enumerate(uint64_t limit) const {
  std::vector<Config> configs;
  std::vector<unsigned> order;
  for (unsigned index = 0; index != choiceList.size(); ++index)
    order.push_back(index);
  Config defaults(table);
  Point point = toPoint(defaults);
  if (limit)
    SpaceWalk(*this).enumerate(order, point, UINT64_MAX, [&] {
      configs.push_back(toConfig(point));
      return configs.size() < limit;
    });
  return configs;
}

/// Choices of a group that only needs speak of, and only of them: how many values they have follows from the others.
static std::vector<const Constraint *> needsOfLeaf(ArrayRef<Constraint> constraints, unsigned index) {
  std::vector<const Constraint *> needs;
  for (const Constraint &constraint : constraints) {
    if (!constraint.involved().count(index))
      continue;
    if (!constraint.isNeed() || constraint.choices[0] != index)
      return {};
    needs.push_back(&constraint);
  }
  return needs;
}

Space::Size Space::size() const {
  Size size;
  SpaceWalk walk(*this);
  Config defaults(table);
  for (const std::vector<unsigned> &group : walk.groups()) {
    std::vector<unsigned> core;
    std::vector<std::pair<int64_t, std::vector<const Constraint *>>> leaves;
    double grid = 1;
    for (unsigned index : group) {
      grid *= choiceList[index].values.size();
      std::vector<const Constraint *> needs = needsOfLeaf(constraintList, index);
      if (needs.empty())
        core.push_back(index);
      else
        leaves.emplace_back(choiceList[index].values.size(), std::move(needs));
    }
    Point point = toPoint(defaults);
    int64_t count = 0;
    bool counted = walk.enumerate(core, point, kMaxCounted, [&] {
      int64_t ways = 1;
      for (const auto &[values, needs] : leaves)
        if (all_of(needs, [&](const Constraint *need) { return isMet(*need, point); }))
          ways *= values;
      count += ways;
      return true;
    });
    size.estimate *= counted ? static_cast<double>(count) : grid;
    int64_t product = 0;
    if (counted && size.exact && !MulOverflow(*size.exact, count, product))
      size.exact = product;
    else
      size.exact.reset();
  }
  return size;
}

} // namespace helion
