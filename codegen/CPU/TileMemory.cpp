// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat views and scratch buffers.

#include "codegen/CPU/TileMemory.h"
#include "codegen/CPU/NarrowFloat.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

// Size of a flat view: nothing reads it, every access is bounded by its tile.
static constexpr int64_t kUnbounded = int64_t(1) << 40;

std::optional<int64_t> cpu::constantOf(Value value) { return value ? getConstantIntValue(value) : std::nullopt; }

Value IndexMath::constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value IndexMath::add(Value a, Value b) {
  if (constantOf(a) == 0)
    return b;
  return constantOf(b) == 0 ? a : builder.createOrFold<arith::AddIOp>(loc, a, b);
}

Value IndexMath::sub(Value a, Value b) {
  return constantOf(b) == 0 ? a : builder.createOrFold<arith::SubIOp>(loc, a, b);
}

Value IndexMath::mul(Value a, Value b) {
  if (constantOf(a) == 1)
    return b;
  return constantOf(b) == 1 ? a : builder.createOrFold<arith::MulIOp>(loc, a, b);
}

Value IndexMath::min(Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(loc, a, b); }
Value IndexMath::max(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(loc, a, b); }

Value IndexMath::floorTo(Value a, int64_t step) {
  if (std::optional<int64_t> value = constantOf(a))
    return constant(*value - *value % step);
  return sub(a, builder.createOrFold<arith::RemUIOp>(loc, a, constant(step)));
}

Block *TileMemory::blockOf(Value value) const {
  auto found = moved.find(value.getParentBlock());
  return found == moved.end() ? value.getParentBlock() : found->second;
}

View TileMemory::viewOf(Value memref) {
  auto [entry, isNew] = views.try_emplace(memref);
  if (!isNew)
    return entry->second;
  OpBuilder builder(memref.getContext());
  builder.setInsertionPointAfterValue(memref);
  Location loc = memref.getLoc();
  IndexMath math(builder, loc);
  auto type = cast<MemRefType>(memref.getType());
  auto meta = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  int64_t staticOffset;
  SmallVector<int64_t> staticStrides;
  bool strided = succeeded(type.getStridesAndOffset(staticStrides, staticOffset));
  auto pick = [&](int64_t known, Value value) {
    return strided && !ShapedType::isDynamic(known) ? math.constant(known) : value;
  };
  View &view = entry->second;
  view.offset = pick(staticOffset, meta.getOffset());
  for (auto [known, value] : llvm::zip(staticStrides, meta.getStrides()))
    view.strides.push_back(pick(known, value));
  auto layout = StridedLayoutAttr::get(memref.getContext(), 0, {1});
  auto flat = MemRefType::get({ShapedType::kDynamic}, type.getElementType(), layout, type.getMemorySpace());
  SmallVector<OpFoldResult> sizes = {math.constant(kUnbounded)};
  SmallVector<OpFoldResult> strides = {builder.getIndexAttr(1)};
  view.memory = memref::ReinterpretCastOp::create(builder, loc, flat, meta.getBaseBuffer(), builder.getIndexAttr(0),
                                                  sizes, strides);
  // Both are the same descriptor in the LLVM dialect, where this cast ends.
  if (Type held = memoryElement(type.getElementType()); held != type.getElementType()) {
    auto heldType = MemRefType::get({ShapedType::kDynamic}, held, layout, type.getMemorySpace());
    view.memory = UnrealizedConversionCastOp::create(builder, loc, heldType, view.memory).getResult(0);
  }
  return view;
}

View TileMemory::allocate(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, Type element,
                          int64_t rowMultiple) {
  IndexMath math(builder, loc);
  SmallVector<int64_t> strides(shape.size(), 1);
  int64_t size = llvm::alignTo(shape.back(), rowMultiple);
  for (int64_t dim = shape.size() - 2; dim >= 0; --dim) {
    strides[dim] = size;
    size *= shape[dim];
  }
  auto type = MemRefType::get({size}, memoryElement(element));
  auto buffer = memref::AllocOp::create(builder, loc, type);
  buffer->setAttr(kTileBufferAttr, builder.getUnitAttr());
  View view{buffer, math.constant(0), {}};
  for (int64_t stride : strides)
    view.strides.push_back(math.constant(stride));
  return view;
}
