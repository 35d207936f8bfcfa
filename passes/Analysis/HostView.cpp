// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of host tensors -> strided windows of one buffer: from the value back to its argument or allocation, then the
// view ops forward, one function per op.

#include "passes/Analysis/HostExpr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

StringRef helion::hostBufferName(Value memref) {
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    auto kernel = dyn_cast_or_null<KernelOp>(argument.getOwner()->getParentOp());
    return kernel ? kernel.getArgumentName(argument.getArgNumber()) : StringRef();
  }
  if (auto empty = memref.getDefiningOp<EmptyOp>())
    return empty.getName();
  if (auto full = memref.getDefiningOp<FullOp>())
    return full.getName();
  return {};
}

namespace helion {
/// Applies view ops to a window. Each member gives the window of the op's result, from that of its source.
struct HostViewBuilder {
  HostExprs &exprs;

  FailureOr<HostView> ofArgument(BlockArgument argument);
  FailureOr<HostView> ofAllocation(Value result, OperandRange sizes);
  FailureOr<HostView> apply(memref::CastOp op, HostView source) { return source; }
  FailureOr<HostView> apply(memref::CollapseShapeOp op, HostView source);
  FailureOr<HostView> apply(memref::ExpandShapeOp op, HostView source);
  FailureOr<HostView> apply(memref::ReinterpretCastOp op, HostView source);
  FailureOr<HostView> apply(memref::SubViewOp op, HostView source);
  FailureOr<HostView> apply(memref::TransposeOp op, HostView source);
  FailureOr<HostView> applyAny(Operation *op, HostView source);

private:
  bool collapse(const HostView &source, ArrayRef<int64_t> group, HostView &result);
  bool all(ArrayRef<OpFoldResult> values, SmallVectorImpl<SizeExpr> &out);
};
} // namespace helion

FailureOr<HostView> HostViewBuilder::ofArgument(BlockArgument argument) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  StringRef name = hostBufferName(argument);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || name.empty() || failed(type.getStridesAndOffset(strides, offset)))
    return failure();
  HostView view{argument, name.str(), SizeExpr(), {}, {}, {}};
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    view.sizes.push_back(type.isDynamicDim(dim) ? SizeExpr::size(name, dim) : SizeExpr::constant(type.getDimSize(dim)));
    view.strides.push_back(ShapedType::isDynamic(strides[dim]) ? SizeExpr::stride(name, dim)
                                                               : SizeExpr::constant(strides[dim]));
  }
  return view;
}

FailureOr<HostView> HostViewBuilder::ofAllocation(Value result, OperandRange sizes) {
  auto type = cast<MemRefType>(result.getType());
  HostView view{result, hostBufferName(result).str(), SizeExpr(), {}, {}, {}};
  unsigned next = 0;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    std::optional<SizeExpr> size = SizeExpr::constant(type.getDimSize(dim));
    if (type.isDynamicDim(dim))
      size = exprs.expr(sizes[next++]);
    if (!size)
      return failure();
    view.sizes.push_back(*size);
  }
  SizeExpr stride = SizeExpr::constant(1);
  view.strides.resize(type.getRank());
  for (unsigned dim = type.getRank(); dim-- > 0;) {
    view.strides[dim] = stride;
    stride = SizeExpr::mul(view.sizes[dim], stride);
  }
  return view;
}

Pred helion::followsOn(const SizeExpr &size, const SizeExpr &stride, const SizeExpr &whole) {
  Pred equal = Pred::compare(Pred::Compare::EQ, stride, whole);
  std::optional<int64_t> extent = size.asConstant();
  if (extent || equal.fold())
    return extent && *extent <= 1 ? Pred() : equal;
  SizeExpr isStepped = SizeExpr::min(SizeExpr::floordiv(size, SizeExpr::constant(2)), SizeExpr::constant(1));
  return Pred::compare(Pred::Compare::EQ, SizeExpr::mul(isStepped, SizeExpr::sub(stride, whole)),
                       SizeExpr::constant(0));
}

/// Merges the dims of `group`; notes that each steps over all that is inside it.
bool HostViewBuilder::collapse(const HostView &source, ArrayRef<int64_t> group, HostView &result) {
  SizeExpr size = SizeExpr::constant(1), stride = SizeExpr::constant(1), whole;
  bool isInnermost = true;
  for (int64_t dim : llvm::reverse(group)) {
    if (source.sizes[dim].isConstant(1))
      continue;
    if (isInnermost) {
      stride = whole = source.strides[dim];
    } else {
      Pred need = followsOn(source.sizes[dim], source.strides[dim], whole);
      if (need.fold() == false)
        return false;
      if (need.fold() != true)
        result.needs.push_back(need);
    }
    size = SizeExpr::mul(source.sizes[dim], size);
    whole = SizeExpr::mul(source.sizes[dim], whole);
    isInnermost = false;
  }
  result.sizes.push_back(size);
  result.strides.push_back(stride);
  return true;
}

FailureOr<HostView> HostViewBuilder::apply(memref::CollapseShapeOp op, HostView source) {
  HostView result = source;
  result.sizes.clear();
  result.strides.clear();
  for (ArrayRef<int64_t> group : op.getReassociationIndices())
    if (!collapse(source, group, result))
      return failure();
  return result;
}

FailureOr<HostView> HostViewBuilder::apply(memref::ExpandShapeOp op, HostView source) {
  HostView result = source;
  result.sizes.clear();
  if (!all(op.getMixedOutputShape(), result.sizes))
    return failure();
  result.strides.assign(result.sizes.size(), SizeExpr::constant(1));
  for (auto [number, group] : llvm::enumerate(op.getReassociationIndices())) {
    SizeExpr stride = source.strides[number];
    for (int64_t dim : llvm::reverse(group)) {
      result.strides[dim] = stride;
      stride = SizeExpr::mul(stride, result.sizes[dim]);
    }
  }
  return result;
}

/// The offset of a reinterpret_cast counts from the start of its source's buffer, which an inner window has lost.
FailureOr<HostView> HostViewBuilder::apply(memref::ReinterpretCastOp op, HostView source) {
  HostView result{source.base, source.buffer, SizeExpr(), {}, {}, source.needs};
  SmallVector<SizeExpr> offsets;
  if (!source.offset.isConstant(0) || !all(op.getMixedOffsets(), offsets) || !all(op.getMixedSizes(), result.sizes) ||
      !all(op.getMixedStrides(), result.strides))
    return failure();
  result.offset = offsets.front();
  return result;
}

FailureOr<HostView> HostViewBuilder::apply(memref::SubViewOp op, HostView source) {
  SmallVector<SizeExpr> offsets, sizes, strides;
  if (!all(op.getMixedOffsets(), offsets) || !all(op.getMixedSizes(), sizes) || !all(op.getMixedStrides(), strides))
    return failure();
  HostView result{source.base, source.buffer, source.offset, {}, {}, source.needs};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    result.offset = SizeExpr::add(result.offset, SizeExpr::mul(offsets[dim], source.strides[dim]));
    if (dropped.test(dim))
      continue;
    result.sizes.push_back(sizes[dim]);
    result.strides.push_back(SizeExpr::mul(strides[dim], source.strides[dim]));
  }
  return result;
}

FailureOr<HostView> HostViewBuilder::apply(memref::TransposeOp op, HostView source) {
  HostView result = source;
  for (auto [dim, expr] : llvm::enumerate(op.getPermutation().getResults())) {
    unsigned from = cast<AffineDimExpr>(expr).getPosition();
    result.sizes[dim] = source.sizes[from];
    result.strides[dim] = source.strides[from];
  }
  return result;
}

FailureOr<HostView> HostViewBuilder::applyAny(Operation *op, HostView source) {
  return llvm::TypeSwitch<Operation *, FailureOr<HostView>>(op)
      .Case<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::ReinterpretCastOp,
            memref::SubViewOp, memref::TransposeOp>([&](auto view) { return apply(view, std::move(source)); })
      .Default([](Operation *) { return failure(); });
}

bool HostViewBuilder::all(ArrayRef<OpFoldResult> values, SmallVectorImpl<SizeExpr> &out) {
  for (OpFoldResult value : values) {
    std::optional<SizeExpr> expr = exprs.fold(value);
    if (!expr)
      return false;
    out.push_back(*expr);
  }
  return true;
}

FailureOr<HostView> HostExprs::view(Value memref) {
  SmallVector<Operation *> chain;
  while (Operation *op = memref.getDefiningOp()) {
    if (isa<EmptyOp, FullOp>(op) || !isa<MemRefType>(memref.getType()) || op->getNumOperands() == 0)
      break;
    chain.push_back(op);
    memref = op->getOperand(0);
  }
  HostViewBuilder builder{*this};
  FailureOr<HostView> view = failure();
  if (auto argument = dyn_cast<BlockArgument>(memref))
    view = builder.ofArgument(argument);
  else if (auto empty = memref.getDefiningOp<EmptyOp>())
    view = builder.ofAllocation(memref, empty.getSizes());
  else if (auto full = memref.getDefiningOp<FullOp>())
    view = builder.ofAllocation(memref, full.getSizes());
  for (Operation *op : llvm::reverse(chain))
    if (succeeded(view))
      view = builder.applyAny(op, std::move(*view));
  return view;
}
