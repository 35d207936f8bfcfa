// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per reduction kind.

#include "passes/Schedule/Combiners.h"
#include "dialect/IR/Dims.h"

using namespace mlir;
using namespace helion;

namespace {
using Builder2 = Value (*)(OpBuilder &, Location, Value, Value);

template <typename Op> Value create(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  return Op::create(builder, loc, lhs, rhs);
}

Builder2 combinerOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::AddF:
    return create<arith::AddFOp>;
  case ReductionKind::MulF:
    return create<arith::MulFOp>;
  case ReductionKind::MaximumF:
    return create<arith::MaximumFOp>;
  case ReductionKind::MinimumF:
    return create<arith::MinimumFOp>;
  case ReductionKind::AddI:
    return create<arith::AddIOp>;
  case ReductionKind::MulI:
    return create<arith::MulIOp>;
  case ReductionKind::MaxSI:
    return create<arith::MaxSIOp>;
  case ReductionKind::MinSI:
    return create<arith::MinSIOp>;
  case ReductionKind::MaxUI:
    return create<arith::MaxUIOp>;
  case ReductionKind::MinUI:
    return create<arith::MinUIOp>;
  case ReductionKind::AndI:
    return create<arith::AndIOp>;
  case ReductionKind::OrI:
    return create<arith::OrIOp>;
  case ReductionKind::XorI:
    return create<arith::XOrIOp>;
  case ReductionKind::ArgMax:
  case ReductionKind::ArgMin:
    break;
  }
  llvm_unreachable("argmax and argmin carry an index beside the value");
}
} // namespace

Value helion::combineValues(OpBuilder &builder, Location loc, ReductionKind kind, Value lhs, Value rhs) {
  return combinerOf(kind)(builder, loc, lhs, rhs);
}

Value helion::identityValue(OpBuilder &builder, Location loc, ReductionKind kind, Type element) {
  return arith::ConstantOp::create(builder, loc, reductionIdentity(kind, element));
}
