// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a space: is a config legal, which text is canonical, what does it look like as JSON. SpaceBuilder.cpp
// makes one of a kernel, SpaceWalk.cpp moves in it.
#include "passes/Config/Space.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace helion {

//===-- Legality --------------------------------------------------------------------------------------------------===//

/// What the site allows, for messages.
static std::string allowedAt(const Choice &choice) {
  if (choice.knob->kind == ValueKind::Permutation)
    return "a permutation of its " + std::to_string(choice.numDims) + " dims";
  if (choice.knob->kind == ValueKind::Word) {
    std::vector<std::string> words;
    for (const ConfigValue &value : choice.values)
      words.push_back(value.str());
    return "one of `" + join(words, "`, `") + "`";
  }
  if (choice.knob->kind != ValueKind::Integer ||
      (choice.low <= choice.knob->spans[0].low && choice.high >= choice.knob->spans[0].high && choice.multiple == 1))
    return choice.knob->allowed();
  Span span = choice.knob->spans[0];
  span.low = std::max(span.low, choice.low);
  span.high = std::min(span.high, choice.high);
  return "an integer in " + span.str() +
         (choice.multiple > 1 ? ", a multiple of " + std::to_string(choice.multiple) : "");
}

Error Choice::check(const ConfigValue &value) const {
  bool legal = knob->allows(value);
  if (const int64_t *integer = value.asInteger())
    legal &= *integer >= low && *integer <= high && *integer % multiple == 0;
  if (knob->kind == ValueKind::Permutation)
    legal &= value.asList() && value.asList()->size() == numDims;
  if (knob->kind == ValueKind::Word)
    legal &= is_contained(values, value);
  if (legal)
    return Error::success();
  return createStringError("`" + knob->name + "` of `" + site + "` cannot be `" + value.str() + "`; it takes " +
                           allowedAt(*this));
}

static int64_t integerOf(const ConfigValue *value) { return value->asInteger() ? *value->asInteger() : 0; }

/// After `copies` of a loop's body are made one: the copies run more than once, or what they leave does.
static bool leavesLoop(int64_t iterations, int64_t copies) {
  copies = std::max<int64_t>(copies, 1);
  return iterations / copies > 1 || iterations % copies > 1;
}

static int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return MulOverflow(a, b, product) ? INT64_MAX : product;
}

/// Of a loop of constant bounds.
static int64_t iterationsOf(const Constraint &constraint, const ConfigPoint &point) {
  int64_t product = constraint.factor;
  for (const Constraint::Term &term : constraint.terms)
    product = saturatingMultiply(product, divideCeil(term.lanes, std::max<int64_t>(integerOf(point[*term.block]), 1)));
  return product;
}

bool Space::holds(const Constraint &constraint, const Point &point) const {
  ArrayRef<unsigned> indices = constraint.choices;
  int64_t product = constraint.factor;
  switch (constraint.kind) {
  case Constraint::Kind::Needs:
  case Constraint::Kind::Slots:
  case Constraint::Kind::Groups:
    return *point[indices[0]] == choiceList[indices[0]].preset || isMet(constraint, point);
  case Constraint::Kind::Shared:
    return constraint.demand->sharedBytes(point) <= constraint.limit;
  case Constraint::Kind::AtMost:
    return integerOf(point[indices[0]]) <= integerOf(point[indices[1]]);
  case Constraint::Kind::Lanes:
    for (const Constraint::Term &term : constraint.terms)
      product = saturatingMultiply(product, term.at(point));
    return product <= saturatingMultiply(constraint.limit, indices.empty() ? 1 : integerOf(point[indices.front()]));
  case Constraint::Kind::Unrolls:
    return *point[indices[0]] == ConfigValue::flag(false) || iterationsOf(constraint, point) <= constraint.limit;
  case Constraint::Kind::Stays:
    return *point[indices[0]] == choiceList[indices[0]].preset ||
           leavesLoop(iterationsOf(constraint, point), integerOf(point[indices[1]]));
  }
  llvm_unreachable("covered switch");
}

bool Space::isMet(const Constraint &need, const Point &point) const {
  ArrayRef<unsigned> indices = need.choices;
  if (need.kind == Constraint::Kind::Needs)
    return any_of(indices.drop_front(), [&](unsigned other) { return is_contained(need.values, *point[other]); });
  if (need.kind == Constraint::Kind::Groups)
    return need.demand->takesGroups(indices[0], *choiceList[indices[0]].knob->groupMatrix, point);
  return any_of(need.demand->rings, [&](const LaunchDemand::Ring &ring) {
    return ring.stages == indices[0] && ring.slotBytes(need.demand->shape, point) > 0;
  });
}

std::optional<unsigned> Space::indexOf(StringRef knob, StringRef site) const {
  for (auto [index, choice] : llvm::enumerate(choiceList))
    if (choice.knob->name == knob && choice.site == site)
      return index;
  return std::nullopt;
}

static Error noSuchSite(ArrayRef<Choice> choices, StringRef knob, StringRef site) {
  std::string known;
  for (const Choice &choice : choices)
    if (choice.knob->name == knob)
      known += (known.empty() ? "`" : ", `") + choice.site + "`";
  return createStringError("`" + knob + "` has no site `" + site + "`; " +
                           (known.empty() ? "this kernel has none for it" : "there are " + known));
}

Error Space::validate(const Config &config) const {
  for (const auto &[key, value] : config.values()) {
    std::optional<unsigned> index = indexOf(key.first, key.second);
    if (!index)
      return noSuchSite(choiceList, key.first, key.second);
    if (Error error = choiceList[*index].check(value))
      return error;
  }
  Point point = toPoint(config);
  for (const Constraint &constraint : constraintList)
    if (!holds(constraint, point))
      return createStringError(constraint.text);
  return Error::success();
}

//===-- Points and configs ----------------------------------------------------------------------------------------===//

Space::Point Space::toPoint(const Config &config) const {
  Point point;
  for (const Choice &choice : choiceList) {
    const ConfigValue *value = config.find(choice.knob->name, choice.site);
    point.push_back(value ? value : &choice.preset);
  }
  return point;
}

Space::Point Space::defaultPoint() const {
  Point point;
  for (const Choice &choice : choiceList)
    point.push_back(&choice.start);
  return point;
}

Config Space::toConfig(const Point &point) const {
  Config config(table);
  for (auto [choice, value] : zip(choiceList, point))
    if (*value != choice.preset)
      config.set(choice.knob->name, choice.site, *value);
  return config;
}

const ConfigValue &Space::valueOf(const Config &config, StringRef knob, StringRef site) const {
  const ConfigValue *value = config.find(knob, site);
  return value ? *value : choiceList[*indexOf(knob, site)].preset;
}

Config Space::defaultConfig() const {
  Config config(table);
  for (const Choice &choice : choiceList)
    if (choice.start != choice.preset)
      config.set(choice.knob->name, choice.site, choice.start);
  return config;
}

bool Space::isLegal(const Config &config) const {
  Error error = validate(config);
  bool isLegal = !error;
  consumeError(std::move(error));
  return isLegal;
}

/// A slice that cannot be rolled serves what fits its block: the largest that the limits on tiles leave room for.
Config Space::withLargestSlices(Config config) const {
  for (const Choice &choice : choiceList) {
    if (choice.knob->site != SiteKind::SliceBlock)
      continue;
    for (const ConfigValue &value : llvm::reverse(choice.values)) {
      Config larger = config;
      larger.set(choice.knob->name, choice.site, value);
      larger = withoutMeaningless(larger);
      if (!isLegal(larger))
        continue;
      config = std::move(larger);
      break;
    }
  }
  return config;
}

/// Of choices that tile values count for each unit of: the least, at or above the default, that leaves half of the
/// room.
void Space::fitUnits(Config &config) const {
  for (auto [index, choice] : llvm::enumerate(choiceList)) {
    if (!choice.knob->elements)
      continue;
    for (const ConfigValue &value : choice.values) {
      if (value < choice.start)
        continue;
      config.set(choice.knob->name, choice.site, value);
      Point point = toPoint(config);
      bool isRoomy = all_of(constraintList, [&, index = unsigned(index)](Constraint constraint) {
        if (constraint.kind != Constraint::Kind::Lanes || !is_contained(constraint.choices, index))
          return true;
        constraint.limit /= 2;
        return holds(constraint, point);
      });
      if (isRoomy)
        break;
    }
  }
}

Config Space::universalConfig() const {
  Config config = defaultConfig();
  for (const Choice &choice : choiceList) {
    if (choice.knob->universal)
      config.set(choice.knob->name, choice.site, *choice.knob->universal);
    if (choice.knob->elements)
      config.set(choice.knob->name, choice.site, choice.values.back());
  }
  config = withLargestSlices(withoutMeaningless(config));
  fitUnits(config);
  return config;
}

Config Space::canonical(const Config &config) const {
  Config result = config;
  for (const Choice &choice : choiceList)
    if (const ConfigValue *value = config.find(choice.knob->name, choice.site); value && *value == choice.preset)
      result.erase(choice.knob->name, choice.site);
  return result;
}

Expected<Config> parseConfig(StringRef text, const Space &space) {
  Expected<Config> config = Config::parse(text, space.knobs());
  if (!config)
    return config.takeError();
  if (Error error = space.validate(*config))
    return std::move(error);
  return space.canonical(*config);
}

//===-- JSON ------------------------------------------------------------------------------------------------------===//

static json::Value toJson(const ConfigValue &value) {
  if (const int64_t *integer = value.asInteger())
    return *integer;
  if (const std::vector<int64_t> *list = value.asList())
    return json::Array(*list);
  if (value == ConfigValue::flag(true) || value == ConfigValue::flag(false))
    return value == ConfigValue::flag(true);
  return *value.asWord();
}

/// A list with one element per line.
static void printLines(raw_ostream &os, StringRef name, ArrayRef<json::Value> elements) {
  os << "  \"" << name << "\": [";
  interleave(elements, os, [&](const json::Value &element) { os << "\n    " << element; }, ",");
  os << (elements.empty() ? "],\n" : "\n  ],\n");
}

void Space::printJson(raw_ostream &os) const {
  std::vector<json::Value> choices, constraints;
  for (const Choice &choice : choiceList) {
    json::Array values;
    for (const ConfigValue &value : choice.values)
      values.push_back(toJson(value));
    json::Object row{{"knob", choice.knob->name},
                     {"pass", choice.knob->pass},
                     {"site", choice.site},
                     {"default", toJson(choice.preset)},
                     {"values", std::move(values)}};
    if (choice.start != choice.preset)
      row["start"] = toJson(choice.start);
    choices.push_back(std::move(row));
  }
  for (const Constraint &constraint : constraintList)
    constraints.push_back(constraint.text);
  Size count = size();
  os << "{\n";
  printLines(os, "choices", choices);
  printLines(os, "constraints", constraints);
  os << "  \"default\": " << json::Value(defaultConfig().print())
     << ",\n  \"universal\": " << json::Value(canonical(universalConfig()).print()) << ",\n  \"size\": ";
  if (count.exact)
    os << *count.exact << "\n}\n";
  else
    os << json::Value(count.estimate) << ",\n  \"size_is\": \"estimate\"\n}\n";
}

} // namespace helion
