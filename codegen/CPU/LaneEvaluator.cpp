// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values by lanes: elementwise ops, masks, iotas, and the memo that keeps one nest from computing a lane twice. Memory
// is in LaneAccess.cpp.

#include "codegen/CPU/LaneEvaluator.h"
#include "codegen/CPU/ExpRange.h"
#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/TileChain.h"
#include "codegen/Common/ExpandMath.h"
#include "dialect/IR/Dims.h"
#include <cmath>

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

void LaneEvaluator::startNest(NestFacts newFacts, Passing newPassing) {
  facts = std::move(newFacts);
  passing = std::move(newPassing);
  reciprocals.clear();
  known.assign(facts.levels.size() + 1, {});
  hoists.assign(facts.levels.size() + 1, nullptr);
}

void LaneEvaluator::enterLevel(int level) {
  for (size_t inner = level + 1; inner < known.size(); ++inner) {
    known[inner].clear();
    hoists[inner] = nullptr;
  }
}

void LaneEvaluator::hoistTo(int level, Operation *op) {
  for (int outer = level + 1; outer >= 0; --outer)
    if (outer == level + 1 || !hoists[outer])
      hoists[outer] = op;
}

Value LaneEvaluator::evaluate(Value value, ArrayRef<Position> at) {
  if (!isTileValue(value.getType()))
    return scalarLane(builder, value.getLoc(), value);
  int level = -1;
  Key key{value.getAsOpaquePointer(), {}};
  for (const Position &position : at) {
    if (position.dim >= 0)
      level = std::max(level, facts.levels[position.dim]);
    key.second.push_back(position.index.getAsOpaquePointer());
  }
  auto &memo = known[level + 1];
  if (auto found = memo.find(key); found != memo.end())
    return found->second;
  OpBuilder::InsertionGuard guard(builder);
  if (Operation *point = hoists[level + 1])
    builder.setInsertionPoint(point);
  Value lane = compute(value, at);
  known[level + 1][key] = lane;
  return lane;
}

Value LaneEvaluator::spread(Value lane) {
  if (facts.width == 1 || isa<VectorType>(lane.getType()))
    return lane;
  return vector::BroadcastOp::create(builder, lane.getLoc(), VectorType::get({facts.width}, lane.getType()), lane);
}

Value LaneEvaluator::zero(Type element) {
  return arith::ConstantOp::create(builder, builder.getUnknownLoc(), builder.getZeroAttr(element));
}

Value LaneEvaluator::validCount(Value bound) {
  Value &count = counts[bound];
  if (count)
    return count;
  auto make = bound.getDefiningOp<MakeTileOp>();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(make);
  IndexMath math(builder, make.getLoc());
  int64_t extent = *cast<TileType>(bound.getType()).getDim().getConstant();
  Value left = math.sub(make.getEnd(), make.getBegin());
  return count = math.max(math.min(left, math.constant(extent)), math.constant(0));
}

Value LaneEvaluator::beginOf(Value tile) {
  if (auto shift = tile.getDefiningOp<TileShiftOp>())
    return IndexMath(builder, tile.getLoc()).add(beginOf(shift.getTile()), shift.getOffset());
  return tile.getDefiningOp<MakeTileOp>().getBegin();
}

/// Null when the lanes at hand are known to be below the bound.
Value LaneEvaluator::predicate(Value bound, const Position &at) {
  if (!bound || (at.dim >= 0 && (facts.bounds[at.dim] == bound || (at.lanes && facts.split == bound))))
    return {};
  Location loc = bound.getLoc();
  Value count = validCount(bound);
  if (!at.lanes)
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, at.index, count);
  Value left = IndexMath(builder, loc).sub(count, at.index);
  return vector::CreateMaskOp::create(builder, loc, VectorType::get({facts.width}, builder.getI1Type()),
                                      ValueRange{left});
}

Value LaneEvaluator::tailMask() {
  if (!facts.tail)
    return {};
  auto type = VectorType::get({facts.width}, builder.getI1Type());
  return vector::CreateMaskOp::create(builder, facts.tail.getLoc(), type, ValueRange{facts.tail});
}

/// All of the scalar and vector conditions; null for none.
Value LaneEvaluator::conjunction(ArrayRef<Value> terms) {
  Value all;
  // Scalars first, so that there is at most one broadcast.
  for (bool vectors : {false, true})
    for (Value term : terms) {
      if (isa<VectorType>(term.getType()) != vectors)
        continue;
      if (all && vectors)
        all = spread(all);
      all = all ? arith::AndIOp::create(builder, term.getLoc(), all, term) : term;
    }
  return all;
}

Value LaneEvaluator::compute(Value value, ArrayRef<Position> at) {
  auto passes = llvm::find_if(passing, [&](auto &entry) { return entry.first == value; });
  if (passes == passing.end())
    return plan.isStored(value) ? readStored(value, at) : computeLane(value.getDefiningOp(), at);
  std::optional<View> view = passes->second;
  Value lane = computeLane(value.getDefiningOp(), at);
  if (view)
    storeTo(*view, at, lane);
  return lane;
}

Value LaneEvaluator::computeLane(Operation *op, ArrayRef<Position> at) {
  if (auto splat = dyn_cast<SplatOp>(op))
    return scalarLane(builder, op->getLoc(), splat.getValue());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = cast<DenseElementsAttr>(constant.getValue());
    Value scalar = arith::ConstantOp::create(builder, op->getLoc(), cast<TypedAttr>(dense.getSplatValue<Attribute>()));
    return scalarLane(builder, op->getLoc(), scalar);
  }
  if (auto indices = dyn_cast<IotaOp>(op))
    return iota(indices, at[0]);
  if (auto masked = dyn_cast<MaskOp>(op))
    return mask(masked, at);
  if (auto load = dyn_cast<LoadOp>(op)) {
    Access where = access(load.getSource(), load.getIndices(), load.getMask(), at);
    prefetchNext(load, where, at);
    return read(where, getElementTypeOrSelf(load.getType()), load.getOther());
  }
  if (!isa<BroadcastOp, PermuteOp, ReshapeOp, ReboundOp>(op))
    return elementwise(op, at);
  Value result;
  auto visit = [&](Value source, ArrayRef<Position> from) { result = evaluate(source, from); };
  Position origin{IndexMath(builder, op->getLoc()).constant(0)};
  forEachSource<Position>(op, at, origin, visit);
  return result;
}

Value LaneEvaluator::iota(IotaOp op, const Position &at) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  Value lane = op.getTile() ? math.add(beginOf(op.getTile()), at.index) : at.index;
  if (at.lanes) {
    auto type = VectorType::get({facts.width}, builder.getIndexType());
    Value steps = vector::StepOp::create(builder, loc, type);
    lane = arith::AddIOp::create(builder, loc, vector::BroadcastOp::create(builder, loc, type, lane), steps);
  }
  return convertElement(builder, loc, lane, builder.getIndexType(), getElementTypeOrSelf(op.getType()));
}

Value LaneEvaluator::mask(MaskOp op, ArrayRef<Position> at) {
  Value lane = evaluate(op.getValue(), at);
  SmallVector<Value> terms;
  for (auto [dim, tile] : llvm::zip(op.getDims(), op.getTiles()))
    if (Value term = predicate(plan.reach().boundOf(tile), at[dim]))
      terms.push_back(term);
  Value valid = conjunction(terms);
  if (!valid)
    return lane;
  Value fill = scalarLane(builder, op.getLoc(), op.getFill());
  if (isa<VectorType>(valid.getType()) || isa<VectorType>(lane.getType())) {
    lane = spread(lane);
    fill = spread(fill);
  }
  return arith::SelectOp::create(builder, op.getLoc(), valid, lane, fill);
}

/// Arithmetic on bf16 and f16 is done in f32 and rounded once per op; integers that f32 cannot hold go through f64.
Value LaneEvaluator::elementwise(Operation *op, ArrayRef<Position> at) {
  Location loc = op->getLoc();
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Type first = getElementTypeOrSelf(op->getOperand(0).getType());
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return convertElement(builder, loc, evaluate(op->getOperand(0), at), first, element);
  bool moves = isa<arith::SelectOp, arith::BitcastOp>(op);
  SmallVector<Value> lanes;
  bool isVector = false;
  for (Value operand : op->getOperands()) {
    Value lane = evaluate(operand, at);
    lanes.push_back(moves ? lane : widen(builder, loc, lane, getElementTypeOrSelf(operand.getType())));
    isVector |= isa<VectorType>(lane.getType());
  }
  Type computed = laneElement(element);
  if (!moves && isNarrowFloat(element)) {
    bool wide = isa<IntegerType>(first) && first.getIntOrFloatBitWidth() > 16;
    computed = wide ? builder.getF64Type() : builder.getF32Type();
  }
  // Bits of bf16 and f16 are what their lanes hold.
  if (isa<arith::BitcastOp>(op) && getElementTypeOrSelf(lanes[0].getType()) == computed)
    return lanes[0];
  if (auto quotient = dyn_cast<arith::DivFOp>(op); quotient && sharesDivisor(quotient, lanes)) {
    Value result = timesReciprocal(loc, lanes[0], lanes[1]);
    return computed == laneElement(element) ? result : narrow(builder, loc, result, element);
  }
  IRMapping mapping;
  for (auto [operand, lane] : llvm::zip(op->getOperands(), lanes))
    mapping.map(operand, isVector ? spread(lane) : lane);
  Operation *clone = builder.clone(*op, mapping);
  // LLVM would take reciprocals without looking at their range.
  if (auto quotient = dyn_cast<arith::DivFOp>(clone))
    quotient.setFastmath(arith::FastMathFlags::none);
  if (isExpOfNonPositive(op, plan.reach()))
    clone->setAttr(kNonPositiveAttr, builder.getUnitAttr());
  Value result = clone->getResult(0);
  result.setType(isVector ? Type(VectorType::get({facts.width}, computed)) : computed);
  return computed == laneElement(element) ? result : narrow(builder, loc, result, element);
}

/// True when one scalar divides many lanes and the kernel allows a product with its reciprocal.
bool LaneEvaluator::sharesDivisor(arith::DivFOp op, ArrayRef<Value> lanes) const {
  return bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp) && isa<VectorType>(lanes[0].getType()) &&
         lanes[1].getType().isF32();
}

/// One reciprocal for all quotients by a divisor.
Value LaneEvaluator::timesReciprocal(Location loc, Value lane, Value divisor) {
  Reciprocal &reciprocal = reciprocals[divisor];
  if (!reciprocal.value)
    reciprocal = emitReciprocal(builder, loc, divisor);
  return emitQuotient(FloatCode(builder, loc, lane.getType()), lane,
                      {spread(reciprocal.value), spread(reciprocal.scale)});
}
