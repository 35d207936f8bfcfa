// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds of one row, and of rows that no block holds.
#include "aot-runner/Search/RowSeeds.h"

#include "dialect/IR/Dims.h"
#include "passes/Analysis/HostExpr.h"
#include "passes/Analysis/WideAccess.h"
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
    if (auto load = mlir::dyn_cast<LoadOp>(op))
      addAccess(kernel, load.getResult().getType());
    if (auto store = mlir::dyn_cast<StoreOp>(op))
      addAccess(kernel, store.getValue().getType());
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

/// Of tiles that end with a slice.
void RowModel::addAccess(KernelOp kernel, mlir::Type type) {
  if (!isTileValue(type))
    return;
  mlir::StringAttr name = dimsOf(type).back().getBlock();
  auto block = name ? kernel.lookupSymbol<BlockOp>(name) : BlockOp();
  if (block && block.getKind() == BlockKind::Slice)
    elementBytes = std::max(elementBytes, bytesOfElement(type));
}

namespace {
/// A way to spread a tile over threads: elements for each thread, about, and how many times the threads that hold a row
/// like this.
struct Spread {
  int64_t density, times;
};
} // namespace

// In the order of how often one of them was the best of its row, or within 3% of it (docs/design/0017). Few elements
// for each thread leave nothing to hide latency with; 128 fill a thread's registers and pay where few threads a row are
// several rows a processor (docs/design/0025).
static constexpr Spread spreads[] = {{32, 1}, {16, 1}, {64, 1}, {128, 1}, {8, 1}, {16, 4}, {32, 4}};
/// Of tiles of which one fills a processor.
static constexpr Spread stays[] = {{64, 1}, {32, 1}};
/// Slots of their rings.
static constexpr int64_t kSlotsOfStays = 2;

// Of the instructions that rows of softmax and norms take, an access takes about as many as one more element does
// (docs/results/nvidia-code.md).
static constexpr int64_t kWorkOfAccess = 1;
/// What a thread moves at once at most.
static constexpr int64_t kAccessBytes = 16;

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
    auto add = [&](std::optional<Config> config) {
      llvm::Error error = config ? space.validate(*config) : llvm::Error::success();
      if (!error && config && !llvm::is_contained(seeds, *config))
        seeds.push_back(std::move(*config));
      llvm::consumeError(std::move(error));
    };
    for (const Spread &spread : spreads)
      add(placed(spread));
    for (const Spread &spread : stays)
      if (std::optional<Config> config = placed(spread))
        add(loadingAhead(std::move(*config)));
    return seeds;
  }

private:
  /// All launches with tiles of the spread.
  std::optional<Config> placed(const Spread &spread) const {
    Config config = space.defaultConfig();
    std::set<const Choice *> done; // By an earlier launch, where several share a block.
    if (!llvm::all_of(launches, [&](const LaunchTiles &tiles) { return place(tiles, spread, config, done); }))
      return std::nullopt;
    return config;
  }

  /// Launches whose tiles are more than half of what a processor holds, so that no two programs work side by side, load
  /// the next tile while they work on one. None where there is no such launch.
  std::optional<Config> loadingAhead(Config config) const {
    bool isAny = false;
    for (const LaunchTiles &tiles : launches) {
      int64_t held = 1;
      for (const Choice *block : llvm::concat<const Choice *const>(tiles.blocks, tiles.slices))
        held = saturatingMultiply(held, extentIn(config, *block));
      std::optional<int64_t> most = tiles.threads->knob->mostElements;
      const Choice *order = choiceOf(tiles, [](const Knob &knob) { return !knob.persistent.empty(); });
      const Choice *slots = choiceOf(tiles, [](const Knob &knob) { return knob.isDepthOfGrid(); });
      if (!most || held <= *most / 2 || !order || !slots)
        continue;
      config.set(order->knob->name, order->site, order->knob->persistent.back());
      config.set(slots->knob->name, slots->site, kSlotsOfStays);
      isAny = true;
    }
    return isAny ? std::optional<Config>(std::move(config)) : std::nullopt;
  }

  /// The launch's own choice of such a knob; null where it has none.
  const Choice *choiceOf(const LaunchTiles &tiles, llvm::function_ref<bool(const Knob &)> isKnob) const {
    const auto *found = llvm::find_if(space.choices(), [&](const Choice &choice) {
      return choice.site == tiles.threads->site && isKnob(*choice.knob);
    });
    return found == space.choices().end() ? nullptr : found;
  }

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
    bool isOwn = false; // The last slice is placed here first.
    for (const Choice *slice : tiles.slices) {
      isOwn = placed.insert(slice).second;
      if (isOwn && !placeSlice(*slice, config))
        return false;
      held = saturatingMultiply(held, extentIn(config, *slice));
    }
    int64_t needed = isOwn ? held / extentIn(config, *tiles.slices.back()) * *extentOf(*tiles.slices.back()) : held;
    const ConfigValue *units = covering(*tiles.threads, nearestUnits(needed, unit));
    units = units ? covering(*tiles.threads, *units->asInteger() * spread.times) : nullptr;
    if (!units)
      return false;
    config.set(tiles.threads->knob->name, tiles.threads->site, *units);
    if (isOwn)
      held = tighten(*tiles.slices.back(), held, {*units->asInteger() * lanes, spread.density}, config);
    int64_t left = std::max<int64_t>(*units->asInteger() * unit / held, 1);
    for (const Choice *block : llvm::reverse(tiles.blocks)) {
      if (placed.insert(block).second && !placeBlock(*block, left, config))
        return false;
      left = std::max<int64_t>(left / extentIn(config, *block), 1);
    }
    return true;
  }

  /// What the next power of two of is nearest by ratio to how many units the elements are: up to the root of 2, 7 / 5,
  /// more than a unit for each.
  static int64_t nearestUnits(int64_t elements, int64_t unit) {
    return llvm::divideCeil(saturatingMultiply(elements, 5), 7 * unit);
  }

  int64_t extentIn(const Config &config, const Choice &block) const {
    return *space.valueOf(config, block.knob->name, block.site).asInteger();
  }

  /// The least power of two that holds the row, where the block can have it.
  bool placeSlice(const Choice &slice, Config &config) const {
    std::optional<int64_t> extent = extentOf(slice);
    const ConfigValue *value = extent ? covering(slice, llvm::PowerOf2Ceil(*extent)) : nullptr;
    if (extent && !value)
      value = covering(slice, *extent);
    if (value)
      config.set(slice.knob->name, slice.site, *value);
    return value;
  }

  /// The threads of a tile, and elements for each.
  struct Threads {
    int64_t count, density;
  };

  /// The least extent that holds the slice and that all threads share in vectors of `vector` elements, beside rows and
  /// `others` lanes of other slices as long as they have room for those. A warp's lanes are neighbours in a row.
  int64_t sharedExtent(int64_t extent, int64_t vector, int64_t others, Threads threads) const {
    int64_t room = threads.count * threads.density, close = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(extent));
    int64_t rows = llvm::bit_floor(uint64_t(room / saturatingMultiply(others, extent)));
    for (rows = std::max<int64_t>(rows, 1);; rows /= 2) {
      int64_t shared = threads.count * vector / saturatingMultiply(rows, others);
      int64_t padded = llvm::alignTo(extent, std::max(shared, close));
      if (rows == 1 || saturatingMultiply(saturatingMultiply(others, rows), padded) <= room)
        return padded;
    }
  }

  /// Gives the slice the extent of the least work, of `held` lanes of a row with it; returns how many those are then.
  int64_t tighten(const Choice &slice, int64_t held, Threads threads, Config &config) const {
    int64_t others = held / extentIn(config, slice), least = std::numeric_limits<int64_t>::max();
    for (int64_t vector = std::max<int64_t>(kAccessBytes / model.elementBytes, 1); vector; vector /= 2) {
      int64_t extent = sharedExtent(*extentOf(slice), vector, others, threads);
      int64_t work = extent + extent / vector * kWorkOfAccess;
      llvm::Error error = slice.check(extent);
      if (!error && work < least) {
        least = work;
        config.set(slice.knob->name, slice.site, extent);
      }
      llvm::consumeError(std::move(error));
    }
    return saturatingMultiply(others, extentIn(config, slice));
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
