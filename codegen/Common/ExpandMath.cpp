// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of functions and their formulas, and the pass that applies it.

#include "codegen/Common/ExpandMath.h"
#include "codegen/Common/MathFunctions.h"
#include "codegen/Common/Quotients.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "codegen/Common/ExpandMath.h.inc"
} // namespace helion

namespace {
using Unary = Value (*)(FloatCode, Value);
using Binary = Value (*)(FloatCode, Value, Value);

/// One function of one or two operands on f32 and, unless it is said to be narrow, f64.
template <typename Op, typename Formula> struct Expand : OpRewritePattern<Op> {
  Expand(MLIRContext *context, Formula formula, bool isNarrow)
      : OpRewritePattern<Op>(context), formula(formula), isNarrow(isNarrow) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF32() && (isNarrow || !element.isF64()))
      return rewriter.notifyMatchFailure(op, "element type has no formula");
    FloatCode code(rewriter, op.getLoc(), type);
    if constexpr (std::is_same_v<Formula, Unary>)
      rewriter.replaceOp(op, formula(code, op->getOperand(0)));
    else
      rewriter.replaceOp(op, formula(code, op->getOperand(0), op->getOperand(1)));
    return success();
  }

  Formula formula;
  bool isNarrow;
};

/// exp of an operand that is marked.
struct ExpandExpOfNonPositive : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!op->hasAttr(kNonPositiveAttr) || !(element.isF32() || element.isF64()))
      return rewriter.notifyMatchFailure(op, "the operand may be above 0");
    rewriter.replaceOp(op, emitExpOfNonPositive(FloatCode(rewriter, op.getLoc(), op.getType()), op.getOperand()));
    return success();
  }
};

template <typename Op, typename Formula> void add(RewritePatternSet &patterns, Formula formula, bool isNarrow = false) {
  patterns.add<Expand<Op, Formula>>(patterns.getContext(), formula, isNarrow);
}
} // namespace

void helion::populateExpandMathPatterns(RewritePatternSet &patterns) {
  add<math::ExpOp, Unary>(patterns, emitExp);
  patterns.add<ExpandExpOfNonPositive>(patterns.getContext(), /*benefit=*/2);
  populateQuotientPatterns(patterns);
  add<math::Exp2Op, Unary>(patterns, emitExp2);
  add<math::ExpM1Op, Unary>(patterns, emitExpM1);
  add<math::TanhOp, Unary>(patterns, emitTanh);
  add<math::SinhOp, Unary>(patterns, emitSinh);
  add<math::CoshOp, Unary>(patterns, emitCosh);
  add<math::LogOp, Unary>(patterns, emitLog);
  add<math::Log2Op, Unary>(patterns, emitLog2);
  add<math::Log10Op, Unary>(patterns, emitLog10);
  add<math::Log1pOp, Unary>(patterns, emitLog1p);
  add<math::PowFOp, Binary>(patterns, emitPow);
  add<math::SinOp, Unary>(patterns, emitSin);
  add<math::CosOp, Unary>(patterns, emitCos);
  add<math::ErfOp, Unary>(
      patterns, [](FloatCode code, Value x) { return emitErf(code, x, emitPreciseExp); }, /*isNarrow=*/true);
  add<math::RsqrtOp, Unary>(patterns, emitRsqrt);
  add<math::RoundOp, Unary>(patterns, emitRound);
  add<arith::RemFOp, Binary>(patterns, emitRemainder, /*isNarrow=*/true);
  // Upstream's polynomials for what is rare.
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained({"math.atan", "math.atan2", "math.asin", "math.acos", "math.cbrt"}, name);
  });
  math::populateExpansionPatterns(patterns, {"asinh", "acosh", "atanh", "tan", "fpowi"});
}

namespace {
struct ExpandMath : helion::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
