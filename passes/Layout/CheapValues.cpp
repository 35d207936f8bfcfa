// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One copy of a cheap value per reader. Readers come before what they read, so the copies of a reader get copies too.

#include "passes/Layout/CheapValues.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace helion;

namespace {
/// Ops of a computation that is still made again; longer ones are converted.
constexpr unsigned kCheapOps = 8;

class CheapOps {
public:
  bool contains(Operation *op) { return op && count(op) <= kCheapOps; }

private:
  /// Ops that make the results of `op` from scalars, itself included; more than kCheapOps where memory, lanes of others
  /// or control flow are needed.
  unsigned count(Operation *op) {
    if (auto found = counts.find(op); found != counts.end())
      return found->second;
    unsigned total = kCheapOps + 1;
    if (mayRepeat(op)) {
      total = 1;
      for (Value operand : op->getOperands())
        if (isTileValue(operand.getType()))
          total += operand.getDefiningOp() ? count(operand.getDefiningOp()) : kCheapOps + 1;
    }
    return counts[op] = std::min(total, kCheapOps + 1);
  }

  static bool mayRepeat(Operation *op) {
    if (op->getNumResults() != 1 || !isTileValue(op->getResult(0).getType()))
      return false;
    if (matchPattern(op, m_Constant()) || isa<SplatOp, IotaOp, BroadcastOp, PermuteOp, ReshapeOp>(op))
      return true;
    return isa<arith::ArithDialect>(op->getDialect()) && isPure(op);
  }

  llvm::DenseMap<Operation *, unsigned> counts;
};
} // namespace

/// Tile constants that folding moved to the host part.
static void captureConstants(LaunchOp launch) {
  SetVector<Operation *> outside;
  launch.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *made = operand.getDefiningOp();
          made && isTileValue(operand.getType()) && !launch->isProperAncestor(made))
        outside.insert(made);
  });
  OpBuilder builder = OpBuilder::atBlockBegin(&launch.getBody().front());
  for (Operation *made : outside) {
    Operation *copy = builder.clone(*made);
    made->replaceUsesWithIf(copy->getResults(), [&](OpOperand &use) { return launch->isAncestor(use.getOwner()); });
  }
}

void helion::separateCheapValues(LaunchOp launch) {
  captureConstants(launch);
  SmallVector<Operation *> cheap;
  CheapOps ops;
  launch.walk([&](Operation *op) {
    if (ops.contains(op))
      cheap.push_back(op);
  });
  for (size_t i = cheap.size(); i-- != 0;) {
    Operation *op = cheap[i];
    SetVector<Operation *> readers;
    for (Operation *reader : op->getUsers())
      readers.insert(reader);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (Operation *reader : readers.getArrayRef().drop_front(readers.empty() ? 0 : 1)) {
      Operation *copy = builder.clone(*op);
      reader->replaceUsesOfWith(op->getResult(0), copy->getResult(0));
    }
  }
}
