// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds of one row, and of rows that no block holds.
#include "aot-runner/Search/RowSeeds.h"

#include "passes/Analysis/HostExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace helion;
using namespace helion::aot;

RowModel::RowModel(KernelOp kernel) {
  HostExprs exprs;
  auto add = [&](mlir::Operation *op, mlir::Value tile, mlir::Value lower, mlir::Value upper) {
    DimAttr dim = mlir::cast<TileType>(tile.getType()).getDim();
    if (!dim.getBlock())
      return;
    std::optional<SizeExpr> low = exprs.expr(lower), high = exprs.expr(upper);
    if (low && high)
      extents[dim.getBlock().str()].push_back(SizeExpr::sub(*high, *low));
    blocks[op->getParentOfType<LaunchOp>().getName().str()].insert(dim.getBlock().str());
  };
  kernel.walk([&](mlir::Operation *op) {
    hasProducts |= mlir::isa<DotOp>(op);
    auto range = mlir::dyn_cast<RangeOp>(op);
    if (mlir::StringAttr block = range ? range.getTile().getType().getDim().getBlock() : mlir::StringAttr())
      slices[block.str()].push_back(range.getSite().str());
    if (range)
      add(op, range.getTile(), range.getLower(), range.getUpper());
    if (auto loop = mlir::dyn_cast<TileOp>(op))
      for (auto [tile, lower, upper] : llvm::zip_equal(loop.getTiles(), loop.getLowers(), loop.getUppers()))
        add(op, tile, lower, upper);
  });
}

namespace {
/// A way to spread a tile over threads: elements for each thread, and how many times the fewest threads that hold a
/// row.
struct Spread {
  int64_t density, times;
};
} // namespace

// In the order of how often one of them was the best of its row, or within 3% of it (docs/design/0017). Few elements
// for each thread leave nothing to hide latency with, more than 64 leave few threads for the registers.
static constexpr Spread spreads[] = {{32, 1}, {16, 1}, {64, 1}, {8, 1}, {16, 4}, {32, 4}};

/// The least value of a block's choice that holds `extent` lanes.
static const ConfigValue *covering(const Choice &block, int64_t extent) {
  const ConfigValue *least = nullptr;
  for (const ConfigValue &value : block.values)
    if (value.asInteger() && *value.asInteger() >= extent && (!least || *value.asInteger() < *least->asInteger()))
      least = &value;
  return least;
}

/// The largest value of a block's choice that is at most `lanes`.
static const ConfigValue *fitting(const Choice &block, int64_t lanes) {
  const ConfigValue *most = nullptr;
  for (const ConfigValue &value : block.values)
    if (value.asInteger() && *value.asInteger() <= lanes && (!most || *value.asInteger() > *most->asInteger()))
      most = &value;
  return most;
}

static int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? INT64_MAX : product;
}

namespace {
/// The choices of one launch.
struct LaunchTiles {
  const Choice *threads;
  std::vector<const Choice *> blocks, slices;
};
} // namespace

static LaunchTiles tilesOf(const Choice &threads, const Space &space, const RowModel &model) {
  LaunchTiles tiles{&threads, {}, {}};
  auto found = model.blocks.find(threads.site);
  for (const Choice &choice : space.choices()) {
    if (found == model.blocks.end() || !found->second.count(choice.site))
      continue;
    if (choice.knob->site == SiteKind::Block)
      tiles.blocks.push_back(&choice);
    if (choice.knob->site == SiteKind::SliceBlock)
      tiles.slices.push_back(&choice);
  }
  return tiles;
}

namespace {

class RowSeeder {
public:
  RowSeeder(const Space &space, const RowModel &model, int64_t lanes, const helion::Binding &row)
      : space(space), model(model), lanes(lanes), row(row) {
    for (const Choice &choice : space.choices())
      if (choice.knob->elements)
        launches.push_back(tilesOf(choice, space, model));
  }

  std::vector<Config> make() const {
    std::vector<Config> seeds;
    if (model.hasProducts || launches.empty())
      return seeds;
    for (const Spread &spread : spreads) {
      Config config = space.defaultConfig();
      std::set<const Choice *> placed; // By an earlier launch, where several share a block.
      if (!llvm::all_of(launches, [&](const LaunchTiles &tiles) { return place(tiles, spread, config, placed); }))
        continue;
      llvm::Error error = space.validate(config);
      if (!error && !llvm::is_contained(seeds, config))
        seeds.push_back(std::move(config));
      llvm::consumeError(std::move(error));
    }
    return seeds;
  }

private:
  std::optional<int64_t> extentOf(const Choice &block) const {
    auto found = model.extents.find(block.site);
    if (found == model.extents.end())
      return std::nullopt;
    int64_t most = 1;
    for (const SizeExpr &expr : found->second) {
      llvm::Expected<int64_t> value = expr.evaluate([&](const Leaf &leaf) { return row.value(leaf); });
      if (!value) {
        llvm::consumeError(value.takeError()); // A bound block, or beyond 64 bits.
        return std::nullopt;
      }
      most = std::max(most, *value);
    }
    return most;
  }

  /// Slices as large as the row needs them, threads for those, and blocks for what the threads have room for: tiles are
  /// as long along the last dims as the row has lanes there. False where no value is large enough.
  bool place(const LaunchTiles &tiles, const Spread &spread, Config &config, std::set<const Choice *> &placed) const {
    int64_t unit = lanes * spread.density, held = 1;
    for (const Choice *slice : tiles.slices) {
      std::optional<int64_t> extent = extentOf(*slice);
      const ConfigValue *value = extent ? covering(*slice, *extent) : nullptr;
      if (!value)
        return false;
      config.set(slice->knob->name, slice->site, *value);
      held = saturatingMultiply(held, *value->asInteger());
    }
    const ConfigValue *units = covering(*tiles.threads, llvm::divideCeil(held, unit));
    units = units ? covering(*tiles.threads, *units->asInteger() * spread.times) : nullptr;
    if (!units)
      return false;
    config.set(tiles.threads->knob->name, tiles.threads->site, *units);
    int64_t left = std::max<int64_t>(*units->asInteger() * unit / held, 1);
    for (const Choice *block : llvm::reverse(tiles.blocks)) {
      if (placed.insert(block).second && !placeBlock(*block, left, config))
        return false;
      left = std::max<int64_t>(left / *space.valueOf(config, block->knob->name, block->site).asInteger(), 1);
    }
    return true;
  }

  bool placeBlock(const Choice &block, int64_t left, Config &config) const {
    const ConfigValue *most = fitting(block, left);
    std::optional<int64_t> extent = extentOf(block);
    const ConfigValue *enough = extent ? covering(block, *extent) : nullptr;
    const ConfigValue *value = enough && most && *enough->asInteger() < *most->asInteger() ? enough : most;
    if (value)
      config.set(block.knob->name, block.site, *value);
    return value;
  }

  const Space &space;
  const RowModel &model;
  int64_t lanes;
  const helion::Binding &row;
  std::vector<LaunchTiles> launches;
};
} // namespace

std::vector<Config> helion::aot::rowSeeds(const Space &space, const RowModel &model, int64_t lanes,
                                          const helion::Binding &row) {
  return RowSeeder(space, model, lanes, row).make();
}

//===-- Rows that no block holds ----------------------------------------------------------------------------------===//

namespace {
/// A chunk: threads of a program, and elements for each.
struct Chunk {
  int64_t threads, density;
};
} // namespace

// A softmax reads its row three times. The 2048 threads of a processor are at most two rows of 32768 floats with the
// first of these, 34 MB on an H200, whose second cache has 50; they are sixteen with 128 threads.
static constexpr Chunk chunks[] = {{1024, 8}, {1024, 16}, {512, 16}, {256, 16}};

/// The choices that walk the slices of a block; empty where one of those stays whole.
static std::vector<const Choice *> rollsOf(const Choice &block, const Space &space, const RowModel &model) {
  std::vector<const Choice *> rolls;
  auto found = model.slices.find(block.site);
  if (found == model.slices.end())
    return rolls;
  for (const std::string &site : found->second) {
    const Choice *roll = llvm::find_if(space.choices(), [&](const Choice &choice) {
      return choice.knob->site == SiteKind::Slice && choice.site == site;
    });
    if (roll == space.choices().end())
      return {};
    rolls.push_back(roll);
  }
  return rolls;
}

/// False where a choice has no such value. Rows that share a tile would be more rows on their way.
static bool walk(const LaunchTiles &tiles, const Chunk &chunk, int64_t lanes, const Space &space, const RowModel &model,
                 Config &config) {
  const ConfigValue *units = covering(*tiles.threads, llvm::divideCeil(chunk.threads, lanes));
  if (!units)
    return false;
  config.set(tiles.threads->knob->name, tiles.threads->site, *units);
  for (const Choice *block : tiles.blocks)
    config.set(block->knob->name, block->site, block->values.front());
  int64_t left = chunk.threads * chunk.density;
  for (const Choice *slice : llvm::reverse(tiles.slices)) {
    std::vector<const Choice *> rolls = rollsOf(*slice, space, model);
    const ConfigValue *value = rolls.empty() ? nullptr : fitting(*rolls.front(), left);
    if (!value)
      return false;
    for (const Choice *roll : rolls)
      config.set(roll->knob->name, roll->site, *value);
    left = std::max<int64_t>(left / *value->asInteger(), 1);
  }
  return true;
}

std::vector<Config> helion::aot::longRowSeeds(const Space &space, const RowModel &model, int64_t lanes) {
  std::vector<Config> seeds;
  std::vector<LaunchTiles> launches;
  for (const Choice &choice : space.choices())
    if (choice.knob->elements)
      launches.push_back(tilesOf(choice, space, model));
  llvm::erase_if(launches, [](const LaunchTiles &tiles) { return tiles.slices.empty(); });
  if (model.hasProducts || launches.empty())
    return seeds;
  for (const Chunk &chunk : chunks) {
    Config config = space.defaultConfig();
    if (!llvm::all_of(launches, [&](auto &tiles) { return walk(tiles, chunk, lanes, space, model, config); }))
      continue;
    config = space.withoutMeaningless(config);
    llvm::Error error = space.validate(config);
    if (!error && !llvm::is_contained(seeds, config))
      seeds.push_back(std::move(config));
    llvm::consumeError(std::move(error));
  }
  return seeds;
}
