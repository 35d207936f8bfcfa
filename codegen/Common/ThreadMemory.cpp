// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics of host tensors: one access for each run of registers, made only where all of it is inside.

#include "codegen/Common/Combining.h"
#include "codegen/Common/LowerThreads.h"
#include "codegen/Common/ThreadAccess.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

namespace {
/// What each access of memory that an op becomes says besides.
struct Marks {
  Attribute place; // kPlaceAttr; null: not known
  StringAttr hint; // kCacheHintAttr; null: none

  void set(Operation *op) const {
    if (place)
      op->setAttr(kPlaceAttr, place);
    if (hint)
      op->setAttr(kCacheHintAttr, hint);
  }
};

/// None for a scalar.
std::optional<Layout> layoutOfTile(Value value) {
  return isTileValue(value.getType()) ? std::optional<Layout>(layoutIn(value)) : std::nullopt;
}

bool actsAlways(const Ownership &owners) {
  return owners.tests.empty() && llvm::all_of(owners.registers, [](bool acts) { return acts; });
}

/// The registers of a load, one run after the other.
class Loader {
public:
  Loader(OpBuilder &b, Location loc, TileAccess &access, Value fill, const Marks &marks)
      : b(b), loc(loc), access(access), fill(fill), marks(marks) {}

  SmallVector<Value> run(ArrayRef<int64_t> registers) {
    if (registers.size() == 1)
      return {one(registers.front())};
    Value first = access.at(registers.front());
    Value inside = access.isInside(registers.back());
    if (!inside)
      return wide(b, first, registers.size());
    auto outside = [&](OpBuilder &at) {
      return access.together() ? SmallVector<Value>(registers.size(), fill)
                               : llvm::map_to_vector(registers, [&](int64_t reg) { return one(reg); });
    };
    auto branch =
        divergentIf(b, loc, inside, [&](OpBuilder &at) { return wide(at, first, registers.size()); }, outside);
    return SmallVector<Value>(branch.getResults());
  }

private:
  Value element(int64_t reg) {
    auto load = memref::LoadOp::create(b, loc, access.memory(), ValueRange{access.at(reg)});
    marks.set(load);
    return load;
  }
  Value one(int64_t reg) {
    Value inside = access.isInside(reg);
    if (!inside)
      return element(reg);
    auto branch = divergentIf(
        b, loc, inside, [&](OpBuilder &) { return SmallVector<Value>{element(reg)}; },
        [&](OpBuilder &) { return SmallVector<Value>{fill}; });
    return branch.getResult(0);
  }
  SmallVector<Value> wide(OpBuilder &at, Value first, int64_t width) {
    auto type = VectorType::get({width}, access.held());
    auto load = vector::LoadOp::create(at, loc, type, access.memory(), ValueRange{first}, false,
                                       llvm::Align(access.alignment()));
    marks.set(load);
    return unpack(at, loc, load);
  }

  OpBuilder &b;
  Location loc;
  TileAccess &access;
  Value fill;
  Marks marks;
};

} // namespace

SmallVector<Value> threads::loadRegisters(OpBuilder &b, Location loc, TileAccess &access, Value fill, Attribute place,
                                          StringAttr hint) {
  Loader loader(b, loc, access, fill, {place, hint});
  SmallVector<Value> elements;
  for (ArrayRef<int64_t> run : access.runs().groups)
    for (auto [reg, value] : llvm::zip(run, loader.run(run))) {
      elements.resize(std::max<size_t>(elements.size(), reg + 1));
      elements[reg] = value;
    }
  return elements;
}

namespace {
struct LowerLoad : ThreadPattern<LoadOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LoadOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    std::optional<Layout> layout = layoutOfTile(op.getResult());
    TileAccess access(code, b, loc, op.getSource(), op.getIndices(), adaptor.getIndices(), layout);
    access.setMask(op.getMask(), adaptor.getMask());
    Value fill = op.getOther() ? toMemory(b, loc, adaptor.getOther()) : zeroOf(b, loc, access.held());
    // Several threads may hold an element that is loaded.
    bool isAlone = layout && actsAlways(ownershipOf(*layout, code.lanes, code.warps));
    SmallVector<Value> elements =
        loadRegisters(b, loc, access, fill, isAlone ? access.place() : Attribute(), op.getEvictAttr());
    if (layout)
      b.replaceOp(op, fromMemory(b, loc, pack(b, loc, elements), element));
    else
      b.replaceOp(op, fromMemory(b, loc, elements.front(), element));
    return success();
  }
};

/// True in the one thread that acts for a scalar.
Value isFirstThread(ThreadContext &code, OpBuilder &b, Location loc) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, code.thread(), i32(b, loc, 0));
}

struct LowerStore : ThreadPattern<StoreOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(StoreOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    std::optional<Layout> layout = layoutOfTile(op.getValue());
    TileAccess access(code, b, loc, op.getDest(), op.getIndices(), adaptor.getIndices(), layout);
    access.setMask(op.getMask(), adaptor.getMask());
    Value held = toMemory(b, loc, adaptor.getValue());
    SmallVector<Value> elements = layout ? unpack(b, loc, held) : SmallVector<Value>{held};
    Ownership owners;
    Value acts = layout ? code.actsFor(b, loc, owners = ownershipOf(*layout, code.lanes, code.warps))
                        : isFirstThread(code, b, loc);
    for (ArrayRef<int64_t> run : access.runs().groups)
      if (!layout || owners.registers[run.front()])
        store(b, loc, access, run, elements, acts, {access.place(), op.getEvictAttr()});
    b.eraseOp(op);
    return success();
  }

private:
  static void store(OpBuilder &b, Location loc, TileAccess &access, ArrayRef<int64_t> run, ArrayRef<Value> elements,
                    Value acts, const Marks &marks) {
    if (run.size() == 1)
      return one(b, loc, access, run.front(), elements, acts, marks);
    Value place = access.at(run.front());
    SmallVector<Value> values = llvm::map_to_vector(run, [&](int64_t reg) { return elements[reg]; });
    auto wide = [&](OpBuilder &at) {
      auto store = vector::StoreOp::create(at, loc, pack(at, loc, values), access.memory(), ValueRange{place}, false,
                                           llvm::Align(access.alignment()));
      marks.set(store);
      return SmallVector<Value>();
    };
    Value inside = access.isInside(run.back());
    if (!inside && !acts) {
      wide(b);
      return;
    }
    if (!inside || access.together()) {
      divergentIf(b, loc, both(b, loc, acts, inside), wide);
      return;
    }
    divergentIf(b, loc, both(b, loc, acts, inside), wide, [&](OpBuilder &at) {
      for (int64_t reg : run)
        one(b, loc, access, reg, elements, acts, marks);
      return SmallVector<Value>();
    });
  }

  static void one(OpBuilder &b, Location loc, TileAccess &access, int64_t reg, ArrayRef<Value> elements, Value acts,
                  const Marks &marks) {
    auto write = [&](OpBuilder &at) {
      auto store = memref::StoreOp::create(at, loc, elements[reg], access.memory(), ValueRange{access.at(reg)});
      marks.set(store);
      return SmallVector<Value>();
    };
    if (Value inside = both(b, loc, acts, access.isInside(reg)))
      divergentIf(b, loc, inside, write);
    else
      write(b);
  }
};

//===-- Atomics ---------------------------------------------------------------------------------------------------===//

struct LowerAtomic : ThreadPattern<AtomicOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(AtomicOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    std::optional<Layout> layout = layoutOfTile(op.getValue());
    TileAccess access(code, b, loc, op.getDest(), op.getIndices(), adaptor.getIndices(), layout);
    access.setMask(op.getMask(), adaptor.getMask());
    SmallVector<Value> elements = layout ? unpack(b, loc, adaptor.getValue()) : SmallVector<Value>{adaptor.getValue()};
    Ownership owners;
    if (layout)
      owners = ownershipOf(*layout, code.lanes, code.warps);
    else
      owners.registers = {true};
    Value acts = layout ? code.actsFor(b, loc, owners) : isFirstThread(code, b, loc);
    Value zero = zeroOf(b, loc, access.held());
    for (auto [reg, element] : llvm::enumerate(elements)) {
      if (!owners.registers[reg])
        element = zero;
      else
        element = one(b, op, access, reg, element, acts, zero);
    }
    if (op.getResult().use_empty())
      b.eraseOp(op);
    else
      b.replaceOp(op, spread(b, op, layout, owners, acts, elements));
    return success();
  }

private:
  static Value one(OpBuilder &b, AtomicOp op, TileAccess &access, int64_t reg, Value element, Value acts, Value zero) {
    Location loc = op.getLoc();
    auto combine = [&](OpBuilder &at) {
      return SmallVector<Value>{combineAtomically(at, op, element, access.memory(), access.at(reg))};
    };
    Value inside = both(b, loc, acts, access.isInside(reg));
    if (!inside)
      return combine(b).front();
    return divergentIf(b, loc, inside, combine, [&](OpBuilder &) { return SmallVector<Value>{zero}; }).getResult(0);
  }

  static Value combineAtomically(OpBuilder &b, AtomicOp op, Value element, Value memory, Value place) {
    auto made = memref::AtomicRMWOp::create(b, op.getLoc(), element.getType(), combiningOf(op.getKind()), element,
                                            memory, ValueRange{place});
    made->setAttr(kOrderAttr, StringAttr::get(b.getContext(), stringifyMemoryOrder(op.getOrder())));
    return made;
  }

  /// Where one thread acted for others, or for a scalar, they get the old values from it.
  Value spread(OpBuilder &b, AtomicOp op, const std::optional<Layout> &layout, const Ownership &owners, Value acts,
               SmallVector<Value> elements) const {
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    if (!layout) {
      Value buffer = code.shared(b, loc, 1, element), first = arith::ConstantIndexOp::create(b, loc, 0);
      divergentIf(b, loc, acts, [&](OpBuilder &at) {
        memref::StoreOp::create(at, loc, toMemory(at, loc, elements.front()), buffer, first);
        return SmallVector<Value>();
      });
      return fromMemory(b, loc, memref::LoadOp::create(b, loc, buffer, first), element);
    }
    if (actsAlways(owners))
      return pack(b, loc, elements);
    int64_t count = ShapedType::getNumElements(layout->shape());
    SharedTile tile(code, code.shared(b, loc, count, element), *layout, nullptr);
    auto write = [&](OpBuilder &at) {
      tile.write(at, loc, elements, owners.registers);
      return SmallVector<Value>();
    };
    if (acts)
      divergentIf(b, loc, acts, write);
    else
      write(b);
    return pack(b, loc, tile.read(b, loc, element));
  }
};
} // namespace

void threads::populateMemoryPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerLoad, LowerStore, LowerAtomic>(code, types, patterns.getContext());
}
