// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renaming of registers, and changes of layout by whatever they need: renaming, shuffles or shared memory.

#include "codegen/Common/ThreadMoves.h"
#include "codegen/Common/LowerThreads.h"
#include "codegen/Common/ThreadAddress.h"
#include "dialect/IR/LayoutConversion.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

static ArrayRef<int64_t> shapeOf(Value tile) { return cast<RankedTensorType>(tile.getType()).getShape(); }

static Point broadcastSource(BroadcastOp op, ArrayRef<int64_t> at) {
  Point source;
  for (auto [dim, extent] : llvm::zip(op.getDims(), shapeOf(op.getValue())))
    source.push_back(extent == 1 ? 0 : at[dim]);
  return source;
}

/// By number of the element in rows.
static Point reshapeSource(ReshapeOp op, ArrayRef<int64_t> at) {
  int64_t number = 0;
  for (auto [index, extent] : llvm::zip(at, shapeOf(op.getResult())))
    number = number * extent + index;
  ArrayRef<int64_t> shape = shapeOf(op.getValue());
  Point source(shape.size());
  for (unsigned dim = shape.size(); dim-- > 0; number /= shape[dim])
    source[dim] = number % shape[dim];
  return source;
}

static Point sourceOf(Operation *op, ArrayRef<int64_t> at) {
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcastSource(broadcast, at);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return reshapeSource(reshape, at);
  Point source(at);
  if (auto permute = dyn_cast<PermuteOp>(op))
    for (auto [dim, from] : llvm::enumerate(permute.getDims()))
      source[from] = at[dim];
  if (auto subtile = dyn_cast<SubtileOp>(op))
    for (auto [index, offset] : llvm::zip(source, subtile.getOffsets()))
      index += offset;
  return source;
}

std::optional<SmallVector<int64_t>> threads::movedRegisters(Operation *op, int64_t lanes, int64_t warps) {
  return localSources(layoutIn(op->getResult(0)), layoutIn(op->getOperand(0)), lanes, warps,
                      [&](ArrayRef<int64_t> at) { return sourceOf(op, at); });
}

namespace {
SmallVector<Value> renamed(ArrayRef<Value> elements, ArrayRef<int64_t> sources) {
  return llvm::map_to_vector(sources, [&](int64_t source) { return elements[source]; });
}

template <typename Op> struct LowerMove : ThreadPattern<Op> {
  using ThreadPattern<Op>::ThreadPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor, ConversionPatternRewriter &b) const override {
    std::optional<SmallVector<int64_t>> sources = movedRegisters(op, this->code.lanes, this->code.warps);
    if (!sources) // The op's verifier refuses such layouts.
      return b.notifyMatchFailure(op, "another thread holds an element");
    SmallVector<Value> elements = unpack(b, op.getLoc(), adaptor.getValue());
    b.replaceOp(op, pack(b, op.getLoc(), renamed(elements, *sources)));
    return success();
  }
};

/// A plan of shuffles, table by table: each entry that differs between lanes costs a select.
class Exchange {
public:
  Exchange(ThreadContext &code, OpBuilder &b, Location loc, ArrayRef<Value> elements)
      : code(code), b(b), loc(loc), elements(elements) {}

  SmallVector<Value> run(const ConversionPlan &plan) {
    SmallVector<Value> result;
    for (size_t reg = 0; reg != plan.kept.front().size(); ++reg)
      result.push_back(
          select(llvm::map_to_vector(plan.kept, [&](const std::vector<int64_t> &row) { return row[reg]; })));
    for (const ShuffleRound &round : plan.rounds) {
      Value offered = select(round.offered), from = code.byLane(b, loc, round.lane);
      Value got = code.shuffleFrom(b, loc, offered, from);
      for (int64_t target : numbersIn(round.target)) {
        Value here = inLanes(round.target, target);
        result[target] = here ? arith::SelectOp::create(b, loc, here, got, result[target]).getResult() : got;
      }
    }
    return result;
  }

private:
  static SmallVector<int64_t> numbersIn(ArrayRef<int64_t> table) {
    SmallVector<int64_t> numbers(table);
    llvm::sort(numbers);
    numbers.erase(llvm::unique(numbers), numbers.end());
    llvm::erase(numbers, -1);
    return numbers;
  }
  Value inLanes(ArrayRef<int64_t> table, int64_t number) {
    return code.inLanes(b, loc, llvm::map_to_vector(table, [&](int64_t entry) { return entry == number; }));
  }
  /// The source register that each lane's entry names; any where it names none.
  Value select(ArrayRef<int64_t> table) {
    Value chosen;
    for (int64_t number : numbersIn(table)) {
      if (chosen)
        chosen = arith::SelectOp::create(b, loc, inLanes(table, number), elements[number], chosen);
      else
        chosen = elements[number];
    }
    return chosen ? chosen : elements.front();
  }

  ThreadContext &code;
  OpBuilder &b;
  Location loc;
  ArrayRef<Value> elements;
};

struct LowerConvertLayout : ThreadPattern<ConvertLayoutOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Layout from = layoutIn(op.getValue()), to = layoutIn(op.getResult());
    SmallVector<Value> elements = unpack(b, loc, adaptor.getValue());
    ConversionPlan plan = planConversion(from, to, code.lanes);
    if (plan.kind == ConversionPlan::Kind::Registers)
      elements = renamed(elements, plan.kept.front());
    else if (plan.kind == ConversionPlan::Kind::Shuffle && isCheap(plan))
      elements = Exchange(code, b, loc, elements).run(plan);
    else
      elements = throughShared(b, loc, elements, from, to);
    b.replaceOp(op, pack(b, loc, elements));
    return success();
  }

private:
  /// Selects and shuffles of a plan against the accesses of the way through memory, which come with a barrier.
  static bool isCheap(const ConversionPlan &plan) {
    size_t registers = plan.kept.front().size();
    return plan.rounds.size() <= 2 * registers && registers <= 16;
  }

  SmallVector<Value> throughShared(OpBuilder &b, Location loc, ArrayRef<Value> elements, const Layout &from,
                                   const Layout &to) const {
    Type element = elements.front().getType();
    int64_t bytes = bytesOf(memoryElement(element));
    BankModel model;
    model.lanes = code.lanes;
    model.vectorBytes = code.vectorBytes;
    std::optional<SharedChoice> staged = chooseSharedLayout(from, to, bytes, model);
    Value buffer = code.shared(b, loc, ShapedType::getNumElements(from.shape()), element);
    const Layout *layout = staged ? &staged->layout : nullptr;
    // One that lines up with both, or rows for both.
    SharedTile(code, buffer, from, layout).write(b, loc, elements);
    return SharedTile(code, buffer, to, layout).read(b, loc, element);
  }
};
} // namespace

void threads::populateMovePatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerMove<BroadcastOp>, LowerMove<PermuteOp>, LowerMove<ReshapeOp>, LowerMove<SubtileOp>,
               LowerConvertLayout>(code, types, patterns.getContext());
}
