// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products of indices and strides, with the parts that are the same in all registers taken out.

#include "codegen/Common/ThreadAddress.h"
#include "codegen/Common/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

Value IndexMath::constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Value IndexMath::value(OpFoldResult number) { return getValueOrCreateConstantIndexOp(b, loc, number); }

Value IndexMath::add(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}

Value IndexMath::times(Value x, OpFoldResult factor) {
  std::optional<int64_t> known = getConstantIntValue(factor);
  if (!x || known == 0)
    return {};
  if (known == 1)
    return x;
  return b.createOrFold<arith::MulIOp>(loc, x, value(factor));
}

Value IndexMath::fromI32(Value value) {
  return value ? arith::IndexCastUIOp::create(b, loc, b.getIndexType(), value).getResult() : Value();
}

Value threads::indexOf(ThreadContext &code, OpBuilder &b, Location loc, const IndexMap &map, int64_t reg,
                       unsigned out) {
  Part own = registerPart(map, reg, out);
  Value bits = code.threadBits(map, out), digits = code.threadDigits(map, out);
  if (!bits)
    bits = i32(b, loc, own.bits);
  else if (own.bits)
    bits = arith::XOrIOp::create(b, loc, bits, i32(b, loc, own.bits));
  if (own.digits)
    bits = arith::AddIOp::create(b, loc, bits, i32(b, loc, own.digits));
  return digits ? arith::AddIOp::create(b, loc, bits, digits).getResult() : bits;
}

Addresses::Addresses(ThreadContext &code, OpBuilder &b, Location loc, const IndexMap &map,
                     ArrayRef<OpFoldResult> strides, Value base)
    : code(code), math{b, loc}, map(map), strides(strides), base(base) {
  for (auto [out, stride] : llvm::enumerate(strides))
    if (partsAdd(map, out) && getConstantIntValue(stride) != 0)
      this->base = math.add(this->base, math.times(math.fromI32(code.threadPart(map, out)), stride));
}

Value Addresses::at(int64_t reg) {
  Value sum = base;
  int64_t known = 0;
  for (auto [out, stride] : llvm::enumerate(strides)) {
    std::optional<int64_t> constant = getConstantIntValue(stride);
    Part part = registerPart(map, reg, out);
    int64_t own = part.sum();
    if (constant == 0)
      continue;
    if (!partsAdd(map, out) && constant) {
      // Few registers differ in the bits that meet those of threads; the others are part of the instruction.
      int64_t meeting = part.bits & sharedBits(map, out);
      Value bits = code.threadBits(map, out), digits = code.threadDigits(map, out);
      if (meeting)
        bits = arith::XOrIOp::create(math.b, math.loc, bits, i32(math.b, math.loc, meeting));
      sum = math.add(sum, math.times(math.fromI32(bits), stride));
      sum = math.add(sum, math.times(math.fromI32(digits), stride));
      known += (own - meeting) * *constant;
    } else if (!partsAdd(map, out))
      sum = math.add(sum, math.times(math.fromI32(indexOf(code, math.b, math.loc, map, reg, out)), stride));
    else if (constant)
      known += own * *constant;
    else if (own)
      sum = math.add(sum, math.times(math.constant(own), stride));
  }
  if (known || !sum)
    sum = math.add(sum, math.constant(known));
  return sum;
}

//===-- Shared memory ---------------------------------------------------------------------------------------------===//

SharedTile::SharedTile(ThreadContext &code, Value buffer, const Layout &registers, const Layout *staged, int64_t gap)
    : code(code), buffer(buffer) {
  constexpr unsigned offset = unsigned(LayoutSpace::Offset);
  if (std::optional<IndexMap> move =
          staged ? IndexMap::compose(registers.map(), *staged->map().inverse()) : std::nullopt) {
    map = *move;
    strides.assign(kNumSpaces, 0);
    strides[offset] = 1;
    contiguous = offset;
    return;
  }
  map = registers.map();
  strides.assign(registers.rank(), 1);
  for (unsigned dim = registers.rank() - 1; dim-- > 0;)
    strides[dim] = strides[dim + 1] * registers.shape()[dim + 1] + (dim + 2 == registers.rank() ? gap : 0);
  contiguous = registers.rank() - 1;
}

SharedTile::SharedTile(ThreadContext &code, Value buffer, const Layout &registers, const Layout *staged,
                       SharedPart part)
    : SharedTile(code, buffer, registers, staged) {
  this->part = part;
}

void SharedTile::mark(Operation *access) const {
  if (part.isRing)
    access->setAttr(kRingAttr, UnitAttr::get(access->getContext()));
  else if (isa<memref::StoreOp, vector::StoreOp>(access))
    access->setAttr(kPlaceAttr, UnitAttr::get(access->getContext()));
}

/// Elements of one access: as wide as an access may be, and so that rows begin at multiples of it.
int64_t SharedTile::limit() const {
  int64_t width = std::max<int64_t>(1, code.vectorBytes / bytesOf(cast<MemRefType>(buffer.getType()).getElementType()));
  for (auto [dim, stride] : llvm::enumerate(strides))
    while (dim != contiguous && stride % width)
      width /= 2;
  return width;
}

Addresses SharedTile::addresses(OpBuilder &b, Location loc) {
  SmallVector<OpFoldResult> steps;
  for (int64_t stride : strides)
    steps.push_back(b.getIndexAttr(stride));
  return Addresses(code, b, loc, map, steps, part.begin);
}

void SharedTile::write(OpBuilder &b, Location loc, ArrayRef<Value> elements, ArrayRef<bool> registers) {
  Addresses places = addresses(b, loc);
  Runs runs = runsAlong(map, contiguous, registers.empty() ? limit() : 1);
  int64_t bytes = bytesOf(cast<MemRefType>(buffer.getType()).getElementType());
  for (ArrayRef<int64_t> run : runs.groups) {
    if (!registers.empty() && !registers[run.front()])
      continue;
    Value place = places.at(run.front());
    SmallVector<Value> values;
    for (int64_t reg : run)
      values.push_back(elements[reg]);
    Operation *store;
    if (runs.width == 1)
      store = memref::StoreOp::create(b, loc, toMemory(b, loc, values.front()), buffer, place);
    else
      store = vector::StoreOp::create(b, loc, toMemory(b, loc, pack(b, loc, values)), buffer, place, false,
                                      llvm::Align(runs.width * bytes));
    mark(store);
  }
}

void SharedTile::readRun(OpBuilder &b, Location loc, Addresses &places, ArrayRef<int64_t> run, Type element,
                         SmallVectorImpl<Value> &elements) const {
  Type held = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t width = run.size();
  Value place = places.at(run.front());
  if (width == 1) {
    auto load = memref::LoadOp::create(b, loc, buffer, place);
    mark(load);
    elements[run.front()] = fromMemory(b, loc, load, element);
    return;
  }
  auto vector = vector::LoadOp::create(b, loc, VectorType::get({width}, held), buffer, place, false,
                                       llvm::Align(width * bytesOf(held)));
  mark(vector);
  for (auto [reg, value] : llvm::zip(run, unpack(b, loc, fromMemory(b, loc, vector, element))))
    elements[reg] = value;
}

SmallVector<Value> SharedTile::read(OpBuilder &b, Location loc, Type element) {
  Addresses places = addresses(b, loc);
  SmallVector<Value> elements(registersOf(map));
  for (ArrayRef<int64_t> run : runsAlong(map, contiguous, limit()).groups)
    readRun(b, loc, places, run, element, elements);
  return elements;
}

SmallVector<Value> threads::readNeighbours(ThreadContext &code, OpBuilder &b, Location loc, Value buffer, Type element,
                                           Value place, int64_t count) {
  Type held = cast<MemRefType>(buffer.getType()).getElementType();
  SmallVector<Value> values;
  int64_t width = std::max<int64_t>(1, std::min(count, code.vectorBytes / bytesOf(held)));
  if (count % width || !llvm::isPowerOf2_64(width))
    width = 1;
  for (int64_t number = 0; number < count; number += width) {
    Value at = IndexMath{b, loc}.add(place, number ? IndexMath{b, loc}.constant(number) : Value());
    if (width == 1) {
      values.push_back(fromMemory(b, loc, memref::LoadOp::create(b, loc, buffer, at), element));
      continue;
    }
    Value vector = vector::LoadOp::create(b, loc, VectorType::get({width}, held), buffer, at, false,
                                          llvm::Align(width * bytesOf(held)));
    llvm::append_range(values, unpack(b, loc, fromMemory(b, loc, vector, element)));
  }
  return values;
}

SmallVector<Value> SharedTile::readSome(OpBuilder &b, Location loc, Type element, ArrayRef<int64_t> registers) {
  Addresses places = addresses(b, loc);
  SmallVector<Value> elements(registersOf(map));
  int64_t most = std::min<int64_t>(limit(), llvm::bit_floor(registers.size()));
  for (ArrayRef<int64_t> run : runsAlong(map, contiguous, most).groups)
    if (llvm::all_of(run, [&](int64_t reg) { return llvm::is_contained(registers, reg); }))
      readRun(b, loc, places, run, element, elements);
    else if (llvm::any_of(run, [&](int64_t reg) { return llvm::is_contained(registers, reg); }))
      for (int64_t reg : run)
        if (llvm::is_contained(registers, reg))
          readRun(b, loc, places, reg, element, elements);
  return llvm::map_to_vector(registers, [&](int64_t reg) { return elements[reg]; });
}
