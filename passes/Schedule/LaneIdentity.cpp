// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A backward walk over ops that map a known lane to a known lane.

#include "passes/Schedule/LaneIdentity.h"
#include "dialect/IR/Dims.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helion;

namespace {
bool isZero(Attribute attr) {
  if (auto value = dyn_cast_or_null<FloatAttr>(attr))
    return value.getValue().isZero();
  auto value = dyn_cast_or_null<IntegerAttr>(attr);
  return value && value.getValue().isZero();
}

/// The known value of a load's lanes outside `tile`, or null.
Attribute fillOf(LoadOp load, unsigned dim, Value tile) {
  unsigned next = 0;
  for (Value index : load.getIndices()) {
    if (!isa<TileType>(index.getType()))
      // Tensor indices have lanes of their own; where one stands the dims after it are not followed.
      if (isTileValue(index.getType()))
        return {};
    if (!isa<TileType>(index.getType()))
      continue;
    if (next++ != dim)
      continue;
    if (index != tile)
      return {};
    Attribute other;
    if (!load.getOther())
      return Builder(load.getContext()).getZeroAttr(getElementTypeOrSelf(load.getResult().getType()));
    return matchPattern(load.getOther(), m_Constant(&other)) ? other : Attribute();
  }
  return {};
}

/// Ops for which zero lanes stay zero lanes: in all operands, or in any of them.
bool keepsZero(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::NegFOp, arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::AddIOp, arith::SubIOp,
             arith::MulIOp, math::AbsFOp, math::SqrtOp, math::TanhOp, math::SinOp, math::ErfOp>(op);
}

/// -inf and +inf pass a change of float type; both have them.
bool keepsInfinity(Operation *op) { return isa<arith::ExtFOp, arith::TruncFOp>(op); }

bool sameNumber(Attribute a, TypedAttr b) {
  if (isZero(a) && isZero(b))
    return true;
  auto x = dyn_cast_or_null<FloatAttr>(a), y = dyn_cast_or_null<FloatAttr>(Attribute(b));
  if (x && y)
    return x.getValue().isInfinity() && y.getValue().isInfinity() &&
           x.getValue().isNegative() == y.getValue().isNegative();
  return a == Attribute(b);
}
} // namespace

bool helion::holdsOutside(Value value, unsigned dim, Value tile, TypedAttr identity) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto load = dyn_cast<LoadOp>(op))
    return sameNumber(fillOf(load, dim, tile), identity);
  if (auto mask = dyn_cast<MaskOp>(op)) {
    for (auto [masked, by] : llvm::zip(mask.getDims(), mask.getTiles())) {
      Attribute fill;
      if (masked == dim && by == tile && matchPattern(mask.getFill(), m_Constant(&fill)))
        return sameNumber(fill, identity);
    }
    return false;
  }
  if (auto splat = dyn_cast<SplatOp>(op)) {
    Attribute constant;
    return matchPattern(splat.getValue(), m_Constant(&constant)) && sameNumber(constant, identity);
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (auto [from, to] : llvm::enumerate(broadcast.getDims()))
      if (to == dim && dimsOf(broadcast.getValue().getType())[from] == dimsOf(value.getType())[dim])
        return holdsOutside(broadcast.getValue(), from, tile, identity);
    return false;
  }
  if (auto permute = dyn_cast<PermuteOp>(op))
    return holdsOutside(permute.getValue(), permute.getDims()[dim], tile, identity);
  bool kept = isZero(identity) ? keepsZero(op) : keepsInfinity(op);
  return kept && llvm::all_of(op->getOperands(), [&](Value operand) {
           Type element = getElementTypeOrSelf(operand.getType());
           TypedAttr same =
               isZero(identity) ? Builder(op->getContext()).getZeroAttr(element)
               : isa<FloatType>(element) && APFloat::semanticsHasInf(cast<FloatType>(element).getFloatSemantics())
                   ? FloatAttr::get(element, APFloat::getInf(cast<FloatType>(element).getFloatSemantics(),
                                                             cast<FloatAttr>(identity).getValue().isNegative()))
                   : TypedAttr();
           return same && holdsOutside(operand, dim, tile, same);
         });
}
