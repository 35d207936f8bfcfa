// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses and bounds of accesses to host tensors.

#include "codegen/Common/ThreadAccess.h"
#include "codegen/Common/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace helion;
using namespace helion::threads;

std::optional<TileSpan> threads::spanOf(Value tile) {
  TileSpan span;
  span.extent = *cast<TileType>(tile.getType()).getDim().getConstant();
  while (auto shift = tile.getDefiningOp<TileShiftOp>()) {
    span.shifts.push_back(shift.getOffset());
    tile = shift.getTile();
  }
  auto made = tile.getDefiningOp<MakeTileOp>();
  if (!made)
    return std::nullopt;
  span.begin = made.getBegin();
  span.end = made.getEnd();
  return span;
}

SmallVector<IndexDims> threads::indexDimsOf(ValueRange indices) {
  SmallVector<IndexDims> result;
  unsigned next = 0;
  std::optional<unsigned> tensor;
  for (Value index : indices) {
    IndexDims dims{next, 0};
    if (isa<TileType>(index.getType())) {
      dims.count = 1;
      ++next;
    } else if (isTileValue(index.getType())) {
      dims.count = cast<RankedTensorType>(index.getType()).getRank();
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

scf::IfOp threads::divergentIf(OpBuilder &b, Location loc, Value condition,
                               function_ref<SmallVector<Value>(OpBuilder &)> inside,
                               function_ref<SmallVector<Value>(OpBuilder &)> outside) {
  auto fill = [](function_ref<SmallVector<Value>(OpBuilder &)> make) {
    return [make](OpBuilder &at, Location loc) {
      SmallVector<Value> values = make(at);
      scf::YieldOp::create(at, loc, values);
    };
  };
  scf::IfOp branch = outside ? scf::IfOp::create(b, loc, condition, fill(inside), fill(outside))
                             : scf::IfOp::create(b, loc, condition, fill(inside));
  branch->setAttr(kDivergentAttr, b.getUnitAttr());
  return branch;
}

//===-- Bounds ----------------------------------------------------------------------------------------------------===//

DimBound::DimBound(ThreadContext &code, ConversionPatternRewriter &b, Location loc, const IndexMap &map, unsigned dim,
                   const TileSpan &span)
    : code(code), b(b), loc(loc), map(map), dim(dim), adds(partsAdd(map, dim)) {
  IndexMath math{b, loc};
  Value begin = b.getRemappedValue(span.begin), end = b.getRemappedValue(span.end);
  Value left = b.createOrFold<arith::SubIOp>(loc, end, begin);
  // Between 0 and the extent, so that 32 bits hold it.
  left = b.createOrFold<arith::MinSIOp>(loc, left, math.constant(span.extent));
  left = b.createOrFold<arith::MaxSIOp>(loc, left, math.constant(0));
  room = b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), left);
  if (Value part = adds ? code.threadPart(map, dim) : Value())
    room = arith::SubIOp::create(b, loc, room, part);
}

Value DimBound::contains(int64_t reg) {
  Value index = adds ? i32(b, loc, registerPart(map, reg, dim).sum()) : indexOf(code, b, loc, map, reg, dim);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, room, index);
}

Value DimBound::countFrom(int64_t reg, int64_t count) {
  Value index = adds ? i32(b, loc, registerPart(map, reg, dim).sum()) : indexOf(code, b, loc, map, reg, dim);
  Value left = b.createOrFold<arith::SubIOp>(loc, room, index);
  left = arith::MinSIOp::create(b, loc, left, i32(b, loc, count));
  return arith::MaxSIOp::create(b, loc, left, i32(b, loc, 0));
}

int64_t threads::decidedTogether(const ThreadContext &code, const TileSpan &span, int64_t limit) {
  int64_t decided = llvm::bit_floor(uint64_t(limit));
  while (code.multiples.of(span.begin) % decided || (span.end && code.multiples.of(span.end) % decided))
    decided /= 2;
  return decided;
}

//===-- Accesses --------------------------------------------------------------------------------------------------===//

TileAccess::TileAccess(ThreadContext &code, ConversionPatternRewriter &b, Location loc, Value memref,
                       ValueRange indices, ValueRange loweredIndices, const std::optional<Layout> &layout)
    : code(code), b(b), loc(loc), memref(memref), view(code.viewOf(memref)), layout(layout), math{b, loc} {
  map = layout ? layout->map() : IndexMap(Point(kNumSpaces, 1), Point());
  strides.assign(map.outs().size(), b.getIndexAttr(0));
  if (getConstantIntValue(view.offset) != 0)
    base = math.value(view.offset);
  commonMultiple = code.multiples.of(view.offset);
  SmallVector<IndexDims> dims = indexDimsOf(indices);
  for (unsigned dim = 0; dim != indices.size(); ++dim)
    addIndex(dim, indices[dim], loweredIndices[dim], dims[dim]);
  addresses.emplace(code, b, loc, map, strides, base);
  chooseRuns();
}

void TileAccess::addIndex(unsigned dim, Value index, Value lowered, IndexDims dims) {
  if (isa<TileType>(index.getType()))
    return addTile(dim, index, dims.first);
  if (isTileValue(index.getType()))
    return addTensor(dim, index, lowered, dims);
  placed.push_back(-1);
  base = math.add(base, math.times(lowered, view.strides[dim]));
  commonMultiple = std::gcd(commonMultiple, code.multiples.of(index) * code.multiples.of(view.strides[dim]));
}

void TileAccess::addTile(unsigned dim, Value tile, unsigned valueDim) {
  TileSpan span = *spanOf(tile);
  placed.push_back(valueDim);
  isPlaced &= span.shifts.empty() && code.multiples.of(span.begin) % span.extent == 0;
  int64_t stride = code.multiples.of(view.strides[dim]);
  base = math.add(base, math.times(b.getRemappedValue(span.begin), view.strides[dim]));
  commonMultiple = std::gcd(commonMultiple, code.multiples.of(span.begin) * stride);
  for (Value shift : span.shifts) {
    base = math.add(base, math.times(b.getRemappedValue(shift), view.strides[dim]));
    commonMultiple = std::gcd(commonMultiple, code.multiples.of(shift) * stride);
  }
  strides[valueDim] = view.strides[dim];
  if (!span.end)
    return;
  bounds.emplace_back(code, b, loc, map, valueDim, span);
  spans.push_back({valueDim, span});
}

/// A lane whose index lies outside the tensor is not accessed: valid lanes never do, and others may hold anything.
void TileAccess::addTensor(unsigned dim, Value index, Value lowered, IndexDims dims) {
  isPlaced = false;
  std::optional<SmallVector<int64_t>> sources =
      localSources(*layout, layoutIn(index), code.lanes, code.warps,
                   [&](ArrayRef<int64_t> at) { return Point(at.slice(dims.first, dims.count)); });
  Value size = memref::DimOp::create(b, loc, memref, dim);
  gathers.push_back({unpack(b, loc, lowered), *sources, view.strides[dim], size});
  commonMultiple = std::gcd(commonMultiple, code.multiples.of(view.strides[dim]));
}

/// Whether `width` neighbours along `dim`, the first at a multiple of it, have one value.
static bool isUniform(const ThreadContext &code, Value value, unsigned dim, int64_t width) {
  Operation *op = value.getDefiningOp();
  if (!op || !isTileValue(value.getType()))
    return !isTileValue(value.getType());
  if (isa<SplatOp>(op) || matchPattern(value, m_Constant()))
    return true;
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    const auto *own = llvm::find(broadcast.getDims(), int64_t(dim));
    return own == broadcast.getDims().end() ||
           isUniform(code, broadcast.getValue(), own - broadcast.getDims().begin(), width);
  }
  if (auto mask = dyn_cast<MaskOp>(op)) {
    for (auto [number, tile] : llvm::enumerate(mask.getTiles())) {
      std::optional<TileSpan> span = spanOf(tile);
      if (mask.getDims()[number] == int64_t(dim) &&
          (!span || !span->shifts.empty() || code.multiples.of(span->begin) % width ||
           (span->end && code.multiples.of(span->end) % width)))
        return false;
    }
    return isUniform(code, mask.getValue(), dim, width);
  }
  return isa<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isUniform(code, operand, dim, width); });
}

void TileAccess::setMask(Value mask, Value lowered) {
  if (!mask)
    return;
  if (!layout) {
    maskElements = {lowered};
    maskSources = {0};
    return;
  }
  maskElements = isTileValue(mask.getType()) ? unpack(b, loc, lowered) : SmallVector<Value>(registersOf(map), lowered);
  maskSources = llvm::to_vector(llvm::seq<int64_t>(0, registersOf(map)));
  if (isTileValue(mask.getType())) {
    maskSources =
        *localSources(*layout, layoutIn(mask), code.lanes, code.warps, [](ArrayRef<int64_t> at) { return Point(at); });
    if (chosen.width > 1 && isUniform(code, mask, runDim, chosen.width))
      return;
    chosen = runsAlong(map, 0, 1);
    isTogether = true;
  }
}

/// Tiles at multiples of their extents are the same one or apart.
Attribute TileAccess::place() const {
  if (!layout || !isPlaced)
    return {};
  return b.getArrayAttr({LayoutAttr::get(b.getContext(), *layout), b.getDenseI64ArrayAttr(placed)});
}

static Value indexElement(OpBuilder &b, Location loc, Value element) {
  return element.getType().isIndex() ? element
                                     : arith::IndexCastOp::create(b, loc, b.getIndexType(), element).getResult();
}

Value TileAccess::at(int64_t reg) {
  Value place = addresses->at(reg);
  for (Gather &gather : gathers)
    place = math.add(place, math.times(indexElement(b, loc, gather.elements[gather.sources[reg]]), gather.stride));
  return place;
}

Value TileAccess::isInside(int64_t reg) {
  Value inside;
  for (DimBound &bound : bounds)
    inside = both(b, loc, inside, bound.contains(reg));
  if (!maskElements.empty())
    inside = both(b, loc, inside, maskElements[maskSources[reg]]);
  for (Gather &gather : gathers) {
    Value index = indexElement(b, loc, gather.elements[gather.sources[reg]]);
    inside = both(b, loc, inside, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, gather.size));
  }
  return inside;
}

Value TileAccess::countInside(ArrayRef<int64_t> run, unsigned dim) {
  Value count, inside;
  for (auto [bound, span] : llvm::zip(bounds, spans)) {
    if (span.first == dim)
      count = bound.countFrom(run.front(), run.size());
    else
      inside = both(b, loc, inside, bound.contains(run.front()));
  }
  if (inside) {
    Value most = count ? count : i32(b, loc, run.size());
    count = arith::SelectOp::create(b, loc, inside, most, i32(b, loc, 0));
  }
  return math.fromI32(count);
}

void TileAccess::chooseRuns() {
  chosen = runsAlong(map, 0, 1);
  int64_t bytes = bytesOf(held()), limit = code.vectorBytes / bytes;
  auto *one = llvm::find_if(strides, [](OpFoldResult stride) { return getConstantIntValue(stride) == 1; });
  if (one == strides.end() || limit < 2)
    return;
  unsigned dim = one - strides.begin();
  int64_t common = std::gcd(commonMultiple, std::max<int64_t>(1, rootAlignment(memref) / bytes));
  for (auto [other, stride] : llvm::enumerate(strides))
    if (other != dim)
      common = std::gcd(common, code.multiples.of(stride));
  // All is 0 where the tile lies at the start of an allocation.
  int64_t aligned = common == 0 ? limit : common & -common;
  Runs widest = runsAlong(map, dim, limit);
  int64_t decided = limit;
  for (auto &[valueDim, span] : spans)
    if (valueDim == dim)
      decided = decidedTogether(code, span, decided);
  // Wider than aligned only when one condition serves all: what memory takes at once is the target's business then.
  int64_t width = std::min(widest.width, std::max(decided, std::min(aligned, limit)));
  if (width < 2)
    return;
  chosen = runsAlong(map, dim, width);
  runDim = dim;
  isTogether = chosen.width <= decided;
  alignedElements = std::min(aligned, chosen.width);
}
