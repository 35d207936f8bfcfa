// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans: factor after factor of the dim, the fastest first. Blocks of neighbours, each with its lanes scanned and its
// total known, become larger blocks: every block gets combined with what comes before it. Registers hand on in the
// thread, lanes by shuffles, warps through shared memory; repeats of a layout are registers beyond warps, and the order
// of the factors puts what is carried from one to the next in its place.

#include "codegen/Common/Combining.h"
#include "codegen/Common/LowerThreads.h"
#include "codegen/Common/ThreadAddress.h"
#include "dialect/IR/Dims.h"
#include <map>

using namespace mlir;
using namespace helion;
using namespace helion::threads;

namespace {
/// What comes before a block. Where `exists` is false nothing does; null: something always does.
struct Carry {
  Held values;
  Value exists;
};

/// One scan of one dim of values in one layout.
class Scan {
public:
  Scan(ThreadContext &code, OpBuilder &b, Location loc, const Layout &layout, unsigned dim, bool reverse,
       const Combiner &combiner)
      : code(code), b(b), loc(loc), layout(layout), dim(dim), reverse(reverse), combiner(combiner),
        units(*unitsAlong(layout, dim)) {}

  /// By register, as the elements are.
  SmallVector<Held> run(ArrayRef<Held> elements) {
    scanned.assign(elements.begin(), elements.end());
    for (auto [reg, held] : llvm::enumerate(elements))
      totals[reg] = held;
    for (ArrayRef<DimUnit> rest = units; !rest.empty();) {
      LayoutSpace space = rest.front().space;
      ArrayRef<DimUnit> run = rest.take_while([&](const DimUnit &unit) { return unit.space == space; });
      rest = rest.drop_front(run.size());
      if (space == LayoutSpace::Reg)
        alongRegisters(run);
      else if (space == LayoutSpace::Lane)
        alongLanes(run, !rest.empty());
      else
        alongWarps(run, !rest.empty());
    }
    return scanned;
  }

private:
  //===-- Blocks --------------------------------------------------------------------------------------------------===//

  /// A block is known by its register whose digits along the dim are 0, as far as they are done.
  int64_t blockOf(int64_t reg) const {
    for (const DimUnit &unit : done)
      reg -= reg / unit.inStride % unit.count * unit.inStride;
    return reg;
  }

  /// The register of a block that comes last in the order of the scan.
  int64_t lastOf(int64_t block) const {
    for (const DimUnit &unit : done)
      block += reverse ? 0 : (unit.count - 1) * unit.inStride;
    return block;
  }

  Held combine(const Held &before, const Held &after) { return combiner.combine(b, loc, before, after); }

  Held select(Value condition, const Held &yes, const Held &no) {
    Held chosen;
    for (auto [x, y] : llvm::zip(yes, no))
      chosen.push_back(arith::SelectOp::create(b, loc, condition, x, y));
    return chosen;
  }

  /// Where a kind has nothing before a block, its identity does.
  Carry carryWhere(Value exists, const Held &values) {
    std::optional<TypedAttr> identity = combiner.identity(values.front().getType());
    if (!identity)
      return {values, exists};
    return {select(exists, values, {arith::ConstantOp::create(b, loc, *identity)}), Value()};
  }

  /// Puts what is carried before the lanes of a block, but for register `except`.
  void follow(int64_t block, const Carry &carry, std::optional<int64_t> except = std::nullopt) {
    for (auto [reg, held] : llvm::enumerate(scanned)) {
      if (blockOf(reg) != block || int64_t(reg) == except)
        continue;
      Held joined = combine(carry.values, held);
      held = carry.exists ? select(carry.exists, joined, held) : joined;
    }
  }

  //===-- Registers -----------------------------------------------------------------------------------------------===//

  /// What the digits of a run add to a coordinate, in the order of the scan.
  SmallVector<int64_t> stepsOf(ArrayRef<DimUnit> run) const {
    SmallVector<int64_t> steps = {0};
    for (const DimUnit &unit : run) {
      size_t faster = steps.size();
      for (int64_t digit = 1; digit != unit.count; ++digit)
        for (size_t step = 0; step != faster; ++step)
          steps.push_back(steps[step] + digit * unit.inStride);
    }
    if (reverse)
      std::reverse(steps.begin(), steps.end());
    return steps;
  }

  void alongRegisters(ArrayRef<DimUnit> run) {
    SmallVector<int64_t> steps = stepsOf(run);
    std::map<int64_t, Held> larger;
    for (const auto &entry : totals) {
      int64_t first = entry.first;
      if (llvm::any_of(run, [&](const DimUnit &unit) { return first / unit.inStride % unit.count != 0; }))
        continue;
      Held before = totals[first + steps.front()];
      for (int64_t step : ArrayRef(steps).drop_front()) {
        int64_t block = first + step;
        follow(block, {before, Value()});
        before = inThread ? scanned[lastOf(block)] : combine(before, totals[block]);
      }
      larger[first] = before;
    }
    totals = std::move(larger);
    done.append(run.begin(), run.end());
  }

  //===-- Lanes ---------------------------------------------------------------------------------------------------===//

  Value bitsOf(Value value, int64_t mask) { return arith::AndIOp::create(b, loc, value, i32(b, loc, mask)); }
  Value withBits(Value value, int64_t mask) { return arith::OrIOp::create(b, loc, value, i32(b, loc, mask)); }
  Value isNot(Value value, int64_t number) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, i32(b, loc, number));
  }

  /// The lane with the same other bits that comes last.
  Value lastLane(int64_t mask) {
    return reverse ? bitsOf(code.lane(), ~mask & (code.lanes - 1)) : withBits(code.lane(), mask);
  }

  Held fromLane(const Held &held, Value lane) {
    Held sent;
    for (Value value : held)
      sent.push_back(code.shuffleFrom(b, loc, value, lane));
    return sent;
  }

  /// One step for each bit: the later half of the lanes takes what the last lane of the earlier half has.
  struct LaneStep {
    Value isLater, source;
  };

  SmallVector<LaneStep> laneSteps(ArrayRef<DimUnit> run) {
    SmallVector<LaneStep> steps;
    int64_t lower = 0;
    for (const DimUnit &unit : run) {
      Value isLater = isNot(bitsOf(code.lane(), unit.inStride), reverse ? unit.inStride : 0);
      // The last lane below, with this bit as the first has it.
      Value source = reverse ? bitsOf(withBits(code.lane(), unit.inStride), ~lower & (code.lanes - 1))
                             : withBits(bitsOf(code.lane(), ~unit.inStride & (code.lanes - 1)), lower);
      steps.push_back({isLater, source});
      lower |= unit.inStride;
    }
    return steps;
  }

  /// The lane before this one, by its bits along the dim; any for the first.
  Value laneBefore(ArrayRef<DimUnit> run) {
    SmallVector<int64_t> order = stepsOf(run), before(code.lanes);
    int64_t mask = order.front() | order.back();
    for (int64_t lane = 0; lane != code.lanes; ++lane) {
      const int64_t *place = llvm::find(order, lane & mask);
      before[lane] = (lane & ~mask) | (place == order.begin() ? *place : place[-1]);
    }
    int64_t unit = run.front().inStride;
    bool countsUp =
        llvm::all_of(llvm::enumerate(run), [&](auto entry) { return entry.value().inStride == unit << entry.index(); });
    if (!countsUp)
      return code.byLane(b, loc, before);
    Value moved = arith::AddIOp::create(b, loc, code.lane(), i32(b, loc, reverse ? unit : -unit));
    return bitsOf(moved, code.lanes - 1);
  }

  void alongLanes(ArrayRef<DimUnit> run, bool needsTotals) {
    SmallVector<LaneStep> steps = laneSteps(run);
    int64_t mask = 0;
    for (const DimUnit &unit : run)
      mask |= unit.inStride;
    bool hasOthers = !inThread || totals.size() != scanned.size(); // lanes of a block beside its last one
    Value before = hasOthers ? laneBefore(run) : Value(), last = needsTotals ? lastLane(mask) : Value();
    Value exists = hasOthers ? isNot(bitsOf(code.lane(), mask), reverse ? mask : 0) : Value();
    for (auto &[block, total] : totals) {
      Held upToHere = total;
      for (const LaneStep &step : steps)
        upToHere = select(step.isLater, combine(fromLane(upToHere, step.source), upToHere), upToHere);
      if (hasOthers)
        follow(block, carryWhere(exists, fromLane(upToHere, before)),
               inThread ? lastOf(block) : std::optional<int64_t>());
      if (inThread)
        scanned[lastOf(block)] = upToHere;
      if (needsTotals)
        total = fromLane(upToHere, last);
    }
    inThread = false;
  }

  //===-- Warps ---------------------------------------------------------------------------------------------------===//

  /// The other dims' indices, and along the dim the number of the block; without the digits of `left`.
  IndexMap blockMap(int64_t blockExtent, ArrayRef<DimUnit> left) const {
    const IndexMap &full = layout.map();
    Point outs(full.outs());
    outs[dim] /= blockExtent;
    IndexMap map(full.ins(), outs);
    for (unsigned in = 0; in != full.ins().size(); ++in)
      for (auto [bit, value] : llvm::enumerate(full.basesOf(in))) {
        Point moved(value);
        moved[dim] = 0;
        map.addBasis(in, bit, moved);
      }
    for (const IndexMap::Digit &digit : full.digits())
      if (digit.out != dim)
        map.addDigit(digit);
    for (const DimUnit &unit : units)
      if (unit.outStride >= blockExtent &&
          llvm::none_of(left, [&](const DimUnit &other) { return other.outStride == unit.outStride; }))
        map.addDigit({unsigned(unit.space), dim, unit.inStride, unit.outStride / blockExtent, unit.count});
    return map;
  }

  /// The number of this warp among those of the run.
  Value warpNumber(ArrayRef<DimUnit> run) {
    IndexMap map(layout.map().ins(), Point{run.back().outStride / run.front().outStride * run.back().count});
    for (const DimUnit &unit : run)
      map.addDigit({unsigned(unit.space), 0, unit.inStride, unit.outStride / run.front().outStride, unit.count});
    return code.threadDigits(map, 0);
  }

  /// Each thread writes the totals of its blocks and reads those of the warps that have the same other indices.
  void alongWarps(ArrayRef<DimUnit> run, bool needsTotals) {
    int64_t blockExtent = run.front().outStride, warps = run.back().outStride / blockExtent * run.back().count;
    IndexMap own = blockMap(blockExtent, {}), first = blockMap(blockExtent, run);
    int64_t count = own.outs()[dim];
    SmallVector<OpFoldResult> strides(layout.rank());
    for (unsigned out = layout.rank(); out-- > 0;) {
      strides[out] = b.getIndexAttr(out == dim ? 1 : count);
      count *= out == dim ? 1 : own.outs()[out];
    }
    SmallVector<Value> buffers;
    for (Value value : totals.begin()->second)
      buffers.push_back(code.shared(b, loc, count, value.getType()));
    Addresses places(code, b, loc, own, strides, {});
    for (auto &[block, total] : totals)
      for (auto [buffer, value] : llvm::zip(buffers, total))
        memref::StoreOp::create(b, loc, toMemory(b, loc, value), buffer, places.at(block))
            ->setAttr(kPlaceAttr, b.getUnitAttr());
    Addresses begins(code, b, loc, first, strides, {});
    Value number = warpNumber(run);
    for (auto &[block, total] : totals) {
      SmallVector<SmallVector<Value>> columns;
      for (auto [buffer, value] : llvm::zip(buffers, total))
        columns.push_back(readNeighbours(code, b, loc, buffer, value.getType(), begins.at(block), warps));
      Carry carry = takeBefore(number, columns, needsTotals ? &total : nullptr);
      follow(block, carry);
    }
    inThread = false;
  }

  /// What the warps before this one have together; what all have, in `all`.
  Carry takeBefore(Value number, ArrayRef<SmallVector<Value>> columns, Held *all) {
    int64_t warps = columns.front().size(), firstWarp = reverse ? warps - 1 : 0;
    auto totalOf = [&](int64_t warp) {
      return llvm::map_to_vector<2>(columns, [&](const SmallVector<Value> &column) { return column[warp]; });
    };
    Held upToHere = totalOf(firstWarp), before = upToHere;
    for (int64_t step = 1; step != warps; ++step) {
      int64_t warp = reverse ? warps - 1 - step : step;
      if (step != 1) {
        // Up to the warp in front of this step's.
        auto isPast = reverse ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge;
        before = select(arith::CmpIOp::create(b, loc, isPast, number, i32(b, loc, warp)), upToHere, before);
      }
      if (step + 1 != warps || all)
        upToHere = combine(upToHere, totalOf(warp));
    }
    if (all)
      *all = upToHere;
    return carryWhere(isNot(number, firstWarp), before);
  }

  ThreadContext &code;
  OpBuilder &b;
  Location loc;
  Layout layout;
  unsigned dim;
  bool reverse;
  const Combiner &combiner;
  SmallVector<DimUnit> units;
  SmallVector<DimUnit> done;      // those of registers
  bool inThread = true;           // each block lies in one thread
  SmallVector<Held> scanned;      // by register, within its block
  std::map<int64_t, Held> totals; // by block
};

/// Narrow floats are combined in f32.
struct LowerScan : ThreadPattern<ScanOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ScanOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(adaptor.getValue().getType());
    bool isNarrow = isa<FloatType>(type.getElementType()) && type.getElementTypeBitWidth() < 32;
    Value wide = adaptor.getValue();
    if (isNarrow)
      wide = arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), wide);
    SmallVector<Held> elements = heldOf(b, loc, wide);
    Combiner combiner(op.getKind());
    SmallVector<Held> held =
        Scan(code, b, loc, layoutIn(op.getValue()), op.getDim(), op.getReverse(), combiner).run(elements);
    Value result = pack(b, loc, llvm::map_to_vector(held, [](const Held &one) { return one.front(); }));
    if (isNarrow)
      result = arith::TruncFOp::create(b, loc, type, result);
    b.replaceOp(op, result);
    return success();
  }
};

struct LowerScanFn : ThreadPattern<ScanFnOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ScanFnOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Layout layout = layoutIn(op.getValues()[0]);
    SmallVector<Held> elements = heldOf(b, loc, adaptor.getValues());
    Combiner combiner(op.getCombiner());
    SmallVector<Held> held = Scan(code, b, loc, layout, op.getDim(), op.getReverse(), combiner).run(elements);
    SmallVector<Value> results;
    for (size_t number = 0; number != adaptor.getValues().size(); ++number)
      results.push_back(pack(b, loc, llvm::map_to_vector(held, [&](const Held &one) { return one[number]; })));
    b.replaceOp(op, results);
    return success();
  }
};
} // namespace

void threads::populateScanPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerScan, LowerScanFn>(code, types, patterns.getContext());
}
