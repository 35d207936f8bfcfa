// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of `ldmatrix` name the rows of four matrices, eight each. Their places come from the layout of the fragments by
// giving lanes other bases: three for the row, one for each further matrix.

#include "codegen/NVIDIA/MatrixOperand.h"
#include "codegen/Common/ThreadRings.h"
#include "dialect/IR/LayoutBuilders.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

static constexpr unsigned kReg = unsigned(LayoutSpace::Reg), kLane = unsigned(LayoutSpace::Lane),
                          kWarp = unsigned(LayoutSpace::Warp), kOffset = unsigned(LayoutSpace::Offset);
static constexpr int64_t kSide = 8; // Of a matrix: 8 rows of 8 elements, 16 bytes.
static constexpr unsigned kRowBits = 3;

static Point along(unsigned dim, int64_t step) {
  Point point(2, 0);
  point[dim] = step;
  return point;
}

/// The bit of register numbers that adds `index`, as a number; 0 where none does.
static int64_t registerBit(const IndexMap &map, const Point &index) {
  for (auto [bit, value] : llvm::enumerate(map.basesOf(kReg)))
    if (value == index)
      return int64_t(1) << bit;
  return 0;
}

/// Lanes hold pairs along `pair` and, eight apart, rows across it.
static bool hasFragmentLanes(const IndexMap &map, unsigned pair) {
  const Point wanted[] = {along(pair, 2), along(pair, 4), along(1 - pair, 1), along(1 - pair, 2), along(1 - pair, 4)};
  return map.basesOf(kLane) == ArrayRef(wanted);
}

static bool beginsRows(const IndexMap &rows) {
  for (unsigned space : {kReg, kLane, kWarp})
    for (const Point &value : rows.basesOf(space))
      if (value[kOffset] % kSide)
        return false;
  return llvm::all_of(
      rows.digits(), [](const IndexMap::Digit &digit) { return digit.out != kOffset || digit.outStride % kSide == 0; });
}

/// Dims before the last two have one element.
static Layout withoutBatch(Layout layout) {
  while (layout.rank() > 2)
    layout = layout.withoutDim(0);
  return layout;
}

std::optional<MatrixPlan> helion::planMatrices(const Layout &tile, const Layout &place, const FragmentWords &words) {
  if (!isMatrixShape(tile.shape()) || !isMatrixShape(place.shape()))
    return std::nullopt;
  Layout fragments = withoutBatch(tile), staged = withoutBatch(place);
  const IndexMap &map = fragments.map();
  if (!hasFragmentLanes(map, words.pair))
    return std::nullopt;
  IndexMap places = *staged.map().inverse();
  std::optional<unsigned> contiguous = contiguousDim(staged, kSide);
  if (!contiguous)
    return std::nullopt;
  MatrixPlan plan;
  plan.transposed = *contiguous != words.pair;
  plan.pairBit = registerBit(map, along(words.pair, 1));
  // The second matrix is the instruction's second word; the third its third, or that of the instruction beside it.
  SmallVector<Point> steps = {{words.begins[1].first, words.begins[1].second}, along(1, kSide)};
  for (const Point &step : steps)
    if (int64_t bit = registerBit(map, step))
      plan.matrixBits.push_back(bit);
    else
      break;
  if (!plan.pairBit || plan.matrixBits.empty())
    return std::nullopt;

  IndexMap rows(map.ins(), map.outs());
  int64_t named = plan.pairBit;
  for (int64_t bit : plan.matrixBits)
    named |= bit;
  for (unsigned space : {kReg, kWarp})
    for (auto [bit, value] : llvm::enumerate(map.basesOf(space)))
      if (space != kReg || !(named >> bit & 1))
        rows.addBasis(space, bit, value);
  for (unsigned bit = 0; bit != kRowBits; ++bit)
    rows.addBasis(kLane, bit, along(1 - *contiguous, int64_t(1) << bit));
  for (unsigned number = 0; number != plan.matrixBits.size(); ++number)
    rows.addBasis(kLane, kRowBits + number, steps[number]);
  for (const IndexMap::Digit &digit : map.digits())
    rows.addDigit(digit);
  std::optional<IndexMap> moved = IndexMap::compose(rows, places);
  if (!moved || !beginsRows(*moved))
    return std::nullopt;
  plan.rows = *moved;
  return plan;
}

static std::map<std::vector<int64_t>, int64_t> registersByIndex(const Layout &layout) {
  std::map<std::vector<int64_t>, int64_t> registers;
  for (int64_t reg = 0; reg != layout.size(LayoutSpace::Reg); ++reg) {
    std::vector<int64_t> index;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      index.push_back(registerPart(layout.map(), reg, dim).sum());
    registers[index] = reg;
  }
  return registers;
}

MatrixOperand::MatrixOperand(const Layout &layout, FragmentWords words, SmallVector<Value> elements)
    : shape(words), registers(registersByIndex(layout)), elements(std::move(elements)) {}

MatrixOperand::MatrixOperand(ThreadContext &code, const Layout &layout, FragmentWords words, StagedTile staged,
                             MatrixPlan plan)
    : shape(words), registers(registersByIndex(layout)), code(&code), staged(std::move(staged)), plan(std::move(plan)) {
}

int64_t MatrixOperand::registerAt(Point index, std::pair<int64_t, int64_t> offset) const {
  index[index.size() - 2] += offset.first;
  index.back() += offset.second;
  auto found = registers.find(std::vector<int64_t>(index.begin(), index.end()));
  return found == registers.end() ? -1 : found->second;
}

SmallVector<int64_t> MatrixOperand::registersOf(const Point &first) const {
  SmallVector<int64_t> result;
  for (std::pair<int64_t, int64_t> begin : shape.begins) {
    std::pair<int64_t, int64_t> next = begin;
    ++(shape.pair ? next.second : next.first);
    if (registerAt(first, begin) < 0 || registerAt(first, next) < 0)
      return {};
    result.push_back(registerAt(first, begin));
  }
  return result;
}

void MatrixOperand::load(OpBuilder &b, Location loc, const Point &first) {
  if (!staged)
    return;
  for (int64_t reg : registersOf(first)) {
    if (loaded.contains(reg))
      continue;
    SmallVector<int64_t> filled = {reg};
    for (int64_t bit : plan.matrixBits)
      filled.front() &= ~bit;
    for (int64_t bit : plan.matrixBits)
      for (int64_t known : SmallVector<int64_t>(filled))
        filled.push_back(known | bit);
    SmallVector<OpFoldResult> strides(kNumSpaces, b.getIndexAttr(0));
    strides[kOffset] = b.getIndexAttr(1);
    Value place = Addresses(*code, b, loc, plan.rows, strides, staged->part.begin).at(filled.front());
    Type element = cast<MemRefType>(staged->buffer.getType()).getElementType();
    auto type = VectorType::get({int64_t(filled.size()), 2}, element);
    auto matrices =
        nvgpu::LdMatrixOp::create(b, loc, type, staged->buffer, place, plan.transposed, int32_t(filled.size()));
    if (staged->part.isRing)
      markRingAccess(matrices);
    for (auto [number, target] : llvm::enumerate(filled))
      loaded[target] = vector::ExtractOp::create(b, loc, matrices, int64_t(number));
  }
}

SmallVector<Value> MatrixOperand::words(OpBuilder &b, Location loc, const Point &first) {
  SmallVector<Value> words;
  for (auto [begin, reg] : llvm::zip(shape.begins, registersOf(first))) {
    std::pair<int64_t, int64_t> next = begin;
    ++(shape.pair ? next.second : next.first);
    Value pair = staged ? loaded.lookup(reg) : pack(b, loc, {elements[reg], elements[registerAt(first, next)]});
    bool isHalf = getElementTypeOrSelf(pair.getType()).isF16();
    words.push_back(isHalf ? pair : LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair).getResult());
  }
  return words;
}
