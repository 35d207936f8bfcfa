// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: factor after factor of the dim. Registers are combined in the thread, lanes by shuffles, and what is
// left, the warps, through shared memory. The order is fixed by the layout.

#include "codegen/Common/Combining.h"
#include "codegen/Common/LowerThreads.h"
#include "codegen/Common/ThreadAddress.h"
#include "dialect/IR/Dims.h"
#include <map>

using namespace mlir;
using namespace helion;
using namespace helion::threads;

namespace {
/// One reduction of one dim of values in one layout.
class Reduction {
public:
  Reduction(ThreadContext &code, OpBuilder &b, Location loc, const Layout &layout, unsigned dim,
            const Combiner &combiner)
      : code(code), b(b), loc(loc), layout(layout), dim(dim), combiner(combiner), units(*unitsAlong(layout, dim)) {
    // Without an order to keep, what costs least comes first.
    if (!combiner.inOrder())
      llvm::sort(units, [](const DimUnit &a, const DimUnit &c) {
        return std::pair(a.space, a.outStride) < std::pair(c.space, c.outStride);
      });
  }

  /// By register of the operand; gives by register of the result, which has one register when it is a scalar.
  SmallVector<Held> run(ArrayRef<Held> elements) {
    for (auto [reg, held] : llvm::enumerate(elements))
      left[reg] = held;
    return combineUnits();
  }

  /// Whether some registers meet others in pairs of neighbours, which 32 bits hold of 16-bit floats.
  bool pairsRegisters() const { return llvm::any_of(units, isOfPairs); }

  /// The same, an operation for each pair where pairs meet, then in f32: for what is exact in 16 bits.
  SmallVector<Held> runInPairs(ArrayRef<Value> elements) {
    for (size_t reg = 0; reg != elements.size(); reg += 2)
      left[reg] = {pack(b, loc, elements.slice(reg, 2))};
    for (const DimUnit &unit : llvm::make_filter_range(units, isOfPairs))
      combineRegisters(unit);
    llvm::erase_if(units, isOfPairs);
    for (auto &[reg, held] : std::exchange(left, {}))
      for (auto [number, element] : llvm::enumerate(unpack(b, loc, held.front())))
        left[reg + number] = {arith::ExtFOp::create(b, loc, b.getF32Type(), element)};
    return combineUnits();
  }

  /// Registers only: what `helion.reduce_in_thread` asks for.
  SmallVector<Held> runInThread(ArrayRef<Held> elements, const Layout &result) {
    for (auto [reg, held] : llvm::enumerate(elements))
      left[reg] = held;
    for (const DimUnit &unit : units)
      if (unit.space == LayoutSpace::Reg)
        combineRegisters(unit);
    SmallVector<Held> placed;
    for (int64_t reg = 0; reg != result.size(LayoutSpace::Reg); ++reg)
      placed.push_back(left[sourceOf(result.map(), reg, false)]);
    return placed;
  }

private:
  static bool isOfPairs(const DimUnit &unit) { return unit.space == LayoutSpace::Reg && unit.inStride % 2 == 0; }

  SmallVector<Held> combineUnits() {
    while (!units.empty() && units.front().space != LayoutSpace::Warp) {
      DimUnit unit = units.front();
      units.erase(units.begin());
      if (unit.space == LayoutSpace::Reg)
        combineRegisters(unit);
      else
        combineLanes(unit);
    }
    return units.empty() ? place() : combineWarps();
  }

  /// Neighbours with each other, round by round: of many repeats few combinations wait for each other.
  void combineRegisters(const DimUnit &unit) {
    for (int64_t apart = 1; apart < unit.count; apart *= 2) {
      std::map<int64_t, Held> next;
      for (auto &[reg, held] : left) {
        int64_t digit = reg / unit.inStride % unit.count, first = reg - digit % (2 * apart) * unit.inStride;
        auto [entry, isNew] = next.try_emplace(first, held);
        if (!isNew)
          entry->second = combiner.combine(b, loc, entry->second, held);
      }
      left = std::move(next);
    }
  }

  void combineLanes(const DimUnit &unit) {
    Value isUpper;
    if (combiner.inOrder()) {
      Value bit = arith::AndIOp::create(b, loc, code.lane(), i32(b, loc, unit.inStride));
      isUpper = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, i32(b, loc, 0));
    }
    for (auto &[reg, held] : left) {
      Held other;
      for (Value value : held)
        other.push_back(code.shuffleXor(b, loc, value, unit.inStride));
      if (isUpper)
        for (auto [mine, theirs] : llvm::zip(held, other)) {
          Value lower = arith::SelectOp::create(b, loc, isUpper, theirs, mine);
          theirs = arith::SelectOp::create(b, loc, isUpper, mine, theirs);
          mine = lower;
        }
      held = combiner.combine(b, loc, held, other);
    }
  }

  /// The remaining register whose element has the indices of register `reg` of the result.
  int64_t sourceOf(const IndexMap &result, int64_t reg, bool dropped) const {
    for (auto &[source, held] : left) {
      bool same = true;
      for (unsigned out = 0; same && out != layout.rank(); ++out)
        if (out != dim)
          same = registerPart(layout.map(), source, out).sum() ==
                 registerPart(result, reg, out - (dropped && out > dim)).sum();
      if (same)
        return source;
    }
    llvm_unreachable("the result has the operand's indices");
  }

  SmallVector<Held> place() const {
    if (layout.rank() == 1)
      return {left.begin()->second};
    Layout result = layout.withoutDim(dim);
    SmallVector<Held> placed;
    for (int64_t reg = 0; reg != result.size(LayoutSpace::Reg); ++reg)
      placed.push_back(left.find(sourceOf(result.map(), reg, true))->second);
    return placed;
  }

  /// The result's indices in plain rows, then the number of the partial result: the map of the exchange.
  IndexMap exchangeMap(ArrayRef<DimUnit> exchanged) const {
    IndexMap full = layout.map();
    Point outs(full.outs());
    outs[dim] = 1;
    for (const DimUnit &unit : exchanged)
      outs[dim] *= unit.count;
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
    int64_t stride = 1;
    for (const DimUnit &unit : exchanged) {
      map.addDigit({unsigned(unit.space), dim, unit.inStride, stride, unit.count});
      stride *= unit.count;
    }
    return map;
  }

  /// Each thread writes what it has and reads the partial results of its elements, in order.
  SmallVector<Held> combineWarps() {
    IndexMap map = exchangeMap(units);
    int64_t partials = map.outs()[dim], count = partials;
    SmallVector<OpFoldResult> strides(layout.rank());
    for (unsigned out = layout.rank(); out-- > 0;) {
      strides[out] = b.getIndexAttr(out == dim ? 1 : count);
      count *= out == dim ? 1 : map.outs()[out];
    }
    SmallVector<Value> buffers;
    for (Value value : left.begin()->second)
      buffers.push_back(code.shared(b, loc, count, value.getType()));
    Addresses own(code, b, loc, map, strides, {});
    for (auto &[reg, held] : left)
      for (auto [buffer, value] : llvm::zip(buffers, held))
        memref::StoreOp::create(b, loc, toMemory(b, loc, value), buffer, own.at(reg))
            ->setAttr(kPlaceAttr, b.getUnitAttr());
    // Reading, the thread stands at the first partial result of each of its elements.
    IndexMap first = map.withOutCollapsed(dim);
    Addresses all(code, b, loc, first, strides, {});
    SmallVector<Type> types = llvm::map_to_vector(left.begin()->second, [](Value value) { return value.getType(); });
    std::map<int64_t, Held> combined;
    for (auto &[reg, held] : left) {
      int64_t key = reg;
      for (const DimUnit &unit : units)
        if (unit.space == LayoutSpace::Reg)
          key -= key / unit.inStride % unit.count * unit.inStride;
      if (!combined.count(key))
        combined[key] = readPartials(buffers, types, all.at(key), partials);
    }
    left = std::move(combined);
    return place();
  }

  Held readPartials(ArrayRef<Value> buffers, ArrayRef<Type> types, Value place, int64_t partials) {
    SmallVector<SmallVector<Value>> columns;
    for (auto [buffer, type] : llvm::zip(buffers, types))
      columns.push_back(readNeighbours(code, b, loc, buffer, type, place, partials));
    Held sum;
    for (int64_t number = 0; number != partials; ++number) {
      Held next;
      for (ArrayRef<Value> column : columns)
        next.push_back(column[number]);
      sum = number ? combiner.combine(b, loc, sum, next) : next;
    }
    return sum;
  }

  ThreadContext &code;
  OpBuilder &b;
  Location loc;
  Layout layout;
  unsigned dim;
  const Combiner &combiner;
  SmallVector<DimUnit> units;
  std::map<int64_t, Held> left; // by register of the operand: what stands for it and all that it was combined with
};

bool isNarrowFloat(Type element) { return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32; }

/// Narrow floats are summed in f32.
SmallVector<Value> widened(OpBuilder &b, Location loc, Value vector) {
  if (isNarrowFloat(getElementTypeOrSelf(vector.getType())))
    vector = arith::ExtFOp::create(
        b, loc, VectorType::get(cast<VectorType>(vector.getType()).getShape(), b.getF32Type()), vector);
  return unpack(b, loc, vector);
}

Value narrowed(OpBuilder &b, Location loc, Value value, Type element) {
  return value.getType() == element ? value : arith::TruncFOp::create(b, loc, element, value).getResult();
}

/// Component `number` of each register as one value of the result's type.
Value gather(OpBuilder &b, Location loc, ArrayRef<Held> registers, unsigned number, Type result) {
  Type element = getElementTypeOrSelf(result);
  SmallVector<Value> values;
  for (const Held &held : registers) {
    Value value = held[number];
    if (element.isIndex() && value.getType().isInteger(32))
      value = arith::IndexCastUIOp::create(b, loc, element, value);
    values.push_back(narrowed(b, loc, value, element));
  }
  return isTileValue(result) ? pack(b, loc, values) : values.front();
}

/// The 16-bit floats of which an op finds the largest or least, null where it is of others: those of f32 that were such
/// are found among these.
Value halvesOfExtreme(ReduceOp op) {
  if (op.getKind() != ReductionKind::MaximumF && op.getKind() != ReductionKind::MinimumF)
    return {};
  auto isHalf = [](Value value) {
    Type element = getElementTypeOrSelf(value);
    return element.isBF16() || element.isF16();
  };
  auto widened = op.getValue().getDefiningOp<arith::ExtFOp>();
  if (widened && getElementTypeOrSelf(widened.getType()).isF32() && isHalf(widened.getIn()))
    return widened.getIn();
  return isHalf(op.getValue()) ? op.getValue() : Value();
}

struct LowerReduce : ThreadPattern<ReduceOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ReduceOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Layout layout = layoutIn(op.getValue());
    Combiner combiner(op.getKind());
    Reduction reduction(code, b, loc, layout, op.getDim(), combiner);
    if (Value halves = halvesOfExtreme(op); halves && reduction.pairsRegisters()) {
      SmallVector<Value> elements = unpack(b, loc, b.getRemappedValue(halves));
      b.replaceOp(op, gather(b, loc, reduction.runInPairs(elements), 0, op.getType()));
      return success();
    }
    bool givesIndex = op.getKind() == ReductionKind::ArgMax || op.getKind() == ReductionKind::ArgMin;
    SmallVector<Held> elements;
    for (auto [reg, value] : llvm::enumerate(widened(b, loc, adaptor.getValue()))) {
      elements.push_back({value});
      if (givesIndex)
        elements.back().push_back(indexOf(code, b, loc, layout.map(), reg, op.getDim()));
    }
    b.replaceOp(op, gather(b, loc, reduction.run(elements), givesIndex, op.getType()));
    return success();
  }
};

struct LowerReduceInThread : ThreadPattern<ReduceInThreadOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ReduceInThreadOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SmallVector<Held> elements;
    for (Value value : widened(b, loc, adaptor.getValue()))
      elements.push_back({value});
    Combiner combiner(op.getKind());
    Reduction reduction(code, b, loc, layoutIn(op.getValue()), op.getDim(), combiner);
    SmallVector<Held> result = reduction.runInThread(elements, layoutIn(op.getResult()));
    b.replaceOp(op, gather(b, loc, result, 0, op.getType()));
    return success();
  }
};

struct LowerReduceFn : ThreadPattern<ReduceFnOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ReduceFnOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Layout layout = layoutIn(op.getValues()[0]);
    SmallVector<Held> elements = heldOf(b, loc, adaptor.getValues());
    Combiner combiner(op.getCombiner());
    SmallVector<Held> result = Reduction(code, b, loc, layout, op.getDim(), combiner).run(elements);
    SmallVector<Value> results;
    for (auto [number, type] : llvm::enumerate(op.getResultTypes()))
      results.push_back(gather(b, loc, result, number, type));
    b.replaceOp(op, results);
    return success();
  }
};
} // namespace

void threads::populateReducePatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerReduce, LowerReduceInThread, LowerReduceFn>(code, types, patterns.getContext());
}
