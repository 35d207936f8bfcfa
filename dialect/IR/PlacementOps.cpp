// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the ops about layouts (PlacementOps.td). The labels C1, C2, .. are those of the descriptions.

#include "dialect/IR/Dims.h"
#include "dialect/IR/Helion.h"

using namespace mlir;
using namespace helion;

static LogicalResult verifyPlaced(Operation *op) {
  for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()}) {
    LayoutAttr layout = layoutOf(type);
    if (!layout)
      return op->emitOpError() << "type " << type << " has no `#helion.layout`";
    if (layout.getLayout().uses(LayoutSpace::Offset))
      return op->emitOpError() << "type " << type << " lies in staged memory; use `helion.read` or `helion.write`";
  }
  if (getElementTypeOrSelf(op->getOperand(0)) != getElementTypeOrSelf(op->getResult(0)))
    return op->emitOpError() << "element types " << getElementTypeOrSelf(op->getOperand(0)) << " and "
                             << getElementTypeOrSelf(op->getResult(0)) << " differ";
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  if (failed(verifyPlaced(*this)))
    return failure();
  if (dimsOf(getValue().getType()) != dimsOf(getResult().getType()))
    return emitOpError() << "changes dims " << dimsStr(dimsOf(getValue().getType())) << " to "
                         << dimsStr(dimsOf(getResult().getType()));
  return success();
}

LogicalResult SubtileOp::verify() {
  if (failed(verifyPlaced(*this)))
    return failure();
  auto from = cast<RankedTensorType>(getValue().getType()), to = cast<RankedTensorType>(getResult().getType());
  if (from.getRank() != to.getRank() || from.getRank() != int64_t(getOffsets().size())) // C1
    return emitOpError() << "has " << getOffsets().size() << " offsets for ranks " << from.getRank() << " and "
                         << to.getRank();
  for (auto [offset, extent, whole] : llvm::zip(getOffsets(), to.getShape(), from.getShape()))
    if (offset % extent || offset < 0 || offset > whole - extent)
      return emitOpError() << "block of extent `" << extent << "` at `" << offset << "` is no aligned part of `"
                           << whole << "`";
  std::optional<Layout> wanted = layoutOf(from).getLayout().subtile(to.getShape());
  if (!wanted)
    return emitOpError() << "block of [" << to.getShape() << "] is held by other threads too; convert the layout first";
  if (*wanted != layoutOf(to).getLayout()) // C2
    return emitOpError() << "result has another layout than the block's registers, " << wanted->str();
  return success();
}

LogicalResult ReduceInThreadOp::verify() {
  if (failed(verifyPlaced(*this)))
    return failure();
  Type element = getElementTypeOrSelf(getValue().getType());
  if (!acceptsElement(getKind(), element) || getKind() == ReductionKind::ArgMax ||
      getKind() == ReductionKind::ArgMin) // C1
    return emitOpError() << "kind `" << stringifyReductionKind(getKind()) << "` does not take elements of type "
                         << element;
  const Layout &layout = layoutOf(getValue().getType()).getLayout();
  if (getDim() >= layout.rank())
    return emitOpError() << "dim `" << getDim() << "` is outside the value's rank " << layout.rank();
  std::optional<Layout> wanted = layout.combinedInThread(getDim());
  if (!wanted)
    return emitOpError() << "registers and threads share a bit of dim `" << getDim() << "`; convert the layout first";
  if (*wanted != layoutOf(getResult().getType()).getLayout()) // C2
    return emitOpError() << "result has another layout than what is left per thread, " << wanted->str();
  return success();
}
