// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of lane ops, and the dims of reshapes and accesses.

#include "codegen/CPU/TileChain.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

ArrayRef<int64_t> cpu::shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

bool cpu::isLaneOp(Operation *op) {
  if (op->getNumResults() != 1 || !isTileValue(op->getResult(0).getType()))
    return false;
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return isUnitReshape(reshape);
  return isa<LoadOp, IotaOp, SplatOp, BroadcastOp, PermuteOp, ReboundOp, MaskOp, arith::ConstantOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

bool cpu::isUnitReshape(ReshapeOp op) {
  ArrayRef<int64_t> high = shapeOf(op.getValue()), low = shapeOf(op.getResult());
  if (high.size() < low.size())
    std::swap(high, low);
  return llvm::all_of(op.getGroups().getAsRange<DenseI64ArrayAttr>(), [&](DenseI64ArrayAttr group) {
    return llvm::count_if(group.asArrayRef(), [&](int64_t dim) { return high[dim] != 1; }) <= 1;
  });
}

SmallVector<int64_t> cpu::reshapeSources(ReshapeOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getValue()), to = shapeOf(op.getResult());
  bool drops = from.size() >= to.size();
  SmallVector<int64_t> sources(from.size(), -1);
  for (auto [low, group] : llvm::enumerate(op.getGroups().getAsRange<DenseI64ArrayAttr>()))
    for (int64_t high : group.asArrayRef()) {
      int64_t source = drops ? high : low, result = drops ? low : high;
      if (from[source] != 1)
        if (to[result] == from[source])
          sources[source] = result;
    }
  return sources;
}

SmallVector<IndexDims> cpu::indexDims(OperandRange indices) {
  SmallVector<IndexDims> result;
  unsigned next = 0;
  std::optional<unsigned> tensor;
  for (Value index : indices) {
    IndexDims dims{index, next, 0};
    if (isa<TileType>(index.getType())) {
      dims.count = 1;
      ++next;
    } else if (isTileValue(index.getType())) {
      dims.count = shapeOf(index).size();
      if (!tensor) {
        tensor = next;
        next += dims.count;
      }
      dims.first = *tensor;
    }
    result.push_back(dims);
  }
  return result;
}
