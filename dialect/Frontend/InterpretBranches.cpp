// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `if` on a number that only the device knows: both branches are imported, and what they leave in variables that are
// read later becomes the results of an `scf.if`. Branches that the signature decides never come here.
#include "dialect/Frontend/Interpreter.h"
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Liveness.h"

#include "dialect/IR/Dims.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

/// One variable that differs after the branches.
struct Interpreter::Joined {
  std::string name;
  PyValue values[2]; // after `then`, after `else`
};

static Value ssaOf(const PyValue &value) {
  if (const TileValue *tile = value.get<TileValue>())
    return tile->value;
  const Scalar *scalar = value.get<Scalar>();
  return scalar ? scalar->value : Value();
}

static bool isUnchanged(const PyValue &a, const PyValue &b) {
  if (Value value = ssaOf(a))
    return value == ssaOf(b);
  return a.data.index() == b.data.index() && !isArithmetic(a);
}

LogicalResult Interpreter::runSide(const Statements &body, Block *block, const std::map<std::string, PyValue> &before) {
  k.b.setInsertionPointToEnd(block);
  frame().scope->names = before;
  ++frame().conditionals;
  LogicalResult ran = execute(body);
  --frame().conditionals;
  return ran;
}

// The values of one variable at the end of both branches, in one type.
LogicalResult Interpreter::joinSides(Joined &joined, Block *const (&blocks)[2], SmallVector<Value> (&yields)[2],
                                     PyValue &like) {
  const TileValue *sides[2] = {joined.values[0].get<TileValue>(), joined.values[1].get<TileValue>()};
  auto differs = [&](const std::string &a, const std::string &b) {
    return k.fail("`" + joined.name + "` is " + a + " after one branch and " + b + " after the other");
  };
  if (sides[0] && sides[1]) {
    if (sides[0]->dtype != sides[1]->dtype)
      return differs("`" + dtypeText(sides[0]->dtype).str() + "`", "`" + dtypeText(sides[1]->dtype).str() + "`");
    SmallVector<DimAttr> dims = frontend::dimsOf(*sides[0], k.context()),
                         other = frontend::dimsOf(*sides[1], k.context());
    if (dims != other)
      return differs(dimsStr(dims), dimsStr(other));
    for (unsigned side = 0; side < 2; ++side) {
      k.b.setInsertionPointToEnd(blocks[side]);
      FailureOr<TileValue> real = withRealDims(k, *sides[side]);
      if (failed(real))
        return failure();
      yields[side].push_back(real->value);
      like = *real;
    }
    return success();
  }
  if (sides[0] || sides[1] || !isArithmetic(joined.values[0]) || !isArithmetic(joined.values[1]))
    return differs(joined.values[0].describe(), joined.values[1].describe());
  FailureOr<DType> dtype = resultType(k, joined.values);
  if (failed(dtype))
    return failure();
  for (unsigned side = 0; side < 2; ++side) {
    k.b.setInsertionPointToEnd(blocks[side]);
    FailureOr<Value> value = scalar(k, joined.values[side], *dtype);
    if (failed(value))
      return failure();
    yields[side].push_back(*value);
  }
  like = Scalar{*dtype, {}, nullptr};
  return success();
}

LogicalResult Interpreter::runBranch(const Stmt &statement, const PyValue &test) {
  FailureOr<Value> condition = scalar(k, test, DType::Bool);
  if (failed(condition))
    return failure();
  OpBuilder::InsertionGuard guard(k.b);
  // The results are known when both branches have run; until then they live in an op without results.
  auto draft = scf::IfOp::create(k.b, k.loc(), TypeRange(), *condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  Block *const blocks[2] = {draft.thenBlock(), draft.elseBlock()};
  std::map<std::string, PyValue> before = frame().scope->names, after[2];
  const Statements *bodies[2] = {&statement.body, &statement.orElse};
  for (unsigned side = 0; side < 2; ++side) {
    if (failed(runSide(*bodies[side], blocks[side], before)))
      return failure();
    after[side] = frame().scope->names;
  }
  llvm::SetVector<llvm::StringRef> assigned = assignedNames(statement.body);
  for (llvm::StringRef name : assignedNames(statement.orElse))
    assigned.insert(name);
  frame().scope->names = before;
  SmallVector<Value> yields[2];
  std::vector<std::pair<std::string, PyValue>> results;
  for (llvm::StringRef name : assigned) {
    Joined joined{name.str(), {after[0][name.str()], after[1][name.str()]}};
    if (isUnchanged(joined.values[0], joined.values[1]))
      continue;
    frame().scope->names[joined.name] = Poison{"is only assigned on one side of the branch before"};
    bool isDefined = !joined.values[0].isAbsent() && !joined.values[1].isAbsent();
    if (!isDefined || !liveAfter(name))
      continue;
    PyValue like;
    if (failed(joinSides(joined, blocks, yields, like)))
      return failure();
    results.push_back({joined.name, like});
  }
  for (unsigned side = 0; side < 2; ++side) {
    k.b.setInsertionPointToEnd(blocks[side]);
    scf::YieldOp::create(k.b, k.loc(), yields[side]);
  }
  k.b.setInsertionPoint(draft);
  auto branch = scf::IfOp::create(k.b, k.loc(), ValueRange(yields[0]).getTypes(), *condition, false, false);
  branch.getThenRegion().takeBody(draft.getThenRegion());
  if (!results.empty() || !statement.orElse.empty())
    branch.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  for (auto [entry, value] : llvm::zip(results, branch.getResults()))
    frame().scope->names[entry.first] = withValue(entry.second, value);
  return success();
}
