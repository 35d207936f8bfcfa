// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that work on each register alone: elementwise arithmetic, constants, indices and masks.

#include "codegen/Common/LowerThreads.h"
#include "codegen/Common/ThreadAccess.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

namespace {
/// The same op on vectors.
struct LowerElementwise : ConversionPattern {
  LowerElementwise(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands, ConversionPatternRewriter &b) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op))
      return failure();
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), results)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, results, op->getAttrs());
    b.replaceOp(op, b.create(state));
    return success();
  }
};

struct LowerConstant : ThreadPattern<arith::ConstantOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    auto splat = cast<SplatElementsAttr>(op.getValue());
    auto type = registersType(op.getType());
    b.replaceOpWithNewOp<arith::ConstantOp>(op, DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
    return success();
  }
};

struct LowerSplat : ThreadPattern<SplatOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(SplatOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<vector::BroadcastOp>(op, registersType(op.getType()), adaptor.getValue());
    return success();
  }
};

/// Begin and thread part once, then one constant per register; register by register where bits of both meet.
struct LowerIota : ThreadPattern<IotaOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(IotaOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Layout layout = layoutIn(op.getResult());
    const IndexMap &map = layout.map();
    VectorType type = registersType(op.getType());
    Value begin = op.getTile() ? b.getRemappedValue(spanOf(op.getTile())->begin) : Value();
    IndexMath math{b, loc};
    if (op.getTile())
      for (Value shift : spanOf(op.getTile())->shifts)
        begin = math.add(begin, b.getRemappedValue(shift));
    SmallVector<Value> varying;
    SmallVector<int64_t> known(registersOf(map), 0);
    if (partsAdd(map, 0)) {
      begin = math.add(begin, math.fromI32(code.threadPart(map, 0)));
      for (int64_t reg = 0; reg != registersOf(map); ++reg)
        known[reg] = registerPart(map, reg, 0).sum();
    } else {
      for (int64_t reg = 0; reg != registersOf(map); ++reg)
        varying.push_back(toElement(b, loc, math.fromI32(indexOf(code, b, loc, map, reg, 0)), type.getElementType()));
    }
    Value sum = varying.empty() ? constants(b, loc, type, known) : pack(b, loc, varying);
    if (begin) {
      Value start = toElement(b, loc, begin, type.getElementType());
      sum = arith::AddIOp::create(b, loc, sum, vector::BroadcastOp::create(b, loc, type, start));
    }
    b.replaceOp(op, sum);
    return success();
  }

private:
  static Value toElement(OpBuilder &b, Location loc, Value index, Type element) {
    return element.isIndex() ? index : arith::IndexCastOp::create(b, loc, element, index).getResult();
  }
  static Value constants(OpBuilder &b, Location loc, VectorType type, ArrayRef<int64_t> known) {
    Type element = type.getElementType();
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    auto values = llvm::map_to_vector(known, [&](int64_t value) {
      return Attribute(IntegerAttr::get(element, APInt(width, uint64_t(value), false, true)));
    });
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, values));
  }
};

struct LowerMask : ThreadPattern<MaskOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(MaskOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Layout layout = layoutIn(op.getValue());
    const IndexMap &map = layout.map();
    SmallVector<Value> inside(registersOf(map));
    for (auto [dim, tile] : llvm::zip(op.getDims(), op.getTiles())) {
      TileSpan span = *spanOf(tile);
      if (!span.end)
        continue;
      DimBound bound(code, b, loc, map, dim, span);
      llvm::DenseMap<std::pair<Value, Value>, Value> joined;
      // One comparison for neighbours that the bound does not part: that of the last, which accesses make too.
      for (ArrayRef<int64_t> run : runsAlong(map, dim, decidedTogether(code, span, registersOf(map))).groups) {
        Value last = bound.contains(run.back());
        for (int64_t reg : run) {
          Value &each = joined[{inside[reg], last}];
          inside[reg] = each = each ? each : both(b, loc, inside[reg], last);
        }
      }
    }
    if (!inside.front()) {
      b.replaceOp(op, adaptor.getValue());
      return success();
    }
    VectorType type = registersType(op.getType());
    Value fill = vector::BroadcastOp::create(b, loc, type, adaptor.getFill());
    int64_t together = commonRun(inside);
    if (together > 1 && type.getElementTypeBitWidth() < kRegisterBits)
      b.replaceOp(op, selectRuns(b, loc, inside, together, adaptor.getValue(), fill));
    else
      b.replaceOpWithNewOp<arith::SelectOp>(op, pack(b, loc, inside), adaptor.getValue(), fill);
    return success();
  }

private:
  /// What a device's register holds; of narrower elements one selection moves several.
  static constexpr unsigned kRegisterBits = 32;

  /// The largest power of two such that groups of so many neighbours share their condition.
  static int64_t commonRun(ArrayRef<Value> conditions) {
    int64_t run = conditions.size() & -conditions.size();
    auto isCommon = [&](int64_t length) {
      for (size_t reg = 0; reg != conditions.size(); ++reg)
        if (conditions[reg] != conditions[reg - reg % length])
          return false;
      return true;
    };
    while (!isCommon(run))
      run /= 2;
    return run;
  }

  static Value selectRuns(OpBuilder &b, Location loc, ArrayRef<Value> conditions, int64_t length, Value some,
                          Value other) {
    Value result = some;
    for (int64_t first = 0, count = conditions.size(); first != count; first += length) {
      auto slice = [&](Value whole) {
        return vector::ExtractStridedSliceOp::create(b, loc, whole, first, length, 1).getResult();
      };
      Value chosen = arith::SelectOp::create(b, loc, conditions[first], slice(some), slice(other));
      result = vector::InsertStridedSliceOp::create(b, loc, chosen, result, first, 1);
    }
    return result;
  }
};

struct LowerTileBegin : ThreadPattern<TileBeginOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TileBeginOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    TileSpan span = *spanOf(op.getTile());
    IndexMath math{b, op.getLoc()};
    Value begin = b.getRemappedValue(span.begin);
    for (Value shift : span.shifts)
      begin = math.add(begin, b.getRemappedValue(shift));
    b.replaceOp(op, begin);
    return success();
  }
};

struct LowerTileEnd : ThreadPattern<TileEndOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TileEndOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    TileSpan span = *spanOf(op.getTile());
    IndexMath math{b, op.getLoc()};
    Value end = math.add(b.getRemappedValue(span.begin), math.constant(span.extent));
    if (span.end)
      end = arith::MinSIOp::create(b, op.getLoc(), end, b.getRemappedValue(span.end));
    b.replaceOp(op, end);
    return success();
  }
};

struct LowerRebound : ThreadPattern<ReboundOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ReboundOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    b.replaceOp(op, adaptor.getValue());
    return success();
  }
};
} // namespace

void threads::populateElementPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerElementwise>(types, patterns.getContext());
  patterns.add<LowerConstant, LowerSplat, LowerIota, LowerMask, LowerTileBegin, LowerTileEnd, LowerRebound>(
      code, types, patterns.getContext());
}
