// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dot of fragments is instructions over 16 rows, 8 columns and 16 steps each. Which registers an instruction takes is
// read from the layouts: the indices that a register adds name it, whatever the order of registers is.

#include "codegen/NVIDIA/MatrixDots.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <map>

using namespace mlir;
using namespace helion;
using namespace helion::threads;

// Of one instruction (PTX ISA, matrix fragments for mma.m16n8k16): a thread's elements, from its first one.
static constexpr int64_t kRows = 16, kColumns = 8, kDepth = 16;
using Offset = std::pair<int64_t, int64_t>;
static constexpr Offset kLeft[] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}, {0, 8}, {0, 9}, {8, 8}, {8, 9}};
static constexpr Offset kRight[] = {{0, 0}, {1, 0}, {8, 0}, {9, 0}};
static constexpr Offset kSum[] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}};

namespace {
/// The registers of a tile value by the index that each adds.
class Fragments {
public:
  Fragments(OpBuilder &b, Location loc, Value tile, Value lowered) : elements(unpack(b, loc, lowered)) {
    const Layout &layout = layoutIn(tile);
    for (int64_t reg = 0; reg < int64_t(elements.size()); ++reg) {
      Point index;
      for (unsigned dim = 0; dim < layout.rank(); ++dim)
        index.push_back(registerPart(layout.map(), reg, dim).sum());
      numbers[std::vector<int64_t>(index.begin(), index.end())] = reg;
    }
  }

  /// Registers of the fragment whose first element in this thread adds `first`; empty where one is missing.
  SmallVector<int64_t> of(ArrayRef<int64_t> first, ArrayRef<Offset> offsets) const {
    SmallVector<int64_t> registers;
    for (auto [row, column] : offsets) {
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
  std::map<std::vector<int64_t>, int64_t> numbers;
};

struct LowerMatrixDot : ThreadPattern<DotOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(DotOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    auto instruction = op->getAttrOfType<StringAttr>(kInstructionAttr);
    if (!instruction || instruction.getValue() != kMmaInstruction)
      return failure();
    Location loc = op.getLoc();
    Fragments lhs(b, loc, op.getLhs(), adaptor.getLhs()), rhs(b, loc, op.getRhs(), adaptor.getRhs()),
        acc(b, loc, op.getAcc(), adaptor.getAcc());
    int64_t depth = cast<RankedTensorType>(op.getLhs().getType()).getShape().back();
    for (const auto &[first, reg] : acc.numbers) {
      if (first[first.size() - 2] % kRows || first.back() % kColumns)
        continue;
      SmallVector<int64_t> sums = acc.of(first, kSum);
      for (int64_t k = 0; k < depth; k += kDepth) {
        Point left(first.begin(), first.end()), right(left);
        left.back() = k;
        right[right.size() - 2] = k;
        SmallVector<int64_t> leftRegisters = lhs.of(left, kLeft), rightRegisters = rhs.of(right, kRight);
        if (sums.empty() || leftRegisters.empty() || rightRegisters.empty())
          return op.emitOpError() << "names `" << kMmaInstruction << "`, whose fragments its layouts are not";
        multiply(b, loc, words(b, loc, lhs, leftRegisters), words(b, loc, rhs, rightRegisters), acc, sums);
      }
    }
    b.replaceOp(op, pack(b, loc, acc.elements));
    return success();
  }

private:
  /// Pairs of registers as the instruction takes them: 32 bits, for f16 a vector of two.
  static SmallVector<Value> words(OpBuilder &b, Location loc, const Fragments &from, ArrayRef<int64_t> registers) {
    SmallVector<Value> words;
    for (size_t at = 0; at < registers.size(); at += 2) {
      Value pair = pack(b, loc, {from.elements[registers[at]], from.elements[registers[at + 1]]});
      bool isHalf = getElementTypeOrSelf(pair.getType()).isF16();
      words.push_back(isHalf ? pair : LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair).getResult());
    }
    return words;
  }

  static void multiply(OpBuilder &b, Location loc, ArrayRef<Value> left, ArrayRef<Value> right, Fragments &acc,
                       ArrayRef<int64_t> sums) {
    SmallVector<Value> before;
    for (int64_t reg : sums)
      before.push_back(acc.elements[reg]);
    NVVM::MMATypes type = left.front().getType().isInteger() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
    Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(sums.size(), b.getF32Type()));
    Value after = NVVM::MmaOp::create(b, loc, result, left, right, before, ArrayRef<int64_t>{kRows, kColumns, kDepth},
                                      std::nullopt, std::nullopt, std::array<NVVM::MMATypes, 2>{type, type},
                                      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [number, reg] : llvm::enumerate(sums))
      acc.elements[reg] = LLVM::ExtractValueOp::create(b, loc, after, ArrayRef<int64_t>{int64_t(number)});
  }
};
} // namespace

void helion::populateMatrixDotPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerMatrixDot>(code, types, patterns.getContext(), /*benefit=*/2);
}
