// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, tile loops, what a tile knows of itself, program ids, and the scf ops of form S.

#include "dialect/Interp/OpTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::interp;

//===-- Programs -------------------------------------------------------------------------------------------------===//

/// Calls `run` for each chosen program, in the order that the options ask for.
static LogicalResult forEachProgram(Machine &machine, int64_t count, llvm::function_ref<LogicalResult(int64_t)> run) {
  const RunOptions &options = machine.options;
  for (int64_t i = 0; i != count; ++i) {
    int64_t program = options.reversePrograms ? count - 1 - i : i;
    if (options.selectProgram && !options.selectProgram(machine.launch, program, count))
      continue;
    if (failed(run(program)))
      return failure();
  }
  return success();
}

/// Slices that nobody bound get an extent when their size is known: here, where launches capture host values.
static void growSlices(Machine &machine, LaunchOp op) {
  std::map<std::string, int64_t> sizes;
  op.walk([&](RangeOp range) {
    StringAttr block = range.getTile().getType().getDim().getBlock();
    if (!block || !machine.growingSlices.count(block.str()))
      return;
    for (Value bound : {range.getLower(), range.getUpper()})
      if (Operation *def = bound.getDefiningOp(); def && isa<arith::ConstantOp>(def))
        (void)machine.runOp(def);
    if (!machine.has(range.getLower()) || !machine.has(range.getUpper()))
      return;
    int64_t &size = sizes[block.str()];
    size = std::max(size, machine.integer(range.getUpper()) - machine.integer(range.getLower()));
  });
  for (auto &[block, size] : sizes)
    machine.bindBlock(block, machine.sliceExtent(block, size));
}

static LogicalResult launch(Machine &machine, LaunchOp op) {
  machine.launch = op.getName().str();
  machine.program = GridPosition();
  growSlices(machine, op);
  Cells none;
  if (op.getGrid().empty())
    return machine.runBlock(op.getBody().front(), none);
  std::array<int64_t, 3> &size = machine.program.size;
  for (auto [axis, value] : llvm::enumerate(op.getGrid())) {
    size[axis] = machine.integer(value);
    if (size[axis] < 0)
      return machine.fail(op, "has the negative grid size `" + Twine(size[axis]) + "`");
  }
  return forEachProgram(machine, size[0] * size[1] * size[2], [&](int64_t program) {
    machine.program.id = {program % size[0], program / size[0] % size[1], program / size[0] / size[1]};
    return machine.runBlock(op.getBody().front(), none);
  });
}

template <typename OpT> static std::optional<unsigned> axisOf(OpT op) {
  return static_cast<unsigned>(op.getAxis()[0] - 'x'); // the verifier admits x, y and z
}

static LogicalResult programId(Machine &machine, ProgramIdOp op) {
  return machine.setInteger(op.getResult(), machine.program.id[*axisOf(op)]);
}

static LogicalResult numPrograms(Machine &machine, NumProgramsOp op) {
  return machine.setInteger(op.getResult(), machine.program.size[*axisOf(op)]);
}

//===-- Tile loops -----------------------------------------------------------------------------------------------===//

namespace {
/// The spans of a tile loop, and how many tiles each dim has.
struct TileGrid {
  SmallVector<TileSpan> spans;
  SmallVector<int64_t> counts;
  int64_t total = 1;
};
} // namespace

static FailureOr<TileGrid> gridOf(Machine &machine, TileOp op) {
  TileGrid grid;
  for (unsigned dim = 0; dim != op.getNumDims(); ++dim) {
    FailureOr<int64_t> extent = machine.extentOf(op, op.getTileType(dim).getDim());
    if (failed(extent))
      return failure();
    TileSpan span;
    span.lower = machine.integer(op.getLowers()[dim]);
    span.upper = machine.integer(op.getUppers()[dim]);
    span.extent = *extent;
    grid.spans.push_back(span);
    grid.counts.push_back(span.upper > span.lower ? llvm::divideCeilSigned(span.upper - span.lower, *extent) : 0);
    grid.total *= grid.counts.back();
  }
  return grid;
}

static void enterTile(Machine &machine, TileOp op, const TileGrid &grid, int64_t number) {
  for (int dim = int(op.getNumDims()) - 1; dim >= 0; --dim) {
    TileSpan span = grid.spans[dim];
    span.begin = span.lower + number % grid.counts[dim] * span.extent;
    span.end = std::min(span.begin + span.extent, span.upper);
    number /= grid.counts[dim];
    machine.bindRange(op.getTileType(dim).getDim(), span);
    (void)machine.set(op.getTiles()[dim], span);
  }
}

static LogicalResult tileLoop(Machine &machine, TileOp op) {
  FailureOr<TileGrid> grid = gridOf(machine, op);
  if (failed(grid))
    return failure();
  Cells carried;
  for (Value init : op.getInits())
    carried.push_back(machine.cell(init));
  auto runTile = [&](int64_t number) -> LogicalResult {
    enterTile(machine, op, *grid, number);
    for (auto [argument, value] : llvm::zip(op.getCarried(), carried))
      (void)machine.set(argument, value);
    return machine.runBlock(op.getBody().front(), carried);
  };
  if (op.isGrid()) {
    if (failed(forEachProgram(machine, grid->total, runTile)))
      return failure();
  } else {
    for (int64_t number = 0; number != grid->total; ++number)
      if (failed(runTile(number)))
        return failure();
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    (void)machine.set(result, value);
  return success();
}

static LogicalResult range(Machine &machine, RangeOp op) {
  TileSpan span;
  span.lower = span.begin = machine.integer(op.getLower());
  span.upper = span.end = machine.integer(op.getUpper());
  int64_t size = span.end - span.begin;
  DimAttr dim = op.getTile().getType().getDim();
  if (StringAttr block = dim.getBlock();
      block && machine.growingSlices.count(block.str()) && !machine.blocks.count(block.str()))
    machine.bindBlock(block, machine.sliceExtent(block, size));
  FailureOr<int64_t> extent = machine.extentOf(op, dim);
  if (failed(extent))
    return failure();
  if (size > *extent)
    return machine.fail(op, "covers `" + Twine(size) + "` indices, but its extent `" + dim.withoutRange().str() +
                                "` is `" + Twine(*extent) + "`; bind at least the size");
  span.extent = *extent;
  machine.bindRange(dim, span);
  return machine.set(op.getTile(), span);
}

static LogicalResult makeTile(Machine &machine, MakeTileOp op) {
  FailureOr<int64_t> extent = machine.extentOf(op, op.getTile().getType().getDim());
  if (failed(extent))
    return failure();
  TileSpan span;
  span.begin = span.lower = machine.integer(op.getBegin());
  span.extent = *extent;
  span.end = span.upper = op.getEnd() ? machine.integer(op.getEnd()) : span.begin + span.extent;
  return machine.set(op.getTile(), span);
}

static LogicalResult tileShift(Machine &machine, TileShiftOp op) {
  TileSpan span = machine.tile(op.getTile());
  span.shift += machine.integer(op.getOffset());
  return machine.set(op.getResult(), span);
}

static int64_t beginOf(const TileSpan &span) { return span.begin; }
static int64_t endOf(const TileSpan &span) { return std::min(span.begin + span.extent, span.end); }
static int64_t numberOf(const TileSpan &span) { return (span.begin - span.lower) / span.extent; }
static int64_t countOf(const TileSpan &span) {
  return span.upper > span.lower ? llvm::divideCeilSigned(span.upper - span.lower, span.extent) : 0;
}

template <int64_t (*Fn)(const TileSpan &)> static LogicalResult tileQuery(Machine &machine, Operation *op) {
  return machine.setInteger(op->getResult(0), Fn(machine.tile(op->getOperand(0))));
}

//===-- Scf ------------------------------------------------------------------------------------------------------===//

static LogicalResult setResults(Machine &machine, Operation *op, ArrayRef<Cell> values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    (void)machine.set(result, value);
  return success();
}

static LogicalResult scfFor(Machine &machine, scf::ForOp op) {
  int64_t lower = machine.integer(op.getLowerBound()), upper = machine.integer(op.getUpperBound());
  int64_t step = machine.integer(op.getStep());
  if (step <= 0)
    return machine.fail(op, "has the step `" + Twine(step) + "`; it must be positive");
  Cells carried;
  for (Value init : op.getInitArgs())
    carried.push_back(machine.cell(init));
  for (int64_t i = lower; i < upper; i += step) {
    (void)machine.setInteger(op.getInductionVar(), i);
    for (auto [argument, value] : llvm::zip(op.getRegionIterArgs(), carried))
      (void)machine.set(argument, value);
    if (failed(machine.runBlock(*op.getBody(), carried)))
      return failure();
  }
  return setResults(machine, op, carried);
}

static LogicalResult scfIf(Machine &machine, scf::IfOp op) {
  Region &region = machine.integer(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
  Cells values;
  if (!region.empty() && failed(machine.runBlock(region.front(), values)))
    return failure();
  return setResults(machine, op, values);
}

static LogicalResult scfIndexSwitch(Machine &machine, scf::IndexSwitchOp op) {
  auto found = llvm::find(op.getCases(), machine.integer(op.getArg()));
  Region &region =
      found == op.getCases().end() ? op.getDefaultRegion() : op.getCaseRegions()[found - op.getCases().begin()];
  Cells values;
  if (failed(machine.runBlock(region.front(), values)))
    return failure();
  return setResults(machine, op, values);
}

ArrayRef<OpRow> helion::interp::controlRows() {
  static const OpRow rows[] = {
      {"helion.launch", runAs<LaunchOp, launch>},
      {"helion.make_tile", runAs<MakeTileOp, makeTile>},
      {"helion.num_programs", runAs<NumProgramsOp, numPrograms>},
      {"helion.program_id", runAs<ProgramIdOp, programId>},
      {"helion.range", runAs<RangeOp, range>},
      {"helion.tile", runAs<TileOp, tileLoop>},
      {"helion.tile_begin", tileQuery<beginOf>},
      {"helion.tile_count", tileQuery<countOf>},
      {"helion.tile_end", tileQuery<endOf>},
      {"helion.tile_id", tileQuery<numberOf>},
      {"helion.tile_shift", runAs<TileShiftOp, tileShift>},
      {"scf.for", runAs<scf::ForOp, scfFor>},
      {"scf.if", runAs<scf::IfOp, scfIf>},
      {"scf.index_switch", runAs<scf::IndexSwitchOp, scfIndexSwitch>},
  };
  return rows;
}
