// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder, printer and evaluator of size expressions. Everything is one walk over immutable nodes; the parser bounds
// their depth.
#include "dialect/IR/SizeExprText.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <tuple>

using namespace llvm;
using namespace helion::text;

namespace helion {

struct SizeExpr::Node {
  Kind kind = Kind::Constant;
  int64_t value = 0;
  helion::Leaf leaf;
  // Only two-operand kinds; the default of SizeExpr would make a node, so these are built through `operands`.
  std::unique_ptr<const std::pair<SizeExpr, SizeExpr>> operands;
};

//===-- Leaf -----------------------------------------------------------------------------------------------------===//

void Leaf::print(raw_ostream &os) const {
  switch (kind) {
  case Kind::Size:
    os << name << ".size(" << index << ')';
    return;
  case Kind::Stride:
    os << name << ".stride(" << index << ')';
    return;
  case Kind::Align:
    os << name << ".align";
    return;
  case Kind::Scalar:
    os << name;
    return;
  case Kind::Device:
    os << "dev." << name;
    return;
  }
}

std::string Leaf::str() const { return printed(*this); }

bool Leaf::operator==(const Leaf &other) const {
  return kind == other.kind && name == other.name && index == other.index;
}

bool Leaf::operator<(const Leaf &other) const {
  return std::tie(kind, name, index) < std::tie(other.kind, other.name, other.index);
}

//===-- Arithmetic -----------------------------------------------------------------------------------------------===//

using Kind = SizeExpr::Kind;

/// std::nullopt where the result does not fit, or the divisor is not positive.
static std::optional<int64_t> apply(Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (kind) {
  case Kind::Add:
    return AddOverflow(a, b, result) ? std::nullopt : std::optional(result);
  case Kind::Sub:
    return SubOverflow(a, b, result) ? std::nullopt : std::optional(result);
  case Kind::Mul:
    return MulOverflow(a, b, result) ? std::nullopt : std::optional(result);
  case Kind::FloorDiv:
    return b <= 0 ? std::nullopt : std::optional(a / b - (a % b < 0));
  case Kind::CeilDiv:
    return b <= 0 ? std::nullopt : std::optional(a / b + (a % b > 0));
  case Kind::Mod:
    return b <= 0 ? std::nullopt : std::optional(a % b + (a % b < 0 ? b : 0));
  case Kind::Min:
    return std::min(a, b);
  case Kind::Max:
    return std::max(a, b);
  case Kind::Constant:
  case Kind::Leaf:
    break;
  }
  llvm_unreachable("not an operator");
}

//===-- Folding --------------------------------------------------------------------------------------------------===//

SizeExpr SizeExpr::make(Kind kind, SizeExpr lhs, SizeExpr rhs) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->operands = std::make_unique<const std::pair<SizeExpr, SizeExpr>>(std::move(lhs), std::move(rhs));
  return SizeExpr(std::move(node));
}

/// The identities of one two-operand node. Constants of + * min max stand on the right, so each rule is written once.
class SizeExprFolder {
public:
  SizeExprFolder(Kind kind, const SizeExpr &lhs, const SizeExpr &rhs)
      : kind(kind), lhs(lhs), rhs(rhs), c(rhs.asConstant()) {}

  std::optional<SizeExpr> fold() const {
    switch (kind) {
    case Kind::Add:
    case Kind::Sub:
      return foldSum();
    case Kind::Mul:
      return foldProduct();
    case Kind::FloorDiv:
    case Kind::CeilDiv:
      return foldDivision();
    case Kind::Mod:
      return foldMod();
    case Kind::Min:
    case Kind::Max:
      return foldMinMax();
    case Kind::Constant:
    case Kind::Leaf:
      break;
    }
    llvm_unreachable("not an operator");
  }

private:
  /// The constant right operand of lhs, if lhs is `x inner constant`.
  std::optional<int64_t> innerConstant(Kind inner) const {
    return lhs.kind() == inner ? lhs.rhs().asConstant() : std::nullopt;
  }

  /// x + c, x - c and sums of two constants become one `x + c` or `x - c` with c > 0.
  std::optional<SizeExpr> foldSum() const {
    if (kind == Kind::Sub && lhs == rhs)
      return SizeExpr::constant(0);
    if (!c)
      return std::nullopt;
    std::optional<int64_t> total = kind == Kind::Add ? *c : apply(Kind::Sub, 0, *c);
    SizeExpr base = lhs;
    if (std::optional<int64_t> inner = innerConstant(Kind::Add))
      total = total ? apply(Kind::Add, *total, *inner) : std::nullopt;
    else if (std::optional<int64_t> inner = innerConstant(Kind::Sub))
      total = total ? apply(Kind::Sub, *total, *inner) : std::nullopt;
    if (!total)
      return std::nullopt;
    if (innerConstant(Kind::Add) || innerConstant(Kind::Sub))
      base = lhs.lhs();
    if (*total == 0)
      return base;
    if (*total > 0)
      return SizeExpr::make(Kind::Add, base, SizeExpr::constant(*total));
    if (std::optional<int64_t> positive = apply(Kind::Sub, 0, *total))
      return SizeExpr::make(Kind::Sub, base, SizeExpr::constant(*positive));
    return std::nullopt;
  }

  std::optional<SizeExpr> foldProduct() const {
    if (c == 0)
      return SizeExpr::constant(0);
    if (c == 1)
      return lhs;
    std::optional<int64_t> inner = c ? innerConstant(Kind::Mul) : std::nullopt;
    std::optional<int64_t> product = inner ? apply(Kind::Mul, *inner, *c) : std::nullopt;
    if (product)
      return SizeExpr::mul(lhs.lhs(), SizeExpr::constant(*product));
    return std::nullopt;
  }

  std::optional<SizeExpr> foldDivision() const {
    if (c == 1)
      return lhs;
    std::optional<int64_t> inner = c && *c > 0 ? innerConstant(Kind::Mul) : std::nullopt;
    if (inner && *inner % *c == 0)
      return SizeExpr::mul(lhs.lhs(), SizeExpr::constant(*inner / *c));
    return std::nullopt;
  }

  std::optional<SizeExpr> foldMod() const {
    if (c == 1)
      return SizeExpr::constant(0);
    std::optional<int64_t> inner = c && *c > 0 ? innerConstant(Kind::Mul) : std::nullopt;
    if (inner && *inner % *c == 0)
      return SizeExpr::constant(0);
    return std::nullopt;
  }

  std::optional<SizeExpr> foldMinMax() const {
    if (lhs == rhs)
      return lhs;
    std::optional<int64_t> inner = c ? innerConstant(kind) : std::nullopt;
    if (inner)
      return SizeExpr::make(kind, lhs.lhs(), SizeExpr::constant(*apply(kind, *inner, *c)));
    return std::nullopt;
  }

  Kind kind;
  const SizeExpr &lhs;
  const SizeExpr &rhs;
  std::optional<int64_t> c;
};

SizeExpr SizeExpr::binary(Kind kind, SizeExpr lhs, SizeExpr rhs) {
  std::optional<int64_t> a = lhs.asConstant(), b = rhs.asConstant();
  if (a && b)
    if (std::optional<int64_t> value = apply(kind, *a, *b))
      return constant(*value);
  bool commutes = kind == Kind::Add || kind == Kind::Mul || kind == Kind::Min || kind == Kind::Max;
  if (commutes && a && !b)
    std::swap(lhs, rhs);
  if (std::optional<SizeExpr> folded = SizeExprFolder(kind, lhs, rhs).fold())
    return *folded;
  return make(kind, std::move(lhs), std::move(rhs));
}

SizeExpr::SizeExpr() {
  static const std::shared_ptr<const Node> zero = std::make_shared<Node>();
  node = zero;
}

SizeExpr SizeExpr::constant(int64_t value) {
  auto node = std::make_shared<Node>();
  node->value = value;
  return SizeExpr(std::move(node));
}

SizeExpr SizeExpr::leaf(helion::Leaf leaf) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::Leaf;
  node->leaf = std::move(leaf);
  return SizeExpr(std::move(node));
}

SizeExpr SizeExpr::size(StringRef argument, unsigned dim) { return leaf({Leaf::Kind::Size, argument.str(), dim}); }
SizeExpr SizeExpr::stride(StringRef argument, unsigned dim) { return leaf({Leaf::Kind::Stride, argument.str(), dim}); }
SizeExpr SizeExpr::align(StringRef argument) { return leaf({Leaf::Kind::Align, argument.str(), 0}); }
SizeExpr SizeExpr::scalar(StringRef name) { return leaf({Leaf::Kind::Scalar, name.str(), 0}); }
SizeExpr SizeExpr::device(StringRef fact) { return leaf({Leaf::Kind::Device, fact.str(), 0}); }
SizeExpr SizeExpr::add(SizeExpr a, SizeExpr b) { return binary(Kind::Add, std::move(a), std::move(b)); }
SizeExpr SizeExpr::sub(SizeExpr a, SizeExpr b) { return binary(Kind::Sub, std::move(a), std::move(b)); }
SizeExpr SizeExpr::mul(SizeExpr a, SizeExpr b) { return binary(Kind::Mul, std::move(a), std::move(b)); }
SizeExpr SizeExpr::floordiv(SizeExpr a, SizeExpr b) { return binary(Kind::FloorDiv, std::move(a), std::move(b)); }
SizeExpr SizeExpr::ceildiv(SizeExpr a, SizeExpr b) { return binary(Kind::CeilDiv, std::move(a), std::move(b)); }
SizeExpr SizeExpr::mod(SizeExpr a, SizeExpr b) { return binary(Kind::Mod, std::move(a), std::move(b)); }
SizeExpr SizeExpr::min(SizeExpr a, SizeExpr b) { return binary(Kind::Min, std::move(a), std::move(b)); }
SizeExpr SizeExpr::max(SizeExpr a, SizeExpr b) { return binary(Kind::Max, std::move(a), std::move(b)); }

//===-- Reading a node -------------------------------------------------------------------------------------------===//

SizeExpr::Kind SizeExpr::kind() const { return node->kind; }

std::optional<int64_t> SizeExpr::asConstant() const {
  return node->kind == Kind::Constant ? std::optional(node->value) : std::nullopt;
}

const helion::Leaf &SizeExpr::leaf() const {
  assert(kind() == Kind::Leaf);
  return node->leaf;
}

const SizeExpr &SizeExpr::lhs() const {
  assert(node->operands && "only operators have operands");
  return node->operands->first;
}

const SizeExpr &SizeExpr::rhs() const {
  assert(node->operands && "only operators have operands");
  return node->operands->second;
}

bool SizeExpr::operator==(const SizeExpr &other) const {
  if (node == other.node)
    return true;
  if (kind() != other.kind())
    return false;
  if (kind() == Kind::Constant)
    return node->value == other.node->value;
  if (kind() == Kind::Leaf)
    return leaf() == other.leaf();
  return lhs() == other.lhs() && rhs() == other.rhs();
}

//===-- Printing -------------------------------------------------------------------------------------------------===//

/// Prints an operator tree. `Atom` prints constants and leaves; `spell` gives an operator's text, whether it is a call,
/// and its precedence.
namespace {
struct Spelling {
  StringRef text;
  unsigned precedence;
  bool isCall() const { return precedence == 3; }
};
} // namespace

static void printTree(raw_ostream &os, const SizeExpr &expr, unsigned least,
                      function_ref<Spelling(const Operator &)> spell, function_ref<void(const SizeExpr &)> atom) {
  if (expr.kind() == Kind::Constant || expr.kind() == Kind::Leaf)
    return atom(expr);
  Spelling spelling = spell(operatorOf(expr.kind()));
  if (spelling.isCall()) {
    os << spelling.text << '(';
    printTree(os, expr.lhs(), 0, spell, atom);
    os << ", ";
    printTree(os, expr.rhs(), 0, spell, atom);
    os << ')';
    return;
  }
  bool parenthesize = spelling.precedence < least;
  os << (parenthesize ? "(" : "");
  printTree(os, expr.lhs(), spelling.precedence, spell, atom);
  os << ' ' << spelling.text << ' ';
  // Left associative: an equal operator on the right needs parentheses.
  printTree(os, expr.rhs(), spelling.precedence + 1, spell, atom);
  os << (parenthesize ? ")" : "");
}

void SizeExpr::print(raw_ostream &os) const {
  auto spell = [](const Operator &op) { return Spelling{op.text, op.precedence}; };
  printTree(os, *this, 0, spell, [&](const SizeExpr &expr) {
    if (std::optional<int64_t> value = expr.asConstant())
      os << *value;
    else
      expr.leaf().print(os);
  });
}

std::string SizeExpr::str() const { return printed(*this); }

void SizeExpr::printCpp(raw_ostream &os, function_ref<std::string(const helion::Leaf &)> name) const {
  auto spell = [](const Operator &op) {
    return op.cpp.empty() ? Spelling{op.text, op.precedence} : Spelling{op.cpp, 3};
  };
  printTree(os, *this, 0, spell, [&](const SizeExpr &expr) {
    std::optional<int64_t> value = expr.asConstant();
    if (value == std::numeric_limits<int64_t>::min())
      os << "(-9223372036854775807 - 1)"; // C++ has no literal for it.
    else if (value)
      os << *value;
    else
      os << name(expr.leaf());
  });
}

//===-- Walks ----------------------------------------------------------------------------------------------------===//

void SizeExpr::walkLeaves(function_ref<void(const helion::Leaf &)> visit) const {
  if (kind() == Kind::Leaf)
    return visit(leaf());
  if (kind() == Kind::Constant)
    return;
  lhs().walkLeaves(visit);
  rhs().walkLeaves(visit);
}

SizeExpr SizeExpr::substitute(function_ref<std::optional<SizeExpr>(const helion::Leaf &)> value) const {
  if (kind() == Kind::Constant)
    return *this;
  if (kind() == Kind::Leaf)
    return value(leaf()).value_or(*this);
  return binary(kind(), lhs().substitute(value), rhs().substitute(value));
}

Expected<int64_t> SizeExpr::evaluate(function_ref<std::optional<int64_t>(const helion::Leaf &)> value) const {
  if (std::optional<int64_t> constant = asConstant())
    return *constant;
  if (kind() == Kind::Leaf) {
    if (std::optional<int64_t> found = value(leaf()))
      return *found;
    return createStringError("`" + leaf().str() + "` has no value");
  }
  Expected<int64_t> a = lhs().evaluate(value);
  if (!a)
    return a;
  Expected<int64_t> b = rhs().evaluate(value);
  if (!b)
    return b;
  if (std::optional<int64_t> result = apply(kind(), *a, *b))
    return *result;
  bool divides = kind() == Kind::FloorDiv || kind() == Kind::CeilDiv || kind() == Kind::Mod;
  if (divides)
    return createStringError("division by `" + Twine(*b) + "` in `" + str() + "`; a divisor must be positive");
  return createStringError("`" + str() + "` does not fit 64 bits for `" + Twine(*a) + "` and `" + Twine(*b) + "`");
}

} // namespace helion
