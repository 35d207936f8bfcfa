// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a thread that depend on nothing but who it is stand at the start of the function, each once.

#include "codegen/Common/ThreadContext.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

ThreadContext::ThreadContext(func::FuncOp function, int64_t lanes, int64_t warps, int64_t vectorBytes)
    : lanes(lanes), warps(warps), vectorBytes(vectorBytes), function(function), multiples(function) {}

//===-- Constants, registers --------------------------------------------------------------------------------------===//

Value threads::i32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value threads::zeroOf(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Value threads::both(OpBuilder &b, Location loc, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}

SmallVector<Value> threads::unpack(OpBuilder &b, Location loc, Value vector) {
  if (auto made = vector.getDefiningOp<vector::FromElementsOp>())
    return SmallVector<Value>(made.getElements());
  return SmallVector<Value>(vector::ToElementsOp::create(b, loc, vector).getElements());
}

Value threads::pack(OpBuilder &b, Location loc, ArrayRef<Value> elements) {
  auto type = VectorType::get({int64_t(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(b, loc, type, elements);
}

Layout threads::layoutIn(Value tile) { return layoutOf(tile.getType()).getLayout(); }

VectorType threads::registersType(Type tile) {
  return VectorType::get({layoutOf(tile).getLayout().size(LayoutSpace::Reg)}, getElementTypeOrSelf(tile));
}

Type threads::memoryElement(Type element) {
  return element.isInteger(1) ? Type(IntegerType::get(element.getContext(), 8)) : element;
}

int64_t threads::bytesOf(Type element) {
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

Value threads::fromMemory(OpBuilder &b, Location loc, Value held, Type element) {
  if (!element.isInteger(1))
    return held;
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, held, zeroOf(b, loc, held.getType()));
}

Value threads::toMemory(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType(), held = b.getI8Type();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return value;
  if (auto vector = dyn_cast<VectorType>(type))
    held = VectorType::get(vector.getShape(), held);
  return arith::ExtUIOp::create(b, loc, held, value);
}

//===-- Who the thread is -----------------------------------------------------------------------------------------===//

OpBuilder ThreadContext::entry() {
  OpBuilder b(function.getContext());
  if (lastAtEntry)
    b.setInsertionPointAfter(lastAtEntry);
  else
    b.setInsertionPointToStart(&function.getBody().front());
  return b;
}

Value ThreadContext::cached(const Twine &key, function_ref<Value(OpBuilder &)> make) {
  std::string text = key.str();
  if (auto found = entryValues.find(text); found != entryValues.end())
    return found->second;
  OpBuilder b = entry();
  Value value = make(b);
  if (value && value.getDefiningOp())
    lastAtEntry = value.getDefiningOp();
  entryValues[text] = value;
  return value;
}

Value ThreadContext::thread() {
  return cached("thread", [&](OpBuilder &b) -> Value {
    Location loc = function.getLoc();
    Value id = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x, b.getIndexAttr(lanes * warps));
    return arith::IndexCastUIOp::create(b, loc, b.getI32Type(), id);
  });
}

Value ThreadContext::lane() {
  Value id = thread();
  if (warps == 1)
    return id;
  return cached("lane", [&](OpBuilder &b) -> Value {
    Location loc = function.getLoc();
    return arith::AndIOp::create(b, loc, id, i32(b, loc, lanes - 1));
  });
}

Value ThreadContext::warp() {
  Value id = thread();
  return cached("warp", [&](OpBuilder &b) -> Value {
    Location loc = function.getLoc();
    return arith::ShRUIOp::create(b, loc, id, i32(b, loc, llvm::Log2_64(lanes)));
  });
}

Value ThreadContext::uniformWarp() {
  Value own = warp();
  return cached("uniform warp", [&](OpBuilder &b) {
    Location loc = function.getLoc();
    return shuffleFrom(b, loc, own, i32(b, loc, 0));
  });
}

//===-- Parts of indices ------------------------------------------------------------------------------------------===//

namespace {
/// Bits `from`.. of a coordinate, `count` of them, that move to bits `to`.. of an output.
struct BitMove {
  LayoutSpace space;
  unsigned from, to, count;
};
} // namespace

static constexpr LayoutSpace kThreadSpaces[] = {LayoutSpace::Lane, LayoutSpace::Warp};

/// The linear part as moves of single bits, neighbours joined.
static SmallVector<BitMove> movesTo(const IndexMap &map, unsigned out) {
  SmallVector<BitMove> moves;
  for (LayoutSpace space : kThreadSpaces)
    for (auto [bit, value] : llvm::enumerate(map.basesOf(unsigned(space))))
      for (unsigned to = 0; value[out] >> to; ++to) {
        if (!(value[out] >> to & 1))
          continue;
        auto *before = llvm::find_if(moves, [&, bit = unsigned(bit)](const BitMove &move) {
          return move.space == space && move.from + move.count == bit && move.to + move.count == to;
        });
        if (before != moves.end())
          ++before->count;
        else
          moves.push_back({space, unsigned(bit), to, 1});
      }
  return moves;
}

Value ThreadContext::threadBits(const IndexMap &map, unsigned out) {
  SmallVector<BitMove> moves = movesTo(map, out);
  std::string key = "bits";
  int64_t hit = 0;
  bool meet = false;
  for (const BitMove &move : moves) {
    key += " " + llvm::utostr(unsigned(move.space)) + "," + llvm::utostr(move.from) + "," + llvm::utostr(move.to) +
           "," + llvm::utostr(move.count);
    int64_t bits = ((int64_t(1) << move.count) - 1) << move.to;
    meet |= (hit & bits) != 0;
    hit |= bits;
  }
  if (moves.empty())
    return {};
  lane(), warp();
  return cached(key, [&](OpBuilder &b) {
    Location loc = function.getLoc();
    Value sum;
    for (const BitMove &move : moves) {
      Value part = of(move.space);
      if (move.from)
        part = arith::ShRUIOp::create(b, loc, part, i32(b, loc, move.from));
      part = arith::AndIOp::create(b, loc, part, i32(b, loc, (int64_t(1) << move.count) - 1));
      if (move.to)
        part = arith::ShLIOp::create(b, loc, part, i32(b, loc, move.to));
      if (sum)
        part = meet ? arith::XOrIOp::create(b, loc, sum, part).getResult()
                    : arith::AddIOp::create(b, loc, sum, part).getResult();
      sum = part;
    }
    return sum;
  });
}

Value ThreadContext::threadDigits(const IndexMap &map, unsigned out) {
  SmallVector<IndexMap::Digit> digits;
  std::string key = "digits";
  for (const IndexMap::Digit &digit : map.digits()) {
    if (digit.out != out || !llvm::is_contained(kThreadSpaces, LayoutSpace(digit.in)))
      continue;
    digits.push_back(digit);
    key += " " + llvm::utostr(digit.in) + "," + llvm::itostr(digit.inStride) + "," + llvm::itostr(digit.outStride) +
           "," + llvm::itostr(digit.count);
  }
  if (digits.empty())
    return {};
  lane(), warp();
  return cached(key, [&](OpBuilder &b) {
    Location loc = function.getLoc();
    Value sum;
    for (const IndexMap::Digit &digit : digits) {
      Value part = of(LayoutSpace(digit.in));
      int64_t all = LayoutSpace(digit.in) == LayoutSpace::Lane ? lanes : warps;
      if (digit.inStride != 1)
        part = arith::DivUIOp::create(b, loc, part, i32(b, loc, digit.inStride));
      if (digit.inStride * digit.count != all)
        part = arith::RemUIOp::create(b, loc, part, i32(b, loc, digit.count));
      if (digit.outStride != 1)
        part = arith::MulIOp::create(b, loc, part, i32(b, loc, digit.outStride));
      sum = sum ? arith::AddIOp::create(b, loc, sum, part).getResult() : part;
    }
    return sum;
  });
}

Value ThreadContext::threadPart(const IndexMap &map, unsigned out) {
  Value bits = threadBits(map, out), digits = threadDigits(map, out);
  if (!bits || !digits)
    return bits ? bits : digits;
  std::string key;
  llvm::raw_string_ostream(key) << "sum " << bits.getAsOpaquePointer() << " " << digits.getAsOpaquePointer();
  return cached(key, [&](OpBuilder &b) -> Value { return arith::AddIOp::create(b, function.getLoc(), bits, digits); });
}

//===-- Conditions ------------------------------------------------------------------------------------------------===//

Value ThreadContext::actsFor(OpBuilder &b, Location loc, const Ownership &owners) {
  Value acts;
  for (const Ownership::Test &test : owners.tests) {
    int64_t all = test.space == LayoutSpace::Lane ? lanes : warps;
    if (test.stride >= all)
      continue;
    Value part = of(test.space);
    if (test.stride != 1)
      part = arith::DivUIOp::create(b, loc, part, i32(b, loc, test.stride));
    if (test.count && test.stride * test.count < all)
      part = arith::RemUIOp::create(b, loc, part, i32(b, loc, test.count));
    Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part, i32(b, loc, 0));
    acts = both(b, loc, acts, first);
  }
  return acts;
}

Value ThreadContext::inLanes(OpBuilder &b, Location loc, ArrayRef<bool> which) {
  if (llvm::all_of(which, [](bool in) { return in; }))
    return {};
  uint64_t mask = 0;
  for (auto [number, in] : llvm::enumerate(which))
    mask |= uint64_t(in) << number;
  // One lane bit may decide alone.
  for (int64_t bit = 1; bit < lanes; bit *= 2)
    for (bool set : {false, true})
      if (llvm::all_of(llvm::enumerate(which),
                       [&](auto entry) { return entry.value() == (((entry.index() & bit) != 0) == set); })) {
        Value masked = arith::AndIOp::create(b, loc, lane(), i32(b, loc, bit));
        return arith::CmpIOp::create(b, loc, set ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq, masked,
                                     i32(b, loc, 0));
      }
  bool isWide = lanes > 32;
  Value word = arith::ConstantOp::create(
      b, loc, isWide ? b.getI64IntegerAttr(int64_t(mask)) : b.getI32IntegerAttr(int32_t(uint32_t(mask))));
  Value by = isWide ? arith::ExtUIOp::create(b, loc, b.getI64Type(), lane()).getResult() : lane();
  return arith::TruncIOp::create(b, loc, b.getI1Type(), arith::ShRUIOp::create(b, loc, word, by));
}

Value ThreadContext::byLane(OpBuilder &b, Location loc, ArrayRef<int64_t> entry) {
  if (llvm::all_equal(entry))
    return i32(b, loc, entry.front());
  int64_t moved = entry.front();
  if (llvm::all_of(llvm::enumerate(entry), [&](auto item) { return item.value() == int64_t(item.index() ^ moved); }))
    return moved ? arith::XOrIOp::create(b, loc, lane(), i32(b, loc, moved)).getResult() : lane();
  Value sum = i32(b, loc, 0);
  int64_t highest = *llvm::max_element(entry);
  for (unsigned bit = 0; highest >> bit; ++bit) {
    SmallVector<bool> which;
    for (int64_t value : entry)
      which.push_back(value >> bit & 1);
    if (!llvm::is_contained(which, true))
      continue;
    Value set = inLanes(b, loc, which);
    Value weight = i32(b, loc, int64_t(1) << bit);
    if (set)
      weight = arith::SelectOp::create(b, loc, set, weight, i32(b, loc, 0));
    sum = arith::OrIOp::create(b, loc, sum, weight);
  }
  return sum;
}

//===-- Shuffles --------------------------------------------------------------------------------------------------===//

/// Sends one word of 32 bits; `send` is a shuffle.
using Send = llvm::function_ref<Value(Value)>;

static Value sendWord(OpBuilder &b, Location loc, Value word, Send send) {
  unsigned width = word.getType().getIntOrFloatBitWidth();
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), own = word.getType();
  if (width == 32)
    return send(word);
  if (width < 32)
    return arith::TruncIOp::create(b, loc, own, send(arith::ExtUIOp::create(b, loc, i32, word)));
  Value half = arith::ConstantIntOp::create(b, loc, 32, 64);
  Value low = send(arith::TruncIOp::create(b, loc, i32, word));
  Value high = send(arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, word, half)));
  Value shifted = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, i64, high), half);
  return arith::OrIOp::create(b, loc, shifted, arith::ExtUIOp::create(b, loc, i64, low));
}

static Value sendValue(OpBuilder &b, Location loc, Value value, Send send) {
  Type type = value.getType();
  if (type.isIndex()) {
    Value word = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    return arith::IndexCastOp::create(b, loc, type, sendWord(b, loc, word, send));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isF32() || isa<IntegerType>(type))
    return type.isF32() ? send(value) : sendWord(b, loc, value, send);
  Value word = arith::BitcastOp::create(b, loc, b.getIntegerType(width), value);
  return arith::BitcastOp::create(b, loc, type, sendWord(b, loc, word, send));
}

Value ThreadContext::shuffleXor(OpBuilder &b, Location loc, Value value, int64_t mask) {
  return sendValue(b, loc, value, [&](Value word) {
    return gpu::ShuffleOp::create(b, loc, word, int32_t(mask), int32_t(lanes), gpu::ShuffleMode::XOR)
        .getShuffleResult();
  });
}

Value ThreadContext::shuffleFrom(OpBuilder &b, Location loc, Value value, Value from) {
  Value width = i32(b, loc, lanes);
  return sendValue(b, loc, value, [&](Value word) {
    return gpu::ShuffleOp::create(b, loc, word, from, width, gpu::ShuffleMode::IDX).getShuffleResult();
  });
}

//===-- Memory ----------------------------------------------------------------------------------------------------===//

Value ThreadContext::shared(OpBuilder &b, Location loc, int64_t elements, Type element) {
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({elements}, memoryElement(element), MemRefLayoutAttrInterface(), space);
  return memref::AllocOp::create(b, loc, type);
}

// Size of a flat view: nothing reads it, every access is bounded by its tile.
static constexpr int64_t kUnbounded = int64_t(1) << 40;

View ThreadContext::viewOf(Value memref) {
  auto [entry, isNew] = views.try_emplace(memref);
  View &view = entry->second;
  if (!isNew)
    return view;
  OpBuilder b(memref.getContext());
  b.setInsertionPointAfterValue(memref);
  Location loc = memref.getLoc();
  auto type = cast<MemRefType>(memref.getType());
  auto meta = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  auto [strides, offset] = type.getStridesAndOffset();
  // A view says its strides itself, so that facts about them are found.
  auto made = memref.getDefiningOp<memref::ReinterpretCastOp>();
  auto pick = [&](int64_t known, Value value, OpFoldResult said) -> OpFoldResult {
    if (!ShapedType::isDynamic(known))
      return b.getIndexAttr(known);
    return made ? said : OpFoldResult(value);
  };
  view.offset = pick(offset, meta.getOffset(), made ? made.getMixedOffsets()[0] : OpFoldResult());
  for (auto [dim, known] : llvm::enumerate(strides))
    view.strides.push_back(pick(known, meta.getStrides()[dim], made ? made.getMixedStrides()[dim] : OpFoldResult()));
  auto layout = StridedLayoutAttr::get(memref.getContext(), 0, {1});
  auto flat = MemRefType::get({ShapedType::kDynamic}, type.getElementType(), layout, type.getMemorySpace());
  view.memory = memref::ReinterpretCastOp::create(b, loc, flat, meta.getBaseBuffer(), b.getIndexAttr(0),
                                                  ArrayRef<OpFoldResult>{b.getIndexAttr(kUnbounded)},
                                                  ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  // Both are the same descriptor in the LLVM dialect, where this cast ends.
  if (Type held = memoryElement(type.getElementType()); held != type.getElementType()) {
    auto heldType = MemRefType::get({ShapedType::kDynamic}, held, layout, type.getMemorySpace());
    view.memory = UnrealizedConversionCastOp::create(b, loc, heldType, view.memory).getResult(0);
  }
  return view;
}
