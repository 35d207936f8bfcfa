// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of loads, stores and atomics (MemoryOps.td).

#include "dialect/IR/Dims.h"
#include "dialect/IR/Helion.h"
#include "dialect/IR/LayoutRules.h"

using namespace mlir;
using namespace helion;

/// The rules that the three share: one index per dim of the host tensor, dims and element of the value, type of the
/// mask.
template <typename AccessOp> static LogicalResult verifyAccess(AccessOp op, Type host, Type value) {
  auto memref = cast<MemRefType>(host);
  if (memref.getRank() != int64_t(op.getIndices().size()))
    return op.emitOpError() << "has " << op.getIndices().size() << " indices for a host tensor of rank "
                            << memref.getRank();
  for (Type index : op.getIndices().getTypes())
    if (isTileValue(index) && !getElementTypeOrSelf(index).isIntOrIndex())
      return op.emitOpError() << "index of type " << index << " is not of integers";
  std::optional<SmallVector<DimAttr>> dims = accessDims(op.getIndices().getTypes());
  if (!dims)
    return op.emitOpError() << "has tensor indices of different types; broadcast them to one";
  if (*dims != dimsOf(value))
    return op.emitOpError() << "indices give dims " << dimsStr(*dims) << ", the value has " << dimsStr(dimsOf(value));
  if (getElementTypeOrSelf(value) != memref.getElementType())
    return op.emitOpError() << "value has element type " << getElementTypeOrSelf(value) << ", the host tensor "
                            << memref.getElementType();
  for (Type index : op.getIndices().getTypes())
    if (LayoutAttr own = layoutOf(index), whole = layoutOf(value); own && whole) {
      Layout wanted = indexOperand(whole.getLayout(), op.getIndices().getTypes());
      if (own.getLayout() != wanted)
        return op.emitOpError() << "index has another layout than the value without its other dims, " << wanted.str();
    }
  if (Value mask = op.getMask()) {
    Type wanted = withElementType(value, IntegerType::get(op.getContext(), 1));
    if (mask.getType() != wanted)
      return op.emitOpError() << "mask has type " << mask.getType() << "; " << wanted << " is needed";
  }
  return success();
}

LogicalResult LoadOp::verify() {
  if (getOther() && getOther().getType() != getElementTypeOrSelf(getResult().getType()))
    return emitOpError() << "`other` has type " << getOther().getType() << ", the value has element type "
                         << getElementTypeOrSelf(getResult().getType());
  return verifyAccess(*this, getSource().getType(), getResult().getType());
}

LogicalResult StoreOp::verify() { return verifyAccess(*this, getDest().getType(), getValue().getType()); }

LogicalResult AtomicOp::verify() {
  if (getKind() == ReductionKind::ArgMax || getKind() == ReductionKind::ArgMin)
    return emitOpError() << "kind `" << stringifyReductionKind(getKind()) << "` has no atomic form";
  if (!acceptsElement(getKind(), getElementTypeOrSelf(getValue().getType())))
    return emitOpError() << "kind `" << stringifyReductionKind(getKind()) << "` does not take elements of type "
                         << getElementTypeOrSelf(getValue().getType());
  if (getResult().getType() != getValue().getType())
    return emitOpError() << "result type " << getResult().getType() << " differs from the value's "
                         << getValue().getType();
  return verifyAccess(*this, getDest().getType(), getValue().getType());
}
