// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of copies and dots in flight (AsyncOps.td). The labels C1, C2, .. are those of the descriptions.

#include "dialect/IR/Dims.h"
#include "dialect/IR/Helion.h"

using namespace mlir;
using namespace helion;

static LogicalResult verifyElements(Operation *op, Type a, Type b) {
  if (getElementTypeOrSelf(a) == getElementTypeOrSelf(b))
    return success();
  return op->emitOpError() << "element types " << getElementTypeOrSelf(a) << " and " << getElementTypeOrSelf(b)
                           << " differ";
}

LogicalResult TensorMapOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  ArrayRef<int64_t> box = getMap().getType().getBox();
  if (int64_t(box.size()) != source.getRank()) // C1
    return emitOpError() << "has a box of rank " << box.size() << " for a host tensor of rank " << source.getRank();
  if (failed(verifyElements(*this, source, getMap().getType().getTile()))) // C2
    return failure();
  if (std::optional<APFloat> fill = getFill(); fill && !fill->isZero() && !fill->isNaN()) // C3
    return emitOpError() << "fills lanes outside with a number other than 0 or NaN";
  return success();
}

/// C1 to C4 of a copy between `host` (memref or tensor map) and a buffer.
static LogicalResult verifyCopy(Operation *op, Type host, TypeRange indices, BufType buffer) {
  auto map = dyn_cast<TensorMapType>(host);
  int64_t rank = map ? map.getBox().size() : cast<MemRefType>(host).getRank();
  if (rank != int64_t(indices.size())) // C1
    return op->emitOpError() << "has " << indices.size() << " indices for a host tensor of rank " << rank;
  std::optional<SmallVector<DimAttr>> dims = accessDims(indices);
  if (!dims || *dims != dimsOf(buffer.getTile())) // C2
    return op->emitOpError() << "indices give dims " << dimsStr(dims.value_or(SmallVector<DimAttr>()))
                             << ", the buffer has " << dimsStr(dimsOf(buffer.getTile()));
  if (failed(verifyElements(op, map ? Type(map.getTile()) : host, buffer.getTile()))) // C3
    return failure();
  if (!map)
    return success();
  std::optional<Layout> corner;
  if (map.getTile().getRank() == buffer.getTile().getRank())
    corner = layoutOf(buffer).getLayout().corner(map.getTile().getShape());
  if (!corner || *corner != layoutOf(map).getLayout()) // C4
    return op->emitOpError() << "buffer " << buffer.getTile() << " does not consist of boxes " << map.getTile();
  return success();
}

LogicalResult LoadAsyncOp::verify() {
  if (getMulticast() && !isa<TensorMapType>(getSource().getType())) // C5
    return emitOpError() << "copies a memref to several CTAs; only a tensor map can";
  return verifyCopy(*this, getSource().getType(), getIndices().getTypes(), getDest().getType());
}

LogicalResult StoreAsyncOp::verify() {
  if (!getSlot().getType().getWrite())
    return emitOpError() << "stores a slot that was taken; only one from `helion.acquire` was filled here";
  return verifyCopy(*this, getDest().getType(), getIndices().getTypes(), getSource().getType());
}

/// C1 and C2 of a move between registers and a buffer.
static LogicalResult verifyMove(Operation *op, Type value, BufType buffer) {
  if (dimsOf(value) != dimsOf(buffer.getTile())) // C1
    return op->emitOpError() << "moves dims " << dimsStr(dimsOf(value)) << " to or from a buffer of "
                             << dimsStr(dimsOf(buffer.getTile()));
  if (failed(verifyElements(op, value, buffer.getTile())))
    return failure();
  const Layout &staged = layoutOf(buffer).getLayout();
  LayoutAttr registers = layoutOf(value);
  if (registers && staged.uses(LayoutSpace::Group) && !staged.sameOverGroup(registers.getLayout())) // C2
    return op->emitOpError() << "buffer has parts per instance, over which the value is not spread alike";
  return success();
}

LogicalResult ReadOp::verify() { return verifyMove(*this, getResult().getType(), getSource().getType()); }
LogicalResult WriteOp::verify() { return verifyMove(*this, getValue().getType(), getDest().getType()); }

LogicalResult DotAsyncOp::verify() {
  RankedTensorType result = getToken().getType().getTile();
  auto buffer = dyn_cast<BufType>(getLhs().getType());
  SmallVector<DimAttr> lhs = dimsOf(buffer ? Type(buffer.getTile()) : getLhs().getType()),
                       rhs = dimsOf(getRhs().getType().getTile()), out = dimsOf(result);
  if (lhs.size() != 2 || rhs.size() != 2 || out.size() != 2 || lhs[0] != out[0] || rhs[1] != out[1] ||
      lhs[1] != rhs[0]) // C1
    return emitOpError() << "dims " << dimsStr(lhs) << " x " << dimsStr(rhs) << " do not give " << dimsStr(out);
  if (Value acc = getAcc()) { // C2
    auto token = dyn_cast<TokenType>(acc.getType());
    Type type = token ? Type(token.getTile()) : acc.getType();
    if (type != result)
      return emitOpError() << "accumulates " << type << " to " << result;
  }
  LayoutAttr registers = buffer ? LayoutAttr() : layoutOf(getLhs().getType());
  if (registers &&
      registers.getLayout().size(LayoutSpace::Group) != layoutOf(result).getLayout().size(LayoutSpace::Group)) // C3
    return emitOpError() << "left operand in registers is not spread over the instances as the result is";
  return success();
}

LogicalResult ReadyOp::verify() {
  if (getValue().getType() != getToken().getType().getTile()) // C1
    return emitOpError() << "makes a token of " << getToken().getType().getTile() << " of a value of type "
                         << getValue().getType();
  return success();
}

LogicalResult WaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  auto token = operands.size() == 1 ? dyn_cast<TokenType>(operands[0].getType()) : TokenType();
  if (!token)
    return failure();
  types.push_back(token.getTile());
  return success();
}
