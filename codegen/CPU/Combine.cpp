// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combining lanes, for scalars and vectors alike.

#include "codegen/CPU/Combine.h"
#include "codegen/CPU/NarrowFloat.h"
#include "dialect/IR/Dims.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;

Type cpu::accumulatorType(Type element) {
  return isNarrowFloat(element) ? Type(Float32Type::get(element.getContext())) : element;
}

Value cpu::identityOf(OpBuilder &builder, Location loc, ReductionKind kind, Type element) {
  return arith::ConstantOp::create(builder, loc, reductionIdentity(kind, element));
}

/// The larger (smaller) of both, NaN where either is. Either zero may come out for zeros of two signs, which saves half
/// of the instructions.
static Value floatExtreme(OpBuilder &builder, Location loc, bool isMax, Value a, Value b) {
  auto anyZero = arith::FastMathFlags::nsz;
  if (isMax)
    return arith::MaximumFOp::create(builder, loc, a, b, anyZero);
  return arith::MinimumFOp::create(builder, loc, a, b, anyZero);
}

Value cpu::combine(OpBuilder &builder, Location loc, ReductionKind kind, Value a, Value b) {
  switch (kind) {
  case ReductionKind::AddF:
    return arith::AddFOp::create(builder, loc, a, b);
  case ReductionKind::MulF:
    return arith::MulFOp::create(builder, loc, a, b);
  case ReductionKind::MaximumF:
  case ReductionKind::MinimumF:
    return floatExtreme(builder, loc, kind == ReductionKind::MaximumF, a, b);
  case ReductionKind::AddI:
    return arith::AddIOp::create(builder, loc, a, b);
  case ReductionKind::MulI:
    return arith::MulIOp::create(builder, loc, a, b);
  case ReductionKind::MaxSI:
    return arith::MaxSIOp::create(builder, loc, a, b);
  case ReductionKind::MinSI:
    return arith::MinSIOp::create(builder, loc, a, b);
  case ReductionKind::MaxUI:
    return arith::MaxUIOp::create(builder, loc, a, b);
  case ReductionKind::MinUI:
    return arith::MinUIOp::create(builder, loc, a, b);
  case ReductionKind::AndI:
    return arith::AndIOp::create(builder, loc, a, b);
  case ReductionKind::OrI:
    return arith::OrIOp::create(builder, loc, a, b);
  case ReductionKind::XorI:
    return arith::XOrIOp::create(builder, loc, a, b);
  case ReductionKind::ArgMax:
  case ReductionKind::ArgMin:
    break;
  }
  llvm_unreachable("argmax and argmin carry two values");
}

Value cpu::combineLanes(OpBuilder &builder, Location loc, ReductionKind kind, Value vector) {
  for (int64_t width = cast<VectorType>(vector.getType()).getDimSize(0); width > 1; width /= 2) {
    auto half = [&](int64_t from) -> Value {
      return vector::ExtractStridedSliceOp::create(builder, loc, vector, from, width / 2, 1);
    };
    Value low = half(0), high = half(width / 2);
    vector = combine(builder, loc, kind, low, high);
  }
  return vector::ExtractOp::create(builder, loc, vector, 0);
}

cpu::Held cpu::combineArg(OpBuilder &builder, Location loc, ReductionKind kind, const Held &held, Value value,
                          Value index) {
  bool isMax = kind == ReductionKind::ArgMax;
  Value better;
  if (isa<FloatType>(getElementTypeOrSelf(value.getType()))) {
    auto predicate = isMax ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
    Value beats = arith::CmpFOp::create(builder, loc, predicate, value, held[0]);
    Value heldIsNumber = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, held[0], held[0]);
    better = arith::AndIOp::create(builder, loc, beats, heldIsNumber);
  } else {
    better = arith::CmpIOp::create(builder, loc, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, value,
                                   held[0]);
  }
  return {arith::SelectOp::create(builder, loc, better, value, held[0]),
          arith::SelectOp::create(builder, loc, better, index, held[1])};
}

cpu::Held cpu::combineRegion(OpBuilder &builder, Region &combiner, const Held &held, ArrayRef<Value> next,
                             int64_t width) {
  IRMapping mapping;
  Block &body = combiner.front();
  mapping.map(body.getArguments().take_front(held.size()), held);
  mapping.map(body.getArguments().drop_front(held.size()), next);
  bool isVector = llvm::any_of(held, [](Value value) { return isa<VectorType>(value.getType()); });
  auto spread = [&](Value value) -> Value {
    if (!isVector || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, combiner.getLoc(), VectorType::get({width}, value.getType()), value);
  };
  for (Operation &inner : body.without_terminator()) {
    bool isLanewise = OpTrait::hasElementwiseMappableTraits(&inner);
    for (Value operand : inner.getOperands())
      if (isLanewise)
        mapping.map(operand, spread(mapping.lookupOrDefault(operand)));
    Operation *clone = builder.clone(inner, mapping);
    for (Value result : clone->getResults())
      if (isVector && isLanewise)
        result.setType(VectorType::get({width}, result.getType()));
  }
  Held results;
  for (Value operand : body.getTerminator()->getOperands())
    results.push_back(spread(mapping.lookupOrDefault(operand)));
  return results;
}
