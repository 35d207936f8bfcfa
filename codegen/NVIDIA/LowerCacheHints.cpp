// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-lower-cache-hints: loads and stores that say what caches should do become the instructions that say it. LLVM
// has no words for that, so they are assembly; their memory clobber keeps them in order with other accesses.

#include "codegen/Common/Passes.h"
#include "codegen/NVIDIA/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace helion {
#define GEN_PASS_DEF_LOWERCACHEHINTSPASS
#include "codegen/NVIDIA/Passes.h.inc"
} // namespace helion

namespace {
struct HintRow {
  StringLiteral name;
  bool isLoad;
  StringLiteral suffix; // of `ld.global` or `st.global`
};
/// PTX 7.4, sm_70.
constexpr HintRow hintRows[] = {
    {"first", true, ".L1::evict_first"}, {"last", true, ".L1::evict_last"}, {"cs", false, ".cs"}, {"wt", false, ".wt"}};

/// One access in words of the instruction set: the value as `count` registers of `bits` bits.
struct Words {
  unsigned count, bits;
  Type held; // What the assembly sees: bytes travel in 16 bits.

  Words(OpBuilder &b, int64_t bytes) {
    count = bytes > 4 ? bytes / 4 : 1;
    bits = bytes > 4 ? 32 : bytes * 8;
    held = b.getIntegerType(std::max(bits, 16u));
  }
  char constraint() const { return bits == 32 ? 'r' : 'h'; }
  /// `.v4.b32`
  std::string type() const { return (count > 1 ? ".v" + llvm::utostr(count) : "") + ".b" + llvm::utostr(bits); }
  /// `{$0, $1}`, from operand `first`.
  std::string operands(unsigned first) const {
    std::string text;
    for (unsigned word = 0; word != count; ++word)
      text += (word ? ", $" : "$") + llvm::utostr(first + word);
    return count > 1 ? "{" + text + "}" : text;
  }
};

class HintLowering {
public:
  HintLowering(Operation *op, StringRef suffix) : op(op), b(op), loc(op->getLoc()), suffix(suffix) {}

  void load(Value memory, Value index, int64_t alignment) {
    Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
    SmallVector<Value> elements;
    for (int64_t first = 0; first != lanesOf(type); first += pieceOf(type, alignment)) {
      Words words(b, pieceOf(type, alignment) * bytesOf(element));
      llvm::append_range(elements,
                         fromWords(loadPiece(addressOf(memory, index, first, element), words), words, element));
    }
    Value result = isa<VectorType>(type) ? vector::FromElementsOp::create(b, loc, cast<VectorType>(type), elements)
                                         : elements.front();
    op->replaceAllUsesWith(ValueRange(result));
    op->erase();
  }

  void store(Value value, Value memory, Value index, int64_t alignment) {
    Type type = value.getType(), element = getElementTypeOrSelf(type);
    SmallVector<Value> elements{value};
    if (isa<VectorType>(type))
      elements = SmallVector<Value>(vector::ToElementsOp::create(b, loc, value).getElements());
    int64_t piece = pieceOf(type, alignment);
    for (int64_t first = 0; first != lanesOf(type); first += piece) {
      Words words(b, piece * bytesOf(element));
      storePiece(addressOf(memory, index, first, element), toWords(ArrayRef(elements).slice(first, piece), words),
                 words);
    }
    op->erase();
  }

private:
  static int64_t bytesOf(Type element) {
    return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  }
  static int64_t lanesOf(Type type) { return isa<VectorType>(type) ? cast<VectorType>(type).getNumElements() : 1; }
  /// Elements that one instruction may move.
  static int64_t pieceOf(Type type, int64_t alignment) {
    constexpr int64_t mostBytes = 16;
    int64_t bytes = std::min(alignment, mostBytes);
    return std::clamp<int64_t>(bytes / bytesOf(getElementTypeOrSelf(type)), 1, lanesOf(type));
  }

  Value addressOf(Value memory, Value index, int64_t first, Type element) {
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
    Value step = arith::ConstantIndexOp::create(b, loc, bytesOf(element));
    Value bytes = arith::MulIOp::create(b, loc, index, step);
    Value start = arith::AddIOp::create(b, loc, base, bytes);
    Value offset = arith::ConstantIndexOp::create(b, loc, first * bytesOf(element));
    start = b.createOrFold<arith::AddIOp>(loc, start, offset);
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), start);
  }

  /// The address in the global space, which may be another number than the generic one.
  static std::string inGlobal(unsigned operand, const Twine &access) {
    return ("{ .reg .u64 at; cvta.to.global.u64 at, $" + Twine(operand) + "; " + access + " }").str();
  }

  Value assembly(Type result, ValueRange operands, const std::string &text, const std::string &constraints) {
    auto made = LLVM::InlineAsmOp::create(b, loc, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
                                          /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                          LLVM::AsmDialectAttr(), ArrayAttr());
    return result ? made.getResult(0) : Value();
  }

  SmallVector<Value> loadPiece(Value address, const Words &words) {
    std::string constraints;
    for (unsigned word = 0; word != words.count; ++word)
      constraints += std::string("=") + words.constraint() + ",";
    Type result = words.held;
    if (words.count > 1)
      result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(words.count, words.held));
    Value loaded =
        assembly(result, address,
                 inGlobal(words.count, "ld.global" + suffix + words.type() + " " + words.operands(0) + ", [at];"),
                 constraints + "l,~{memory}");
    if (words.count == 1)
      return {loaded};
    SmallVector<Value> registers;
    for (unsigned word = 0; word != words.count; ++word)
      registers.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, ArrayRef<int64_t>{word}));
    return registers;
  }

  void storePiece(Value address, ArrayRef<Value> registers, const Words &words) {
    std::string constraints = "l";
    for (unsigned word = 0; word != words.count; ++word)
      constraints += std::string(",") + words.constraint();
    SmallVector<Value> operands{address};
    llvm::append_range(operands, registers);
    assembly(Type(), operands, inGlobal(0, "st.global" + suffix + words.type() + " [at], " + words.operands(1) + ";"),
             constraints + ",~{memory}");
  }

  VectorType vectorOf(int64_t lanes, Type element) { return VectorType::get({lanes}, element); }
  Type wordType(const Words &words) { return b.getIntegerType(words.bits); }

  SmallVector<Value> fromWords(ArrayRef<Value> registers, const Words &words, Type element) {
    SmallVector<Value> narrow;
    for (Value value : registers)
      narrow.push_back(words.bits == 8 ? arith::TruncIOp::create(b, loc, wordType(words), value).getResult() : value);
    Type held = element.isIndex() ? b.getI64Type() : element;
    Value packed = vector::FromElementsOp::create(b, loc, vectorOf(narrow.size(), wordType(words)), narrow);
    int64_t lanes = int64_t(words.count) * words.bits / 8 / bytesOf(element);
    Value cast = vector::BitCastOp::create(b, loc, vectorOf(lanes, held), packed);
    SmallVector<Value> elements(vector::ToElementsOp::create(b, loc, cast).getElements());
    for (Value &value : elements)
      if (element.isIndex())
        value = arith::IndexCastOp::create(b, loc, element, value);
    return elements;
  }

  SmallVector<Value> toWords(ArrayRef<Value> elements, const Words &words) {
    SmallVector<Value> values(elements);
    for (Value &value : values)
      if (value.getType().isIndex())
        value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    Value packed = vector::FromElementsOp::create(b, loc, vectorOf(values.size(), values.front().getType()), values);
    Value cast = vector::BitCastOp::create(b, loc, vectorOf(words.count, wordType(words)), packed);
    SmallVector<Value> registers(vector::ToElementsOp::create(b, loc, cast).getElements());
    for (Value &value : registers)
      if (words.bits == 8)
        value = arith::ExtUIOp::create(b, loc, words.held, value);
    return registers;
  }

  Operation *op;
  OpBuilder b;
  Location loc;
  std::string suffix;
};

struct LowerCacheHints : helion::impl::LowerCacheHintsPassBase<LowerCacheHints> {
  void runOnOperation() override {
    SmallVector<std::pair<Operation *, StringRef>> hinted;
    getOperation().walk([&](Operation *op) {
      if (auto hint = op->getAttrOfType<StringAttr>(helion::kCacheHintAttr))
        hinted.emplace_back(op, hint.getValue());
    });
    for (auto [op, hint] : hinted)
      if (failed(lower(op, hint)))
        return signalPassFailure();
    lowered += hinted.size();
  }

private:
  static LogicalResult lower(Operation *op, StringRef hint) {
    bool isLoad = isa<memref::LoadOp, vector::LoadOp>(op);
    const auto *row =
        llvm::find_if(hintRows, [&](const HintRow &row) { return row.name == hint && row.isLoad == isLoad; });
    if (row == std::end(hintRows))
      return op->emitOpError() << "has the cache hint `" << hint
                               << "`; loads have `first` and `last`, stores `cs` and `wt`";
    HintLowering lowering(op, row->suffix);
    auto elementBytes = [](MemRefType type) { return int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8)); };
    auto aligned = [&](auto access, MemRefType type) {
      return int64_t(access.getAlignment().value_or(elementBytes(type)));
    };
    llvm::TypeSwitch<Operation *>(op)
        .Case<memref::LoadOp>([&](auto load) {
          lowering.load(load.getMemref(), load.getIndices()[0], elementBytes(load.getMemRefType()));
        })
        .Case<vector::LoadOp>([&](auto load) {
          lowering.load(load.getBase(), load.getIndices()[0], aligned(load, load.getMemRefType()));
        })
        .Case<memref::StoreOp>([&](auto store) {
          lowering.store(store.getValue(), store.getMemref(), store.getIndices()[0],
                         elementBytes(store.getMemRefType()));
        })
        .Case<vector::StoreOp>([&](auto store) {
          lowering.store(store.getValueToStore(), store.getBase(), store.getIndices()[0],
                         aligned(store, store.getMemRefType()));
        });
    return success();
  }
};
} // namespace
