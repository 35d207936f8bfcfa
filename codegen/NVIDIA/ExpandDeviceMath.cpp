// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-expand-device-math: f32 functions by the few that the hardware has (2^x, 1/x, 1/sqrt(x)), number by number,
// since those have no vectors. The bounds, and why they hold, are in docs/design/0016-device-math.md, and in 0021 for
// what helion-mark-math marked.

#include "codegen/Common/MathFunctions.h"
#include "codegen/Common/Passes.h"
#include "codegen/Common/Quotients.h"
#include "codegen/Common/ThreadContext.h"
#include "codegen/NVIDIA/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace helion;
using Predicate = arith::CmpFPredicate;

namespace helion {
#define GEN_PASS_DEF_EXPANDDEVICEMATHPASS
#include "codegen/NVIDIA/Passes.h.inc"
} // namespace helion

// log2 e rounded down, which is to nearest too, and ln 2 in two parts.
static constexpr double kLog2EDown = 0x1.715476p+0, kLn2High = 0x1.62e43p-1, kLn2Low = -0x1.05c61p-29;

// (tanh(x) / x - 1) / x^2 in x^2 for |x| < 0.6, error 2.8e-9.
static constexpr double kSmallTanh = 0.6;
static constexpr double kTanh[] = {-0.333332980022062, 0.13331924128975725, -0.053783830457278026, 0.020795972228443923,
                                   -0.005895158696588366};

namespace {
/// Formulas on one f32, and the instructions.
struct DeviceCode {
  DeviceCode(OpBuilder &b, Location loc, bool fewBits)
      : b(b), loc(loc), code(b, loc, b.getF32Type()), fewBits(fewBits) {}

  Value instruction(StringRef name, ValueRange operands) {
    auto intrinsic = b.getStringAttr("llvm.nvvm." + name);
    return LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(), intrinsic, operands).getResult(0);
  }
  Value exp2(Value x) { return instruction("ex2.approx.ftz", x); }
  Value reciprocal(Value x) { return instruction("rcp.approx.ftz.f", x); }

  /// 2^h (1 + m) with h = x log2 e rounded down and m = x - h ln 2, what h lacks. It lacks nothing negative where x is
  /// above 0, so that an infinite 2^h stays one. The minimum is also the number where m is none: for infinite x.
  Value exp(Value x) {
    if (fewBits)
      return exp2(code.mul(x, kLog2EDown));
    Value h = instruction("mul.rm.f", {x, code.constant(kLog2EDown)});
    Value m = code.fma(h, -kLn2Low, code.fma(h, -kLn2High, x));
    m = instruction("fmin.f", {m, code.constant(1)});
    Value power = exp2(h);
    return code.fma(power, m, power);
  }

  /// 1 / d for a d that is no number below the normal ones. Of large ones it is below them, where `rcp` would give 0.
  Value reciprocalInRange(Value d) {
    Value isLarge = code.compare(Predicate::OGT, code.abs(d), 0x1p125);
    Value scale = code.select(isLarge, code.constant(0x1p-64), code.constant(1));
    return code.mul(reciprocal(code.mul(d, scale)), scale);
  }

  /// 1 - 2 / (e^2|x| + 1), and a polynomial where that would cancel.
  Value tanh(Value x) {
    Value size = code.abs(x), z = code.mul(x, x);
    Value inverse = reciprocal(code.add(exp(code.add(size, size)), 1.0));
    Value large = code.fma(inverse, -2.0, code.constant(1));
    Value small = code.fma(code.mul(size, z), code.horner(z, kTanh), size);
    return code.withSignOf(code.select(code.compare(Predicate::OLT, size, kSmallTanh), small, large), x);
  }

  OpBuilder &b;
  Location loc;
  FloatCode code;
  /// The result may err by 2^-17 (kFewBitsAttr).
  bool fewBits;
};

using Formula = Value (*)(DeviceCode &, ValueRange);

Value expOf(DeviceCode &device, ValueRange x) { return device.exp(x[0]); }
Value exp2Of(DeviceCode &device, ValueRange x) { return device.exp2(x[0]); }
Value tanhOf(DeviceCode &device, ValueRange x) { return device.tanh(x[0]); }
Value rsqrtOf(DeviceCode &device, ValueRange x) { return device.instruction("rsqrt.approx.f", x); }
Value quotientOf(DeviceCode &device, ValueRange x) { return device.instruction("div.full", x); }
Value erfOf(DeviceCode &device, ValueRange x) {
  return emitErf(device.code, x[0], [&](FloatCode, Value y) { return device.exp(y); });
}

/// Takes an op of f32 apart into numbers.
template <typename Op> struct ExpandOnDevice : OpRewritePattern<Op> {
  ExpandOnDevice(MLIRContext *context, Formula formula) : OpRewritePattern<Op>(context), formula(formula) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return b.notifyMatchFailure(op, "is not of f32");
    if constexpr (std::is_same_v<Op, arith::DivFOp>)
      if (!mayMultiply(op) || sharesDivisors(op))
        return b.notifyMatchFailure(op, "is exact, or a product with a reciprocal");
    Location loc = op.getLoc();
    DeviceCode device(b, loc, op->hasAttr(kFewBitsAttr));
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      b.replaceOp(op, formula(device, op->getOperands()));
      return success();
    }
    SmallVector<SmallVector<Value>> numbers(vector.getNumElements());
    for (Value operand : op->getOperands())
      for (auto [arguments, number] : llvm::zip(numbers, threads::unpack(b, loc, operand)))
        arguments.push_back(number);
    SmallVector<Value> results;
    for (ArrayRef<Value> arguments : numbers)
      results.push_back(formula(device, arguments));
    b.replaceOpWithNewOp<vector::FromElementsOp>(op, vector, results);
    return success();
  }

  Formula formula;
};

/// One product for each number; a constant's reciprocal is one too.
struct MultiplyByReciprocalInRange : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &b) const override {
    if (!op->hasAttr(kFewBitsAttr) || !mayMultiply(op) || !sharesDivisors(op))
      return b.notifyMatchFailure(op, "is not marked, or shares no divisor");
    multiplyByReciprocals(op, b, [&](Location loc, Value divisor) -> Reciprocal {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfterValue(divisor);
      DeviceCode device(b, loc, /*fewBits=*/true);
      if (matchPattern(divisor, m_Constant()))
        return {device.code.div(device.code.constant(1), divisor), {}};
      return {device.reciprocalInRange(divisor), {}};
    });
    return success();
  }
};

template <typename Op> void add(RewritePatternSet &patterns, Formula formula) {
  patterns.add<ExpandOnDevice<Op>>(patterns.getContext(), formula);
}

struct ExpandDeviceMath : helion::impl::ExpandDeviceMathPassBase<ExpandDeviceMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    add<math::ExpOp>(patterns, expOf);
    add<math::Exp2Op>(patterns, exp2Of);
    add<math::TanhOp>(patterns, tanhOf);
    add<math::ErfOp>(patterns, erfOf);
    add<math::RsqrtOp>(patterns, rsqrtOf);
    add<arith::DivFOp>(patterns, quotientOf);
    patterns.add<MultiplyByReciprocalInRange>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
