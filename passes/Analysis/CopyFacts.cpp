// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicates over strides, offset and address of a view.

#include "passes/Analysis/CopyFacts.h"

using namespace mlir;
using namespace helion;

static constexpr int64_t kPieceBytes = 16;

static Pred isMultiple(const SizeExpr &expr, int64_t of) {
  return Pred::compare(Pred::Compare::EQ, SizeExpr::mod(expr, SizeExpr::constant(of)), SizeExpr::constant(0));
}

std::optional<std::vector<Pred>> helion::copyFacts(const HostView &view, unsigned unitDim, int64_t elementBytes) {
  if (!isa<BlockArgument>(view.base) || elementBytes > kPieceBytes)
    return std::nullopt;
  int64_t piece = kPieceBytes / elementBytes;
  std::vector<Pred> all = {isMultiple(SizeExpr::align(view.buffer), kPieceBytes), isMultiple(view.offset, piece)};
  for (auto [dim, stride] : llvm::enumerate(view.strides))
    all.push_back(dim == unitDim ? Pred::compare(Pred::Compare::EQ, stride, SizeExpr::constant(1))
                                 : isMultiple(stride, piece));
  std::vector<Pred> open;
  for (const Pred &pred : all) {
    std::optional<bool> known = pred.fold();
    if (known == false)
      return std::nullopt;
    if (!known)
      open.push_back(pred);
  }
  return open;
}

unsigned helion::likelyUnitDim(const HostView &view, ArrayRef<StringRef> facts) {
  unsigned last = view.strides.size() - 1;
  for (unsigned dim = last + 1; dim-- != 0;)
    if (view.strides[dim].isConstant(1) || llvm::is_contained(facts, view.strides[dim].str() + " == 1"))
      return dim;
  unsigned rank = cast<MemRefType>(view.base.getType()).getRank();
  for (unsigned dim = last + 1; dim-- != 0;)
    if (view.strides[dim] == SizeExpr::stride(view.buffer, rank - 1))
      return dim;
  return last;
}
