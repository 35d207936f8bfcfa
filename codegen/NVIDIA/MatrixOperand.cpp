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
static constexpr int64_t kRows = 8, kRowBytes = 16, kWordBytes = 4; // Of a matrix.
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

FragmentWords::FragmentWords(bool isLeft, int64_t elementBytes) : depth(isLeft), elements(kWordBytes / elementBytes) {
  int64_t next = kRowBytes / elementBytes;
  if (isLeft)
    begins = {{0, 0}, {kRows, 0}, {0, next}, {kRows, next}};
  else
    begins = {{0, 0}, {next, 0}};
}

/// Lanes hold words along the depth and, eight apart, rows across it.
static bool hasFragmentLanes(const IndexMap &map, const FragmentWords &words) {
  unsigned depth = words.depth, across = 1 - depth;
  const Point wanted[] = {along(depth, words.elements), along(depth, 2 * words.elements), along(across, 1),
                          along(across, 2), along(across, 4)};
  return map.basesOf(kLane) == ArrayRef(wanted);
}

static bool beginsRows(const IndexMap &rows, int64_t rowElements) {
  for (unsigned space : {kReg, kLane, kWarp})
    for (const Point &value : rows.basesOf(space))
      if (value[kOffset] % rowElements)
        return false;
  return llvm::all_of(rows.digits(), [&](const IndexMap::Digit &digit) {
    return digit.out != kOffset || digit.outStride % rowElements == 0;
  });
}

/// The register bits of a word's elements; none where some element is another thread's.
static std::optional<int64_t> wordBits(const IndexMap &map, const FragmentWords &words) {
  int64_t bits = 0;
  for (int64_t element = 1; element < words.elements; element *= 2) {
    int64_t bit = registerBit(map, along(words.depth, element));
    if (!bit)
      return std::nullopt;
    bits |= bit;
  }
  return bits;
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
  if (!hasFragmentLanes(map, words))
    return std::nullopt;
  int64_t rowElements = words.elements * kRowBytes / kWordBytes;
  IndexMap places = *staged.map().inverse();
  std::optional<unsigned> contiguous = contiguousDim(staged, rowElements);
  std::optional<int64_t> named = wordBits(map, words);
  if (!contiguous || !named)
    return std::nullopt;
  MatrixPlan plan;
  plan.transposed = *contiguous != words.depth;
  // Elements of 16 bits are exchanged.
  if (plan.transposed && words.elements != 2)
    return std::nullopt;
  // The second matrix is the instruction's second word; the third its third, or that of the instruction beside it.
  bool hasThird = words.begins.size() > 2;
  SmallVector<Point> steps = {{words.begins[1].first, words.begins[1].second},
                              along(1, hasThird ? words.begins[2].second : kRows)};
  for (const Point &step : steps)
    if (int64_t bit = registerBit(map, step))
      plan.matrixBits.push_back(bit);
    else
      break;
  if (plan.matrixBits.empty())
    return std::nullopt;

  IndexMap rows(map.ins(), map.outs());
  for (int64_t bit : plan.matrixBits)
    *named |= bit;
  for (unsigned space : {kReg, kWarp})
    for (auto [bit, value] : llvm::enumerate(map.basesOf(space)))
      if (space != kReg || !(*named >> bit & 1))
        rows.addBasis(space, bit, value);
  for (unsigned bit = 0; bit != kRowBits; ++bit)
    rows.addBasis(kLane, bit, along(1 - *contiguous, int64_t(1) << bit));
  for (unsigned number = 0; number != plan.matrixBits.size(); ++number)
    rows.addBasis(kLane, kRowBits + number, steps[number]);
  for (const IndexMap::Digit &digit : map.digits())
    rows.addDigit(digit);
  std::optional<IndexMap> moved = IndexMap::compose(rows, places);
  if (!moved || !beginsRows(*moved, rowElements))
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
    : shape(std::move(words)), registers(registersByIndex(layout)), elements(std::move(elements)) {}

MatrixOperand::MatrixOperand(ThreadContext &code, const Layout &layout, FragmentWords words, StagedTile tile)
    : shape(std::move(words)), registers(registersByIndex(layout)), code(&code), staged(std::move(tile)),
      plan(planMatrices(layout, staged->layout, shape)) {
  if (!plan)
    shared.emplace(code, staged->buffer, layout, &staged->layout, staged->part);
}

int64_t MatrixOperand::registerAt(Point index, std::pair<int64_t, int64_t> offset) const {
  index[index.size() - 2] += offset.first;
  index.back() += offset.second;
  auto found = registers.find(std::vector<int64_t>(index.begin(), index.end()));
  return found == registers.end() ? -1 : found->second;
}

SmallVector<MatrixOperand::Registers> MatrixOperand::registersOf(const Point &first) const {
  SmallVector<Registers> result;
  for (std::pair<int64_t, int64_t> at : shape.begins) {
    Registers word;
    for (int64_t element = 0; element != shape.elements; ++element) {
      word.push_back(registerAt(first, at));
      if (word.back() < 0)
        return {};
      ++(shape.depth ? at.second : at.first);
    }
    result.push_back(word);
  }
  return result;
}

void MatrixOperand::load(OpBuilder &b, Location loc, const Point &first) {
  if (!staged)
    return;
  for (const Registers &word : registersOf(first))
    if (loaded.contains(word.front()))
      continue;
    else if (plan)
      loadMatrices(b, loc, word.front());
    else
      loadWord(b, loc, word);
}

void MatrixOperand::loadMatrices(OpBuilder &b, Location loc, int64_t reg) {
  SmallVector<int64_t> filled = {reg};
  for (int64_t bit : plan->matrixBits)
    filled.front() &= ~bit;
  for (int64_t bit : plan->matrixBits)
    for (int64_t known : SmallVector<int64_t>(filled))
      filled.push_back(known | bit);
  SmallVector<OpFoldResult> strides(kNumSpaces, b.getIndexAttr(0));
  strides[kOffset] = b.getIndexAttr(1);
  Value place = Addresses(*code, b, loc, plan->rows, strides, staged->part.begin).at(filled.front());
  Type element = cast<MemRefType>(staged->buffer.getType()).getElementType();
  auto type = VectorType::get({int64_t(filled.size()), shape.elements}, element);
  auto matrices =
      nvgpu::LdMatrixOp::create(b, loc, type, staged->buffer, place, plan->transposed, int32_t(filled.size()));
  if (staged->part.isRing)
    markRingAccess(matrices);
  for (auto [number, target] : llvm::enumerate(filled))
    loaded[target] = vector::ExtractOp::create(b, loc, matrices, int64_t(number));
}

void MatrixOperand::loadWord(OpBuilder &b, Location loc, const Registers &word) {
  Type element = cast<MemRefType>(staged->buffer.getType()).getElementType();
  loaded[word.front()] = pack(b, loc, shared->readSome(b, loc, element, word));
}

SmallVector<Value> MatrixOperand::words(OpBuilder &b, Location loc, const Point &first) {
  SmallVector<Value> words;
  for (const Registers &registers : registersOf(first)) {
    Value &word = made[registers.front()];
    if (!word) {
      auto own = llvm::map_to_vector(registers, [&](int64_t reg) { return staged ? Value() : elements[reg]; });
      Value held = staged ? loaded.lookup(registers.front()) : pack(b, loc, own);
      bool isHalf = getElementTypeOrSelf(held.getType()).isF16();
      word = isHalf ? held : LLVM::BitcastOp::create(b, loc, b.getI32Type(), held).getResult();
    }
    words.push_back(word);
  }
  return words;
}
