// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes from layouts: which dim is contiguous and what the swizzle is follow from where elements lie.

#include "dialect/IR/TensorMaps.h"
#include "dialect/IR/LayoutBuilders.h"

using namespace mlir;
using namespace helion;

/// Bytes of an element in memory; 0 where elements are no whole bytes.
static unsigned bytesOf(Type element) {
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0 ? element.getIntOrFloatBitWidth() / 8 : 0;
}

std::optional<BoxForm> helion::boxFormOf(TensorMapType map) {
  RankedTensorType tile = map.getTile();
  unsigned bytes = bytesOf(tile.getElementType());
  std::optional<SharedForm> shared;
  if (bytes != 0)
    shared = sharedFormOf(layoutOf(tile).getLayout(), bytes);
  if (!shared || map.getBox().size() > kMostBoxDims)
    return std::nullopt;
  BoxForm form;
  form.swizzleBytes = shared->swizzleBytes;
  // The tile has the extents of the box in order, without some of 1 (TensorMapType, C1).
  unsigned next = 0, contiguous = 0;
  for (auto [dim, extent] : llvm::enumerate(map.getBox())) {
    bool isOfTile = next != tile.getRank() && extent == tile.getDimSize(next);
    form.tileDims.push_back(isOfTile ? int(next) : -1);
    if (isOfTile && next++ == shared->contiguous)
      contiguous = dim;
  }
  form.dims.push_back(contiguous);
  for (unsigned dim = map.getBox().size(); dim-- != 0;)
    if (dim != contiguous)
      form.dims.push_back(dim);
  return form;
}

std::optional<SmallVector<int64_t>> helion::largestBox(const Layout &buffer, unsigned elementBytes) {
  std::optional<SharedForm> form = sharedFormOf(buffer, elementBytes);
  if (!form)
    return std::nullopt;
  SmallVector<unsigned> order{form->contiguous};
  for (unsigned dim = buffer.rank(); dim-- != 0;)
    if (dim != form->contiguous)
      order.push_back(dim);
  SmallVector<int64_t> box(buffer.shape());
  bool isCut = false;
  for (unsigned dim : order) {
    int64_t &extent = box[dim];
    // Plain rows that are longer than a box follow line after line, not box after box: one of several would have gaps.
    if (isCut && form->swizzleBytes == 0) {
      extent = 1;
      continue;
    }
    // The widest power of two, so that boxes are aligned blocks of the buffer.
    int64_t most = dim == form->contiguous && form->swizzleBytes ? form->swizzleBytes / elementBytes : kMostBoxElements;
    isCut |= extent > most;
    if (extent > most)
      extent = std::min(most, extent & -extent);
  }
  std::optional<Layout> corner = buffer.corner(box);
  if (box[form->contiguous] * elementBytes % 16 != 0 || !corner || !sharedFormOf(*corner, elementBytes))
    return std::nullopt;
  return box;
}
