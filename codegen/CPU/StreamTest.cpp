// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a store may go past the caches: the tensor is larger than they are, so nothing of it will be found there, and
// every whole vector of the tile lies aligned. Such a store does not read the line that it overwrites.

#include "codegen/CPU/NestEmitter.h"
#include "codegen/CPU/TileChain.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

/// `large`, `always` or `never`.
static StringRef streamsWhen(StoreOp store) {
  auto chosen = store->getAttrOfType<StringAttr>("stream");
  return chosen ? chosen.getValue() : "large";
}

/// True at run time when the tile's rows lie aligned and, unless that does not matter, the tensor is large.
Value NestEmitter::streamTest(StoreOp store, int64_t vectorBytes, int vectorDim) {
  IndexMath math(builder, loc);
  Value dest = store.getDest();
  View view = memory.viewOf(dest);
  int64_t bytes = cast<MemRefType>(dest.getType()).getElementTypeBitWidth() / 8;
  Value index = view.offset, size = math.constant(bytes), strides;
  for (auto [dim, indexDim] : llvm::enumerate(indexDims(store.getIndices()))) {
    size = math.mul(size, memref::DimOp::create(builder, loc, dest, dim));
    bool isTile = isa<TileType>(indexDim.index.getType());
    Value begin = isTile ? lanes.beginOf(indexDim.index) : indexDim.index;
    index = math.add(index, math.mul(begin, view.strides[dim]));
    if (!isTile || int(indexDim.first) == vectorDim)
      continue;
    strides = strides ? arith::OrIOp::create(builder, loc, strides, view.strides[dim]).getResult() : view.strides[dim];
  }
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, view.memory);
  Value bits = math.add(base, math.mul(index, math.constant(bytes)));
  if (strides)
    bits = arith::OrIOp::create(builder, loc, bits, math.mul(strides, math.constant(bytes)));
  Value low = arith::AndIOp::create(builder, loc, bits, math.constant(vectorBytes - 1));
  auto compare = [&](arith::CmpIPredicate predicate, Value a, int64_t b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, math.constant(b));
  };
  Value isAligned = compare(arith::CmpIPredicate::eq, low, 0);
  if (streamsWhen(store) == "always")
    return isAligned;
  Value isLarge = compare(arith::CmpIPredicate::sge, size, options.streamBytes);
  return arith::AndIOp::create(builder, loc, isAligned, isLarge);
}

/// Bytes of a vector of the store's tensor; below 16 there is no such instruction.
static int64_t vectorBytesOf(const Nest &member) {
  Type element = getElementTypeOrSelf(cast<StoreOp>(member.op).getValue().getType());
  return isa<IndexType>(element) ? 0 : member.width * element.getIntOrFloatBitWidth() / 8;
}

bool NestEmitter::canStream(const Nest &member) const {
  auto store = member.kind == Nest::Kind::Store ? cast<StoreOp>(member.op) : StoreOp();
  return store && options.streamBytes && streamsWhen(store) != "never" && !store.getMask() &&
         llvm::none_of(store.getIndices().getTypes(), isTileValue) && member.vectorDim >= 0 &&
         vectorBytesOf(member) >= 16;
}

/// The test for all stores of a group that can go past the caches; null when none can.
Value NestEmitter::streamTest(const NestGroup &group) {
  Value test;
  for (const Nest &member : group.nests) {
    if (!canStream(member))
      continue;
    Value next = streamTest(cast<StoreOp>(member.op), vectorBytesOf(member), member.vectorDim);
    test = test ? arith::AndIOp::create(builder, loc, test, next).getResult() : next;
  }
  return test;
}
