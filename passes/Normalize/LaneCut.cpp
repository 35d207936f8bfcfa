// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rule per op: which part of its operands makes the part of its result. A dry run follows the same rules without
// making ops, so that nothing is begun that cannot be ended.

#include "passes/Normalize/LaneCut.h"
#include "dialect/IR/Dims.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

bool helion::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 && isPure(op);
}

static Type partType(Type type, const LaneCut &cut) {
  SmallVector<DimAttr> dims = dimsOf(type);
  if (cut.drop)
    dims.erase(dims.begin() + cut.dim);
  else
    dims[cut.dim] = DimAttr::get(type.getContext(), cut.size);
  return tileValueType(dims, getElementTypeOrSelf(type));
}

Value LaneCutter::run(Value value, const LaneCut &cut) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto key = std::make_tuple(value.getAsOpaquePointer(), cut.dim, cut.first, cut.size, cut.drop);
  if (auto known = made.find(key); known != made.end())
    return known->second;
  if (auto known = tried.find(key); !emits && known != tried.end())
    return known->second;
  OpBuilder::InsertionGuard guard(b);
  Value part = runOp(op, cut);
  (emits ? made : tried)[key] = part;
  return part;
}

Value LaneCutter::runOp(Operation *op, const LaneCut &cut) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](LoadOp load) { return runLoad(load, cut); })
      .Case([&](IotaOp iota) { return runIota(iota, cut); })
      .Case([&](StackOp stack) { return runStack(stack, cut); })
      .Case([&](PermuteOp permute) { return runPermute(permute, cut); })
      .Case([&](BroadcastOp broadcast) { return runBroadcast(broadcast, cut); })
      .Case([&](ReboundOp rebound) { return runRebound(rebound, cut); })
      .Case([&](ReshapeOp reshape) { return runReshape(reshape, cut); })
      .Case([&](SplatOp splat) -> Value {
        Type type = partType(splat.getType(), cut);
        if (!isTileValue(type))
          return splat.getValue();
        b.setInsertionPointAfter(splat);
        return emits ? SplatOp::create(b, splat.getLoc(), type, splat.getValue()) : splat.getResult();
      })
      .Default([&](Operation *other) { return isElementwise(other) ? runElementwise(other, cut) : Value(); });
}

Value LaneCutter::runElementwise(Operation *op, const LaneCut &cut) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(isTileValue(operand.getType()) ? run(operand, cut) : operand);
    if (!operands.back())
      return {};
  }
  if (!emits)
    return op->getResult(0);
  Operation *part = op->clone();
  part->setOperands(operands);
  part->getResult(0).setType(partType(op->getResult(0).getType(), cut));
  b.setInsertionPointAfter(op);
  return b.insert(part)->getResult(0);
}

//===-- Memory ---------------------------------------------------------------------------------------------------===//

/// First index of a slice of constant bounds that its lanes fill.
static std::optional<int64_t> sliceBegin(Value tile) {
  auto range = tile.getDefiningOp<RangeOp>();
  APInt lower, upper;
  if (!range || !matchPattern(range.getLower(), m_ConstantInt(&lower)) ||
      !matchPattern(range.getUpper(), m_ConstantInt(&upper)))
    return std::nullopt;
  std::optional<int64_t> extent = range.getTile().getType().getDim().getConstant();
  bool isFull = extent && upper.getSExtValue() - lower.getSExtValue() == *extent;
  return isFull ? std::optional<int64_t>(lower.getSExtValue()) : std::nullopt;
}

/// The slice of the part; with `drop` its index.
Value LaneCutter::runTile(Value tile, const LaneCut &cut) {
  std::optional<int64_t> begin = sliceBegin(tile);
  if (!begin || !emits)
    return begin ? tile : Value();
  auto range = tile.getDefiningOp<RangeOp>();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(range);
  Value lower = arith::ConstantIndexOp::create(b, range.getLoc(), *begin + cut.first);
  if (cut.drop)
    return lower;
  Value upper = arith::ConstantIndexOp::create(b, range.getLoc(), *begin + cut.first + cut.size);
  Type type = TileType::get(b.getContext(), DimAttr::get(b.getContext(), cut.size));
  return RangeOp::create(b, range.getLoc(), type, lower, upper, range.getSite());
}

/// The part of a tensor of indices; where one lane is left, a number of type index.
Value LaneCutter::runGather(Value index, const LaneCut &cut) {
  Value part = run(index, cut);
  if (!part || !emits || isTileValue(part.getType()) || part.getType().isIndex())
    return part;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(part);
  return arith::IndexCastOp::create(b, index.getLoc(), b.getIndexType(), part);
}

bool LaneCutter::runIndices(OperandRange indices, const LaneCut &cut, SmallVectorImpl<Value> &parts) {
  int64_t next = 0, gathered = -1;
  for (Value index : indices) {
    bool isTile = isa<TileType>(index.getType()), isGather = isTileValue(index.getType());
    int64_t rank = isGather ? dimsOf(index.getType()).size() : isTile;
    // The dims of all tensor indices stand where the first one stood.
    int64_t at = isGather && gathered >= 0 ? gathered : next;
    bool isHere = cut.dim >= at && cut.dim < at + rank;
    LaneCut own{cut.dim - at, cut.first, cut.size, cut.drop};
    parts.push_back(!isHere ? index : isTile ? runTile(index, own) : runGather(index, own));
    if (!parts.back())
      return false;
    if (!isGather || gathered < 0)
      next += rank;
    if (isGather)
      gathered = at;
  }
  return true;
}

Value LaneCutter::runLoad(LoadOp op, const LaneCut &cut) {
  SmallVector<Value> indices;
  Value mask = op.getMask();
  if (mask && isTileValue(mask.getType()))
    mask = run(mask, cut);
  if ((op.getMask() && !mask) || !runIndices(op.getIndices(), cut, indices))
    return {};
  if (!emits)
    return op.getResult();
  b.setInsertionPointAfter(op);
  return LoadOp::create(b, op.getLoc(), partType(op.getResult().getType(), cut), op.getSource(), indices, mask,
                        op.getOther(), op.getSiteAttr(), op.getAccessAttr(), op.getEvictAttr());
}

bool LaneCutter::runStore(StoreOp store, const LaneCut &cut) {
  SmallVector<Value> indices;
  Value mask = store.getMask(), value = run(store.getValue(), cut);
  if (mask && isTileValue(mask.getType()))
    mask = run(mask, cut);
  if (!value || (store.getMask() && !mask) || !runIndices(store.getIndices(), cut, indices))
    return false;
  if (!emits)
    return true;
  b.setInsertionPoint(store);
  StoreOp::create(b, store.getLoc(), value, store.getDest(), indices, mask, store.getSiteAttr(), store.getAccessAttr(),
                  store.getEvictAttr());
  return true;
}

Value LaneCutter::runIota(IotaOp op, const LaneCut &cut) {
  if (cut.drop || !op.getTile())
    return {};
  Value tile = runTile(op.getTile(), cut);
  if (!tile || !emits)
    return tile ? op.getResult() : Value();
  b.setInsertionPointAfter(op);
  return IotaOp::create(b, op.getLoc(), partType(op.getType(), cut), tile);
}

//===-- Ops that move dims ---------------------------------------------------------------------------------------===//

Value LaneCutter::runStack(StackOp op, const LaneCut &cut) {
  int64_t own = op.getDim();
  SmallVector<Value> values(op.getValues());
  if (cut.dim == own && cut.drop)
    return values[cut.first];
  if (cut.dim == own)
    values = SmallVector<Value>(ArrayRef<Value>(values).slice(cut.first, cut.size));
  else
    for (Value &value : values)
      if (!(value = run(value, {cut.dim - (cut.dim > own), cut.first, cut.size, cut.drop})))
        return {};
  if (!emits)
    return op.getResult();
  b.setInsertionPointAfter(op);
  return StackOp::create(b, op.getLoc(), partType(op.getType(), cut), values, own - (cut.drop && cut.dim < own));
}

Value LaneCutter::runPermute(PermuteOp op, const LaneCut &cut) {
  int64_t from = op.getDims()[cut.dim];
  Value source = run(op.getValue(), {from, cut.first, cut.size, cut.drop});
  Type type = partType(op.getType(), cut);
  if (!source || !emits || !isTileValue(type))
    return source;
  SmallVector<int64_t> dims(op.getDims());
  if (cut.drop) {
    dims.erase(dims.begin() + cut.dim);
    for (int64_t &dim : dims)
      dim -= dim > from;
  }
  if (llvm::is_sorted(dims))
    return source;
  b.setInsertionPointAfter(op);
  return PermuteOp::create(b, op.getLoc(), type, source, b.getDenseI64ArrayAttr(dims));
}

Value LaneCutter::runBroadcast(BroadcastOp op, const LaneCut &cut) {
  SmallVector<int64_t> to(op.getDims());
  auto place = llvm::find(to, cut.dim);
  Value source = op.getValue();
  if (place != to.end()) {
    int64_t from = place - to.begin();
    bool isRepeated = dimsOf(source.getType())[from] != dimsOf(op.getType())[cut.dim];
    if (!isRepeated)
      source = run(source, {from, cut.first, cut.size, cut.drop});
    else if (cut.drop)
      source = run(source, {from, 0, 1, true});
    if (cut.drop)
      to.erase(place);
  }
  Type type = partType(op.getType(), cut);
  if (!source || !emits || source.getType() == type)
    return source;
  for (int64_t &dim : to)
    dim -= cut.drop && dim > cut.dim;
  b.setInsertionPointAfter(op);
  if (!isTileValue(source.getType()))
    return SplatOp::create(b, op.getLoc(), type, source);
  return BroadcastOp::create(b, op.getLoc(), type, source, to);
}

Value LaneCutter::runRebound(ReboundOp op, const LaneCut &cut) {
  Value source = run(op.getValue(), cut);
  Type type = partType(op.getType(), cut);
  if (!source || !emits || source.getType() == type)
    return source;
  b.setInsertionPointAfter(op);
  return ReboundOp::create(b, op.getLoc(), type, source);
}

namespace {
/// The groups of a reshape, and where a dim of its result stands in them.
struct Groups {
  SmallVector<SmallVector<int64_t>> members;
  bool merges;
  int64_t group = -1; // of the dim

  Groups(ReshapeOp op, int64_t dim) : merges(dimsOf(op.getValue().getType()).size() >= dimsOf(op.getType()).size()) {
    for (auto attr : op.getGroups().getAsRange<DenseI64ArrayAttr>())
      members.emplace_back(attr.asArrayRef());
    for (auto [number, own] : llvm::enumerate(members))
      if (merges ? int64_t(number) == dim : llvm::is_contained(own, dim))
        group = number;
  }

  /// Lanes per step of the first member of the dim's group; none where extents are not constant.
  std::optional<int64_t> inner(ArrayRef<DimAttr> high) const {
    int64_t product = 1;
    for (int64_t member : ArrayRef<int64_t>(members[group]).drop_front()) {
      std::optional<int64_t> constant = high[member].getConstant();
      if (!constant)
        return std::nullopt;
      product *= *constant;
    }
    return product;
  }

  /// The first member of the dim's group goes, and the group with its last member.
  ArrayAttr withoutFirst(OpBuilder &b) {
    int64_t gone = members[group].front();
    members[group].erase(members[group].begin());
    if (members[group].empty())
      members.erase(members.begin() + group);
    return asAttr(b, gone);
  }
  ArrayAttr asAttr(OpBuilder &b, int64_t gone = INT64_MAX) const {
    SmallVector<Attribute> attrs;
    for (ArrayRef<int64_t> own : members)
      attrs.push_back(
          b.getDenseI64ArrayAttr(llvm::map_to_vector(own, [&](int64_t member) { return member - (member > gone); })));
    return b.getArrayAttr(attrs);
  }
};
} // namespace

/// The part of the operand: along the dim of a group of one the same part, else whole steps of the group's first
/// member.
Value LaneCutter::runReshape(ReshapeOp op, const LaneCut &cut) {
  Groups groups(op, cut.dim);
  if (groups.group < 0 || groups.members[groups.group].empty())
    return {};
  ArrayRef<int64_t> own = groups.members[groups.group];
  bool isAlone = own.size() == 1;
  std::optional<int64_t> inner = groups.inner(dimsOf(groups.merges ? op.getValue().getType() : op.getType()));
  LaneCut source = cut;
  bool drops = cut.drop;
  if (isAlone) {
    source.dim = groups.merges ? own[0] : groups.group;
  } else if (!inner || (groups.merges ? cut.drop || cut.first % *inner || cut.size % *inner : own[0] != cut.dim)) {
    return {};
  } else if (groups.merges) {
    drops = cut.size == *inner;
    source = {own[0], cut.first / *inner, cut.size / *inner, drops};
  } else {
    source = {groups.group, cut.first * *inner, cut.size * *inner, false};
  }
  Value part = run(op.getValue(), source);
  Type type = partType(op.getType(), cut);
  if (!part || !emits || part.getType() == type)
    return part;
  b.setInsertionPointAfter(op);
  ArrayAttr attr = drops ? groups.withoutFirst(b) : groups.asAttr(b);
  return ReshapeOp::create(b, op.getLoc(), type, part, attr);
}
