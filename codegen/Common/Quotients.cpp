// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product with the reciprocal and a product with the power of two that kept the reciprocal in range. The power is 1
// but for divisors whose own reciprocal overflows or loses bits; 0, infinities and NaN need no care.

#include "codegen/Common/Quotients.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>

using namespace mlir;
using namespace helion;

/// Elements for each computed divisor from which a reciprocal, its scale and two products take less than divisions.
static constexpr int64_t kLeastShared = 4;

Reciprocal helion::emitReciprocal(OpBuilder &builder, Location loc, Value divisor) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(divisor);
  FloatCode code(builder, loc, divisor.getType());
  auto power = [&](int exponent) { return code.constant(std::ldexp(1.0, exponent)); };
  Value size = code.abs(divisor);
  Value isTiny = code.compare(arith::CmpFPredicate::OLT, size, power(-125));
  Value isHuge = code.compare(arith::CmpFPredicate::OGT, size, power(125));
  Value scale = code.select(isHuge, power(-64), code.select(isTiny, power(64), code.constant(1)));
  return {code.div(code.constant(1), code.mul(divisor, scale)), scale};
}

Value helion::emitQuotient(FloatCode code, Value x, const Reciprocal &reciprocal) {
  Value product = code.mul(x, reciprocal.value);
  return reciprocal.scale ? code.mul(product, reciprocal.scale) : product;
}

bool helion::mayMultiply(arith::DivFOp op) {
  return bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp) && getElementTypeOrSelf(op.getType()).isF32();
}

/// The scalars that a value is made of, element by element, constants as attributes; none where it does not say.
static SmallVector<OpFoldResult> scalarsOf(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto dense = dyn_cast<DenseElementsAttr>(constant))
      return llvm::to_vector_of<OpFoldResult>(dense.getValues<Attribute>());
    return {constant};
  }
  auto vector = dyn_cast<VectorType>(value.getType());
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>(); broadcast && broadcast.getSource().getType().isF32())
    return SmallVector<OpFoldResult>(vector.getNumElements(), broadcast.getSource());
  if (auto made = value.getDefiningOp<vector::FromElementsOp>())
    return llvm::map_to_vector(made.getElements(), [](Value element) {
      Attribute known;
      return matchPattern(element, m_Constant(&known)) ? OpFoldResult(known) : OpFoldResult(element);
    });
  return {};
}

bool helion::sharesDivisors(arith::DivFOp op) {
  SmallVector<OpFoldResult> scalars = scalarsOf(op.getRhs());
  // The reciprocal of a constant is one too.
  llvm::SmallPtrSet<void *, 8> computed;
  for (OpFoldResult scalar : scalars)
    if (auto value = dyn_cast<Value>(scalar))
      computed.insert(value.getAsOpaquePointer());
  return !scalars.empty() && int64_t(scalars.size()) >= kLeastShared * int64_t(computed.size());
}

static Value asValue(OpBuilder &b, Location loc, OpFoldResult scalar) {
  if (auto value = dyn_cast<Value>(scalar))
    return value;
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(cast<Attribute>(scalar)));
}

static Value joined(OpBuilder &b, Location loc, Type type, ArrayRef<Value> scalars) {
  auto vector = dyn_cast<VectorType>(type);
  if (!scalars.front() || !vector)
    return scalars.front();
  return vector::FromElementsOp::create(b, loc, vector, scalars);
}

void helion::multiplyByReciprocals(arith::DivFOp op, PatternRewriter &b,
                                   llvm::function_ref<Reciprocal(Location, Value)> reciprocal) {
  Location loc = op.getLoc();
  llvm::DenseMap<void *, Reciprocal> reciprocals;
  SmallVector<Value> values, scales;
  for (OpFoldResult scalar : scalarsOf(op.getRhs())) {
    auto [entry, isNew] = reciprocals.try_emplace(scalar.getOpaqueValue());
    if (isNew)
      entry->second = reciprocal(loc, asValue(b, loc, scalar));
    values.push_back(entry->second.value);
    scales.push_back(entry->second.scale);
  }
  Reciprocal all = {joined(b, loc, op.getType(), values), joined(b, loc, op.getType(), scales)};
  b.replaceOp(op, emitQuotient(FloatCode(b, loc, op.getType()), op.getLhs(), all));
}

namespace {
struct MultiplyByReciprocals : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &b) const override {
    if (!mayMultiply(op) || !sharesDivisors(op))
      return b.notifyMatchFailure(op, "is exact, or has a divisor for each element");
    multiplyByReciprocals(op, b, [&](Location loc, Value divisor) { return emitReciprocal(b, loc, divisor); });
    return success();
  }
};

struct KeepQuotient : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    arith::FastMathFlags flags = op.getFastmath(), kept = flags & ~arith::FastMathFlags::arcp;
    if (kept == flags)
      return rewriter.notifyMatchFailure(op, "is a quotient already");
    rewriter.modifyOpInPlace(op, [&] { op.setFastmath(kept); });
    return success();
  }
};
} // namespace

void helion::populateQuotientPatterns(RewritePatternSet &patterns) {
  patterns.add<MultiplyByReciprocals>(patterns.getContext(), /*benefit=*/2);
  patterns.add<KeepQuotient>(patterns.getContext());
}
