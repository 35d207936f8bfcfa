// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots without matrix instructions. A thread makes the elements of its accumulator: from its own registers where they
// hold what it needs, else from shared memory, where both operands lie with k outermost.

#include "codegen/Common/LowerThreads.h"
#include "codegen/Common/ThreadAddress.h"
#include "dialect/IR/LayoutBuilders.h"
#include "dialect/IR/LayoutConversion.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

// Steps of k that one round of the loop makes.
static constexpr int64_t kUnroll = 8;

/// The dot that alone reads the value as an operand, in the same block; `way` gets the permutes between.
static DotOp onlyDot(Operation *op, SmallVectorImpl<Operation *> &way) {
  Value value = op->getResult(0);
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (user->getBlock() != op->getBlock())
      return {};
    if (auto dot = dyn_cast<DotOp>(user))
      return dot.getAcc() == value ? DotOp() : dot;
    if (!isa<PermuteOp>(user))
      return {};
    way.push_back(user);
    value = user->getResult(0);
  }
  return {};
}

void threads::findOperandsInShared(ThreadContext &code) {
  code.function.walk([&](Operation *op) {
    auto convert = dyn_cast<ConvertLayoutOp>(op);
    SmallVector<Operation *> way;
    DotOp dot = convert || isa<ReadOp>(op) ? onlyDot(op, way) : DotOp();
    if (!dot)
      return;
    bool isMatrix = dot->hasAttr(kInstructionAttr);
    bool isTaken = code.matrixDots && isMatrixShape(layoutIn(op->getResult(0)).shape());
    if (isMatrix ? !isTaken : !convert || !way.empty())
      return;
    if (convert && planConversion(layoutIn(convert.getValue()), layoutIn(convert.getResult()), code.lanes).kind !=
                       ConversionPlan::Kind::Shared)
      return;
    code.leftToDots.insert(op);
    code.leftToDots.insert(way.begin(), way.end());
  });
}

namespace {
/// Multiplies exactly and adds, in one type.
struct Arithmetic {
  OpBuilder &b;
  Location loc;
  Type sum;

  Value widen(Value value) {
    if (value.getType() == sum)
      return value;
    return isa<FloatType>(sum) ? arith::ExtFOp::create(b, loc, sum, value).getResult()
                               : arith::ExtSIOp::create(b, loc, sum, value).getResult();
  }
  Value add(Value x, Value y, Value z) {
    if (isa<FloatType>(sum))
      return math::FmaOp::create(b, loc, x, y, z);
    return arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, x, y), z);
  }
};

/// One operand, for the accumulator's registers: dims `[batch.., own]` at step k.
class Operand {
public:
  Operand(ThreadContext &code, const Layout &acc, Value tile, Value lowered, bool isLeft)
      : code(code), layout(layoutIn(tile)), lowered(lowered), rank(acc.rank()), kDim(isLeft ? rank - 1 : rank - 2),
        needed(acc.withoutDim(isLeft ? rank - 1 : rank - 2)),
        fromAcc(*localSources(acc, needed, code.lanes, code.warps,
                              [&](ArrayRef<int64_t> at) { return withoutDim(at, isLeft ? rank - 1 : rank - 2); })) {}

  int64_t steps() const { return layout.shape()[kDim]; }

  /// The register of the operand for each of `needed` and each k; none when another thread holds one.
  bool findLocal() {
    for (int64_t k = 0; k != steps(); ++k) {
      std::optional<SmallVector<int64_t>> sources =
          localSources(needed, layout, code.lanes, code.warps, [&](ArrayRef<int64_t> at) {
            Point index(at);
            index.insert(index.begin() + kDim, k);
            return index;
          });
      if (!sources)
        return false;
      local.push_back(*sources);
    }
    return true;
  }

  void unpackLocal(OpBuilder &b, Location loc) { elements = unpack(b, loc, lowered); }
  SmallVector<Value> localAt(int64_t k) const {
    return llvm::map_to_vector(local[k], [&](int64_t source) { return elements[source]; });
  }

  /// Writes the operand with k before its own dim.
  void stage(OpBuilder &b, Location loc) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    order.erase(order.begin() + kDim);
    order.insert(order.begin() + rank - 2, kDim);
    Layout staged = layout.permuted(order);
    Type element = cast<VectorType>(lowered.getType()).getElementType();
    int64_t rows = ShapedType::getNumElements(staged.shape()) / staged.shape().back();
    buffer = code.shared(b, loc, rows * (staged.shape().back() + gap()), element);
    SharedTile(code, buffer, staged, nullptr, gap()).write(b, loc, unpack(b, loc, lowered));
  }

  /// The registers of `needed` at step `k` (an index) of the staged operand.
  SmallVector<Value> stagedAt(OpBuilder &b, Location loc, Value k) {
    Type held = cast<MemRefType>(buffer.getType()).getElementType();
    int64_t own = needed.shape().back() + gap(), count = own * steps();
    SmallVector<OpFoldResult> strides(needed.rank(), b.getIndexAttr(1));
    for (unsigned dim = needed.rank() - 1; dim-- > 0; count *= needed.shape()[dim])
      strides[dim] = b.getIndexAttr(count);
    Addresses places(code, b, loc, needed.map(), strides, IndexMath{b, loc}.times(k, b.getIndexAttr(own)));
    int64_t width = code.vectorBytes / bytesOf(held);
    while (width > 1 && own % width)
      width /= 2;
    Runs runs = runsAlong(needed.map(), needed.rank() - 1, width);
    SmallVector<Value> values(needed.size(LayoutSpace::Reg));
    for (ArrayRef<int64_t> run : runs.groups) {
      Value vector = vector::LoadOp::create(b, loc, VectorType::get({runs.width}, held), buffer, places.at(run.front()),
                                            false, llvm::Align(runs.width * bytesOf(held)));
      for (auto [reg, value] : llvm::zip(run, unpack(b, loc, vector)))
        values[reg] = value;
    }
    return values;
  }

  int64_t registerFor(int64_t accRegister) const { return fromAcc[accRegister]; }

private:
  /// One wide access behind each row: lanes that write along k begin in other banks.
  int64_t gap() const {
    Type element = cast<VectorType>(lowered.getType()).getElementType();
    return code.vectorBytes / bytesOf(memoryElement(element));
  }
  static Point withoutDim(ArrayRef<int64_t> at, unsigned dim) {
    Point index(at);
    index.erase(index.begin() + dim);
    return index;
  }

  ThreadContext &code;
  Layout layout;
  Value lowered, buffer;
  unsigned rank, kDim;
  Layout needed;
  SmallVector<int64_t> fromAcc;
  SmallVector<SmallVector<int64_t>> local;
  SmallVector<Value> elements;
};

struct LowerDot : ThreadPattern<DotOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(DotOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    // Its layouts are that instruction's, and its numbers would be others.
    if (op->hasAttr(kInstructionAttr))
      return b.notifyMatchFailure(op, "names a matrix instruction");
    Location loc = op.getLoc();
    Layout layout = layoutIn(op.getAcc());
    SmallVector<Operation *> unused;
    auto operand = [&](Value tile, Value lowered, bool isLeft) {
      if (auto convert = tile.getDefiningOp<ConvertLayoutOp>(); convert && code.leftToDots.contains(convert)) {
        unused.push_back(convert);
        tile = convert.getValue();
        lowered = b.getRemappedValue(tile);
      }
      return Operand(code, layout, tile, lowered, isLeft);
    };
    Operand lhs = operand(op.getLhs(), adaptor.getLhs(), true), rhs = operand(op.getRhs(), adaptor.getRhs(), false);
    Type element = getElementTypeOrSelf(op.getType());
    bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
    auto sumType = VectorType::get({layout.size(LayoutSpace::Reg)}, isNarrow ? Type(b.getF32Type()) : element);
    Value acc = adaptor.getAcc();
    if (isNarrow)
      acc = arith::ExtFOp::create(b, loc, sumType, acc);
    acc =
        lhs.findLocal() && rhs.findLocal() ? inRegisters(b, loc, lhs, rhs, acc) : throughShared(b, loc, lhs, rhs, acc);
    if (isNarrow)
      acc = arith::TruncFOp::create(b, loc, registersType(op.getType()), acc);
    b.replaceOp(op, acc);
    for (Operation *convert : unused)
      b.eraseOp(convert);
    return success();
  }

private:
  static void addStep(OpBuilder &b, Location loc, Operand &lhs, Operand &rhs, SmallVector<Value> left,
                      SmallVector<Value> right, MutableArrayRef<Value> sums) {
    Arithmetic math{b, loc, sums.front().getType()};
    for (Value &value : left)
      value = math.widen(value);
    for (Value &value : right)
      value = math.widen(value);
    for (auto [reg, sum] : llvm::enumerate(sums))
      sum = math.add(left[lhs.registerFor(reg)], right[rhs.registerFor(reg)], sum);
  }

  static Value inRegisters(OpBuilder &b, Location loc, Operand &lhs, Operand &rhs, Value acc) {
    lhs.unpackLocal(b, loc);
    rhs.unpackLocal(b, loc);
    SmallVector<Value> sums = unpack(b, loc, acc);
    for (int64_t k = 0; k != lhs.steps(); ++k)
      addStep(b, loc, lhs, rhs, lhs.localAt(k), rhs.localAt(k), sums);
    return pack(b, loc, sums);
  }

  static Value throughShared(OpBuilder &b, Location loc, Operand &lhs, Operand &rhs, Value acc) {
    lhs.stage(b, loc);
    rhs.stage(b, loc);
    int64_t round = std::min(kUnroll, lhs.steps() & -lhs.steps());
    IndexMath math{b, loc};
    auto loop =
        scf::ForOp::create(b, loc, math.constant(0), math.constant(lhs.steps()), math.constant(round), acc,
                           [&](OpBuilder &at, Location loc, Value k, ValueRange carried) {
                             SmallVector<Value> sums = unpack(at, loc, carried.front());
                             for (int64_t step = 0; step != round; ++step) {
                               IndexMath inside{at, loc};
                               Value now = step ? inside.add(k, inside.constant(step)) : k;
                               addStep(at, loc, lhs, rhs, lhs.stagedAt(at, loc, now), rhs.stagedAt(at, loc, now), sums);
                             }
                             scf::YieldOp::create(at, loc, pack(at, loc, sums));
                           });
    return loop.getResult(0);
  }
};
} // namespace

void threads::populateDotPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerDot>(code, types, patterns.getContext());
}
