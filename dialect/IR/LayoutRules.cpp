// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of layouts across ops.

#include "dialect/IR/LayoutRules.h"
#include "dialect/IR/Dims.h"

using namespace mlir;
using namespace helion;

Layout helion::broadcastOperand(const Layout &result, ArrayRef<int64_t> dims, ArrayRef<int64_t> operandShape) {
  Layout layout = result;
  for (int64_t dim = result.rank() - 1; dim >= 0; --dim) {
    const int64_t *source = llvm::find(dims, dim);
    if (source == dims.end())
      layout = layout.withoutDim(dim);
    else if (operandShape[source - dims.begin()] != result.shape()[dim])
      layout = layout.withDimCollapsed(dim);
  }
  return layout;
}

Layout helion::indexOperand(const Layout &value, TypeRange indices) {
  SmallVector<unsigned> others;
  unsigned dim = 0;
  bool placed = false;
  for (Type index : indices) {
    if (isa<TileType>(index)) {
      others.push_back(dim++);
    } else if (isTileValue(index) && !placed) {
      placed = true;
      dim += cast<RankedTensorType>(index).getRank();
    }
  }
  Layout layout = value;
  for (unsigned other : llvm::reverse(others))
    layout = layout.withoutDim(other);
  return layout;
}

std::optional<Layout> helion::reshapedLayout(const Layout &operand, ArrayRef<int64_t> shape, ArrayAttr groups) {
  SmallVector<SmallVector<int64_t>> members;
  for (auto group : groups.getAsRange<DenseI64ArrayAttr>())
    members.emplace_back(group.asArrayRef());
  return operand.reshaped(shape, members);
}
