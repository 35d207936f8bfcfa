// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four warps multiply what lies in shared memory: 64 rows, up to 256 columns and 16 steps an instruction. Where
// operands lie is said by descriptors (PTX ISA, "Asynchronous warpgroup level matrix instructions", matrix
// descriptors), which follow from the buffers' layouts; which registers hold the sums follows from the accumulator's.

#include "codegen/NVIDIA/GroupDots.h"
#include "codegen/Common/ThreadRings.h"
#include "dialect/IR/LayoutBuilders.h"
#include "dialect/IR/MatrixShape.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <map>

using namespace mlir;
using namespace helion;
using namespace helion::threads;

static constexpr unsigned kElementBytes = kGroupElementBytes;
static constexpr int64_t kDepth = kGroupMatrix.depth(kElementBytes);
static constexpr unsigned kGroupBit = 2; // Of a warp's number: the first that counts groups.

//===-- Accumulators ----------------------------------------------------------------------------------------------===//

namespace {
/// The accumulator's registers by the index that each adds.
class GroupSums {
public:
  explicit GroupSums(const Layout &layout) : layout(layout) {
    for (int64_t reg = 0; reg != layout.size(LayoutSpace::Reg); ++reg)
      numbers[{registerPart(layout.map(), reg, 0).sum(), registerPart(layout.map(), reg, 1).sum()}] = reg;
  }

  /// Rows and columns of a group of warps; none where lanes and warps do not hold them as the instruction does.
  std::optional<std::pair<int64_t, int64_t>> extents() const {
    const IndexMap &map = layout.map();
    ArrayRef<Point> lanes = map.basesOf(unsigned(LayoutSpace::Lane)), warps = map.basesOf(unsigned(LayoutSpace::Warp));
    const Point wanted[] = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, wantedWarps[] = {{16, 0}, {32, 0}};
    if (lanes != ArrayRef(wanted) || warps.take_front(kGroupBit) != ArrayRef(wantedWarps) || numbers.empty())
      return std::nullopt;
    // Of the last register: the second row and column of the last instruction's words.
    auto [row, column] = numbers.rbegin()->first;
    std::pair<int64_t, int64_t> found = {row + kGroupMatrix.rows - 8, column + kGroupColumns - 1};
    for (int64_t first = 0; first < found.first; first += kGroupMatrix.rows)
      if (registersOf(first, 0, found.second).empty())
        return std::nullopt;
    return found;
  }

  /// Of an instruction in the order of its words: by 8 columns, rows `r` and `r + 8`, pairs. Empty where one is
  /// missing.
  SmallVector<int64_t> registersOf(int64_t row, int64_t column, int64_t columns) const {
    SmallVector<int64_t> registers;
    for (int64_t block = 0; block < columns; block += kGroupColumns)
      for (int64_t below : {0, 8})
        for (int64_t next : {0, 1}) {
          auto found = numbers.find({row + below, column + block + next});
          if (found == numbers.end())
            return {};
          registers.push_back(found->second);
        }
    return registers;
  }

  /// What the bits of a warp's number beyond its group add to a dim.
  SmallVector<int64_t> groupSteps(unsigned dim) const {
    SmallVector<int64_t> steps;
    for (const Point &value : layout.map().basesOf(unsigned(LayoutSpace::Warp)).drop_front(kGroupBit))
      steps.push_back(value[dim]);
    return steps;
  }

private:
  const Layout &layout;
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers;
};

//===-- Operands --------------------------------------------------------------------------------------------------===//

/// One operand in its slot: dim `own` is the accumulator's, the other the depth.
class SlotOperand {
public:
  SlotOperand(SlotBuffer slot, SharedForm form, unsigned own)
      : slot(std::move(slot)), form(form), own(own), places(*this->slot.layout.map().inverse()) {}

  /// None where it does not lie in swizzled boxes.
  static std::optional<SlotOperand> get(SlotBuffer slot, unsigned own) {
    std::optional<SharedForm> form = sharedFormOf(slot.layout, kElementBytes);
    if (!form || !form->swizzleBytes || slot.layout.rank() != 2)
      return std::nullopt;
    return SlotOperand(std::move(slot), *form, own);
  }

  bool isTransposed() const { return form.contiguous == own; }
  /// Elements that lie together along the contiguous dim.
  int64_t lineElements() const { return form.swizzleBytes / kElementBytes; }

  /// Makes the descriptor of the group's first instruction; `steps` are what bits of the group's number add to `own`.
  void open(ThreadContext &code, OpBuilder &b, Location loc, ArrayRef<int64_t> steps) {
    auto address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, slot.memory);
    markRingAccess(address);
    IndexMath math{b, loc};
    Value place = math.add(address, math.times(slot.begin, b.getIndexAttr(kElementBytes)));
    Value bytes = arith::IndexCastOp::create(b, loc, b.getI64Type(), place);
    for (auto [bit, step] : llvm::enumerate(steps))
      if (step)
        bytes = arith::AddIOp::create(b, loc, bytes, partOf(code, b, loc, kGroupBit + bit, bytesAt(step, 0)));
    // Addresses have 18 bits here.
    Value window = arith::AndIOp::create(b, loc, bytes, i64(b, loc, 0x3FFFF));
    Value begin = arith::ShRUIOp::create(b, loc, window, i64(b, loc, 4));
    descriptor = arith::OrIOp::create(b, loc, begin, i64(b, loc, int64_t(strides())));
  }

  /// Of the instruction at these indices of the group's part.
  Value at(OpBuilder &b, Location loc, int64_t index, int64_t depth) const {
    int64_t bytes = bytesAt(index, depth);
    return bytes ? arith::AddIOp::create(b, loc, descriptor, i64(b, loc, bytes / 16)).getResult() : descriptor;
  }

private:
  static Value i64(OpBuilder &b, Location loc, int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }

  int64_t bytesAt(int64_t index, int64_t depth) const {
    Point point(2, depth);
    point[own] = index;
    return places.apply(point)[unsigned(LayoutSpace::Offset)] * kElementBytes;
  }

  static Value partOf(ThreadContext &code, OpBuilder &b, Location loc, unsigned bit, int64_t bytes) {
    Value moved = arith::ShRUIOp::create(b, loc, code.uniformWarp(), i32(b, loc, bit));
    Value isSet = arith::AndIOp::create(b, loc, moved, i32(b, loc, 1));
    Value part = arith::MulIOp::create(b, loc, isSet, i32(b, loc, bytes));
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), part);
  }

  /// From 8 lines to the next; where lines are along the depth, also from box to box; how boxes are swizzled.
  uint64_t strides() const {
    int64_t lines = slot.layout.shape()[1 - form.contiguous];
    uint64_t boxes = isTransposed() ? lines * form.swizzleBytes : 16, eight = 8 * form.swizzleBytes;
    uint64_t swizzle = form.swizzleBytes == 128 ? 1 : form.swizzleBytes == 64 ? 2 : 3;
    return boxes >> 4 << 16 | eight >> 4 << 32 | swizzle << 62;
  }

  SlotBuffer slot;
  SharedForm form;
  unsigned own;
  IndexMap places;
  Value descriptor;
};

//===-- Patterns --------------------------------------------------------------------------------------------------===//

struct LowerDotAsync : ThreadPattern<DotAsyncOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(DotAsyncOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getToken().getType().getTile();
    Layout layout = layoutOf(tile).getLayout();
    GroupSums sums(layout);
    std::optional<std::pair<int64_t, int64_t>> extents = sums.extents();
    std::optional<SlotOperand> lhs = operand(b, loc, op.getLhs(), 0), rhs = operand(b, loc, op.getRhs(), 1);
    Type element = getElementTypeOrSelf(cast<BufType>(op.getRhs().getType()).getTile());
    if (!extents || !lhs || !rhs || !(element.isF16() || element.isBF16()) || !tile.getElementType().isF32())
      return op.emitOpError() << "is none of 16-bit floats into f32 from swizzled buffers, with the sums of `wgmma`";
    int64_t depth = cast<BufType>(op.getRhs().getType()).getTile().getDimSize(0);
    int64_t columns = columnsOf(extents->second, *rhs);
    lhs->open(code, b, loc, sums.groupSteps(0));
    rhs->open(code, b, loc, sums.groupSteps(1));
    SmallVector<Value> elements =
        adaptor.getAcc() ? unpack(b, loc, adaptor.getAcc())
                         : SmallVector<Value>(layout.size(LayoutSpace::Reg), zeroOf(b, loc, tile.getElementType()));
    NVVM::WgmmaFenceAlignedOp::create(b, loc);
    for (int64_t row = 0; row < extents->first; row += kGroupMatrix.rows)
      for (int64_t column = 0; column < extents->second; column += columns) {
        SmallVector<int64_t> registers = sums.registersOf(row, column, columns);
        Value words = gather(b, loc, elements, registers);
        for (int64_t k = 0; k < depth; k += kDepth)
          words = multiply(b, loc, words, lhs->at(b, loc, row, k), rhs->at(b, loc, column, k),
                           {element, columns, lhs->isTransposed(), rhs->isTransposed()});
        for (auto [number, reg] : llvm::enumerate(registers))
          elements[reg] = LLVM::ExtractValueOp::create(b, loc, words, ArrayRef<int64_t>{int64_t(number)});
      }
    NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
    b.replaceOp(op, pack(b, loc, elements));
    return success();
  }

private:
  struct Form {
    Type element;
    int64_t columns;
    bool leftTransposed, rightTransposed;
  };

  std::optional<SlotOperand> operand(ConversionPatternRewriter &b, Location loc, Value buffer, unsigned own) const {
    if (!isa<BufType>(buffer.getType()))
      return std::nullopt;
    return SlotOperand::get(slotBuffer(code, b, loc, buffer), own);
  }

  /// The most columns of one instruction that divide the group's, and are whole lines of the right operand or lie in
  /// one.
  static int64_t columnsOf(int64_t all, const SlotOperand &rhs) {
    int64_t line = rhs.isTransposed() ? rhs.lineElements() : kGroupColumns;
    for (int64_t columns = std::min(all, kMostGroupColumns); columns > kGroupColumns; columns -= kGroupColumns)
      if (all % columns == 0 && (columns % line == 0 || line % columns == 0))
        return columns;
    return kGroupColumns;
  }

  static Value gather(OpBuilder &b, Location loc, ArrayRef<Value> elements, ArrayRef<int64_t> registers) {
    auto type =
        LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(registers.size(), elements[0].getType()));
    Value words = LLVM::PoisonOp::create(b, loc, type);
    for (auto [number, reg] : llvm::enumerate(registers))
      words = LLVM::InsertValueOp::create(b, loc, words, elements[reg], ArrayRef<int64_t>{int64_t(number)});
    return words;
  }

  static Value multiply(OpBuilder &b, Location loc, Value words, Value left, Value right, const Form &form) {
    NVVM::WGMMATypes type = form.element.isBF16() ? NVVM::WGMMATypes::bf16 : NVVM::WGMMATypes::f16;
    // Depth is contiguous in `row` of the left operand, and in `col` of the right one.
    NVVM::MMALayout leftLayout = form.leftTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
    NVVM::MMALayout rightLayout = form.rightTransposed ? NVVM::MMALayout::row : NVVM::MMALayout::col;
    auto shape = NVVM::MMAShapeAttr::get(b.getContext(), kGroupMatrix.rows, form.columns, kDepth);
    return NVVM::WgmmaMmaAsyncOp::create(b, loc, words.getType(), words, left, right, shape, type, type,
                                         NVVM::WGMMATypes::f32, NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one,
                                         NVVM::WGMMAScaleIn::one, leftLayout, rightLayout, NVVM::MMAIntOverflowAttr());
  }
};

/// Waits for all: what was issued behind it is read next anyway.
struct LowerWait : ThreadPattern<WaitOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(WaitOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SmallVector<Value> elements = unpack(b, loc, adaptor.getToken());
    waitForGroupDots(b, loc, 0);
    // No assembly, but values of its own: what reads them may not move before the wait.
    std::string constraints;
    for (size_t number = 0; number != elements.size(); ++number)
      constraints += "=f,";
    for (size_t number = 0; number != elements.size(); ++number)
      constraints += (number ? "," : "") + std::to_string(number);
    auto type =
        LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(elements.size(), elements[0].getType()));
    auto tied = LLVM::InlineAsmOp::create(b, loc, type, elements, "", constraints, /*has_side_effects=*/true,
                                          /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                                          ArrayAttr());
    for (size_t number = 0; number != elements.size(); ++number)
      elements[number] = LLVM::ExtractValueOp::create(b, loc, tied.getRes(), ArrayRef<int64_t>{int64_t(number)});
    b.replaceOp(op, pack(b, loc, elements));
    return success();
  }
};

struct LowerReady : ThreadPattern<ReadyOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(ReadyOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    b.replaceOp(op, adaptor.getValue());
    return success();
  }
};
} // namespace

void helion::populateGroupDotPatterns(ThreadContext &code, const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerDotAsync, LowerWait, LowerReady>(code, types, patterns.getContext());
}

void helion::waitForGroupDots(OpBuilder &b, Location loc, int64_t younger) {
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, younger);
}
