// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicates over a call: comparisons of size expressions, and what two arguments share.
#include "dialect/IR/SizeExprText.h"

using namespace llvm;
using namespace helion::text;

namespace helion {

using Compare = Pred::Compare;

static bool holds(Compare op, int64_t a, int64_t b) {
  switch (op) {
  case Compare::EQ:
    return a == b;
  case Compare::NE:
    return a != b;
  case Compare::LE:
    return a <= b;
  case Compare::LT:
    return a < b;
  case Compare::GE:
    return a >= b;
  case Compare::GT:
    return a > b;
  }
  llvm_unreachable("not a comparison");
}

Pred Pred::compare(Compare op, SizeExpr lhs, SizeExpr rhs) {
  if (lhs.asConstant() && !rhs.asConstant()) {
    std::swap(lhs, rhs);
    op = comparisonOf(op).swapped;
  }
  Pred pred;
  pred.compareOp = op;
  pred.left = std::move(lhs);
  pred.right = std::move(rhs);
  return pred;
}

Pred Pred::overlap(StringRef a, StringRef b, Overlap kind) {
  assert(kind != Overlap::Partial && "a predicate asks for none or same");
  Pred pred;
  pred.firstArgument = std::min(a, b).str();
  pred.secondArgument = std::max(a, b).str();
  pred.kind = kind;
  return pred;
}

void Pred::print(raw_ostream &os) const {
  if (isOverlap()) {
    os << "overlap(" << firstArgument << ", " << secondArgument << ") == " << (kind == Overlap::None ? "none" : "same");
    return;
  }
  left.print(os);
  os << ' ' << comparisonOf(compareOp).text << ' ';
  right.print(os);
}

std::string Pred::str() const { return printed(*this); }

bool Pred::operator==(const Pred &other) const {
  return compareOp == other.compareOp && left == other.left && right == other.right &&
         firstArgument == other.firstArgument && secondArgument == other.secondArgument && kind == other.kind;
}

void Pred::walkLeaves(function_ref<void(const Leaf &)> visit) const {
  left.walkLeaves(visit);
  right.walkLeaves(visit);
}

Pred Pred::substitute(function_ref<std::optional<SizeExpr>(const Leaf &)> value) const {
  return isOverlap() ? *this : compare(compareOp, left.substitute(value), right.substitute(value));
}

std::optional<bool> Pred::fold() const {
  if (isOverlap())
    return firstArgument == secondArgument && kind == Overlap::Same ? std::optional(true) : std::nullopt;
  std::optional<int64_t> a = left.asConstant(), b = right.asConstant();
  if (a && b)
    return holds(compareOp, *a, *b);
  if (left == right)
    return comparisonOf(compareOp).ofEqual;
  return std::nullopt;
}

Expected<bool> Pred::evaluate(LeafValue value, OverlapValue overlaps) const {
  if (isOverlap()) {
    if (std::optional<Overlap> found = overlaps(firstArgument, secondArgument))
      return *found == kind;
    return createStringError("`overlap(" + firstArgument + ", " + secondArgument + ")` has no value");
  }
  Expected<int64_t> a = left.evaluate(value);
  if (!a)
    return a.takeError();
  Expected<int64_t> b = right.evaluate(value);
  if (!b)
    return b.takeError();
  return holds(compareOp, *a, *b);
}

void Pred::printCpp(raw_ostream &os, function_ref<std::string(const Leaf &)> name,
                    function_ref<std::string(StringRef, StringRef, Overlap)> overlaps) const {
  if (isOverlap()) {
    os << overlaps(firstArgument, secondArgument, kind);
    return;
  }
  left.printCpp(os, name);
  os << ' ' << comparisonOf(compareOp).text << ' ';
  right.printCpp(os, name);
}

} // namespace helion
