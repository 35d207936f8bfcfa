// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and ends of tiles, compared.

#include "passes/Analysis/BoxFacts.h"
#include "passes/Analysis/WideAccess.h"
#include <limits>

using namespace mlir;
using namespace helion;

/// `cuTensorMapEncodeTiled` takes strides below 2^40 bytes, in multiples of 16.
static constexpr int64_t kMostStrideBytes = (int64_t(1) << 40) - 16;

/// False when the predicate never holds; appends one that is open.
static bool add(std::vector<Pred> &facts, Pred::Compare compare, const SizeExpr &a, const SizeExpr &b) {
  Pred pred = Pred::compare(compare, a, b);
  std::optional<bool> known = pred.fold();
  if (!known)
    facts.push_back(pred);
  return known.value_or(true);
}

std::optional<std::vector<Pred>> helion::boxFacts(HostExprs &exprs, const HostView &view, unsigned contiguous,
                                                  ValueRange indices) {
  std::vector<Pred> facts;
  int64_t bytes = bytesOfElement(view.base.getType());
  for (auto [dim, stride] : llvm::enumerate(view.strides))
    if (dim != contiguous && (!add(facts, Pred::Compare::GE, stride, SizeExpr::constant(1)) ||
                              !add(facts, Pred::Compare::LE, stride, SizeExpr::constant(kMostStrideBytes / bytes))))
      return std::nullopt;
  for (auto [index, size] : llvm::zip_equal(indices, view.sizes)) {
    // Coordinates and sizes are 32 bits with a sign.
    if (!add(facts, Pred::Compare::GE, size, SizeExpr::constant(1)) ||
        !add(facts, Pred::Compare::LE, size, SizeExpr::constant(std::numeric_limits<int32_t>::max())))
      return std::nullopt;
    if (index.getType().isIndex())
      continue;
    auto tile = index.getDefiningOp<MakeTileOp>();
    if (!tile)
      return std::nullopt;
    if (!tile.getEnd())
      continue;
    std::optional<SizeExpr> end = exprs.expr(tile.getEnd());
    if (!end || !add(facts, Pred::Compare::EQ, *end, size))
      return std::nullopt;
  }
  return facts;
}
