// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and ends of tiles, compared.

#include "passes/Analysis/BoxFacts.h"
#include <limits>

using namespace mlir;
using namespace helion;

/// False when the predicate never holds; appends one that is open.
static bool add(std::vector<Pred> &facts, Pred::Compare compare, const SizeExpr &a, const SizeExpr &b) {
  Pred pred = Pred::compare(compare, a, b);
  std::optional<bool> known = pred.fold();
  if (!known)
    facts.push_back(pred);
  return known.value_or(true);
}

std::optional<std::vector<Pred>> helion::boxFacts(HostExprs &exprs, const HostView &view, ValueRange indices) {
  std::vector<Pred> facts;
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
