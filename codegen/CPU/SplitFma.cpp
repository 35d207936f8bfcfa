// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused multiply-adds for targets that have none.

#include "codegen/CPU/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_SPLITFMAPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace helion

namespace {
struct SplitFma : helion::impl::SplitFmaPassBase<SplitFma> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<math::FmaOp, vector::FMAOp>(op))
        return;
      OpBuilder builder(op);
      Value product = arith::MulFOp::create(builder, op->getLoc(), op->getOperand(0), op->getOperand(1));
      Value sum = arith::AddFOp::create(builder, op->getLoc(), product, op->getOperand(2));
      op->getResult(0).replaceAllUsesWith(sum);
      op->erase();
    });
  }
};
} // namespace
