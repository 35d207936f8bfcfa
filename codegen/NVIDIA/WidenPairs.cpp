// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-widen-pairs: two neighbours of bf16, which one register holds, become f32 by one operation each. LLVM takes
// the upper one out of the register before it moves it to where it was.

#include "codegen/Common/ThreadContext.h"
#include "codegen/NVIDIA/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace helion;
using namespace helion::threads;

namespace helion {
#define GEN_PASS_DEF_WIDENPAIRSPASS
#include "codegen/NVIDIA/Passes.h.inc"
} // namespace helion

/// The upper half of an f32 is the bf16 that it is cut to.
static constexpr int64_t kHalfBits = 16, kUpperHalf = -(int64_t(1) << kHalfBits);

namespace {
struct WidenPairs : helion::impl::WidenPairsPassBase<WidenPairs> {
  void runOnOperation() override {
    SmallVector<arith::ExtFOp> widenings;
    getOperation().walk([&](arith::ExtFOp op) {
      auto vector = dyn_cast<VectorType>(op.getIn().getType());
      if (vector && vector.getElementType().isBF16() && getElementTypeOrSelf(op.getType()).isF32() &&
          vector.getNumElements() % 2 == 0)
        widenings.push_back(op);
    });
    for (arith::ExtFOp op : widenings)
      widen(op);
  }

private:
  void widen(arith::ExtFOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    SmallVector<Value> halves = unpack(b, loc, op.getIn()), wide;
    for (size_t number = 0; number != halves.size(); number += 2) {
      Value pair = pack(b, loc, ArrayRef(halves).slice(number, 2));
      Value word =
          unpack(b, loc, vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getI32Type()), pair)).front();
      Value lower = arith::ShLIOp::create(b, loc, word, i32(b, loc, kHalfBits));
      Value upper = arith::AndIOp::create(b, loc, word, i32(b, loc, kUpperHalf));
      for (Value bits : {lower, upper})
        wide.push_back(arith::BitcastOp::create(b, loc, b.getF32Type(), bits));
    }
    auto result = vector::FromElementsOp::create(b, loc, cast<VectorType>(op.getType()), wide);
    op.replaceAllUsesWith(result.getResult());
    op.erase();
    ++widened;
  }
};
} // namespace
