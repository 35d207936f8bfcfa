// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pattern of a stable softmax, by structure. A maximum is NaN where a lane is, so the difference is NaN too.

#include "codegen/CPU/ExpRange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

/// The maximum along one dim that `value` repeats along just that dim; else null.
static ReduceOp repeatedMaximum(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  auto reduce = broadcast ? broadcast.getValue().getDefiningOp<ReduceOp>() : ReduceOp();
  if (!reduce || reduce.getKind() != ReductionKind::MaximumF)
    return {};
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<int64_t> others;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != int64_t(reduce.getDim()))
      others.push_back(dim);
  return llvm::equal(others, broadcast.getDims()) ? reduce : ReduceOp();
}

/// True when every lane of `result` that is looked at is one that the mask keeps.
static bool keepsLooked(MaskOp mask, Value result, const LaneReach &reach) {
  for (auto [dim, tile] : llvm::zip(mask.getDims(), mask.getTiles())) {
    Lanes lanes = reach.lanes(result, dim);
    Value bound = reach.boundOf(tile);
    if (bound && lanes.kind != Lanes::Kind::None && !(lanes.kind == Lanes::Kind::Below && lanes.bound == bound))
      return false;
  }
  return true;
}

bool cpu::isExpOfNonPositive(Operation *op, const LaneReach &reach) {
  auto exp = dyn_cast<math::ExpOp>(op);
  auto difference = exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  ReduceOp reduce = difference ? repeatedMaximum(difference.getRhs()) : ReduceOp();
  if (!reduce)
    return false;
  Value compared = reduce.getValue(), value = difference.getLhs();
  if (compared == value)
    return true;
  auto mask = compared.getDefiningOp<MaskOp>();
  return mask && mask.getValue() == value && keepsLooked(mask, exp.getResult(), reach);
}
