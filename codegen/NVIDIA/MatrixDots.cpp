// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dot of fragments is instructions over 16 rows, 8 columns and 16 steps each. Which registers an instruction takes is
// read from the layouts: the indices that a register adds name it, whatever the order of registers is.

#include "codegen/NVIDIA/MatrixDots.h"
#include "codegen/Common/ThreadRings.h"
#include "codegen/NVIDIA/MatrixOperand.h"
#include "dialect/IR/LayoutBuilders.h"
#include "dialect/IR/MatrixShape.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include <set>

using namespace mlir;
using namespace helion;
using namespace helion::threads;

// Of one instruction (PTX ISA, matrix fragments for mma.m16n8k16): where a thread's words begin, from its first
// element.
static constexpr int64_t kRows = kWarpMatrix.rows, kColumns = kWarpMatrix.columns, kDepth = kWarpMatrix.depth;
using Offset = std::pair<int64_t, int64_t>;
static constexpr Offset kLeft[] = {{0, 0}, {8, 0}, {0, 8}, {8, 8}};
static constexpr Offset kRight[] = {{0, 0}, {8, 0}};
static constexpr Offset kSum[] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}};

namespace {
/// The accumulator's registers by the index that each adds.
class Sums {
public:
  Sums(const Layout &layout, SmallVector<Value> elements) : elements(std::move(elements)) {
    for (int64_t reg = 0; reg != layout.size(LayoutSpace::Reg); ++reg) {
      std::vector<int64_t> index;
      for (unsigned dim = 0; dim < layout.rank(); ++dim)
        index.push_back(registerPart(layout.map(), reg, dim).sum());
      numbers[index] = reg;
    }
  }

  /// First elements of the instructions.
  SmallVector<Point> firsts() const {
    SmallVector<Point> firsts;
    for (const auto &[index, reg] : numbers)
      if (index[index.size() - 2] % kRows == 0 && index.back() % kColumns == 0)
        firsts.emplace_back(index.begin(), index.end());
    return firsts;
  }

  /// Registers of one; empty where one is missing.
  SmallVector<int64_t> of(const Point &first) const {
    SmallVector<int64_t> registers;
    for (auto [row, column] : kSum) {
      std::vector<int64_t> index(first.begin(), first.end());
      index[index.size() - 2] += row;
      index.back() += column;
      auto found = numbers.find(index);
      if (found == numbers.end())
        return {};
      registers.push_back(found->second);
    }
    return registers;
  }

  SmallVector<Value> elements;

private:
  std::map<std::vector<int64_t>, int64_t> numbers;
};

struct LowerMatrixDot : ThreadPattern<DotOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(DotOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    auto instruction = op->getAttrOfType<StringAttr>(kInstructionAttr);
    if (!instruction || instruction.getValue() != kMmaInstruction)
      return failure();
    Location loc = op.getLoc();
    SmallVector<Operation *> unused;
    MatrixOperand lhs = operand(b, op, op.getLhs(), adaptor.getLhs(), {1, kLeft}, unused),
                  rhs = operand(b, op, op.getRhs(), adaptor.getRhs(), {0, kRight}, unused);
    Sums sums(layoutIn(op.getAcc()), unpack(b, loc, adaptor.getAcc()));
    SmallVector<Point> firsts = sums.firsts();
    int64_t depth = cast<RankedTensorType>(op.getLhs().getType()).getShape().back();
    for (const Point &first : firsts)
      for (int64_t k = 0; k < depth; k += kDepth)
        if (sums.of(first).empty() || !lhs.holds(leftOf(first, k)) || !rhs.holds(rightOf(first, k)))
          return op.emitOpError() << "names `" << kMmaInstruction << "`, whose fragments its layouts are not";
    // Words of the next step are on their way while this one multiplies.
    load(b, loc, lhs, rhs, firsts, 0);
    for (int64_t k = 0; k < depth; k += kDepth) {
      if (k + kDepth < depth)
        load(b, loc, lhs, rhs, firsts, k + kDepth);
      for (const Point &first : firsts)
        multiply(b, loc, lhs.words(b, loc, leftOf(first, k)), rhs.words(b, loc, rightOf(first, k)), sums,
                 sums.of(first));
    }
    b.replaceOp(op, pack(b, loc, sums.elements));
    for (Operation *left : unused)
      b.eraseOp(left);
    return success();
  }

private:
  static Point leftOf(Point first, int64_t k) {
    first.back() = k;
    return first;
  }
  static Point rightOf(Point first, int64_t k) {
    first[first.size() - 2] = k;
    return first;
  }

  static void load(OpBuilder &b, Location loc, MatrixOperand &lhs, MatrixOperand &rhs, ArrayRef<Point> firsts,
                   int64_t k) {
    for (const Point &first : firsts)
      lhs.load(b, loc, leftOf(first, k));
    for (const Point &first : firsts)
      rhs.load(b, loc, rightOf(first, k));
  }

  /// Where the operand's words are. What is left to the dot is put into shared memory here and added to `unused`.
  MatrixOperand operand(ConversionPatternRewriter &b, DotOp op, Value tile, Value lowered, FragmentWords words,
                        SmallVectorImpl<Operation *> &unused) const {
    Location loc = op.getLoc();
    Layout layout = layoutIn(tile);
    SmallVector<PermuteOp> permutes;
    Operation *made = tile.getDefiningOp();
    for (; made && code.leftToDots.contains(made); made = made->getOperand(0).getDefiningOp()) {
      unused.push_back(made);
      if (!isa<PermuteOp>(made))
        break;
      permutes.insert(permutes.begin(), cast<PermuteOp>(made));
    }
    if (unused.empty() || unused.back() != made)
      return MatrixOperand(layout, words, unpack(b, loc, lowered));
    Reader reader{layout, words, permutes};
    StagedTile staged =
        isa<ReadOp>(made) ? inRing(b, cast<ReadOp>(made)) : stage(b, cast<ConvertLayoutOp>(made), reader);
    staged.layout = reader.seen(staged.layout);
    if (std::optional<MatrixPlan> plan = planMatrices(layout, staged.layout, words))
      return MatrixOperand(code, layout, words, staged, *plan);
    SharedTile shared(code, staged.buffer, layout, &staged.layout, staged.part);
    return MatrixOperand(layout, words, shared.read(b, loc, getElementTypeOrSelf(tile.getType())));
  }

  /// Who reads a staged tile, with its dims in another order.
  struct Reader {
    Layout layout;
    FragmentWords words;
    SmallVector<PermuteOp> permutes;
    Layout seen(Layout staged) const {
      for (PermuteOp permute : permutes)
        staged = staged.permuted(permute.getDims());
      return staged;
    }
  };

  StagedTile inRing(ConversionPatternRewriter &b, ReadOp read) const {
    SlotBuffer buffer = slotBuffer(code, b, read.getLoc(), read.getSource());
    return {buffer.memory, {buffer.begin, /*isRing=*/true}, buffer.layout};
  }

  StagedTile stage(ConversionPatternRewriter &b, ConvertLayoutOp convert, const Reader &reader) const {
    Location loc = convert.getLoc();
    Layout from = layoutIn(convert.getValue());
    SmallVector<Value> elements = unpack(b, loc, b.getRemappedValue(convert.getValue()));
    Type element = elements.front().getType();
    Value buffer = code.shared(b, loc, ShapedType::getNumElements(from.shape()), element);
    StagedTile staged{buffer, {}, stagedLayout(from, reader)};
    SharedTile(code, buffer, from, &staged.layout).write(b, loc, elements);
    return staged;
  }

  /// The widest swizzle that can be read by matrices, contiguous where the writer's registers are.
  static Layout stagedLayout(const Layout &from, const Reader &reader) {
    unsigned last = from.rank() - 1, fast = last, slow = last - 1;
    if (runsAlong(from.map(), slow, kDepth).width > runsAlong(from.map(), fast, kDepth).width)
      std::swap(fast, slow);
    for (unsigned contiguous : {fast, slow})
      for (unsigned swizzle : {128, 64, 32, 0}) {
        llvm::Expected<Layout> layout = sharedTileLayout(from.shape(), contiguous, kElementBytes, swizzle);
        if (!layout)
          llvm::consumeError(layout.takeError());
        else if (planMatrices(reader.layout, reader.seen(*layout), reader.words) &&
                 IndexMap::compose(from.map(), *layout->map().inverse()))
          return *layout;
      }
    return llvm::cantFail(sharedTileLayout(from.shape(), fast, kElementBytes, 0));
  }

  static void multiply(OpBuilder &b, Location loc, ArrayRef<Value> left, ArrayRef<Value> right, Sums &sums,
                       ArrayRef<int64_t> registers) {
    SmallVector<Value> before;
    for (int64_t reg : registers)
      before.push_back(sums.elements[reg]);
    NVVM::MMATypes type = left.front().getType().isInteger() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
    Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(registers.size(), b.getF32Type()));
    Value after = NVVM::MmaOp::create(b, loc, result, left, right, before, ArrayRef<int64_t>{kRows, kColumns, kDepth},
                                      std::nullopt, std::nullopt, std::array<NVVM::MMATypes, 2>{type, type},
                                      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [number, reg] : llvm::enumerate(registers))
      sums.elements[reg] = LLVM::ExtractValueOp::create(b, loc, after, ArrayRef<int64_t>{int64_t(number)});
  }

  static constexpr unsigned kElementBytes = 2;
};
} // namespace

void helion::populateMatrixDotPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerMatrixDot>(code, types, patterns.getContext(), /*benefit=*/2);
}
