// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources of configs.
#include "aot-runner/Search/CandidateSource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace helion;
using namespace helion::aot;

/// Sets every block to a side of about `rows` (all but the last) or `columns` (the last), where the block allows it.
static Config tiled(const Space &space, int64_t rows, int64_t columns) {
  Config config = space.defaultConfig();
  std::vector<const Choice *> blocks;
  for (const Choice &choice : space.choices())
    if (choice.knob->name == "block_sizes")
      blocks.push_back(&choice);
  for (const Choice *block : blocks) {
    int64_t wanted = block == blocks.back() ? columns : rows;
    const ConfigValue *nearest = nullptr;
    for (const ConfigValue &value : block->values)
      if (value.asInteger() && *value.asInteger() <= wanted && (!nearest || *value.asInteger() > *nearest->asInteger()))
        nearest = &value;
    if (nearest)
      config.set(block->knob->name, block->site, *nearest);
  }
  return config;
}

std::vector<std::string> CandidateSource::seeds(unsigned most) const {
  const Space &space = kernel.getSpace();
  std::vector<std::string> texts = {kernel.universalConfig()};
  if (std::string text = kernel.defaultConfig(); text != texts.front() && most > 1)
    texts.push_back(text);
  // In elements of 4 bytes: the accumulator and two operands' tiles share a cache, so a tile may have a quarter of it.
  // A GPU's programs tile for the memory that they share and the cache behind it.
  const Device &device = kernel.getDevice();
  const int64_t lanes = *device.fact(device.cpu() ? "vector_bytes" : "lanes") / (device.cpu() ? 4 : 1);
  const int64_t near = *device.fact(device.cpu() ? "l1_bytes" : "shared_bytes");
  for (int64_t cache : {near, *device.fact("l2_bytes")})
    for (int64_t columns = lanes; columns * lanes <= cache / 16; columns *= 4)
      for (int64_t rows : {cache / 16 / columns, columns}) {
        Config config = tiled(space, rows, columns);
        if (llvm::Error error = space.validate(config)) {
          llvm::consumeError(std::move(error));
          continue;
        }
        std::string text = space.canonical(config).print();
        if (texts.size() < most && !llvm::is_contained(texts, text))
          texts.push_back(text);
      }
  return texts;
}

std::vector<std::string> CandidateSource::rowSeeds(llvm::ArrayRef<helion::Binding> rows, unsigned most) const {
  std::vector<std::string> texts;
  std::optional<int64_t> lanes = kernel.getDevice().fact("lanes");
  if (!lanes)
    return texts;
  std::vector<std::vector<Config>> ofRows;
  size_t longest = 0;
  for (const helion::Binding &row : rows) {
    ofRows.push_back(aot::rowSeeds(kernel.getSpace(), kernel.getRowModel(), *lanes, row));
    longest = std::max(longest, ofRows.back().size());
  }
  for (size_t place = 0; place < longest; ++place)
    for (const std::vector<Config> &seeds : ofRows) {
      if (place >= seeds.size() || texts.size() >= most)
        continue;
      std::string text = kernel.getSpace().canonical(seeds[place]).print();
      if (!llvm::is_contained(texts, text))
        texts.push_back(std::move(text));
    }
  return texts;
}

std::vector<std::string> CandidateSource::longRows() const {
  std::vector<std::string> texts;
  if (std::optional<int64_t> lanes = kernel.getDevice().fact("lanes"))
    for (const Config &config : longRowSeeds(kernel.getSpace(), kernel.getRowModel(), *lanes))
      texts.push_back(kernel.getSpace().canonical(config).print());
  return texts;
}

std::vector<std::string> CandidateSource::general() const {
  const Space &space = kernel.getSpace();
  Config large = space.defaultConfig();
  for (const Choice &choice : space.choices()) {
    // What tile values count for each unit of makes room for them.
    if (choice.knob->site == SiteKind::SliceBlock || choice.knob->elements)
      large.set(choice.knob->name, choice.site, choice.values.back());
    if (choice.knob->site == SiteKind::Block)
      large.set(choice.knob->name, choice.site, choice.values.front());
  }
  large = space.withoutMeaningless(large);
  std::vector<std::string> texts = {kernel.universalConfig()};
  auto add = [&](std::string text) {
    if (!llvm::is_contained(texts, text))
      texts.push_back(std::move(text));
  };
  add(kernel.defaultConfig());
  llvm::Error error = space.validate(large);
  if (!error)
    add(space.canonical(large).print());
  llvm::consumeError(std::move(error));
  return texts;
}

std::optional<std::vector<std::string>> CandidateSource::all(unsigned most) const {
  const Space &space = kernel.getSpace();
  Space::Size size = space.size();
  if (!size.exact || *size.exact > most)
    return std::nullopt;
  std::vector<std::string> texts;
  for (const Config &config : space.enumerate(most))
    texts.push_back(space.canonical(config).print());
  return texts;
}

/// The values of a choice on one side.
static std::vector<const ConfigValue *> sideOf(const Choice &choice, bool isNumber) {
  std::vector<const ConfigValue *> side;
  for (const ConfigValue &value : choice.values)
    if ((value.asInteger() != nullptr) == isNumber)
      side.push_back(&value);
  return side;
}

std::vector<const Choice *> CandidateSource::strategies() const {
  std::vector<const Choice *> result;
  for (const Choice &choice : kernel.getSpace().choices())
    if (!sideOf(choice, false).empty() && !sideOf(choice, true).empty())
      result.push_back(&choice);
  return result;
}

Config CandidateSource::drawOne() {
  const Space &space = kernel.getSpace();
  Config config = space.randomConfig(random);
  for (const Choice *choice : strategies()) {
    std::vector<const ConfigValue *> side = sideOf(*choice, random.below(2));
    Config moved = config;
    moved.set(choice->knob->name, choice->site, *side[random.below(side.size())]);
    moved = space.withoutMeaningless(moved);
    llvm::Error error = space.validate(moved);
    if (!error)
      config = std::move(moved);
    llvm::consumeError(std::move(error));
  }
  return config;
}

std::vector<std::string> CandidateSource::alike(const Config &pattern, const Choice &strategy, unsigned count) {
  constexpr unsigned kTries = 8; // For each: draws that break a limit, or are known.
  const Space &space = kernel.getSpace();
  bool isNumber = space.valueOf(pattern, strategy.knob->name, strategy.site).asInteger();
  std::vector<const ConfigValue *> side = sideOf(strategy, isNumber);
  std::vector<std::string> texts;
  for (unsigned tries = 0; texts.size() < count && tries < count * kTries; ++tries) {
    Config config = space.randomConfig(random);
    config.set(strategy.knob->name, strategy.site, *side[random.below(side.size())]);
    for (const Choice &choice : space.choices()) {
      const int64_t *least = space.valueOf(pattern, choice.knob->name, choice.site).asInteger();
      if (choice.knob->site != SiteKind::SliceBlock || !least)
        continue;
      std::vector<const ConfigValue *> larger = sideOf(choice, true);
      llvm::erase_if(larger, [&](const ConfigValue *value) { return *value->asInteger() < *least; });
      if (!larger.empty())
        config.set(choice.knob->name, choice.site, *larger[random.below(larger.size())]);
    }
    config = space.withoutMeaningless(config);
    std::string text = space.canonical(config).print();
    llvm::Error error = space.validate(config);
    if (!error && drawn.insert(text).second)
      texts.push_back(std::move(text));
    llvm::consumeError(std::move(error));
  }
  return texts;
}

std::vector<std::string> CandidateSource::draw(unsigned count) {
  constexpr unsigned kFruitless = 200; // Draws in a row that were all known.
  const Space &space = kernel.getSpace();
  std::vector<std::string> texts;
  for (unsigned known = 0; texts.size() < count && known < kFruitless;) {
    std::string text = space.canonical(drawOne()).print();
    if (!drawn.insert(text).second) {
      ++known;
      continue;
    }
    known = 0;
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> CandidateSource::neighbours(llvm::ArrayRef<std::string> winners, unsigned each) const {
  const Space &space = kernel.getSpace();
  std::vector<std::vector<std::string>> ofWinners;
  for (const std::string &winner : winners) {
    llvm::Expected<Config> config = parseConfig(winner, space);
    if (!config) {
      llvm::consumeError(config.takeError()); // Of an older space.
      continue;
    }
    std::vector<Config> near = space.neighbours(*config);
    // Of the winner alone: a run that goes on has drawn other configs before, and must ask for the same neighbours.
    Random random(seed + llvm::xxh3_64bits(winner));
    std::vector<std::string> &taken = ofWinners.emplace_back();
    while (taken.size() < each && !near.empty()) {
      size_t at = random.below(near.size());
      taken.push_back(space.canonical(near[at]).print());
      near.erase(near.begin() + at);
    }
  }
  std::vector<std::string> texts;
  for (unsigned place = 0; place < each; ++place)
    for (const std::vector<std::string> &taken : ofWinners)
      if (place < taken.size() && !llvm::is_contained(texts, taken[place]))
        texts.push_back(taken[place]);
  return texts;
}
