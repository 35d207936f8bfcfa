// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the tree of PythonAst.h from the JSON of dump_ast.py. One table row per Python node class; a class without a
// row becomes Unsupported with the words of a second table.
#include "dialect/Frontend/PythonAst.h"

#include "dialect/Frontend/PythonProcess.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

using namespace helion::frontend;
namespace json = llvm::json;

namespace {

struct TreeBuilder {
  Span span(const json::Object &node) const;
  ExprPtr expr(const json::Value *value) const;
  ExprPtr exprAt(const json::Object &node, llvm::StringRef key) const { return expr(node.get(key)); }
  Statements block(const json::Object &node, llvm::StringRef key) const;
  std::unique_ptr<Stmt> stmt(const json::Object &node) const;
  std::shared_ptr<Function> function(const json::Object &node) const;
  void parameters(const json::Object &arguments, Function &into) const;
};

using ExprFill = void (*)(const TreeBuilder &, const json::Object &, Expr &);
using StmtFill = void (*)(const TreeBuilder &, const json::Object &, Stmt &);

} // namespace

static llvm::StringRef text(const json::Object &node, llvm::StringRef key) { return node.getString(key).value_or(""); }

static llvm::StringRef className(const json::Object &node) { return text(node, "node"); }

Span TreeBuilder::span(const json::Object &node) const {
  const json::Array *at = node.getArray("at");
  if (!at || at->size() != 4)
    return {};
  auto number = [&](unsigned i) { return static_cast<unsigned>((*at)[i].getAsInteger().value_or(0)); };
  return {number(0), number(1), number(2), number(3)};
}

//===-- Operators ------------------------------------------------------------------------------------------------===//

static llvm::StringRef operatorSpelling(llvm::StringRef name) {
  static const llvm::StringMap<llvm::StringRef> table = {
      {"Add", "+"},    {"Sub", "-"},     {"Mult", "*"},       {"Div", "/"},     {"FloorDiv", "//"}, {"Mod", "%"},
      {"Pow", "**"},   {"MatMult", "@"}, {"LShift", "<<"},    {"RShift", ">>"}, {"BitOr", "|"},     {"BitXor", "^"},
      {"BitAnd", "&"}, {"USub", "-"},    {"UAdd", "+"},       {"Not", "not"},   {"Invert", "~"},    {"And", "and"},
      {"Or", "or"},    {"Eq", "=="},     {"NotEq", "!="},     {"Lt", "<"},      {"LtE", "<="},      {"Gt", ">"},
      {"GtE", ">="},   {"Is", "is"},     {"IsNot", "is not"}, {"In", "in"},     {"NotIn", "not in"}};
  auto it = table.find(name);
  return it == table.end() ? name : it->second;
}

static std::string operatorOf(const json::Object &node, llvm::StringRef key) {
  const json::Object *op = node.getObject(key);
  return op ? operatorSpelling(className(*op)).str() : "";
}

//===-- Expressions ----------------------------------------------------------------------------------------------===//

static void appendExprs(const TreeBuilder &b, const json::Array *items, std::vector<ExprPtr> &into) {
  if (!items)
    return;
  for (const json::Value &item : *items)
    into.push_back(b.expr(&item));
}

static void fillConstant(const TreeBuilder &, const json::Object &node, Expr &e) {
  const json::Object *value = node.getObject("value");
  llvm::StringRef type = value ? text(*value, "type") : "", word = value ? text(*value, "text") : "";
  int64_t integer = 0;
  double number = 0;
  if (type == "str") {
    e.constant = word.str();
  } else if (type == "word") {
    if (word == "None")
      e.constant = NoneWord{};
    else if (word == "Ellipsis")
      e.constant = EllipsisWord{};
    else
      e.constant = word == "True";
  } else if (type == "int" && !word.getAsInteger(10, integer)) {
    e.constant = integer;
  } else if (type == "float" && !word.getAsDouble(number)) {
    e.constant = number;
  } else {
    e.kind = ExprKind::Unsupported;
    e.name = type == "int" ? "integer beyond 64 bits" : (type + " literal").str();
  }
}

static void fillKeywords(const TreeBuilder &b, const json::Object &node, Expr &e) {
  const json::Array *keywords = node.getArray("keywords");
  for (const json::Value &item : keywords ? *keywords : json::Array()) {
    const json::Object &keyword = *item.getAsObject();
    e.keywords.push_back({text(keyword, "arg").str(), b.span(keyword), b.exprAt(keyword, "value")});
  }
}

static void fillSequence(const TreeBuilder &, const json::Object &node, Expr &e) {
  e.name = className(node) == "List" ? "list" : "tuple";
}

static void fillCompare(const TreeBuilder &, const json::Object &node, Expr &e) {
  for (const json::Value &op : *node.getArray("ops"))
    e.operators.push_back(operatorSpelling(className(*op.getAsObject())).str());
}

static void fillLambda(const TreeBuilder &b, const json::Object &node, Expr &e) {
  e.function = std::make_shared<Function>();
  e.function->name = "lambda";
  e.function->at = e.at;
  if (const json::Object *arguments = node.getObject("args"))
    b.parameters(*arguments, *e.function);
  auto result = std::make_unique<Stmt>();
  result->kind = StmtKind::Return;
  result->value = b.exprAt(node, "body");
  result->at = result->value->at;
  e.function->body.push_back(std::move(result));
}

static void fillComprehension(const TreeBuilder &b, const json::Object &node, Expr &e) {
  const json::Array *generators = node.getArray("generators");
  if (!generators || generators->size() != 1) {
    e.kind = ExprKind::Unsupported;
    e.name = "comprehension over several sequences";
    return;
  }
  const json::Object &generator = *generators->front().getAsObject();
  e.operands.push_back(b.exprAt(node, "elt"));
  e.operands.push_back(b.exprAt(generator, "target"));
  e.operands.push_back(b.exprAt(generator, "iter"));
  appendExprs(b, generator.getArray("ifs"), e.operands);
}

namespace {
// How a Python node becomes an expression: the fields that hold operands, then what is special.
struct ExprRow {
  ExprKind kind;
  std::vector<const char *> operands;
  const char *text = nullptr; // field of `name`
  const char *op = nullptr;   // field of an operator, the `name` too
  const char *list = nullptr; // field of further operands
  ExprFill fill = nullptr;
};
} // namespace

static const llvm::StringMap<ExprRow> &exprRows() {
  static const llvm::StringMap<ExprRow> rows = {
      {"Name", {ExprKind::Name, {}, "id"}},
      {"Constant", {ExprKind::Constant, {}, nullptr, nullptr, nullptr, fillConstant}},
      {"Attribute", {ExprKind::Attribute, {"value"}, "attr"}},
      {"Call", {ExprKind::Call, {"func"}, nullptr, nullptr, "args", fillKeywords}},
      {"Subscript", {ExprKind::Subscript, {"value", "slice"}}},
      {"Slice", {ExprKind::Slice, {"lower", "upper", "step"}}},
      {"Tuple", {ExprKind::Sequence, {}, nullptr, nullptr, "elts", fillSequence}},
      {"List", {ExprKind::Sequence, {}, nullptr, nullptr, "elts", fillSequence}},
      {"Dict", {ExprKind::Dictionary, {}}},
      {"UnaryOp", {ExprKind::Unary, {"operand"}, nullptr, "op"}},
      {"BinOp", {ExprKind::Binary, {"left", "right"}, nullptr, "op"}},
      {"BoolOp", {ExprKind::Boolean, {}, nullptr, "op", "values"}},
      {"Compare", {ExprKind::Compare, {"left"}, nullptr, nullptr, "comparators", fillCompare}},
      {"IfExp", {ExprKind::Conditional, {"test", "body", "orelse"}}},
      {"Lambda", {ExprKind::Lambda, {}, nullptr, nullptr, nullptr, fillLambda}},
      {"Starred", {ExprKind::Starred, {"value"}}},
      {"JoinedStr", {ExprKind::FormattedText, {}}},
      {"ListComp", {ExprKind::Comprehension, {}, nullptr, nullptr, nullptr, fillComprehension}},
      {"GeneratorExp", {ExprKind::Comprehension, {}, nullptr, nullptr, nullptr, fillComprehension}}};
  return rows;
}

static void fillRow(const TreeBuilder &b, const json::Object &node, const ExprRow &row, Expr &e) {
  e.kind = row.kind;
  if (row.text)
    e.name = text(node, row.text).str();
  if (row.op)
    e.name = operatorOf(node, row.op);
  for (const char *key : row.operands)
    e.operands.push_back(b.exprAt(node, key));
  if (row.list)
    appendExprs(b, node.getArray(row.list), e.operands);
  if (row.fill)
    row.fill(b, node, e);
}

// What a user calls the constructs we refuse.
static std::string constructName(llvm::StringRef className) {
  static const llvm::StringMap<llvm::StringRef> names = {{"While", "`while` loop"},
                                                         {"Try", "`try` statement"},
                                                         {"TryStar", "`try` statement"},
                                                         {"With", "`with` statement"},
                                                         {"Raise", "`raise` statement"},
                                                         {"Global", "`global` statement"},
                                                         {"Delete", "`del` statement"},
                                                         {"Nonlocal", "`nonlocal` statement"},
                                                         {"Break", "`break` statement"},
                                                         {"Match", "`match` statement"},
                                                         {"Continue", "`continue` statement"},
                                                         {"ClassDef", "class definition"},
                                                         {"Set", "set display"},
                                                         {"SetComp", "set comprehension"},
                                                         {"DictComp", "dictionary comprehension"},
                                                         {"Await", "`await` expression"},
                                                         {"Yield", "`yield` expression"},
                                                         {"NamedExpr", "assignment expression `:=`"},
                                                         {"YieldFrom", "`yield` expression"},
                                                         {"AsyncFunctionDef", "`async` function"},
                                                         {"AsyncFor", "`async for` loop"},
                                                         {"AsyncWith", "`async with` statement"}};
  auto it = names.find(className);
  return it == names.end() ? ("Python construct `" + className + "`").str() : it->second.str();
}

ExprPtr TreeBuilder::expr(const json::Value *value) const {
  const json::Object *node = value ? value->getAsObject() : nullptr;
  if (!node)
    return nullptr;
  auto e = std::make_unique<Expr>();
  e->at = span(*node);
  auto row = exprRows().find(className(*node));
  if (row == exprRows().end()) {
    e->kind = ExprKind::Unsupported;
    e->name = constructName(className(*node));
    return e;
  }
  fillRow(*this, *node, row->second, *e);
  return e;
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

void TreeBuilder::parameters(const json::Object &arguments, Function &into) const {
  size_t first = 0;
  for (const char *key : {"posonlyargs", "args"}) {
    const json::Array *list = arguments.getArray(key);
    for (const json::Value &item : list ? *list : json::Array()) {
      const json::Object &parameter = *item.getAsObject();
      into.parameters.push_back(
          {text(parameter, "arg").str(), span(parameter), exprAt(parameter, "annotation"), nullptr});
    }
  }
  // Defaults belong to the last positional parameters.
  if (const json::Array *defaults = arguments.getArray("defaults")) {
    first = into.parameters.size() - defaults->size();
    for (size_t i = 0; i < defaults->size(); ++i)
      into.parameters[first + i].defaultValue = expr(&(*defaults)[i]);
  }
  const json::Array *keywordOnly = arguments.getArray("kwonlyargs"), *values = arguments.getArray("kw_defaults");
  for (size_t i = 0; keywordOnly && i < keywordOnly->size(); ++i) {
    const json::Object &parameter = *(*keywordOnly)[i].getAsObject();
    into.parameters.push_back({text(parameter, "arg").str(), span(parameter), exprAt(parameter, "annotation"),
                               values ? expr(&(*values)[i]) : nullptr});
  }
  if (const json::Object *rest = arguments.getObject("vararg"))
    into.unsupportedParameter = "*" + text(*rest, "arg").str();
  else if (const json::Object *rest = arguments.getObject("kwarg"))
    into.unsupportedParameter = "**" + text(*rest, "arg").str();
}

std::shared_ptr<Function> TreeBuilder::function(const json::Object &node) const {
  auto f = std::make_shared<Function>();
  f->name = text(node, "name").str();
  f->at = span(node);
  f->at.column += 4; // past `def `
  f->at.endLine = f->at.line;
  f->at.endColumn = f->at.column + f->name.size();
  if (const json::Object *arguments = node.getObject("args"))
    parameters(*arguments, *f);
  appendExprs(*this, node.getArray("decorator_list"), f->decorators);
  f->body = block(node, "body");
  return f;
}

//===-- Statements -----------------------------------------------------------------------------------------------===//

static void fillAugmented(const TreeBuilder &b, const json::Object &node, Stmt &s) {
  s.name = operatorOf(node, "op");
  s.targets.push_back(b.exprAt(node, "target"));
  s.value = b.exprAt(node, "value");
}

static void fillAnnotated(const TreeBuilder &b, const json::Object &node, Stmt &s) {
  s.targets.push_back(b.exprAt(node, "target"));
  s.value = b.exprAt(node, "value");
  if (!s.value)
    s.kind = StmtKind::Pass;
}

static void fillIf(const TreeBuilder &b, const json::Object &node, Stmt &s) {
  s.value = b.exprAt(node, "test");
  s.body = b.block(node, "body");
  s.orElse = b.block(node, "orelse");
}

static void fillFor(const TreeBuilder &b, const json::Object &node, Stmt &s) {
  s.targets.push_back(b.exprAt(node, "target"));
  s.value = b.exprAt(node, "iter");
  s.body = b.block(node, "body");
  s.orElse = b.block(node, "orelse");
}

static void fillImport(const TreeBuilder &, const json::Object &node, Stmt &s) {
  std::string module = text(node, "module").str();
  const json::Array *names = node.getArray("names");
  for (const json::Value &item : names ? *names : json::Array()) {
    std::string name = text(*item.getAsObject(), "name").str(), as = text(*item.getAsObject(), "asname").str();
    if (className(node) == "ImportFrom")
      s.imports.push_back({module, name, as.empty() ? name : as});
    else if (as.empty()) // `import a.b` binds `a`
      s.imports.push_back(
          {llvm::StringRef(name).split('.').first.str(), "", llvm::StringRef(name).split('.').first.str()});
    else
      s.imports.push_back({name, "", as});
  }
}

struct StmtRow {
  StmtKind kind;
  StmtFill fill;
};

static const llvm::StringMap<StmtRow> &stmtRows() {
  using B = const TreeBuilder &;
  using N = const json::Object &;
  static const StmtFill takeValue = [](B b, N n, Stmt &s) { s.value = b.exprAt(n, "value"); };
  static const llvm::StringMap<StmtRow> rows = {
      {"Assign",
       {StmtKind::Assign,
        [](B b, N n, Stmt &s) {
          appendExprs(b, n.getArray("targets"), s.targets);
          s.value = b.exprAt(n, "value");
        }}},
      {"AnnAssign", {StmtKind::Assign, fillAnnotated}},
      {"AugAssign", {StmtKind::AugmentedAssign, fillAugmented}},
      {"Expr", {StmtKind::Evaluate, takeValue}},
      {"Return", {StmtKind::Return, takeValue}},
      {"If", {StmtKind::If, fillIf}},
      {"For", {StmtKind::For, fillFor}},
      {"FunctionDef", {StmtKind::Define, [](B b, N n, Stmt &s) { s.function = b.function(n); }}},
      {"Import", {StmtKind::Import, fillImport}},
      {"ImportFrom", {StmtKind::Import, fillImport}},
      {"Assert",
       {StmtKind::Assert,
        [](B b, N n, Stmt &s) {
          s.value = b.exprAt(n, "test");
          if (ExprPtr message = b.exprAt(n, "msg"))
            s.targets.push_back(std::move(message));
        }}},
      {"Pass", {StmtKind::Pass, [](B, N, Stmt &) {}}}};
  return rows;
}

std::unique_ptr<Stmt> TreeBuilder::stmt(const json::Object &node) const {
  auto s = std::make_unique<Stmt>();
  s->at = span(node);
  auto row = stmtRows().find(className(node));
  if (row == stmtRows().end()) {
    s->kind = StmtKind::Unsupported;
    s->name = constructName(className(node));
    // The caret goes under the keyword, which the name quotes.
    s->at.endLine = s->at.line;
    s->at.endColumn = s->at.column + llvm::StringRef(s->name).split('`').second.split('`').first.size();
    return s;
  }
  s->kind = row->second.kind;
  row->second.fill(*this, node, *s);
  return s;
}

Statements TreeBuilder::block(const json::Object &node, llvm::StringRef key) const {
  Statements out;
  const json::Array *items = node.getArray(key);
  for (const json::Value &item : items ? *items : json::Array())
    if (const json::Object *object = item.getAsObject())
      out.push_back(stmt(*object));
  return out;
}

std::optional<Statements> helion::frontend::parsePython(SourceDiagnostics &diagnostics) {
  std::optional<json::Value> tree = runAstDump(diagnostics);
  const json::Object *root = tree ? tree->getAsObject() : nullptr;
  if (!root)
    return std::nullopt;
  if (const json::Object *error = root->getObject("error")) {
    unsigned line = error->getInteger("line").value_or(1), column = error->getInteger("column").value_or(1) - 1;
    diagnostics.error({line, column, line, column + 1}, "broken Python syntax: " + text(*error, "message"));
    return std::nullopt;
  }
  return TreeBuilder().block(*root, "body");
}
