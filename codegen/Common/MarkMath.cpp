// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-mark-math: marks functions and quotients whose errors end in a rounding to few bits, so that a target may take
// cheaper code. A forward walk carries errors to the roundings, backward ones answer what a number can be.
// Which ops pass errors on, and why: docs/design/0021-functions-for-few-bits.md.

#include "codegen/Common/Passes.h"
#include "codegen/Common/Quotients.h"
#include "dialect/IR/Helion.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_MARKMATHPASS
#include "codegen/Common/Passes.h.inc"
} // namespace helion

/// Bits of a result behind which an error is none any more, and how many marked ops' errors may meet in it.
static constexpr unsigned kFewBits = 11;
static constexpr unsigned kMostErrors = 8;

namespace {
/// Each number of the result is one of the operand's.
bool movesNumbers(Operation *op) {
  return isa<ConvertLayoutOp, BroadcastOp, PermuteOp, ReshapeOp, SubtileOp, LaneOp, StackOp, ReboundOp, SplatOp>(op);
}
bool isNarrow(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getFPMantissaWidth() <= kFewBits;
}
std::optional<ReductionKind> reductionOf(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind();
  if (auto reduce = dyn_cast<ReduceInThreadOp>(op))
    return reduce.getKind();
  return std::nullopt;
}
bool isSum(Operation *op) { return reductionOf(op) == ReductionKind::AddF; }
bool isExtreme(Operation *op) {
  std::optional<ReductionKind> kind = reductionOf(op);
  return kind == ReductionKind::MaximumF || kind == ReductionKind::MinimumF ||
         isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op);
}

using Operands = SmallVector<Value>;

/// Follows a value back for a property of all its numbers: `from` says which operands that of a result follows from,
/// none where it does not. What a loop carries has it when it begins with it and each step keeps it.
class Property {
public:
  using Rule = llvm::function_ref<std::optional<Operands>(Operation *)>;

  static bool holds(Value value, Rule from) {
    llvm::SmallDenseSet<Value> seen;
    Operands work{value};
    while (!work.empty()) {
      Value next = work.pop_back_val();
      if (!seen.insert(next).second)
        continue;
      std::optional<Operands> sources = carriedFrom(next);
      if (Operation *op = next.getDefiningOp(); op && !sources)
        sources = isOneOf(op) ? numbersOf(op) : from(op);
      if (!sources)
        return false;
      work.append(*sources);
    }
    return true;
  }

private:
  /// Each number of the result is one of the operands'.
  static bool isOneOf(Operation *op) { return movesNumbers(op) || isExtreme(op) || isa<MaskOp, arith::SelectOp>(op); }
  static Operands numbersOf(Operation *op) {
    return Operands(llvm::make_filter_range(
        op->getOperands(), [](Value operand) { return isa<FloatType>(getElementTypeOrSelf(operand)); }));
  }
  static std::optional<Operands> carriedFrom(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : value.getDefiningOp<scf::ForOp>();
    if (loop && (!argument || argument.getArgNumber() != 0)) {
      unsigned number = argument ? argument.getArgNumber() - 1 : cast<OpResult>(value).getResultNumber();
      return Operands{loop.getInitArgs()[number], loop.getYieldedValues()[number]};
    }
    if (auto branch = value.getDefiningOp<scf::IfOp>()) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return Operands{branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)};
    }
    return std::nullopt;
  }
};

bool isConstantOf(Operation *op, llvm::function_ref<bool(APFloat)> holds) {
  Attribute constant;
  if (!matchPattern(op, m_Constant(&constant)))
    return false;
  if (auto number = dyn_cast<FloatAttr>(constant))
    return holds(number.getValue());
  auto numbers = dyn_cast<DenseFPElementsAttr>(constant);
  return numbers && llvm::all_of(numbers.getValues<APFloat>(), holds);
}

/// Each number is at least 0, or NaN.
bool isNotNegative(Value value) {
  return Property::holds(value, [](Operation *op) -> std::optional<Operands> {
    if (isa<math::ExpOp, math::Exp2Op, math::AbsFOp, math::SqrtOp, math::RsqrtOp, arith::UIToFPOp>(op) ||
        isConstantOf(op, [](APFloat number) { return !number.isNegative() || number.isZero(); }))
      return Operands();
    if (auto product = dyn_cast<arith::MulFOp>(op); product && product.getLhs() == product.getRhs())
      return Operands();
    if (isa<arith::AddFOp, arith::MulFOp, arith::DivFOp, arith::ExtFOp, arith::TruncFOp, math::FmaOp>(op) || isSum(op))
      return Operands(op->getOperands());
    return std::nullopt;
  });
}

/// Each number is 0, NaN, or no smaller in size than the least normal one: results of exp, and sums of such without
/// signs.
bool isNotTiny(Value value) {
  return Property::holds(value, [](Operation *op) -> std::optional<Operands> {
    if (isa<math::ExpOp, math::Exp2Op>(op) || isConstantOf(op, [](APFloat number) { return !number.isDenormal(); }))
      return Operands();
    if (isa<math::AbsFOp, arith::NegFOp>(op) ||
        ((isa<arith::AddFOp>(op) || isSum(op)) && llvm::all_of(op->getOperands(), isNotNegative)))
      return Operands(op->getOperands());
    return std::nullopt;
  });
}

/// What may be marked if its error ends well.
bool isCandidate(Operation *op) {
  if (auto quotient = dyn_cast<arith::DivFOp>(op))
    return mayMultiply(quotient) && isNotTiny(quotient.getRhs());
  return isa<math::ExpOp, math::TanhOp, math::ErfOp>(op) && getElementTypeOrSelf(op->getResult(0)).isF32();
}

/// By value how many marked ops' errors its relative error is at most the sum of; values without one are not there.
class Errors {
public:
  /// Whether everything that is made of a marked op's result bears its error; if not, nothing has changed.
  bool mark(Operation *op) {
    Errors before = *this;
    marked.insert(op);
    if (raise(op->getResult(0), errorsIn(op).value_or(kMostErrors + 1)) && spread())
      return true;
    *this = std::move(before);
    return false;
  }

private:
  unsigned of(Value value) const { return errors.lookup(value); }
  unsigned mostOf(ValueRange values) const {
    unsigned most = 0;
    for (Value value : values)
      most = std::max(most, of(value));
    return most;
  }

  bool raise(Value value, unsigned count) {
    unsigned &known = errors[value];
    if (count <= known)
      return true;
    known = count;
    work.push_back(value);
    return count <= kMostErrors;
  }

  bool spread() {
    while (!work.empty())
      for (OpOperand &use : work.pop_back_val().getUses())
        if (!pass(use))
          return false;
    return true;
  }

  bool pass(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber(), count = of(use.get());
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      // The bounds are no floats.
      unsigned carried = number - loop.getNumControlOperands();
      return raise(loop.getRegionIterArg(carried), count) && raise(loop.getResult(carried), count);
    }
    if (isa<scf::YieldOp>(op)) {
      Operation *parent = op->getParentOp();
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop && !isa<scf::IfOp>(parent))
        return false;
      return raise(parent->getResult(number), count) && (!loop || raise(loop.getRegionIterArg(number), count));
    }
    std::optional<unsigned> result = errorsIn(op);
    return result && raise(op->getResult(0), *result);
  }

  /// Of an op's result by those of its operands; none where a small error may become a large one.
  std::optional<unsigned> errorsIn(Operation *op) const {
    ValueRange operands = op->getOperands();
    if (isa<arith::TruncFOp>(op))
      return isNarrow(op->getResult(0).getType()) ? std::optional<unsigned>(0) : std::nullopt;
    // A maximum lies between those of the numbers with the least and the largest errors. Roots halve an error.
    if (movesNumbers(op) || isExtreme(op) ||
        isa<MaskOp, arith::SelectOp, arith::ExtFOp, arith::NegFOp, math::AbsFOp, math::SqrtOp, math::RsqrtOp>(op))
      return mostOf(operands);
    if (isa<arith::MulFOp>(op))
      return of(operands[0]) + of(operands[1]);
    if (isa<arith::DivFOp>(op))
      return of(operands[0]) + of(operands[1]) + own(op);
    // Of terms of one sign no more than the largest.
    if (isa<math::FmaOp>(op) && isNotNegative(op->getResult(0)))
      return std::max(of(operands[0]) + of(operands[1]), of(operands[2]));
    if ((isa<arith::AddFOp>(op) || isSum(op)) && llvm::all_of(operands, isNotNegative))
      return mostOf(operands);
    return isCandidate(op) && !mostOf(operands) ? std::optional<unsigned>(own(op)) : std::nullopt;
  }

  unsigned own(Operation *op) const { return marked.contains(op) ? 1 : 0; }

  llvm::DenseMap<Value, unsigned> errors;
  llvm::SmallDenseSet<Operation *> marked;
  SmallVector<Value> work;
};

struct MarkMath : helion::impl::MarkMathPassBase<MarkMath> {
  void runOnOperation() override {
    Errors errors;
    getOperation().walk([&](Operation *op) {
      if (!isCandidate(op) || !errors.mark(op))
        return;
      op->setAttr(kFewBitsAttr, UnitAttr::get(&getContext()));
      ++marked;
    });
  }
};
} // namespace
