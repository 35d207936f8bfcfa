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
  const Device &device = kernel.getDevice();
  const int64_t lanes = device.vectorBytes / 4;
  for (int64_t cache : {device.level1Bytes, device.level2Bytes})
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

std::vector<std::string> CandidateSource::draw(unsigned count) {
  constexpr unsigned kFruitless = 200; // Draws in a row that were all known.
  const Space &space = kernel.getSpace();
  std::vector<std::string> texts;
  for (unsigned known = 0; texts.size() < count && known < kFruitless;) {
    std::string text = space.canonical(space.randomConfig(random)).print();
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
  std::vector<std::string> texts;
  for (const std::string &winner : winners) {
    llvm::Expected<Config> config = parseConfig(winner, space);
    if (!config) {
      llvm::consumeError(config.takeError()); // Of an older space.
      continue;
    }
    std::vector<Config> near = space.neighbours(*config);
    // Of the winner alone: a run that goes on has drawn other configs before, and must ask for the same neighbours.
    Random random(seed + llvm::xxh3_64bits(winner));
    for (unsigned taken = 0; taken < each && !near.empty(); ++taken) {
      size_t at = random.below(near.size());
      texts.push_back(space.canonical(near[at]).print());
      near.erase(near.begin() + at);
    }
  }
  return texts;
}
