// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Config/HelionJson.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace helion {

static bool isSourceLaunch(StringRef launch) { return !launch.contains('.'); }

HelionJson::HelionJson(KernelOp kernel, KnobTable table) : configs(kernel, std::move(table)) {
  kernel.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    auto launch = op->getParentOfType<LaunchOp>();
    if (!launch || !isSourceLaunch(launch.getName()))
      return;
    if (auto range = dyn_cast<RangeOp>(op))
      slices.push_back(range.getSite().str());
    auto loop = dyn_cast<TileOp>(op);
    if (!loop)
      return;
    loops.push_back(loop.getSite().str());
    if (!loop.isGrid())
      inner.push_back(loop.getSite().str());
    if (loop.getNumDims() > 1)
      severalDims.push_back(loop.getSite().str());
  });
}

bool HelionJson::isSource(const Choice &choice) const { return isSourceLaunch(choice.launch); }

const Choice *HelionJson::choiceAt(const Knob &knob, StringRef site) const {
  for (const Choice &choice : configs.choices())
    if (choice.knob == &knob && choice.site == site)
      return &choice;
  return nullptr;
}

std::vector<HelionJson::Positions> HelionJson::positionsOf(const Knob &knob) const {
  Positions own;
  for (const Choice &choice : configs.choices())
    if (choice.knob == &knob && isSource(choice))
      own.push_back(choice.site);
  switch (knob.site) {
  case SiteKind::Slice:
    return {own, slices};
  case SiteKind::OrderedLoop:
  case SiteKind::PointwiseGrid:
    return {own, severalDims};
  case SiteKind::InnerLoop:
  case SiteKind::ConstantLoop:
  case SiteKind::StagedLoop:
  case SiteKind::SlotDotLoop:
    return {own, inner, loops};
  default:
    return {own};
  }
}

//===-- Order of dims ---------------------------------------------------------------------------------------------===//

/// Of a grid that is not flattened Helion's list begins with the dim that varies fastest; of an inner loop, and of a
/// grid that is one dim, with the slowest.
bool HelionJson::startsFastest(const Choice &choice, const Config &config) const {
  const ConfigValue *flat = config.find("flatten_loops", choice.site);
  return !is_contained(inner, choice.site) && !(flat && *flat == ConfigValue::flag(true));
}

/// A group is of tiles of Helion's first dim; here, of the last but one.
bool HelionJson::isGrouped(const Choice &choice, const Config &config) const {
  const ConfigValue *group = config.find("l2_groupings", choice.site);
  return group && *group != ConfigValue(1);
}

ConfigValue HelionJson::fromHelionOrder(const Choice &choice, const Config &config, const ConfigValue &order) const {
  std::vector<int64_t> dims = *order.asList();
  if (!startsFastest(choice, config))
    return dims;
  std::reverse(dims.begin(), dims.end());
  if (isGrouped(choice, config))
    std::swap(dims[dims.size() - 2], dims[dims.size() - 1]);
  return dims;
}

ConfigValue HelionJson::toHelionOrder(const Choice &choice, const Config &config, const ConfigValue &order) const {
  std::vector<int64_t> dims = *order.asList();
  if (!startsFastest(choice, config))
    return dims;
  if (isGrouped(choice, config))
    std::swap(dims[dims.size() - 2], dims[dims.size() - 1]);
  std::reverse(dims.begin(), dims.end());
  return dims;
}

//===-- Reading ---------------------------------------------------------------------------------------------------===//

class HelionReader {
public:
  HelionReader(const HelionJson &helion, std::vector<std::string> &ignored)
      : helion(helion), ignored(ignored), config(helion.space().defaultConfig()) {}

  Expected<Config> read(StringRef text);

private:
  Error readMember(StringRef key, const json::Value &value);
  void turnOrders(Config &kept) const;
  Error readList(const Knob &knob, StringRef key, const json::Array &list);
  Error readEntry(const Knob &knob, StringRef site, const json::Value &value);
  Error readAll(const Knob &knob, const json::Value &value);
  Error readAccesses(const Knob &knob, StringRef key, const json::Value &value);
  std::optional<ConfigValue> readWord(const Knob &knob, StringRef site, const json::Value &value);
  const Knob *find(StringRef key, bool &isAlias) const;

  const HelionJson &helion;
  std::vector<std::string> &ignored;
  Config config;
  std::map<StringRef, std::string> seen; // Knob to the key that set it.
};

static std::string textOf(const json::Value &value) {
  std::string text;
  raw_string_ostream(text) << value;
  return text;
}

/// What Helion writes for a default: nothing chosen, off, or no factor.
static bool isNeutral(const json::Value &value) {
  return value.getAsNull() || value.getAsBoolean() == false || value.getAsInteger() == 0 || value.getAsString() == "";
}

static bool isUniform(const json::Array &list) {
  return !list.empty() && all_of(list, [&](const json::Value &value) { return value == list.front(); });
}

/// The pairs `THEIRS=OURS` of a knob's words.
static std::vector<std::pair<StringRef, StringRef>> wordsOf(const Knob &knob) {
  std::vector<std::pair<StringRef, StringRef>> words;
  for (StringRef pair : knob.helion.words)
    words.push_back(pair.rsplit('='));
  return words;
}

/// What Helion writes for our word; none where it has nothing for it.
static std::optional<StringRef> toHelionWord(const Knob &knob, const ConfigValue &value) {
  for (auto [theirs, ours] : wordsOf(knob))
    if (value.asWord() && ours == *value.asWord())
      return theirs;
  return std::nullopt;
}

static std::optional<ConfigValue> toValue(const json::Value &value) {
  if (std::optional<bool> flag = value.getAsBoolean())
    return ConfigValue::flag(*flag);
  if (std::optional<int64_t> integer = value.getAsInteger())
    return ConfigValue(*integer);
  if (std::optional<StringRef> word = value.getAsString(); word && isConfigName(*word))
    return ConfigValue::word(*word);
  if (const json::Array *array = value.getAsArray()) {
    std::vector<int64_t> list;
    for (const json::Value &element : *array)
      if (std::optional<int64_t> integer = element.getAsInteger())
        list.push_back(*integer);
    if (list.size() == array->size())
      return ConfigValue(std::move(list));
  }
  return std::nullopt;
}

const Knob *HelionReader::find(StringRef key, bool &isAlias) const {
  for (const Knob &knob : helion.space().knobs().knobs()) {
    isAlias = !knob.helion.alias.empty() && key == knob.helion.alias;
    if (isAlias || (!knob.helion.key.empty() && key == knob.helion.key))
      return &knob;
  }
  return nullptr;
}

/// Where several words of Helion's are one of ours, all but the first are reported.
std::optional<ConfigValue> HelionReader::readWord(const Knob &knob, StringRef site, const json::Value &value) {
  std::optional<StringRef> given = value.getAsString();
  for (auto [theirs, ours] : wordsOf(knob)) {
    if (!given || theirs != *given)
      continue;
    ConfigValue word = ConfigValue::word(ours);
    if (toHelionWord(knob, word) != theirs)
      ignored.push_back(
          ("`" + knob.helion.key + "` of `" + site + "`: `" + theirs + "` is read as `" + ours + "`").str());
    return word;
  }
  return std::nullopt;
}

Error HelionReader::readEntry(const Knob &knob, StringRef site, const json::Value &value) {
  if (isNeutral(value))
    return Error::success();
  const Choice *choice = helion.choiceAt(knob, site);
  if (!choice) {
    ignored.push_back(("`" + knob.helion.key + "` of `" + site + "`: no choice there").str());
    return Error::success();
  }
  std::optional<ConfigValue> chosen = knob.helion.words.empty() ? toValue(value) : readWord(knob, site, value);
  if (!chosen)
    return createStringError("`" + knob.helion.key + "`: `" + textOf(value) + "` is no value");
  if (Error error = choice->check(*chosen))
    return error;
  config.set(knob.name, site, std::move(*chosen));
  return Error::success();
}

Error HelionReader::readList(const Knob &knob, StringRef key, const json::Array &list) {
  std::vector<std::string> lengths;
  for (const std::vector<std::string> &positions : helion.positionsOf(knob)) {
    if (positions.size() != list.size()) {
      lengths.push_back("`" + std::to_string(positions.size()) + "`");
      continue;
    }
    for (auto [site, value] : zip(positions, list))
      if (Error error = readEntry(knob, site, value))
        return error;
    return Error::success();
  }
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return createStringError("`" + key + "` has `" + Twine(list.size()) + "` entries; this kernel takes " +
                           join(lengths, " or "));
}

/// One value for every site of the knob.
Error HelionReader::readAll(const Knob &knob, const json::Value &value) {
  std::vector<std::vector<std::string>> positions = helion.positionsOf(knob);
  if (positions.front().empty())
    ignored.push_back(("`" + knob.helion.key + "`: this kernel has no place for it").str());
  for (const std::string &site : positions.front())
    if (Error error = readEntry(knob, site, value))
      return error;
  return Error::success();
}

Error HelionReader::readMember(StringRef key, const json::Value &value) {
  if (std::optional<StringRef> reason = helion.space().knobs().ignored(key)) {
    ignored.push_back(("`" + key + "`: " + *reason).str());
    return Error::success();
  }
  bool isAlias = false;
  const Knob *knob = find(key, isAlias);
  if (!knob)
    return createStringError("`" + key + "` is no key of a Helion config");
  auto [other, first] = seen.try_emplace(knob->name, key.str());
  if (!first)
    return createStringError("`" + key + "` and `" + other->second + "` name the same choice");
  if (knob->helion.single)
    return readAll(*knob, value);
  if (isAlias)
    return readList(*knob, key, json::Array{value});
  if (value.getAsNull())
    return Error::success();
  bool isAccess = knob->site == SiteKind::Access || knob->site == SiteKind::Load || knob->site == SiteKind::Store;
  if (isAccess && !knob->helion.words.empty())
    return readAccesses(*knob, key, value);
  const json::Array *list = value.getAsArray();
  if (!list)
    return createStringError("`" + key + "` is `" + textOf(value) + "`, expected a list");
  return readList(*knob, key, *list);
}

/// Helion takes one word for all accesses, too. How many accesses it counts depends on its own passes, so a list of
/// equal words is for all, and one of another length than ours for none.
Error HelionReader::readAccesses(const Knob &knob, StringRef key, const json::Value &value) {
  const json::Array *list = value.getAsArray();
  if (value.getAsString() || (list && isUniform(*list)))
    return readAll(knob, list ? list->front() : value);
  if (!list)
    return createStringError("`" + key + "` is `" + textOf(value) + "`, expected a word or a list");
  size_t count = helion.positionsOf(knob).front().size();
  if (list->size() == count)
    return readList(knob, key, *list);
  ignored.push_back(("`" + key + "`: `" + Twine(list->size()) + "` entries, but this kernel has `" + Twine(count) +
                     "` such accesses here")
                        .str());
  return Error::success();
}

/// From Helion's orders to ours, once the rest of the config is known. An order that is not given is Helion's default.
void HelionReader::turnOrders(Config &kept) const {
  for (const Choice &choice : helion.space().choices()) {
    if (choice.knob->site != SiteKind::OrderedLoop || !helion.isSource(choice))
      continue;
    const ConfigValue *given = kept.find(choice.knob->name, choice.site);
    kept.set(choice.knob->name, choice.site, helion.fromHelionOrder(choice, kept, given ? *given : choice.preset));
  }
}

Expected<Config> HelionReader::read(StringRef text) {
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return createStringError("Helion config: " + toString(parsed.takeError()));
  const json::Object *object = parsed->getAsObject();
  if (!object)
    return createStringError("Helion config: expected an object");
  std::map<std::string, const json::Value *> sorted;
  for (const auto &[key, value] : *object)
    sorted.emplace(key.str(), &value);
  for (const auto &[key, value] : sorted)
    if (Error error = readMember(key, *value))
      return createStringError("Helion config: " + toString(std::move(error)));
  Config given = helion.space().canonical(config), kept = helion.space().withoutMeaningless(config);
  for (const auto &[key, value] : given.values())
    if (!kept.find(key.first, key.second))
      ignored.push_back("`" + key.first + "` of `" + key.second + "`: without meaning beside the other choices");
  turnOrders(kept);
  if (Error error = helion.space().validate(kept))
    return createStringError("Helion config: " + toString(std::move(error)));
  return helion.space().canonical(kept);
}

Expected<Config> HelionJson::read(StringRef json, std::vector<std::string> &ignored) const {
  return HelionReader(*this, ignored).read(json);
}

//===-- Writing ---------------------------------------------------------------------------------------------------===//

/// As Helion writes it: null for a word that stands for none, 0 for no factor.
static json::Value toJson(const Knob &knob, const ConfigValue &value, bool isPreset) {
  if (knob.kind == ValueKind::Flag)
    return value == ConfigValue::flag(true);
  if (knob.site == SiteKind::InnerLoop && isPreset)
    return 0;
  if (const int64_t *integer = value.asInteger())
    return *integer;
  if (const std::vector<int64_t> *list = value.asList())
    return json::Array(*list);
  if (!knob.helion.words.empty())
    return toHelionWord(knob, value).value_or(*toHelionWord(knob, *knob.preset));
  return knob.kind == ValueKind::Word ? json::Value(*value.asWord()) : json::Value(nullptr);
}

std::string HelionJson::write(const Config &config, std::vector<std::string> &lost) const {
  json::Object object;
  Config written(configs.knobs());
  for (const Knob &knob : configs.knobs().knobs()) {
    if (knob.helion.key.empty())
      continue;
    json::Array list;
    bool isDefault = knob.name != "block_sizes";
    std::vector<Positions> positions = positionsOf(knob);
    for (const std::string &site : positions.back()) {
      const Choice *choice = choiceAt(knob, site);
      const ConfigValue *value = config.find(knob.name, site);
      if (!choice) {
        list.push_back(knob.kind == ValueKind::Flag ? json::Value(false) : json::Value(nullptr));
        continue;
      }
      ConfigValue shown = value ? *value : choice->preset;
      if (knob.site == SiteKind::OrderedLoop)
        shown = toHelionOrder(*choice, config, shown);
      list.push_back(toJson(knob, shown, shown == choice->preset));
      isDefault &= shown == choice->preset;
      if (value && (knob.helion.words.empty() || toHelionWord(knob, *value)))
        written.set(knob.name, site, *value);
    }
    if (isDefault || list.empty())
      continue;
    object[knob.helion.key] = knob.helion.single ? json::Value(list.front()) : json::Value(std::move(list));
  }
  Config all = configs.canonical(config);
  for (const auto &[key, value] : all.values())
    if (!written.find(key.first, key.second))
      lost.push_back("`" + key.first + "` of `" + key.second + "` = `" + value.str() + "`: Helion has no place for it");
  return textOf(std::move(object));
}

} // namespace helion
