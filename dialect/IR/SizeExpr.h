// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions and predicates over what a caller passes: sizes, strides, alignments, scalars, device facts. Facts of a
// kernel, launch plans and dispatchers hold them as text; this is the one parser, printer and evaluator of that text.
// It needs no MLIR. Integers are 64 bits; a divisor must be positive, so floordiv, ceildiv and % need no sign rules.
#ifndef HELION_DIALECT_IR_SIZEEXPR_H
#define HELION_DIALECT_IR_SIZEEXPR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
}

namespace helion {

/// What an expression may ask of a call: `x.size(0)`, `x.stride(1)`, `x.align`, `n`, `dev.sms`. Before blocks are
/// bound, a block's name is a Scalar too.
struct Leaf {
  enum class Kind { Size, Stride, Align, Scalar, Device };
  Kind kind = Kind::Scalar;
  std::string name;
  unsigned index = 0; // Size and Stride only.

  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  bool operator==(const Leaf &other) const;
  bool operator!=(const Leaf &other) const { return !(*this == other); }
  bool operator<(const Leaf &other) const;
};

/// An immutable expression; copies share their nodes. The builders fold constants and simple identities, so the printed
/// text is short and two equal texts are equal values. Folding may lose an error (`x * 0` is 0 even where x has no
/// value) but never changes a value or adds an error.
class SizeExpr {
public:
  enum class Kind { Constant, Leaf, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max };

  /// The constant 0.
  SizeExpr();

  static SizeExpr constant(int64_t value);
  static SizeExpr leaf(helion::Leaf leaf);
  static SizeExpr size(llvm::StringRef argument, unsigned dim);
  static SizeExpr stride(llvm::StringRef argument, unsigned dim);
  static SizeExpr align(llvm::StringRef argument);
  static SizeExpr scalar(llvm::StringRef name);
  static SizeExpr device(llvm::StringRef fact);
  static SizeExpr add(SizeExpr lhs, SizeExpr rhs);
  static SizeExpr sub(SizeExpr lhs, SizeExpr rhs);
  static SizeExpr mul(SizeExpr lhs, SizeExpr rhs);
  static SizeExpr floordiv(SizeExpr lhs, SizeExpr rhs);
  static SizeExpr ceildiv(SizeExpr lhs, SizeExpr rhs);
  static SizeExpr mod(SizeExpr lhs, SizeExpr rhs);
  static SizeExpr min(SizeExpr lhs, SizeExpr rhs);
  static SizeExpr max(SizeExpr lhs, SizeExpr rhs);
  /// Any of the two-operand kinds.
  static SizeExpr binary(Kind kind, SizeExpr lhs, SizeExpr rhs);

  /// The whole text must be one expression; the error names the column (from 1), what was seen and what was expected.
  static llvm::Expected<SizeExpr> parse(llvm::StringRef text);

  Kind kind() const;
  std::optional<int64_t> asConstant() const;
  bool isConstant(int64_t value) const { return asConstant() == value; }
  /// Only for Kind::Leaf.
  const helion::Leaf &leaf() const;
  /// Only for two-operand kinds.
  const SizeExpr &lhs() const;
  const SizeExpr &rhs() const;

  /// Canonical text with the fewest parentheses; `parse` of it gives an equal value.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

  bool operator==(const SizeExpr &other) const;
  bool operator!=(const SizeExpr &other) const { return !(*this == other); }

  /// Left to right, once for each time a leaf is written.
  void walkLeaves(llvm::function_ref<void(const helion::Leaf &)> visit) const;
  /// Replaces the leaves that get a value, and folds again.
  SizeExpr substitute(llvm::function_ref<std::optional<SizeExpr>(const helion::Leaf &)> value) const;
  /// Fails when a leaf has no value, a divisor is not positive or a result does not fit 64 bits.
  llvm::Expected<int64_t> evaluate(llvm::function_ref<std::optional<int64_t>(const helion::Leaf &)> value) const;
  /// C++ over int64_t, unchecked; the includer defines helion_floordiv, helion_ceildiv, helion_mod, helion_min and
  /// helion_max.
  void printCpp(llvm::raw_ostream &os, llvm::function_ref<std::string(const helion::Leaf &)> name) const;

private:
  struct Node;
  explicit SizeExpr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  static SizeExpr make(Kind kind, SizeExpr lhs, SizeExpr rhs);
  friend class SizeExprFolder;

  std::shared_ptr<const Node> node;
};

/// How the memory of two arguments meets in a call.
enum class Overlap { None, Same, Partial };

/// A comparison of two expressions, or what two arguments share: `overlap(a, b) == none`. Canonical: a constant stands
/// on the right, the arguments of `overlap` are sorted.
class Pred {
public:
  enum class Compare { EQ, NE, LE, LT, GE, GT };
  using LeafValue = llvm::function_ref<std::optional<int64_t>(const Leaf &)>;
  using OverlapValue = llvm::function_ref<std::optional<Overlap>(llvm::StringRef, llvm::StringRef)>;

  /// `0 == 0`.
  Pred() = default;
  static Pred compare(Compare op, SizeExpr lhs, SizeExpr rhs);
  /// `kind` is None or Same.
  static Pred overlap(llvm::StringRef a, llvm::StringRef b, Overlap kind);
  static llvm::Expected<Pred> parse(llvm::StringRef text);

  bool isOverlap() const { return !firstArgument.empty(); }
  /// Comparisons only.
  Compare op() const { return compareOp; }
  const SizeExpr &lhs() const { return left; }
  const SizeExpr &rhs() const { return right; }
  /// Overlaps only.
  llvm::StringRef first() const { return firstArgument; }
  llvm::StringRef second() const { return secondArgument; }
  Overlap overlapKind() const { return kind; }

  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  bool operator==(const Pred &other) const;
  bool operator!=(const Pred &other) const { return !(*this == other); }

  void walkLeaves(llvm::function_ref<void(const Leaf &)> visit) const;
  Pred substitute(llvm::function_ref<std::optional<SizeExpr>(const Leaf &)> value) const;
  /// The answer where it is the same for every call.
  std::optional<bool> fold() const;
  llvm::Expected<bool> evaluate(LeafValue value, OverlapValue overlaps) const;
  void printCpp(llvm::raw_ostream &os, llvm::function_ref<std::string(const Leaf &)> name,
                llvm::function_ref<std::string(llvm::StringRef, llvm::StringRef, Overlap)> overlaps) const;

private:
  Compare compareOp = Compare::EQ;
  SizeExpr left, right;
  std::string firstArgument, secondArgument;
  Overlap kind = Overlap::None;
};

} // namespace helion

#endif // HELION_DIALECT_IR_SIZEEXPR_H
