// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds of one row.
#include "aot-runner/Search/RowSeeds.h"

#include "passes/Analysis/HostExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace helion;
using namespace helion::aot;

RowModel::RowModel(KernelOp kernel) {
  HostExprs exprs;
  auto add = [&](mlir::Value tile, mlir::Value lower, mlir::Value upper) {
    DimAttr dim = mlir::cast<TileType>(tile.getType()).getDim();
    std::optional<SizeExpr> low = exprs.expr(lower), high = exprs.expr(upper);
    if (dim.getBlock() && low && high)
      extents[dim.getBlock().str()].push_back(SizeExpr::sub(*high, *low));
  };
  kernel.walk([&](mlir::Operation *op) {
    hasProducts |= mlir::isa<DotOp>(op);
    if (auto range = mlir::dyn_cast<RangeOp>(op))
      add(range.getTile(), range.getLower(), range.getUpper());
    if (auto loop = mlir::dyn_cast<TileOp>(op))
      for (auto [tile, lower, upper] : llvm::zip_equal(loop.getTiles(), loop.getLowers(), loop.getUppers()))
        add(tile, lower, upper);
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

namespace {
class RowSeeder {
public:
  RowSeeder(const Space &space, const RowModel &model, int64_t lanes, const helion::Binding &row)
      : space(space), model(model), lanes(lanes), row(row), base(space.defaultConfig()) {
    for (const Choice &choice : space.choices()) {
      if (choice.knob->elements)
        threads.push_back(&choice);
      if (choice.knob->site == SiteKind::Block)
        blocks.push_back(&choice);
      if (choice.knob->site == SiteKind::SliceBlock)
        slices.push_back(&choice);
    }
  }

  std::vector<Config> make() {
    std::vector<Config> seeds;
    if (model.hasProducts || threads.empty() || !coverSlices())
      return seeds;
    for (const Spread &spread : spreads) {
      std::optional<Config> config = spreadOver(spread);
      if (!config)
        continue;
      llvm::Error error = space.validate(*config);
      if (!error && !llvm::is_contained(seeds, *config))
        seeds.push_back(std::move(*config));
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

  bool coverSlices() {
    for (const Choice *slice : slices) {
      std::optional<int64_t> extent = extentOf(*slice);
      const ConfigValue *value = extent ? covering(*slice, *extent) : nullptr;
      if (!value)
        return false;
      base.set(slice->knob->name, slice->site, *value);
      sliceLanes *= *value->asInteger();
    }
    return true;
  }

  /// Tiles are as long along the last dims as the row has lanes there.
  std::optional<Config> spreadOver(const Spread &spread) const {
    int64_t unit = lanes * spread.density;
    const ConfigValue *units = covering(*threads.front(), llvm::divideCeil(sliceLanes, unit));
    units = units ? covering(*threads.front(), *units->asInteger() * spread.times) : nullptr;
    if (!units)
      return std::nullopt;
    Config config = base;
    for (const Choice *launch : threads)
      config.set(launch->knob->name, launch->site, *units);
    int64_t left = std::max<int64_t>(*units->asInteger() * unit / sliceLanes, 1);
    for (const Choice *block : llvm::reverse(blocks)) {
      const ConfigValue *most = fitting(*block, left);
      std::optional<int64_t> extent = extentOf(*block);
      const ConfigValue *enough = extent ? covering(*block, *extent) : nullptr;
      const ConfigValue *value = enough && most && *enough->asInteger() < *most->asInteger() ? enough : most;
      if (!value)
        return std::nullopt;
      config.set(block->knob->name, block->site, *value);
      left /= *value->asInteger();
    }
    return config;
  }

  const Space &space;
  const RowModel &model;
  int64_t lanes;
  const helion::Binding &row;
  Config base;
  std::vector<const Choice *> threads, blocks, slices; // Threads: a choice for each launch.
  int64_t sliceLanes = 1;
};
} // namespace

std::vector<Config> helion::aot::rowSeeds(const Space &space, const RowModel &model, int64_t lanes,
                                          const helion::Binding &row) {
  return RowSeeder(space, model, lanes, row).make();
}
