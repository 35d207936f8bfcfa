// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of rings (RingOps.td): types of what an acquire or take gives, and sides of slots.

#include "dialect/IR/Helion.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace helion;

static void slotTypes(Type ring, bool write, SmallVectorImpl<Type> &types) {
  types.push_back(SlotType::get(ring.getContext(), write));
  for (RankedTensorType buffer : cast<RingType>(ring).getBuffers())
    types.push_back(BufType::get(ring.getContext(), buffer));
}

/// The ring's type, if the operands that a parser or builder has so far are one ring.
static LogicalResult inferSlot(ValueRange operands, bool write, SmallVectorImpl<Type> &types) {
  if (operands.size() != 1 || !isa<RingType>(operands[0].getType()))
    return failure();
  slotTypes(operands[0].getType(), write, types);
  return success();
}

LogicalResult AcquireOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferSlot(operands, /*write=*/true, types);
}

LogicalResult TakeOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferSlot(operands, /*write=*/false, types);
}

LogicalResult RingOp::verify() {
  Operation *parent = (*this)->getParentOp();
  if (!isa<LaunchOp, FunctionOpInterface>(parent) || isa<KernelOp>(parent)) // C1
    return emitOpError() << "stands in a `" << parent->getName() << "`; a launch declares rings at its top";
  return success();
}

LogicalResult CommitOp::verify() {
  if (!getSlot().getType().getWrite())
    return emitOpError() << "publishes a slot that was taken; only one from `helion.acquire` is to be filled";
  return success();
}

LogicalResult ReleaseOp::verify() {
  if (getSlot().getType().getWrite())
    return emitOpError() << "releases a slot that was acquired; only one from `helion.take` is to be emptied";
  return success();
}
