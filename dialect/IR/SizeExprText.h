// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the operators of size expressions are written: the tables that the parser and the printers share.
#ifndef HELION_DIALECT_IR_SIZEEXPRTEXT_H
#define HELION_DIALECT_IR_SIZEEXPRTEXT_H

#include "dialect/IR/SizeExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace helion::text {

struct Operator {
  SizeExpr::Kind kind;
  llvm::StringRef text; // As written between the operands, or before `(`.
  unsigned precedence;  // 1 for + and -, 2 for the others, 3 for calls.
  llvm::StringRef cpp;  // Name of the helper in C++; empty where C++ has the operator.
};

inline constexpr Operator operators[] = {
    {SizeExpr::Kind::Add, "+", 1, ""},
    {SizeExpr::Kind::Sub, "-", 1, ""},
    {SizeExpr::Kind::Mul, "*", 2, ""},
    {SizeExpr::Kind::FloorDiv, "floordiv", 2, "helion_floordiv"},
    {SizeExpr::Kind::CeilDiv, "ceildiv", 2, "helion_ceildiv"},
    {SizeExpr::Kind::Mod, "%", 2, "helion_mod"},
    {SizeExpr::Kind::Min, "min", 3, "helion_min"},
    {SizeExpr::Kind::Max, "max", 3, "helion_max"},
};

inline const Operator &operatorOf(SizeExpr::Kind kind) {
  return *llvm::find_if(operators, [&](const Operator &op) { return op.kind == kind; });
}

struct Comparison {
  Pred::Compare op;
  llvm::StringRef text;
  Pred::Compare swapped;
  bool ofEqual; // The answer for two equal operands.
};

inline constexpr Comparison comparisons[] = {
    {Pred::Compare::EQ, "==", Pred::Compare::EQ, true}, {Pred::Compare::NE, "!=", Pred::Compare::NE, false},
    {Pred::Compare::LE, "<=", Pred::Compare::GE, true}, {Pred::Compare::LT, "<", Pred::Compare::GT, false},
    {Pred::Compare::GE, ">=", Pred::Compare::LE, true}, {Pred::Compare::GT, ">", Pred::Compare::LT, false},
};

inline const Comparison &comparisonOf(Pred::Compare op) {
  return *llvm::find_if(comparisons, [&](const Comparison &comparison) { return comparison.op == op; });
}

template <typename T> std::string printed(const T &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os);
  return text;
}

} // namespace helion::text

#endif // HELION_DIALECT_IR_SIZEEXPRTEXT_H
