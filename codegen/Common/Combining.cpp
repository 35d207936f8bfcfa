// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds by table; the index of an extreme by comparison; regions by copying them.

#include "codegen/Common/Combining.h"
#include "codegen/Common/ThreadContext.h"
#include "dialect/IR/Dims.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

arith::AtomicRMWKind threads::combiningOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::AddF:
    return arith::AtomicRMWKind::addf;
  case ReductionKind::MulF:
    return arith::AtomicRMWKind::mulf;
  case ReductionKind::MaximumF:
    return arith::AtomicRMWKind::maximumf;
  case ReductionKind::MinimumF:
    return arith::AtomicRMWKind::minimumf;
  case ReductionKind::AddI:
    return arith::AtomicRMWKind::addi;
  case ReductionKind::MulI:
    return arith::AtomicRMWKind::muli;
  case ReductionKind::MaxSI:
    return arith::AtomicRMWKind::maxs;
  case ReductionKind::MinSI:
    return arith::AtomicRMWKind::mins;
  case ReductionKind::MaxUI:
    return arith::AtomicRMWKind::maxu;
  case ReductionKind::MinUI:
    return arith::AtomicRMWKind::minu;
  case ReductionKind::AndI:
    return arith::AtomicRMWKind::andi;
  case ReductionKind::OrI:
    return arith::AtomicRMWKind::ori;
  case ReductionKind::XorI:
    return arith::AtomicRMWKind::xori;
  case ReductionKind::ArgMax:
  case ReductionKind::ArgMin:
    break;
  }
  llvm_unreachable("argmax and argmin carry two values");
}

/// True where `right` wins. NaN beats numbers; of equals, and of two NaN, the lower index wins, so that the order of
/// combining does not matter.
static Value rightWins(OpBuilder &b, Location loc, bool isMax, const Held &left, const Held &right) {
  Value earlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, right[1], left[1]);
  if (!isa<FloatType>(left[0].getType())) {
    Value beats =
        arith::CmpIOp::create(b, loc, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, right[0], left[0]);
    Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, right[0], left[0]);
    return arith::OrIOp::create(b, loc, beats, arith::AndIOp::create(b, loc, equal, earlier));
  }
  auto is = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  };
  Value leftNan = is(arith::CmpFPredicate::UNO, left[0], left[0]);
  Value rightNan = is(arith::CmpFPredicate::UNO, right[0], right[0]);
  Value beats = is(isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, right[0], left[0]);
  Value equal = is(arith::CmpFPredicate::OEQ, right[0], left[0]);
  Value tie = arith::OrIOp::create(b, loc, equal, arith::AndIOp::create(b, loc, leftNan, rightNan));
  Value numberLost = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, rightNan, leftNan);
  Value wins = arith::OrIOp::create(b, loc, beats, arith::AndIOp::create(b, loc, tie, earlier));
  return arith::OrIOp::create(b, loc, wins, numberLost);
}

std::optional<TypedAttr> Combiner::identity(Type element) const {
  if (region)
    return std::nullopt;
  if (kind == ReductionKind::AddF)
    return TypedAttr(FloatAttr::get(element, -0.0));
  return reductionIdentity(kind, element);
}

Held Combiner::combine(OpBuilder &b, Location loc, const Held &left, const Held &right) const {
  if (region) {
    IRMapping mapping;
    Block &body = region->front();
    mapping.map(body.getArguments().take_front(left.size()), left);
    mapping.map(body.getArguments().drop_front(left.size()), right);
    for (Operation &op : body.without_terminator())
      b.clone(op, mapping);
    return llvm::map_to_vector<2>(body.getTerminator()->getOperands(),
                                  [&](Value value) { return mapping.lookupOrDefault(value); });
  }
  if (kind != ReductionKind::ArgMax && kind != ReductionKind::ArgMin)
    return {arith::getReductionOp(combiningOf(kind), b, loc, left[0], right[0])};
  Value wins = rightWins(b, loc, kind == ReductionKind::ArgMax, left, right);
  return {arith::SelectOp::create(b, loc, wins, right[0], left[0]),
          arith::SelectOp::create(b, loc, wins, right[1], left[1])};
}

SmallVector<Held> threads::heldOf(OpBuilder &b, Location loc, ValueRange values) {
  SmallVector<Held> registers;
  for (Value value : values) {
    SmallVector<Value> elements = unpack(b, loc, value);
    registers.resize(elements.size());
    for (auto [held, element] : llvm::zip(registers, elements))
      held.push_back(element);
  }
  return registers;
}
