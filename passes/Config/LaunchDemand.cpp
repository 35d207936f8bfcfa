// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bounds: rings live beside everything in and before their loops, other buffers only while one op needs them.
#include "passes/Config/LaunchDemand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace helion {

/// Buffers begin at multiples of this, and rows of operands without matrices have as much behind them.
static constexpr int64_t kAccessBytes = 16;

/// Rings that the device fills begin where swizzles do, and have a barrier for each of at most 8 slots.
static constexpr int64_t kRingRoom = 1024 + 64;

static int64_t integerAt(unsigned choice, const ConfigPoint &point) {
  const int64_t *integer = point[choice]->asInteger();
  return integer ? *integer : 0;
}

static int64_t multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return MulOverflow(a, b, product) ? INT64_MAX : product;
}

static int64_t add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return AddOverflow(a, b, sum) ? INT64_MAX : sum;
}

static int64_t aligned(int64_t bytes) { return add(bytes, kAccessBytes - 1) / kAccessBytes * kAccessBytes; }

int64_t LanesTerm::at(const ConfigPoint &point) const {
  if (roll && point[*roll]->asInteger())
    return integerAt(*roll, point);
  return block ? integerAt(*block, point) : lanes;
}

int64_t LanesProduct::at(const ConfigPoint &point) const {
  int64_t product = factor;
  for (const LanesTerm &term : terms)
    product = multiply(product, term.at(point));
  return product;
}

//===-- Dots ------------------------------------------------------------------------------------------------------===//

bool DotDemand::runsOn(const MatrixInstruction &shape, const ConfigPoint &point) const {
  return matrixBytes && shape && shape->divides(rows.at(point), columns.at(point), depth.at(point), matrixBytes);
}

int64_t DotDemand::slotBytes(const MatrixInstruction &shape, const ConfigPoint &point) const {
  if (batch.at(point) != 1 || !runsOn(shape, point))
    return 0;
  int64_t sum = 0;
  for (auto [isLeft, stages] : {std::pair(true, mayStage[0]), std::pair(false, mayStage[1])})
    if (stages)
      sum = add(sum, aligned(multiply(multiply((isLeft ? rows : columns).at(point), depth.at(point)), bytes[!isLeft])));
  return sum;
}

int64_t DotDemand::operandBytes(const MatrixInstruction &shape, bool isStaged, const ConfigPoint &point) const {
  bool onMatrices = runsOn(shape, point);
  int64_t steps = multiply(batch.at(point), depth.at(point)), sum = 0;
  for (bool isLeft : {true, false}) {
    if (isStaged && onMatrices && mayStage[!isLeft] && batch.at(point) == 1)
      continue;
    int64_t row = multiply((isLeft ? rows : columns).at(point), bytes[!isLeft]);
    sum = add(sum, aligned(multiply(steps, onMatrices ? row : add(row, kAccessBytes))));
  }
  return sum;
}

//===-- Loads of grids --------------------------------------------------------------------------------------------===//

bool LoadDemand::isStaged(const ConfigPoint &point) const {
  bool isRolled =
      any_of(lanes.terms, [&](const LanesTerm &term) { return term.roll && point[*term.roll]->asInteger(); });
  return !isRolled && multiply(row.at(point), bytes) % kPieceBytes == 0;
}

//===-- Launches --------------------------------------------------------------------------------------------------===//

bool LaunchDemand::Ring::isOn(const ConfigPoint &point) const { return integerAt(stages, point) > 1; }

bool LaunchDemand::Ring::runsOn(const GroupMatrix &group, const ConfigPoint &point) const {
  return all_of(dots, [&](const DotDemand &dot) { return dot.readsSlots && dot.runsOn(group.shape, point); });
}

bool LaunchDemand::takesGroups(unsigned groups, const GroupMatrix &group, const ConfigPoint &point) const {
  auto ring = find_if(rings, [&](const Ring &other) { return other.groups == groups; });
  return ring->runsOn(group, point) && warps && integerAt(*warps, point) % group.warps == 0;
}

int64_t LaunchDemand::Ring::slotBytes(const MatrixInstruction &shape, const ConfigPoint &point) const {
  int64_t sum = 0;
  for (const DotDemand &dot : dots)
    sum = add(sum, dot.slotBytes(shape, point));
  for (const LoadDemand &load : loads)
    if (load.isStaged(point))
      sum = add(sum, aligned(multiply(load.lanes.at(point), load.bytes)));
  return sum;
}

int64_t LaunchDemand::sharedBytes(const ConfigPoint &point) const {
  int64_t inRings = 0, beside = 0, behind = 0;
  for (const Ring &ring : rings) {
    if (!ring.isOn(point))
      continue;
    int64_t copies = ring.copies ? std::max<int64_t>(integerAt(*ring.copies, point), 1) : 1;
    int64_t slots = multiply(integerAt(ring.stages, point), copies > 1 ? copies + 1 : 1);
    inRings = add(inRings, add(kRingRoom, multiply(slots, ring.slotBytes(shape, point))));
  }
  for (const Piece &piece : pieces) {
    bool isStaged = piece.ring && rings[*piece.ring].isOn(point);
    int64_t bytes = piece.dot ? piece.dot->operandBytes(shape, isStaged, point)
                              : aligned(multiply(piece.lanes.at(point), piece.bytes));
    if (piece.isPerWarp)
      bytes = multiply(bytes, warps ? std::max<int64_t>(integerAt(*warps, point), 1) : 1);
    int64_t &most = piece.isBehind ? behind : beside;
    most = std::max(most, bytes);
  }
  bool isPersistent = order && is_contained(order->persistent, *point[order->choice]);
  return std::max(add(inRings, beside), isPersistent ? add(inRings, behind) : behind);
}

std::set<unsigned> LaunchDemand::involved() const {
  std::set<unsigned> indices;
  auto addProduct = [&](const LanesProduct &product) {
    for (const LanesTerm &term : product.terms)
      for (std::optional<unsigned> choice : {term.block, term.roll})
        if (choice)
          indices.insert(*choice);
  };
  auto addDot = [&](const DotDemand &dot) {
    for (const LanesProduct *product : {&dot.batch, &dot.rows, &dot.columns, &dot.depth})
      addProduct(*product);
  };
  for (const Ring &ring : rings) {
    indices.insert(ring.stages);
    if (ring.copies)
      indices.insert(*ring.copies);
    for_each(ring.dots, addDot);
    for (const LoadDemand &load : ring.loads)
      addProduct(load.lanes);
  }
  for (const Piece &piece : pieces) {
    addProduct(piece.lanes);
    if (piece.dot)
      addDot(*piece.dot);
  }
  if (order && !rings.empty())
    indices.insert(order->choice);
  if (warps && any_of(pieces, [](const Piece &piece) { return piece.isPerWarp; }))
    indices.insert(*warps);
  return indices;
}

} // namespace helion
