// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structural test: each carried value is used once, by an op that adds to it (or multiplies, or takes the larger)
// something that no carried value reaches; its init is neutral; and the loop writes nothing.
#include "dialect/Frontend/Combine.h"

#include "dialect/IR/Dims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace helion;

namespace {
struct CombineRow {
  llvm::StringRef op;
  ReductionKind kind;
  Value (*merge)(OpBuilder &, Location, Value, Value);
};
} // namespace

template <typename Op> static Value merge(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return Op::create(b, loc, lhs, rhs);
}

static const CombineRow combineRows[] = {
    {"helion.dot", ReductionKind::AddF, merge<arith::AddFOp>},
    {"arith.addf", ReductionKind::AddF, merge<arith::AddFOp>},
    {"arith.mulf", ReductionKind::MulF, merge<arith::MulFOp>},
    {"arith.maximumf", ReductionKind::MaximumF, merge<arith::MaximumFOp>},
    {"arith.minimumf", ReductionKind::MinimumF, merge<arith::MinimumFOp>},
    {"arith.addi", ReductionKind::AddI, merge<arith::AddIOp>},
    {"arith.maxsi", ReductionKind::MaxSI, merge<arith::MaxSIOp>},
    {"arith.minsi", ReductionKind::MinSI, merge<arith::MinSIOp>}};

// The op that updates the carried value; null if the value is not of this simple kind.
static const CombineRow *updateOf(BlockArgument carried, Value yielded) {
  Operation *op = yielded.getDefiningOp();
  if (!op || !carried.hasOneUse() || !yielded.hasOneUse() || *carried.user_begin() != op)
    return nullptr;
  if (auto dot = dyn_cast<DotOp>(op); dot && dot.getAcc() != carried)
    return nullptr;
  for (const CombineRow &row : combineRows)
    if (op->getName().getStringRef() == row.op)
      return &row;
  return nullptr;
}

static bool isNeutral(Value init, ReductionKind kind) {
  if (auto splat = init.getDefiningOp<SplatOp>())
    init = splat.getValue();
  Attribute value;
  if (!matchPattern(init, m_Constant(&value)))
    return false;
  Attribute identity = reductionIdentity(kind, getElementTypeOrSelf(init.getType()));
  auto number = dyn_cast<FloatAttr>(value), neutral = dyn_cast_or_null<FloatAttr>(identity);
  // +0 and -0 are both neutral for sums up to the sign of a zero result.
  if (number && neutral && number.getValue().isZero() && neutral.getValue().isZero())
    return true;
  return value == identity;
}

// True if nothing that `update` adds depends on a carried value.
static bool isIndependent(Operation *update, TileOp loop, unsigned index) {
  llvm::SetVector<Operation *> work;
  auto visit = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      bool isCarried = argument.getOwner() == &loop.getBody().front() && argument.getArgNumber() >= loop.getNumDims();
      return !isCarried;
    }
    if (loop.getBody().isAncestor(value.getParentRegion()))
      work.insert(value.getDefiningOp());
    return true;
  };
  for (Value operand : update->getOperands())
    if (operand != loop.getCarried()[index] && !visit(operand))
      return false;
  for (size_t i = 0; i < work.size(); ++i) {
    // A nested loop may capture values.
    WalkResult result = work[i]->walk([&](Operation *op) {
      return llvm::all_of(op->getOperands(), visit) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return false;
  }
  return true;
}

static bool writesMemory(TileOp loop) {
  return loop.getBody().walk([](Operation *op) {
    return isa<StoreOp, AtomicOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}

void helion::frontend::deriveCombine(TileOp loop) {
  unsigned count = loop.getInits().size();
  if (count == 0 || loop.hasCombine() || writesMemory(loop))
    return;
  SmallVector<const CombineRow *> rows;
  for (unsigned i = 0; i < count; ++i) {
    Value yielded = loop.getYield().getOperand(i);
    const CombineRow *row = updateOf(loop.getCarried()[i], yielded);
    if (row && row->op == "helion.dot" && getElementTypeOrSelf(yielded.getType()).isIntOrIndex())
      row = &combineRows[5]; // an integer product adds integers
    if (!row || !isNeutral(loop.getInits()[i], row->kind) || !isIndependent(yielded.getDefiningOp(), loop, i))
      return;
    rows.push_back(row);
  }
  OpBuilder b(loop.getContext());
  Block *block = b.createBlock(&loop.getCombine());
  for (unsigned side = 0; side < 2; ++side)
    for (Type type : loop.getInits().getTypes())
      block->addArgument(type, loop.getLoc());
  SmallVector<Value> merged;
  for (unsigned i = 0; i < count; ++i)
    merged.push_back(rows[i]->merge(b, loop.getLoc(), block->getArgument(i), block->getArgument(count + i)));
  YieldOp::create(b, loop.getLoc(), merged);
}
