// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements and calls of functions. Branches are decided by the signature; functions are inlined.
#include "dialect/Frontend/Interpreter.h"
#include "dialect/Frontend/Lanes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

static constexpr unsigned maxCallDepth = 64;

Result Interpreter::runKernel(std::shared_ptr<Function> function, std::map<std::string, PyValue> parameters) {
  kernelName = function->name;
  auto scope = std::make_shared<Scope>();
  scope->parent = moduleScope;
  scope->names = std::move(parameters);
  Result returned = runBody(*function, scope);
  return returned;
}

Result Interpreter::runBody(const Function &function, std::shared_ptr<Scope> scope) {
  frames.push_back({scope, std::nullopt, {}});
  LogicalResult ran = execute(function.body);
  PyValue returned = frame().returned.value_or(PyValue(NoneWord{}));
  frames.pop_back();
  return failed(ran) ? Result(failure()) : Result(returned);
}

LogicalResult Interpreter::execute(const Statements &block, bool isLoop) {
  frame().positions.push_back({&block, 0, isLoop});
  for (size_t i = 0; i < block.size() && !frame().returned; ++i) {
    frame().positions.back().next = i + 1;
    if (failed(execute(*block[i])))
      return failure();
  }
  frame().positions.pop_back();
  return success();
}

LogicalResult Interpreter::execute(const Stmt &statement) {
  PlaceScope place(k, statement.at);
  switch (statement.kind) {
  case StmtKind::Assign:
    return executeAssign(statement);
  case StmtKind::AugmentedAssign:
    return executeAugmented(statement);
  case StmtKind::Evaluate:
    return success(succeeded(evaluate(*statement.value)));
  case StmtKind::Return:
    return executeReturn(statement);
  case StmtKind::If:
    return executeIf(statement);
  case StmtKind::For:
    return executeFor(statement);
  case StmtKind::Define:
    define(statement.function->name, Callable{statement.function, frame().scope});
    return success();
  case StmtKind::Import:
    for (const ImportedName &name : statement.imports)
      define(name.as, Symbol{name.member.empty() ? name.module : name.module + "." + name.member, nullptr});
    return success();
  case StmtKind::Assert:
    return executeAssert(statement);
  case StmtKind::Pass:
    return success();
  case StmtKind::Unsupported:
    return k.fail(statement.name + " is not supported in kernels");
  }
  return failure();
}

//===-- Assignment -----------------------------------------------------------------------------------------------===//

void Interpreter::define(llvm::StringRef name, const PyValue &value) {
  if (!k.onDevice()) {
    if (const Size *size = value.get<Size>())
      k.nameSize(size->expr, name);
    if (const int64_t *constant = value.get<int64_t>())
      k.nameSize(SizeExpr::constant(*constant), name);
    const HostExpressionPtr *expression = value.get<HostExpressionPtr>();
    if (expression && (*expression)->name.empty())
      (*expression)->name = name.str();
  }
  frame().scope->names[name.str()] = value;
}

LogicalResult Interpreter::executeAssign(const Stmt &statement) {
  const Expr &first = *statement.targets.front();
  k.nameHint = first.kind == ExprKind::Name ? first.name : "";
  Result value = evaluate(*statement.value);
  k.nameHint.clear();
  if (failed(value))
    return failure();
  for (const ExprPtr &target : statement.targets)
    if (failed(assign(*target, *value)))
      return failure();
  return success();
}

LogicalResult Interpreter::assign(const Expr &target, const PyValue &value) {
  PlaceScope place(k, target.at);
  if (target.kind == ExprKind::Name) {
    define(target.name, value);
    return success();
  }
  if (target.kind == ExprKind::Sequence)
    return assignItems(target, value);
  if (target.kind != ExprKind::Subscript)
    return k.fail("this assignment target is not supported in kernels");
  Result base = evaluate(*target.operands[0]);
  Result index = failed(base) ? base : evaluate(*target.operands[1]);
  if (failed(index))
    return failure();
  const HostTensorPtr *tensor = base->get<HostTensorPtr>();
  if (!tensor)
    return k.fail(base->describe() + " cannot be assigned to by index; only host tensors can");
  if (!k.onDevice())
    return k.fail("host tensor `" + (*tensor)->name + "` is stored to outside the tile loops");
  return store(*tensor, *index, value, PyValue());
}

LogicalResult Interpreter::assignItems(const Expr &target, const PyValue &value) {
  FailureOr<std::vector<PyValue>> items = elements(value);
  if (failed(items))
    return failure();
  if (items->size() != target.operands.size())
    return k.fail("`" + llvm::Twine(items->size()) + "` values are unpacked into `" +
                  llvm::Twine(target.operands.size()) + "` names");
  for (auto [name, item] : llvm::zip(target.operands, *items))
    if (failed(assign(*name, item)))
      return failure();
  return success();
}

LogicalResult Interpreter::executeAugmented(const Stmt &statement) {
  const Expr &target = *statement.targets.front();
  Result before = evaluate(target);
  Result by = failed(before) ? before : evaluate(*statement.value);
  if (failed(by))
    return failure();
  k.nameHint = target.kind == ExprKind::Name ? target.name : "";
  Result after = binary(statement.name, *before, *by);
  k.nameHint.clear();
  return failed(after) ? failure() : assign(target, *after);
}

//===-- Control --------------------------------------------------------------------------------------------------===//

LogicalResult Interpreter::executeIf(const Stmt &statement) {
  Result test = evaluate(*statement.value);
  if (failed(test))
    return failure();
  PlaceScope place(k, statement.value->at);
  const TileValue *tile = test->get<TileValue>();
  if (k.onDevice() && (test->is<Scalar>() || (tile && tile->rank() == 0)))
    return runBranch(statement, *test);
  FailureOr<bool> holds = truth(*test);
  if (failed(holds))
    return failure();
  return execute(*holds ? statement.body : statement.orElse);
}

LogicalResult Interpreter::executeAssert(const Stmt &statement) {
  Result test = evaluate(*statement.value);
  if (failed(test))
    return failure();
  PlaceScope place(k, statement.value->at);
  if (const Scalar *scalar = test->get<Scalar>(); scalar && !k.onDevice()) {
    AssertOp::create(k.b, k.loc(), scalar->make(), k.diagnostics.spelling(statement.value->at));
    return success();
  }
  if (k.onDevice() && (test->is<TileValue>() || test->is<Scalar>()))
    return k.fail("an assert on values of the tile loops is not supported");
  if (const Condition *condition = test->get<Condition>()) {
    for (const Pred &pred : condition->all) {
      if (k.mentionsBlock(pred.lhs()) || k.mentionsBlock(pred.rhs()))
        return k.fail("the assert `" + pred.str() + "` depends on a block size, which the caller does not know");
      if (k.decide(pred) == false)
        return k.fail("the assert `" + pred.str() + "` is false for this signature");
      k.assertThat(pred);
    }
    return success();
  }
  FailureOr<bool> holds = truth(*test);
  if (failed(holds))
    return failure();
  return *holds ? success() : k.fail("the assert is false for this signature");
}

LogicalResult Interpreter::executeReturn(const Stmt &statement) {
  if (llvm::any_of(frame().positions, [](const Frame::Position &p) { return p.isLoop; }))
    return k.fail("`return` inside a loop is not supported");
  if (frame().conditionals)
    return k.fail("`return` inside a branch on values of the device is not supported");
  Result value = statement.value ? evaluate(*statement.value) : Result(PyValue(NoneWord{}));
  if (failed(value))
    return failure();
  frame().returned = *value;
  return success();
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

static LogicalResult bindFunction(KernelBuilder &k, const Function &function, ArrayRef<PyValue> positional,
                                  ArrayRef<std::pair<std::string, PyValue>> keywords, Scope &scope) {
  if (!function.unsupportedParameter.empty())
    return k.fail("`" + function.name + "` has parameter `" + function.unsupportedParameter +
                  "`, which is not supported in kernels");
  if (positional.size() > function.parameters.size())
    return k.fail("`" + function.name + "` takes `" + llvm::Twine(function.parameters.size()) + "` arguments, not `" +
                  llvm::Twine(positional.size()) + "`");
  for (size_t i = 0; i < positional.size(); ++i)
    scope.names[function.parameters[i].name] = positional[i];
  for (const std::pair<std::string, PyValue> &keyword : keywords) {
    const std::string &name = keyword.first;
    if (llvm::none_of(function.parameters, [&](const Parameter &p) { return p.name == name; }))
      return k.fail("`" + function.name + "` has no parameter `" + name + "`");
    scope.names[name] = keyword.second;
  }
  return success();
}

Result Interpreter::callFunction(const Callable &callee, ArrayRef<PyValue> positional,
                                 ArrayRef<std::pair<std::string, PyValue>> keywords) {
  const Function &function = *callee.function;
  for (const ExprPtr &decorator : function.decorators)
    if (llvm::StringRef(libraryPath(*decorator)).starts_with("helion."))
      return k.fail("kernel `" + function.name + "` is called inside a kernel; only plain functions are inlined");
  if (depth == maxCallDepth)
    return k.fail("calls of `" + function.name + "` are nested too deeply");
  auto scope = std::make_shared<Scope>();
  scope->parent = callee.scope;
  if (failed(bindFunction(k, function, positional, keywords, *scope)))
    return failure();
  for (const Parameter &parameter : function.parameters) {
    if (scope->names.count(parameter.name))
      continue;
    if (!parameter.defaultValue)
      return k.fail("`" + function.name + "` needs argument `" + parameter.name + "`");
    frames.push_back({callee.scope, std::nullopt, {}});
    Result value = evaluate(*parameter.defaultValue);
    frames.pop_back();
    if (failed(value))
      return failure();
    scope->names[parameter.name] = *value;
  }
  ++depth;
  Result returned = runBody(function, scope);
  --depth;
  return returned;
}
