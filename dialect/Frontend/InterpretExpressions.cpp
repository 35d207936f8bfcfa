// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions: names, calls, subscripts, comprehensions. Operators are in InterpretOperators.cpp.
#include "dialect/Frontend/Interpreter.h"
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

// `helion.language` is always called `hl` here.
static std::string normalizePath(llvm::StringRef path) {
  if (path == "helion.language" || path.starts_with("helion.language."))
    return ("hl" + path.drop_front(strlen("helion.language"))).str();
  return path.str();
}

static void bindImports(const Stmt &statement, Scope &scope) {
  for (const ImportedName &name : statement.imports) {
    std::string path = name.member.empty() ? name.module : name.module + "." + name.member;
    scope.names[name.as] = Symbol{normalizePath(path), nullptr};
  }
}

Interpreter::Interpreter(KernelBuilder &k, const Statements &module) : k(k), moduleScope(std::make_shared<Scope>()) {
  for (const std::unique_ptr<Stmt> &statement : module) {
    if (statement->kind == StmtKind::Import)
      bindImports(*statement, *moduleScope);
    if (statement->kind == StmtKind::Define) {
      functions.push_back(statement->function);
      moduleScope->names[statement->function->name] = Callable{statement->function, moduleScope};
    }
    // Constants are evaluated where a kernel reads them: a module may hold much that is no business of kernels.
    if (statement->kind == StmtKind::Assign && statement->targets.size() == 1 &&
        statement->targets[0]->kind == ExprKind::Name)
      moduleConstants[statement->targets[0]->name] = statement.get();
  }
}

std::string Interpreter::libraryPath(const Expr &expr) {
  if (expr.kind == ExprKind::Call)
    return libraryPath(*expr.operands[0]);
  if (expr.kind == ExprKind::Attribute) {
    std::string base = libraryPath(*expr.operands[0]);
    return base.empty() ? base : normalizePath(base + "." + expr.name);
  }
  if (expr.kind != ExprKind::Name)
    return "";
  auto it = moduleScope->names.find(expr.name);
  const Symbol *symbol = it == moduleScope->names.end() ? nullptr : it->second.get<Symbol>();
  return symbol ? symbol->path : "";
}

//===-- Names ----------------------------------------------------------------------------------------------------===//

PyValue *Interpreter::find(llvm::StringRef name) {
  for (Scope *scope = frame().scope.get(); scope; scope = scope->parent.get())
    if (auto it = scope->names.find(name.str()); it != scope->names.end())
      return &it->second;
  return nullptr;
}

Result Interpreter::moduleName(llvm::StringRef name, Span at) {
  if (auto it = moduleConstants.find(name); it != moduleConstants.end()) {
    Result value = evaluateInModule(*it->second->value);
    if (succeeded(value))
      moduleScope->names[name.str()] = *value;
    return value;
  }
  if (findOperation(("builtins." + name).str()))
    return PyValue(Symbol{("builtins." + name).str(), nullptr});
  return k.fail("name `" + name + "` is not defined");
}

Result Interpreter::evaluateName(const Expr &expr) {
  PyValue *value = find(expr.name);
  if (!value)
    return moduleName(expr.name, expr.at);
  if (const Poison *poison = value->get<Poison>())
    return k.fail("`" + expr.name + "` " + poison->why);
  return *value;
}

//===-- Dispatch -------------------------------------------------------------------------------------------------===//

Result Interpreter::evaluate(const Expr &expr) {
  PlaceScope place(k, expr.at);
  // Only the outermost operation of an assignment is named after its target.
  std::string hint = std::exchange(k.nameHint, "");
  Result value = evaluateKind(expr, hint);
  k.nameHint = hint;
  return value;
}

Result Interpreter::evaluateInModule(const Expr &expr) {
  frames.push_back({moduleScope, std::nullopt, {}});
  Result value = evaluate(expr);
  frames.pop_back();
  return value;
}

Result Interpreter::evaluateKind(const Expr &expr, llvm::StringRef hint) {
  switch (expr.kind) {
  case ExprKind::Name:
    return evaluateName(expr);
  case ExprKind::Constant:
    return std::visit([](const auto &value) { return PyValue(value); }, expr.constant);
  case ExprKind::Attribute: {
    Result base = evaluate(*expr.operands[0]);
    return failed(base) ? base : attribute(*base, expr.name);
  }
  case ExprKind::Call:
    return evaluateCall(expr, hint);
  case ExprKind::Subscript:
    return evaluateSubscript(expr, hint);
  case ExprKind::Slice:
    return evaluateSlice(expr);
  case ExprKind::Sequence:
    return evaluateSequence(expr);
  case ExprKind::Unary:
    return evaluateUnary(expr);
  case ExprKind::Binary:
    return evaluateBinary(expr, hint);
  case ExprKind::Boolean:
    return evaluateBoolean(expr);
  case ExprKind::Compare:
    return evaluateCompare(expr);
  case ExprKind::Conditional: {
    Result test = evaluate(*expr.operands[0]);
    FailureOr<bool> holds = failed(test) ? FailureOr<bool>(failure()) : truth(*test);
    if (failed(holds))
      return failure();
    return evaluate(*expr.operands[*holds ? 1 : 2]);
  }
  case ExprKind::Lambda:
    return PyValue(Callable{expr.function, frame().scope});
  case ExprKind::FormattedText:
    return PyValue(std::string(k.diagnostics.spelling(expr.at)));
  case ExprKind::Comprehension:
    return evaluateComprehension(expr);
  case ExprKind::Dictionary:
    return k.fail("dictionaries are not supported in kernels");
  case ExprKind::Starred:
    return k.fail("`*` is only supported in calls and tuples");
  case ExprKind::Unsupported:
    return k.fail(expr.name + " is not supported in kernels");
  }
  return failure();
}

Result Interpreter::evaluateSequence(const Expr &expr) {
  std::vector<PyValue> items;
  for (const ExprPtr &item : expr.operands) {
    bool starred = item->kind == ExprKind::Starred;
    Result value = evaluate(starred ? *item->operands[0] : *item);
    if (failed(value))
      return failure();
    if (!starred) {
      items.push_back(*value);
      continue;
    }
    FailureOr<std::vector<PyValue>> inner = elements(*value);
    if (failed(inner))
      return failure();
    items.insert(items.end(), inner->begin(), inner->end());
  }
  return makeSequence(std::move(items), expr.name == "list");
}

Result Interpreter::evaluateComprehension(const Expr &expr) {
  Result source = evaluate(*expr.operands[2]);
  FailureOr<std::vector<PyValue>> items =
      failed(source) ? FailureOr<std::vector<PyValue>>(failure()) : elements(*source);
  if (failed(items))
    return failure();
  auto scope = std::make_shared<Scope>();
  scope->parent = frame().scope;
  frames.push_back({scope, std::nullopt, {}});
  std::vector<PyValue> out;
  bool ok = true;
  for (size_t i = 0; ok && i < items->size(); ++i) {
    bool keep = succeeded(assign(*expr.operands[1], (*items)[i]));
    ok = keep;
    for (size_t c = 3; ok && keep && c < expr.operands.size(); ++c) {
      Result test = evaluate(*expr.operands[c]);
      FailureOr<bool> holds = failed(test) ? FailureOr<bool>(failure()) : truth(*test);
      ok = succeeded(holds);
      keep = ok && *holds;
    }
    Result value = ok && keep ? evaluate(*expr.operands[0]) : Result(PyValue());
    ok &= succeeded(value);
    if (ok && keep)
      out.push_back(*value);
  }
  frames.pop_back();
  if (!ok)
    return failure();
  return makeSequence(std::move(out), true);
}

FailureOr<std::vector<PyValue>> Interpreter::elements(const PyValue &value) {
  if (const Sequence *sequence = value.get<Sequence>())
    return *sequence->items;
  const LoopDomain *domain = value.get<LoopDomain>();
  if (domain && domain->kind == LoopDomain::Kind::Static && domain->lowers[0].is<int64_t>() &&
      domain->uppers[0].is<int64_t>()) {
    std::vector<PyValue> out;
    int64_t end = *domain->uppers[0].get<int64_t>();
    for (int64_t i = *domain->lowers[0].get<int64_t>(); domain->step > 0 ? i < end : i > end; i += domain->step)
      out.push_back(PyValue(i));
    return out;
  }
  return k.fail(value.describe() + " cannot be unpacked or iterated here");
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

Result Interpreter::evaluateCall(const Expr &expr, llvm::StringRef hint) {
  Result callee = evaluate(*expr.operands[0]);
  if (failed(callee))
    return failure();
  std::vector<PyValue> positional;
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    bool starred = expr.operands[i]->kind == ExprKind::Starred;
    Result value = evaluate(starred ? *expr.operands[i]->operands[0] : *expr.operands[i]);
    if (failed(value))
      return failure();
    if (!starred) {
      positional.push_back(*value);
      continue;
    }
    FailureOr<std::vector<PyValue>> inner = elements(*value);
    if (failed(inner))
      return failure();
    positional.insert(positional.end(), inner->begin(), inner->end());
  }
  std::vector<std::pair<std::string, PyValue>> keywords;
  for (const Keyword &keyword : expr.keywords) {
    if (keyword.name.empty())
      return k.fail("`**` arguments are not supported in kernels");
    Result value = evaluate(*keyword.value);
    if (failed(value))
      return failure();
    keywords.push_back({keyword.name, *value});
  }
  k.nameHint = hint.str();
  return call(*callee, positional, keywords);
}

static LogicalResult bindKeywords(KernelBuilder &k, const std::vector<OperationParameter> &parameters,
                                  const std::string &path, ArrayRef<std::pair<std::string, PyValue>> keywords,
                                  std::vector<PyValue> &out) {
  for (const std::pair<std::string, PyValue> &keyword : keywords) {
    const std::string &name = keyword.first;
    auto it = llvm::find_if(parameters, [&](const OperationParameter &p) { return p.name == name && !p.isRest; });
    if (it == parameters.end())
      return k.fail("`" + path + "` has no argument `" + name + "` here");
    PyValue &slot = out[it - parameters.begin()];
    if (!slot.isAbsent())
      return k.fail("`" + path + "` gets argument `" + name + "` twice");
    slot = keyword.second;
  }
  return success();
}

static LogicalResult bindOperation(KernelBuilder &k, const LibraryOperation &operation, const std::string &path,
                                   ArrayRef<PyValue> positional, ArrayRef<std::pair<std::string, PyValue>> keywords,
                                   std::vector<PyValue> &out) {
  const std::vector<OperationParameter> &parameters = operation.parameters;
  auto rest = llvm::find_if(parameters, [](const OperationParameter &p) { return p.isRest; });
  size_t fixed = rest - parameters.begin();
  std::vector<PyValue> others;
  out.resize(parameters.size());
  if (positional.size() > fixed && rest == parameters.end())
    return k.fail("`" + path + "` takes at most `" + llvm::Twine(fixed) + "` positional arguments, not `" +
                  llvm::Twine(positional.size()) + "`");
  for (size_t i = 0; i < positional.size(); ++i)
    (i < fixed ? out[i] : others.emplace_back()) = positional[i];
  if (failed(bindKeywords(k, parameters, path, keywords, out)))
    return failure();
  if (rest != parameters.end())
    out[fixed] = makeSequence(std::move(others));
  for (auto [parameter, value] : llvm::zip(parameters, out)) {
    if (value.isAbsent())
      value = parameter.defaultValue;
    if (value.isAbsent())
      return k.fail("`" + path + "` needs argument `" + parameter.name + "`");
  }
  return success();
}

Result Interpreter::call(const PyValue &callee, ArrayRef<PyValue> positional,
                         ArrayRef<std::pair<std::string, PyValue>> keywords) {
  if (const Callable *function = callee.get<Callable>())
    return callFunction(*function, positional, keywords);
  const Symbol *symbol = callee.get<Symbol>();
  if (!symbol)
    return k.fail(callee.describe() + " cannot be called");
  const LibraryOperation *operation = findOperation(symbol->path);
  if (!operation)
    return k.fail("unsupported op `" + symbol->path + "`");
  std::vector<PyValue> all, bound;
  if (symbol->self)
    all.push_back(*symbol->self);
  all.insert(all.end(), positional.begin(), positional.end());
  llvm::StringRef shown = symbol->path;
  shown.consume_front("builtins.");
  if (failed(bindOperation(k, *operation, shown.str(), all, keywords, bound)))
    return failure();
  return operation->run(*this, bound);
}

//===-- Subscripts -----------------------------------------------------------------------------------------------===//

Result Interpreter::evaluateSlice(const Expr &expr) {
  if (expr.operands[2])
    return k.fail("slices with a step are not supported in kernels");
  SliceValue slice;
  for (unsigned i = 0; i < 2; ++i) {
    if (!expr.operands[i])
      continue;
    Result bound = evaluate(*expr.operands[i]);
    if (failed(bound))
      return failure();
    (i ? slice.upper : slice.lower) = std::make_shared<PyValue>(*bound);
  }
  return PyValue(slice);
}

Result Interpreter::evaluateSubscript(const Expr &expr, llvm::StringRef hint) {
  Result value = evaluate(*expr.operands[0]);
  Result index = failed(value) ? value : evaluate(*expr.operands[1]);
  if (failed(index))
    return failure();
  k.nameHint = hint.str();
  return subscript(*value, *index);
}

Result Interpreter::subscript(const PyValue &value, const PyValue &index) {
  if (const HostTensorPtr *tensor = value.get<HostTensorPtr>()) {
    if (k.onDevice())
      return load(*tensor, index, PyValue());
    return k.fail("host tensor `" + (*tensor)->name + "` is indexed outside the tile loops");
  }
  if (const TileValue *tile = value.get<TileValue>())
    return subscriptTile(*tile, index);
  if (const Sequence *sequence = value.get<Sequence>())
    return subscriptSequence(*sequence, index);
  if (value.is<Symbol>()) // `list[int]`, `tuple[torch.Tensor, ..]`
    return PyValue(Opaque{});
  return k.fail(value.describe() + " cannot be indexed");
}

Result Interpreter::subscriptSequence(const Sequence &sequence, const PyValue &index) {
  int64_t size = sequence.items->size();
  if (const SliceValue *slice = index.get<SliceValue>()) {
    auto bound = [&](const std::shared_ptr<PyValue> &value, int64_t other) {
      const int64_t *given = value ? value->get<int64_t>() : nullptr;
      int64_t place = given ? (*given < 0 ? *given + size : *given) : other;
      return std::clamp<int64_t>(place, 0, size);
    };
    int64_t lower = bound(slice->lower, 0), upper = std::max(lower, bound(slice->upper, size));
    std::vector<PyValue> part(sequence.items->begin() + lower, sequence.items->begin() + upper);
    return makeSequence(std::move(part), sequence.isList);
  }
  const int64_t *place = index.get<int64_t>();
  if (!place)
    return k.fail(index.describe() + " cannot index a tuple; an integer constant can");
  FailureOr<int> item = normalizeDim(k, *place, size);
  if (failed(item))
    return failure();
  return (*sequence.items)[*item];
}

// `m[:, None]` and the like: dims are kept or inserted.
Result Interpreter::subscriptTile(const TileValue &value, const PyValue &index) {
  std::vector<PyValue> items = index.is<Sequence>() ? *index.get<Sequence>()->items : std::vector<PyValue>{index};
  unsigned kept = llvm::count_if(items, [](const PyValue &i) { return i.is<SliceValue>(); });
  TileValue out = value;
  out.axes.clear();
  unsigned next = 0;
  for (const PyValue &item : items) {
    const SliceValue *slice = item.get<SliceValue>();
    if (item.isNone()) {
      out.axes.push_back(-1);
    } else if (item.is<EllipsisWord>()) {
      for (unsigned rest = value.rank() - std::min(kept, value.rank()); rest; --rest)
        out.axes.push_back(value.axes[next++]);
    } else if (slice && !slice->lower && !slice->upper && next < value.rank()) {
      out.axes.push_back(value.axes[next++]);
    } else if (slice && next >= value.rank()) {
      return k.fail("too many indices for a tile value of rank `" + llvm::Twine(value.rank()) + "`");
    } else {
      return k.fail("a tile value takes only `:` and `None` as indices, not " + item.describe());
    }
  }
  for (; next < value.rank(); ++next)
    out.axes.push_back(value.axes[next]);
  return PyValue(out);
}
