// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dot of fragments is instructions over 16 rows, 8 columns and 32 bytes of depth each. Which registers an instruction
// takes is read from the layouts: the indices that a register adds name it, whatever the order of registers is.

#include "codegen/NVIDIA/MatrixDots.h"
#include "codegen/Common/ThreadRings.h"
#include "codegen/NVIDIA/MatrixOperand.h"
#include "dialect/IR/LayoutBuilders.h"
#include "dialect/IR/MatrixShape.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <map>

using namespace mlir;
using namespace helion;
using namespace helion::threads;

// Of one instruction (PTX ISA, matrix fragments for mma.m16n8k16): where a thread's sums lie, from its first element.
static constexpr int64_t kRows = kWarpMatrix.rows, kColumns = kWarpMatrix.columns;
using Offset = std::pair<int64_t, int64_t>;
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

/// A word of an operand as instructions take it, by its parts. Of f32 these are tf32; where three products make one:
/// what is nearest, what is nearest to the rest, and the first again, or 0 where it is no number.
using Parts = SmallVector<Value, 3>;

/// What one pair of words gives: instructions by the parts that they multiply, the smallest first.
struct Product {
  unsigned left, right;
};

/// How a dot's words are multiplied; follows from its types and its precision.
class Multiplier {
public:
  explicit Multiplier(DotOp dot) : element(getElementTypeOrSelf(dot.getLhs().getType())) {
    isSplit = element.isF32() && dot.getPrecision() == DotPrecision::TF32x3;
    depth = warpInstructionFor(dot)->depth();
  }

  /// The dot's sums of an instruction, with its products added.
  void add(OpBuilder &b, Location loc, ArrayRef<Value> left, ArrayRef<Value> right, MutableArrayRef<Value> sums) {
    // Corrections are finite, so infinities and NaN come of the last product alone. That of two rests is below what
    // the others lose.
    static constexpr Product whole[] = {{0, 0}}, split[] = {{1, 2}, {2, 1}, {0, 0}};
    for (const Product &each : isSplit ? ArrayRef(split) : ArrayRef(whole))
      multiply(b, loc, take(b, loc, left, each.left), take(b, loc, right, each.right), sums);
  }

private:
  SmallVector<Value> take(OpBuilder &b, Location loc, ArrayRef<Value> words, unsigned part) {
    return llvm::map_to_vector(words, [&](Value word) { return partsOf(b, loc, word)[part]; });
  }

  const Parts &partsOf(OpBuilder &b, Location loc, Value word) {
    Parts &parts = known[word];
    if (parts.empty())
      parts = !element.isF32() ? Parts{word} : makeParts(b, loc, LLVM::BitcastOp::create(b, loc, element, word));
    return parts;
  }

  static Value rounded(OpBuilder &b, Location loc, Value number) {
    return NVVM::ConvertFloatToTF32Op::create(b, loc, b.getI32Type(), number, NVVM::FPRoundingMode::RNA);
  }

  Parts makeParts(OpBuilder &b, Location loc, Value number) const {
    Value near = rounded(b, loc, number);
    if (!isSplit)
      return {near};
    Value whole = LLVM::BitcastOp::create(b, loc, element, near);
    auto infinity = b.getFloatAttr(element, llvm::APFloat::getInf(llvm::APFloat::IEEEsingle()));
    Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, whole),
                                           arith::ConstantOp::create(b, loc, infinity));
    Value zero = zeroOf(b, loc, element);
    Value rest = arith::SelectOp::create(b, loc, isNumber, arith::SubFOp::create(b, loc, number, whole), zero);
    return {near, rounded(b, loc, rest), arith::SelectOp::create(b, loc, isNumber, near, i32(b, loc, 0))};
  }

  NVVM::MMATypes type() const {
    if (element.isF32())
      return NVVM::MMATypes::tf32;
    if (element.isInteger())
      return NVVM::MMATypes::s8;
    return element.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  }

  void multiply(OpBuilder &b, Location loc, ArrayRef<Value> left, ArrayRef<Value> right,
                MutableArrayRef<Value> sums) const {
    Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(sums.size(), sums[0].getType()));
    // Sums of integers wrap, as everywhere.
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (element.isInteger())
      overflow = NVVM::MMAIntOverflow::wrapped;
    Value after = NVVM::MmaOp::create(b, loc, result, left, right, sums, ArrayRef<int64_t>{kRows, kColumns, depth},
                                      std::nullopt, overflow, std::array<NVVM::MMATypes, 2>{type(), type()},
                                      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [number, sum] : llvm::enumerate(sums))
      sum = LLVM::ExtractValueOp::create(b, loc, after, ArrayRef<int64_t>{int64_t(number)});
  }

  Type element;
  bool isSplit;
  int64_t depth;
  llvm::DenseMap<Value, Parts> known;
};

struct LowerMatrixDot : ThreadPattern<DotOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(DotOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    auto name = op->getAttrOfType<StringAttr>(kInstructionAttr);
    const WarpInstruction *instruction = name ? warpInstruction(name) : nullptr;
    if (!instruction)
      return failure();
    if (warpInstructionFor(op) != instruction)
      return op.emitOpError() << "names `" << instruction->name << "`, which does not take its types or its precision";
    Location loc = op.getLoc();
    SmallVector<Operation *> unused;
    MatrixOperand lhs = operand(b, op, op.getLhs(), adaptor.getLhs(), {true, instruction->elementBytes}, unused),
                  rhs = operand(b, op, op.getRhs(), adaptor.getRhs(), {false, instruction->elementBytes}, unused);
    Sums sums(layoutIn(op.getAcc()), unpack(b, loc, adaptor.getAcc()));
    SmallVector<Point> firsts = sums.firsts();
    int64_t depth = cast<RankedTensorType>(op.getLhs().getType()).getShape().back(), step = instruction->depth();
    for (const Point &first : firsts)
      for (int64_t k = 0; k < depth; k += step)
        if (sums.of(first).empty() || !lhs.holds(leftOf(first, k)) || !rhs.holds(rightOf(first, k)))
          return op.emitOpError() << "names `" << instruction->name << "`, whose fragments its layouts are not";
    Multiplier multiplier(op);
    // Words of the next step are on their way while this one multiplies.
    load(b, loc, lhs, rhs, firsts, 0);
    for (int64_t k = 0; k < depth; k += step) {
      if (k + step < depth)
        load(b, loc, lhs, rhs, firsts, k + step);
      for (const Point &first : firsts) {
        SmallVector<int64_t> registers = sums.of(first);
        auto own = llvm::map_to_vector(registers, [&](int64_t reg) { return sums.elements[reg]; });
        multiplier.add(b, loc, lhs.words(b, loc, leftOf(first, k)), rhs.words(b, loc, rightOf(first, k)), own);
        for (auto [reg, sum] : llvm::zip(registers, own))
          sums.elements[reg] = sum;
      }
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
      return MatrixOperand(layout, std::move(words), unpack(b, loc, lowered));
    Reader reader{layout, words, permutes};
    StagedTile staged =
        isa<ReadOp>(made) ? inRing(b, cast<ReadOp>(made)) : stage(b, cast<ConvertLayoutOp>(made), reader);
    staged.layout = reader.seen(staged.layout);
    return MatrixOperand(code, layout, std::move(words), staged);
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
    StagedTile staged{buffer, {}, stagedLayout(from, reader, bytesOf(element))};
    SharedTile(code, buffer, from, &staged.layout).write(b, loc, elements);
    return staged;
  }

  /// The widest swizzle that can be read by matrices, contiguous where the writer's registers are.
  static Layout stagedLayout(const Layout &from, const Reader &reader, int64_t elementBytes) {
    unsigned last = from.rank() - 1, fast = last, slow = last - 1;
    constexpr int64_t most = 16; // Elements that a thread may hold side by side.
    if (runsAlong(from.map(), slow, most).width > runsAlong(from.map(), fast, most).width)
      std::swap(fast, slow);
    for (unsigned contiguous : {fast, slow})
      for (unsigned swizzle : {128, 64, 32, 0}) {
        llvm::Expected<Layout> layout = sharedTileLayout(from.shape(), contiguous, elementBytes, swizzle);
        if (!layout)
          llvm::consumeError(layout.takeError());
        else if (planMatrices(reader.layout, reader.seen(*layout), reader.words) &&
                 IndexMap::compose(from.map(), *layout->map().inverse()))
          return *layout;
      }
    return llvm::cantFail(sharedTileLayout(from.shape(), fast, elementBytes, 0));
  }
};
} // namespace

void helion::populateMatrixDotPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerMatrixDot>(code, types, patterns.getContext(), /*benefit=*/2);
}
