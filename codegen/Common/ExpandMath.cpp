// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Common/ExpandMath.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "codegen/Common/ExpandMath.h.inc"
} // namespace helion

void helion::populateExpandMathPatterns(RewritePatternSet &patterns) {
  populateMathPolynomialApproximationPatterns(patterns);
}

namespace {
struct ExpandMath : helion::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
