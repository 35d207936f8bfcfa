// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax tree the frontend interprets: Python's own tree (dump_ast.py) reduced to what kernels use. Everything else
// becomes an Unsupported node that carries its name, and is refused only where the kernel reaches it. Built once by
// parsePython, never changed.
#pragma once

#include "dialect/Frontend/SourceDiagnostics.h"
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helion::frontend {

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using Statements = std::vector<std::unique_ptr<Stmt>>;

struct NoneWord {};
struct EllipsisWord {};
using ConstantValue = std::variant<NoneWord, EllipsisWord, bool, int64_t, double, std::string>;

enum class ExprKind {
  Name,        // name
  Constant,    // constant
  Attribute,   // operands[0] . name
  Call,        // operands[0] ( operands[1..], keywords )
  Subscript,   // operands[0] [ operands[1] ]
  Slice,       // operands: lower, upper, step; each may be null
  Sequence,    // operands; name is "tuple" or "list"
  Dictionary,  // operands: key, value, key, value
  Unary,       // name is the operator ("-", "not", "~", "+")
  Binary,      // name is the operator ("+", "@", ..)
  Boolean,     // name is "and" or "or"
  Compare,     // operators[i] between operands[i] and operands[i + 1]
  Conditional, // operands: test, then, else
  Lambda,      // function
  Starred,     // operands[0]
  FormattedText,
  Comprehension, // operands: element, target, sequence, conditions..
  Unsupported,   // name says what it is
};

struct Keyword {
  std::string name; // empty for **
  Span at;
  ExprPtr value;
};

struct Parameter {
  std::string name;
  Span at;
  ExprPtr annotation;    // may be null
  ExprPtr defaultValue;  // may be null
};

/// A `def` or a lambda (then `body` is one return statement).
struct Function {
  std::string name;
  Span at;     // the name's own place
  std::vector<Parameter> parameters;
  std::string unsupportedParameter; // "*args", "**kwargs": refused when the function is called
  std::vector<ExprPtr> decorators;
  Statements body;
};

struct Expr {
  ExprKind kind;
  Span at;
  std::string name;
  ConstantValue constant;
  std::vector<ExprPtr> operands;
  std::vector<std::string> operators;
  std::vector<Keyword> keywords;
  std::shared_ptr<Function> function;
};

enum class StmtKind {
  Assign,          // targets = value
  AugmentedAssign, // targets[0] name= value
  Evaluate,        // value
  Return,          // value or null
  If,              // value: body else orElse
  For,             // targets[0] in value: body
  Define,          // function
  Import,          // imports
  Assert,          // value; message in targets[0] or nothing
  Pass,
  Unsupported, // name says what it is
};

struct ImportedName {
  std::string module; // "torch.nn.functional"
  std::string member; // for `from module import member`
  std::string as;
};

struct Stmt {
  StmtKind kind;
  Span at;
  std::string name;
  std::vector<ExprPtr> targets;
  ExprPtr value;
  Statements body;
  Statements orElse;
  std::shared_ptr<Function> function;
  std::vector<ImportedName> imports;
};

/// Runs Python on the file and builds the tree of the module. Reports and returns nothing on a syntax error or when
/// there is no Python.
std::optional<Statements> parsePython(SourceDiagnostics &diagnostics);

} // namespace helion::frontend
