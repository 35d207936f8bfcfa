// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of a whole round become native ones, op by op. LLVM would split them too, but depth first: one native vector
// through a whole chain, then the next, each waiting for itself.

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

namespace helion {
#define GEN_PASS_DEF_SPLITVECTORSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace helion

namespace {
/// The vectors of one loop's body.
class Splitter {
public:
  Splitter(scf::ForOp loop, int64_t lanes) : loop(loop), lanes(lanes), builder(loop.getContext()) {}

  unsigned run() {
    llvm::SetVector<Operation *> replaced;
    for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
      builder.setInsertionPoint(&op);
      if (split(&op))
        replaced.insert(&op);
    }
    for (Operation *op : llvm::reverse(replaced)) {
      auto isAlive = [&](Operation *user) { return !replaced.contains(user); };
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), isAlive))
          result.replaceAllUsesWith(join(result, op));
    }
    for (Operation *op : llvm::reverse(replaced)) {
      op->dropAllUses();
      op->erase();
    }
    return replaced.size();
  }

private:
  /// How many native vectors a type has; 1 for all that is not split.
  int64_t countOf(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    bool isWide = vector && vector.getRank() == 1 && !vector.isScalable() && vector.getDimSize(0) % lanes == 0;
    return isWide ? vector.getDimSize(0) / lanes : 1;
  }

  VectorType native(Type type) { return VectorType::get({lanes}, getElementTypeOrSelf(type)); }

  Value addTo(Location loc, Value index, int64_t part) {
    return IndexMath(builder, loc).add(index, IndexMath(builder, loc).constant(part * lanes));
  }

  ArrayRef<Value> partsOf(Value value) {
    SmallVector<Value> &found = parts[value];
    if (!found.empty())
      return found;
    int64_t count = countOf(value.getType());
    DenseElementsAttr constant;
    if (matchPattern(value, m_Constant(&constant)) && constant.isSplat()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(value);
      auto splat = DenseElementsAttr::get(native(value.getType()), constant.getSplatValue<Attribute>());
      found.assign(count, arith::ConstantOp::create(builder, value.getLoc(), splat));
      return found;
    }
    for (int64_t part = 0; part < count; ++part)
      found.push_back(vector::ExtractStridedSliceOp::create(builder, value.getLoc(), value, part * lanes, lanes, 1));
    return found;
  }

  /// The operand of one part: the value itself where all parts share it.
  Value partOf(Value value, int64_t part) { return countOf(value.getType()) == 1 ? value : partsOf(value)[part]; }

  /// The wide value again, for a reader that is not split.
  Value join(Value value, Operation *after) {
    builder.setInsertionPointAfter(after);
    Type element = getElementTypeOrSelf(value.getType());
    if (parts[value].size() == 1)
      return parts[value][0];
    Value wide = arith::ConstantOp::create(
        builder, value.getLoc(),
        DenseElementsAttr::get(cast<VectorType>(value.getType()), builder.getZeroAttr(element)));
    for (auto [part, piece] : llvm::enumerate(parts[value]))
      wide = vector::InsertStridedSliceOp::create(builder, value.getLoc(), piece, wide, int64_t(part) * lanes, 1);
    return wide;
  }

  bool splitStore(vector::StoreOp store) {
    int64_t count = countOf(store.getValueToStore().getType());
    for (int64_t part = 0; count > 1 && part < count; ++part) {
      SmallVector<Value> indices(store.getIndices());
      indices.back() = addTo(store.getLoc(), indices.back(), part);
      Value value = partOf(store.getValueToStore(), part);
      auto piece = cast<vector::StoreOp>(builder.clone(*store));
      piece.getValueToStoreMutable().assign(value);
      piece.getIndicesMutable().assign(indices);
    }
    return count > 1;
  }

  template <typename Load> Value splitLoad(Load load, int64_t part) {
    SmallVector<Value> indices(load.getIndices());
    indices.back() = addTo(load.getLoc(), indices.back(), part);
    Value result;
    if constexpr (std::is_same_v<Load, vector::MaskedLoadOp>) {
      Value mask = partOf(load.getMask(), part), other = partOf(load.getPassThru(), part);
      result = Load::create(builder, load.getLoc(), native(load.getType()), load.getBase(), indices, mask, other);
    } else {
      auto piece = cast<Load>(builder.clone(*load));
      piece.getIndicesMutable().assign(indices);
      result = piece.getResult();
      result.setType(native(load.getType()));
    }
    return result;
  }

  Value splitMask(vector::CreateMaskOp mask, int64_t part) {
    Value count = addTo(mask.getLoc(), mask.getOperands()[0], -part);
    return vector::CreateMaskOp::create(builder, mask.getLoc(), native(mask.getType()), ValueRange{count});
  }

  Value splitElementwise(Operation *op, int64_t part) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, partOf(operand, part));
    Value result = builder.clone(*op, mapping)->getResult(0);
    result.setType(native(result.getType()));
    return result;
  }

  /// A slice of whole parts, of which one alone is native already.
  bool splitSlice(vector::ExtractStridedSliceOp slice) {
    int64_t offset = cast<IntegerAttr>(slice.getOffsets()[0]).getInt();
    int64_t size = slice.getType().getDimSize(0);
    if (countOf(slice.getSource().getType()) == 1 || offset % lanes || size % lanes)
      return false;
    SmallVector<Value> source(partsOf(slice.getSource()));
    parts[slice.getResult()] = SmallVector<Value>(ArrayRef<Value>(source).slice(offset / lanes, size / lanes));
    if (size == lanes)
      slice.getResult().replaceAllUsesWith(source[offset / lanes]);
    return true;
  }

  /// One part of the result, after those before it; null for an op that is not split.
  Value splitResult(Operation *op, int64_t part, ArrayRef<Value> before) {
    if (auto load = dyn_cast<vector::LoadOp>(op))
      return splitLoad(load, part);
    if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
      return splitLoad(load, part);
    if (auto mask = dyn_cast<vector::CreateMaskOp>(op))
      return splitMask(mask, part);
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op); broadcast && !isa<VectorType>(broadcast.getSourceType()))
      return part ? before[0]
                  : vector::BroadcastOp::create(builder, op->getLoc(), native(broadcast.getType()),
                                                broadcast.getSource())
                        .getResult();
    return OpTrait::hasElementwiseMappableTraits(op) ? splitElementwise(op, part) : Value();
  }

  bool split(Operation *op) {
    if (auto store = dyn_cast<vector::StoreOp>(op))
      return splitStore(store);
    if (auto slice = dyn_cast<vector::ExtractStridedSliceOp>(op))
      return splitSlice(slice);
    int64_t count = op->getNumResults() == 1 ? countOf(op->getResult(0).getType()) : 1;
    SmallVector<Value> results;
    for (int64_t part = 0; count > 1 && part < count; ++part)
      if (Value piece = splitResult(op, part, results))
        results.push_back(piece);
    if (results.empty())
      return false;
    parts[op->getResult(0)] = results;
    return true;
  }

  scf::ForOp loop;
  int64_t lanes;
  OpBuilder builder;
  DenseMap<Value, SmallVector<Value>> parts;
};

struct SplitVectors : helion::impl::SplitVectorsPassBase<SplitVectors> {
  void runOnOperation() override {
    getOperation().walk([&](scf::ForOp loop) {
      if (auto lanes = dyn_cast_or_null<IntegerAttr>(loop->removeAttr(kNativeLanesAttr)))
        split += Splitter(loop, lanes.getInt()).run();
    });
  }
};
} // namespace
