// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-fill-loads: a load fills the lanes outside its tiles with what a mask behind it would put there, where nobody
// else looks at them; masks of lanes that hold their value already go. A forward walk answers who looks, a backward
// one what a lane holds.

#include "codegen/Common/Passes.h"
#include "codegen/Common/ThreadAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

namespace helion {
#define GEN_PASS_DEF_FILLLOADSPASS
#include "codegen/Common/Passes.h.inc"
} // namespace helion

namespace {
/// By dim of a value the tile that bounds it; null: no lane outside of it may hold anything.
using Bounds = SmallVector<Value>;

bool isLaneByLane(Operation *op) {
  return isa<ConvertLayoutOp>(op) ||
         (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) && OpTrait::hasElementwiseMappableTraits(op));
}

/// Whether lanes of a value outside of `bounds` may hold anything: no store, reduction or other op makes use of them.
class Unseen {
public:
  bool holds(Value value, const Bounds &bounds) {
    add(value, bounds);
    while (!work.empty()) {
      auto [next, known] = work.pop_back_val();
      for (OpOperand &use : next.getUses())
        if (!passes(use, known))
          return false;
    }
    return !isMixed;
  }

private:
  void add(Value value, const Bounds &bounds) {
    if (!isTileValue(value.getType()) || llvm::none_of(bounds, [](Value tile) { return bool(tile); }))
      return;
    auto [entry, isNew] = seen.try_emplace(value, bounds);
    bool grows = isNew;
    for (auto [known, tile] : llvm::zip(entry->second, bounds)) {
      // Two tiles along one dim: outside of both may be seen.
      isMixed |= known && tile && known != tile;
      grows |= !known && tile;
      known = known ? known : tile;
    }
    if (grows)
      work.push_back({value, entry->second});
  }

  bool passes(OpOperand &use, const Bounds &bounds) {
    Operation *op = use.getOwner();
    if (isLaneByLane(op)) {
      add(op->getResult(0), bounds);
      return true;
    }
    if (auto mask = dyn_cast<MaskOp>(op)) {
      Bounds left = bounds;
      for (auto [dim, tile] : llvm::zip(mask.getDims(), mask.getTiles()))
        if (left[dim] == tile)
          left[dim] = {};
      add(mask.getResult(), left);
      return true;
    }
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      Bounds wide(cast<RankedTensorType>(broadcast.getType()).getRank());
      for (auto [from, to] : llvm::enumerate(broadcast.getDims()))
        wide[to] = bounds[from];
      add(broadcast.getResult(), wide);
      return true;
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Bounds left = bounds;
      if (left[reduce.getDim()])
        return false;
      left.erase(left.begin() + reduce.getDim());
      add(reduce.getResult(), left);
      return true;
    }
    if (auto store = dyn_cast<StoreOp>(op))
      return use.get() == store.getValue() && dropsOutside(store, bounds);
    return isa<scf::YieldOp>(op) && carries(use, bounds);
  }

  static bool dropsOutside(StoreOp store, const Bounds &bounds) {
    SmallVector<Value> tiles(bounds.size());
    for (auto [index, dims] : llvm::zip(store.getIndices(), indexDimsOf(store.getIndices())))
      if (isa<TileType>(index.getType()))
        tiles[dims.first] = index;
    return llvm::all_of(llvm::zip(bounds, tiles),
                        [](auto pair) { return !std::get<0>(pair) || std::get<0>(pair) == std::get<1>(pair); });
  }

  /// What a loop carries, or a branch gives, has lanes outside of the same tiles, which are made outside of it.
  bool carries(OpOperand &use, const Bounds &bounds) {
    Operation *parent = use.getOwner()->getParentOp();
    unsigned number = use.getOperandNumber();
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop && !isa<scf::IfOp>(parent))
      return false;
    for (Value tile : bounds)
      if (tile && parent->isAncestor(tile.getParentRegion()->getParentOp()))
        return false;
    add(parent->getResult(number), bounds);
    if (loop)
      add(loop.getRegionIterArg(number), bounds);
    return true;
  }

  DenseMap<Value, Bounds> seen;
  SmallVector<std::pair<Value, Bounds>> work;
  bool isMixed = false;
};

/// True for an empty tile only if nothing that `value` makes is stored outside of `tile`, and then not at all.
bool showsUnder(Value value, Value tile) {
  SetVector<Value> made;
  made.insert(value);
  for (size_t next = 0; next != made.size(); ++next)
    for (Operation *user : made[next].getUsers()) {
      if (auto store = dyn_cast<StoreOp>(user)) {
        if (!llvm::is_contained(store.getIndices(), tile))
          return false;
        continue;
      }
      if (user->getNumRegions() || !isPure(user) || user->hasTrait<OpTrait::IsTerminator>())
        return false;
      made.insert(user->result_begin(), user->result_end());
    }
  return true;
}

/// True when the tile has a lane inside: it begins where a loop stands that ends with it.
bool isNeverEmpty(Value tile) {
  auto made = tile.getDefiningOp<MakeTileOp>();
  auto step = made ? dyn_cast<BlockArgument>(made.getBegin()) : BlockArgument();
  auto loop = step ? dyn_cast<scf::ForOp>(step.getOwner()->getParentOp()) : scf::ForOp();
  return loop && step == loop.getInductionVar() && (!made.getEnd() || made.getEnd() == loop.getUpperBound());
}

bool isInfinity(Attribute attr, bool isNegative) {
  auto number = dyn_cast_or_null<FloatAttr>(attr);
  return number && number.getValue().isInfinity() && number.getValue().isNegative() == isNegative;
}
bool isZero(Attribute attr) {
  auto number = dyn_cast_or_null<FloatAttr>(attr);
  return number && number.getValue().isZero();
}

/// Through changes of type and layout, which keep what a lane holds when it is infinite.
Value sourceOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, ConvertLayoutOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The load whose lanes outside `tile` along `dim` come through to `value`, which only changes their type.
LoadOp loadUnder(Value value, unsigned dim, Value tile) {
  auto load = sourceOf(value).getDefiningOp<LoadOp>();
  if (!load || load.getMask())
    return {};
  bool isTile = false;
  for (auto [index, dims] : llvm::zip(load.getIndices(), indexDimsOf(load.getIndices()))) {
    if (isTileValue(index.getType()))
      return {};
    isTile |= index == tile && dims.first == dim;
  }
  return isTile ? load : LoadOp();
}

bool holdsNegativeInfinity(Value value, unsigned dim, Value tile) {
  LoadOp load = loadUnder(value, dim, tile);
  Attribute fill;
  return load && load.getOther() && matchPattern(load.getOther(), m_Constant(&fill)) && isInfinity(fill, true);
}

/// Whether `value` repeats along `dim` a number that is at least the largest of `numbers` along it, or NaN.
bool repeatsMaximum(Value value, unsigned dim, Value numbers) {
  auto broadcast = sourceOf(value).getDefiningOp<BroadcastOp>();
  if (!broadcast || llvm::is_contained(broadcast.getDims(), int64_t(dim)))
    return false;
  SmallVector<Value> candidates{sourceOf(broadcast.getValue())};
  while (!candidates.empty()) {
    Value next = candidates.pop_back_val();
    if (auto larger = next.getDefiningOp<arith::MaximumFOp>()) {
      candidates.append({sourceOf(larger.getLhs()), sourceOf(larger.getRhs())});
      continue;
    }
    auto reduce = next.getDefiningOp<ReduceOp>();
    if (!reduce || reduce.getKind() != ReductionKind::MaximumF || reduce.getDim() != dim)
      continue;
    Value compared = sourceOf(reduce.getValue());
    if (auto mask = compared.getDefiningOp<MaskOp>())
      compared = sourceOf(mask.getValue());
    if (compared == sourceOf(numbers))
      return true;
  }
  return false;
}

/// exp of numbers that are -inf outside of the tile, minus the largest of the row or more: 0. Where that largest is
/// -inf or NaN, so that these lanes are NaN, all lanes inside are NaN too, and a sum is, with the ones outside or
/// without.
bool addsNothing(Value value, unsigned dim, Value tile) {
  Operation *exp = sourceOf(value).getDefiningOp();
  auto difference = isa_and_nonnull<math::ExpOp, math::Exp2Op>(exp)
                        ? sourceOf(exp->getOperand(0)).getDefiningOp<arith::SubFOp>()
                        : arith::SubFOp();
  return difference && holdsNegativeInfinity(difference.getLhs(), dim, tile) &&
         repeatsMaximum(difference.getRhs(), dim, difference.getLhs());
}

/// Of a mask with 0 behind which the row is summed, or nothing is stored of what has no lane inside.
bool isMaskOfSum(MaskOp mask) {
  Value tile = mask.getTiles()[0];
  return llvm::all_of(mask->getUsers(), [&](Operation *user) {
    auto reduce = dyn_cast<ReduceOp>(user);
    return reduce && reduce.getKind() == ReductionKind::AddF && int64_t(reduce.getDim()) == mask.getDims()[0] &&
           (isNeverEmpty(tile) || showsUnder(reduce.getResult(), tile));
  });
}

/// True when the lanes outside hold the fill already, or what comes to the same.
bool isNothing(MaskOp mask) {
  Attribute fill;
  if (!matchPattern(mask.getFill(), m_Constant(&fill)))
    return false;
  int64_t dim = mask.getDims()[0];
  Value tile = mask.getTiles()[0];
  if (isInfinity(fill, true))
    return holdsNegativeInfinity(mask.getValue(), dim, tile);
  return isZero(fill) && isMaskOfSum(mask) && addsNothing(mask.getValue(), dim, tile);
}

struct FillLoads : helion::impl::FillLoadsPassBase<FillLoads> {
  void runOnOperation() override {
    SmallVector<MaskOp> masks;
    getOperation()->walk([&](MaskOp mask) {
      if (mask.getTiles().size() == 1)
        masks.push_back(mask);
    });
    for (MaskOp mask : masks)
      fill(mask);
    SmallVector<MaskOp> idle = llvm::filter_to_vector(masks, isNothing);
    for (MaskOp mask : idle) {
      mask.replaceAllUsesWith(mask.getValue());
      mask.erase();
      ++dropped;
    }
  }

private:
  void fill(MaskOp mask) {
    Attribute value;
    LoadOp load = loadUnder(mask.getValue(), mask.getDims()[0], mask.getTiles()[0]);
    if (!load || load.getOther() || !matchPattern(mask.getFill(), m_Constant(&value)) || !isInfinity(value, true))
      return;
    auto element = cast<FloatType>(getElementTypeOrSelf(load.getType()));
    if (!APFloat::semanticsHasInf(element.getFloatSemantics()))
      return;
    Bounds bounds(cast<RankedTensorType>(load.getType()).getRank());
    for (auto [index, dims] : llvm::zip(load.getIndices(), indexDimsOf(load.getIndices())))
      if (isa<TileType>(index.getType()) && spanOf(index) && spanOf(index)->end)
        bounds[dims.first] = index;
    if (!Unseen().holds(load.getResult(), bounds))
      return;
    OpBuilder b(load);
    auto infinity = b.getFloatAttr(element, APFloat::getInf(element.getFloatSemantics(), true));
    load.getOtherMutable().assign(arith::ConstantOp::create(b, load.getLoc(), infinity));
    ++filled;
  }
};
} // namespace
