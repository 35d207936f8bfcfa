// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops. The outermost tile loop opens a launch; inner ones run in sequence and carry the variables that they change
// and somebody reads later. Loops over constants and tuples are unrolled.
#include "dialect/Frontend/Combine.h"
#include "dialect/Frontend/Interpreter.h"
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Liveness.h"

#include "dialect/IR/Dims.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

static constexpr int64_t maxUnrolled = 4096;

/// What a tile loop needs before its op can be made.
struct Interpreter::LoopPlan {
  SmallVector<Type> tiles;
  SmallVector<Value> lowers, uppers;
  std::vector<std::optional<SizeExpr>> ends;
  std::vector<std::string> names; // of the ranges
  std::vector<std::pair<std::string, PyValue>> carried;
  SmallVector<Value> inits;
  bool isGrid = false; // variables are indices, not tiles
  bool isScalar = true;
};

//===-- Dispatch and unrolling -----------------------------------------------------------------------------------===//

LogicalResult Interpreter::executeFor(const Stmt &statement) {
  if (!statement.orElse.empty())
    return k.fail("`else` of a loop is not supported in kernels");
  Result source = evaluate(*statement.value);
  if (failed(source))
    return failure();
  PlaceScope place(k, statement.value->at);
  const LoopDomain *domain = source->get<LoopDomain>();
  if (!domain) {
    FailureOr<std::vector<PyValue>> items = elements(*source);
    return failed(items) ? failure() : unroll(statement, *items);
  }
  if (domain->kind == LoopDomain::Kind::Static)
    return unrollRange(statement, *domain);
  if (domain->kind == LoopDomain::Kind::Grid && k.onDevice())
    return runScalarLoop(statement, *domain);
  return runTileLoop(statement, *domain);
}

LogicalResult Interpreter::unroll(const Stmt &statement, ArrayRef<PyValue> items) {
  if (static_cast<int64_t>(items.size()) > maxUnrolled)
    return k.fail("a loop of `" + llvm::Twine(items.size()) + "` iterations is too long to unroll");
  for (const PyValue &item : items)
    if (failed(assign(*statement.targets.front(), item)) || failed(execute(statement.body, /*isLoop=*/true)))
      return failure();
  return success();
}

// `range` over constants unrolls on the host and counts at run time on the device; `hl.static_range` always unrolls.
LogicalResult Interpreter::unrollRange(const Stmt &statement, const LoopDomain &domain) {
  const int64_t *lower = domain.lowers[0].get<int64_t>(), *upper = domain.uppers[0].get<int64_t>();
  if (!lower || !upper)
    return k.fail("the bounds of this loop must be constants; use `hl.grid` for a loop at run time");
  int64_t span = domain.step > 0 ? *upper - *lower : *lower - *upper, step = std::abs(domain.step);
  if (step == 0 || (span + step - 1) / step > maxUnrolled)
    return k.fail("a loop from `" + llvm::Twine(*lower) + "` to `" + llvm::Twine(*upper) + "` is too long to unroll");
  FailureOr<std::vector<PyValue>> items = elements(PyValue(domain));
  return failed(items) ? failure() : unroll(statement, *items);
}

//===-- Planning -------------------------------------------------------------------------------------------------===//

// `tile_m`, `m_tile` and `tile` are all tiles of m: ranges and blocks take the short name.
static std::string shortName(llvm::StringRef variable, unsigned dim) {
  static const char *const fallback[] = {"i", "j", "k", "l"};
  llvm::StringRef name = variable;
  if (!name.consume_front("tile_") && !name.consume_back("_tile") && name == "tile")
    name = "";
  name = name.ltrim('_');
  if (!name.empty())
    return name.str();
  return dim < 4 ? fallback[dim] : "d" + std::to_string(dim);
}

// Names of the loop variables: one per dim, or one name for all.
static std::vector<std::string> variableNames(const Expr &target, unsigned dims) {
  std::vector<std::string> names;
  bool perDim = target.kind == ExprKind::Sequence && target.operands.size() == dims;
  for (unsigned i = 0; i < dims; ++i) {
    const Expr &variable = perDim ? *target.operands[i] : target;
    bool shared = !perDim && dims > 1;
    names.push_back(shortName(variable.kind == ExprKind::Name && !shared ? variable.name : "tile", i));
  }
  return names;
}

static std::string loopSite(ArrayRef<std::string> names) {
  bool short_ = llvm::all_of(names, [](const std::string &name) { return name.size() == 1; });
  return "loop." + llvm::join(names, short_ ? "" : "_");
}

// A loop from tile.begin to tile.end runs inside that tile: its block need not be larger.
Attribute Interpreter::blockLimit(const LoopDomain &domain, unsigned dim) {
  const Scalar *lower = domain.lowers[dim].get<Scalar>(), *upper = domain.uppers[dim].get<Scalar>();
  auto begin = lower && lower->value ? lower->value.getDefiningOp<TileBeginOp>() : TileBeginOp();
  auto end = upper && upper->value ? upper->value.getDefiningOp<TileEndOp>() : TileEndOp();
  if (!begin || !end || begin.getTile() != end.getTile())
    return {};
  StringAttr block = cast<TileType>(begin.getTile().getType()).getDim().getBlock();
  return block ? FlatSymbolRefAttr::get(block) : Attribute();
}

LogicalResult Interpreter::planDim(const LoopDomain &domain, unsigned dim, llvm::StringRef name, LoopPlan &plan) {
  FailureOr<Value> lower = indexValue(k, domain.lowers[dim]), upper = indexValue(k, domain.uppers[dim]);
  if (failed(lower) || failed(upper))
    return failure();
  std::string block = domain.blocks.empty() ? "" : domain.blocks[dim];
  int64_t fixed = domain.fixed.empty() ? 0 : domain.fixed[dim];
  if (block.empty() && fixed > 0)
    block = k.addBlock(("b" + name).str(), BlockKind::Fixed, {}, fixed);
  else if (block.empty())
    block = k.addBlock(("b" + name).str(), BlockKind::Tile, blockLimit(domain, dim));
  std::string range = k.uniqueRange(name);
  plan.tiles.push_back(TileType::get(k.context(), DimAttr::get(k.context(), block, range)));
  plan.lowers.push_back(*lower);
  plan.uppers.push_back(*upper);
  std::optional<SizeExpr> end;
  if (const int64_t *constant = domain.uppers[dim].get<int64_t>())
    end = SizeExpr::constant(*constant);
  else if (const Size *size = domain.uppers[dim].get<Size>())
    end = size->expr;
  else if (auto it = tileEnds.find(*upper); it != tileEnds.end())
    end = it->second;
  else if (auto query = upper->getDefiningOp<TileEndOp>())
    if (auto tile = tileEnds.find(query.getTile()); tile != tileEnds.end())
      end = tile->second;
  plan.ends.push_back(end);
  return success();
}

FailureOr<Interpreter::LoopPlan> Interpreter::planLoop(const Stmt &statement, const LoopDomain &domain) {
  LoopPlan plan;
  plan.isGrid = domain.kind == LoopDomain::Kind::Grid;
  plan.isScalar = domain.isScalar;
  if (plan.isGrid && domain.step != 1)
    return FailureOr<LoopPlan>(k.fail("an outermost `hl.grid` with a step is not supported"));
  plan.names = variableNames(*statement.targets.front(), domain.uppers.size());
  for (auto [dim, name] : llvm::enumerate(plan.names))
    if (failed(planDim(domain, dim, name, plan)))
      return failure();
  return plan;
}

bool Interpreter::liveAfter(llvm::StringRef name) const {
  const std::vector<Frame::Position> &positions = frames.back().positions;
  for (const Frame::Position &position : llvm::reverse(positions)) {
    ArrayRef<std::unique_ptr<Stmt>> rest = ArrayRef(*position.block).drop_front(position.next);
    FirstUse use = firstUse(rest, name);
    if (use != FirstUse::None)
      return use == FirstUse::Read;
    // The next iteration of the loop around may read it; its last one leaves the value to what follows.
    if (position.isLoop && firstUse(*position.block, name) == FirstUse::Read)
      return true;
  }
  return false;
}

LogicalResult Interpreter::planCarried(const Stmt &statement, LoopPlan &plan) {
  for (llvm::StringRef name : assignedNames(statement.body)) {
    auto it = frame().scope->names.find(name.str());
    if (it == frame().scope->names.end() || it->second.is<Poison>())
      continue;
    if (firstUse(statement.body, name) != FirstUse::Read && !liveAfter(name))
      continue;
    PyValue init = it->second;
    if (const TileValue *tile = init.get<TileValue>()) {
      plan.inits.push_back(tile->value);
    } else if (init.is<Scalar>() || init.is<double>() || init.is<int64_t>() || init.is<bool>()) {
      DType dtype = init.is<double>() ? DType::F32 : init.is<int64_t>() ? DType::I64 : DType::Bool;
      if (const Scalar *number = init.get<Scalar>())
        dtype = number->dtype;
      FailureOr<Value> value = scalar(k, init, dtype);
      if (failed(value))
        return failure();
      init = Scalar{dtype, *value, nullptr};
      plan.inits.push_back(*value);
    } else {
      return k.fail("the loop changes `" + name + "`, " + init.describe() +
                    "; only tile values and numbers are carried");
    }
    plan.carried.push_back({name.str(), init});
  }
  return success();
}

//===-- Bodies ---------------------------------------------------------------------------------------------------===//

// What the body leaves in a carried variable, in the type that the loop carries.
FailureOr<Value> Interpreter::yieldedValue(const Stmt &statement, llvm::StringRef name, const PyValue &init,
                                           Type type) {
  PlaceScope place(k, statement.targets.front()->at);
  const PyValue &value = frame().scope->names[name.str()];
  const TileValue *before = init.get<TileValue>(), *after = value.get<TileValue>();
  if (!before) {
    DType dtype = init.get<Scalar>()->dtype;
    bool isNumber = isArithmetic(value) && (!after || !isTileValue(after->value.getType()));
    FailureOr<DType> now = isNumber ? resultType(k, {value}) : FailureOr<DType>(failure());
    if (!isNumber)
      return FailureOr<Value>(k.fail("`" + name + "` is a number before the loop and " + value.describe() +
                                     " after an iteration; begin with `hl.zeros` or `hl.full`"));
    if (failed(now))
      return failure();
    if (categoryOf(*now) > categoryOf(dtype))
      return FailureOr<Value>(k.fail("`" + name + "` is carried as `" + dtypeText(dtype) +
                                     "`, but an iteration makes it `" + dtypeText(*now) + "`"));
    return scalar(k, value, dtype);
  }
  if (!after)
    return FailureOr<Value>(
        k.fail("`" + name + "` is a tile value before the loop and " + value.describe() + " after an iteration"));
  if (after->dtype != before->dtype)
    return FailureOr<Value>(k.fail("`" + name + "` is carried as `" + dtypeText(before->dtype) +
                                   "`, but an iteration makes it `" + dtypeText(after->dtype) +
                                   "`; cast it with `.to`"));
  SmallVector<DimAttr> want = frontend::dimsOf(*before, k.context()), have = frontend::dimsOf(*after, k.context());
  auto sameExtent = [](DimAttr a, DimAttr b) { return a.withoutRange() == b.withoutRange(); };
  if (!llvm::equal(want, have, sameExtent))
    return FailureOr<Value>(k.fail("`" + name + "` is carried with dims " + dimsStr(want) +
                                   ", but an iteration makes them " + dimsStr(have)));
  if (after->axes == before->axes)
    return broadcastTo(k, tileValue(after->value, after->dtype), helion::dimsOf(type));
  return broadcastTo(k, *after, want);
}

LogicalResult Interpreter::runLoopBody(const Stmt &statement, LoopPlan &plan, ValueRange carried,
                                       SmallVectorImpl<Value> &yielded) {
  for (auto [entry, value] : llvm::zip(plan.carried, carried))
    frame().scope->names[entry.first] = withValue(entry.second, value);
  if (failed(execute(statement.body, /*isLoop=*/true)))
    return failure();
  for (auto [entry, value] : llvm::zip(plan.carried, carried)) {
    FailureOr<Value> out = yieldedValue(statement, entry.first, entry.second, value.getType());
    if (failed(out))
      return failure();
    yielded.push_back(*out);
  }
  return success();
}

// After the loop, carried names have the loop's results; others that it assigned have no value.
void Interpreter::leaveLoop(const Stmt &statement, const LoopPlan &plan, ValueRange results, bool toHost) {
  llvm::SetVector<llvm::StringRef> assigned = assignedNames(statement.body);
  auto poison = [&](llvm::StringRef name) {
    frame().scope->names[name.str()] =
        Poison{toHost ? "is a value of the tile loops and cannot be read outside them"
                      : "is only assigned inside the loop before; give it a value ahead of the loop"};
  };
  for (llvm::StringRef name : assigned)
    poison(name);
  llvm::SmallVector<const Expr *> targets{statement.targets.front().get()};
  while (!targets.empty()) {
    const Expr *target = targets.pop_back_val();
    if (target->kind == ExprKind::Name)
      poison(target->name);
    for (const ExprPtr &item : target->operands)
      targets.push_back(item.get());
  }
  for (auto [entry, value] : llvm::zip(plan.carried, results))
    frame().scope->names[entry.first] = withValue(entry.second, value);
}

// Which lanes a jagged tile covers: those of its rows that are shorter end before the loop does.
LogicalResult Interpreter::coverLanes(const TileValue &lengths, Value tile) {
  DimAttr dim = cast<TileType>(tile.getType()).getDim();
  Value iota = IotaOp::create(k.b, k.loc(), tileValueType({dim}, k.b.getIndexType()), tile);
  TileValue ends = lengths, numbers{iota, DType::Index, SmallVector<int>(lengths.rank(), -1)};
  ends.axes.push_back(-1);
  numbers.axes.push_back(0);
  Result covered = compare("<", PyValue(numbers), PyValue(ends));
  if (failed(covered))
    return failure();
  k.jaggedLanes[dim] = covered->get<TileValue>()->value;
  return success();
}

//===-- Tile loops -----------------------------------------------------------------------------------------------===//

LogicalResult Interpreter::runTileLoop(const Stmt &statement, const LoopDomain &domain) {
  bool outermost = !k.onDevice();
  if (outermost)
    for (unsigned dim = 0; dim < domain.uppers.size(); ++dim)
      if (domain.uppers[dim].is<Scalar>())
        return k.fail("the bounds of an outermost loop must be sizes, not numbers of the call");
  FailureOr<LoopPlan> plan = planLoop(statement, domain);
  if (failed(plan))
    return failure();
  LaunchOp launch = outermost ? k.beginLaunch(kernelName) : LaunchOp();
  if (!outermost && failed(planCarried(statement, *plan)))
    return failure();
  TileOp loop = TileOp::create(k.b, k.loc(), plan->tiles, plan->lowers, plan->uppers, plan->inits,
                               k.uniqueSite(loopSite(plan->names)));
  k.b.setInsertionPointToStart(&loop.getBody().front());
  ProgramScope program(k, &loop.getBody().front());
  std::vector<PyValue> variables;
  for (auto [tile, end, name] : llvm::zip(loop.getTiles(), plan->ends, plan->names)) {
    tile.setLoc(NameLoc::get(k.b.getStringAttr(name), k.loc()));
    if (end)
      tileEnds.try_emplace(tile, *end);
    if (plan->isGrid)
      variables.push_back(Scalar{DType::Index, TileBeginOp::create(k.b, k.loc(), k.b.getIndexType(), tile), nullptr});
    else
      variables.push_back(Tile{tile, end});
  }
  if (domain.lengths && failed(coverLanes(*domain.lengths, loop.getTiles().front())))
    return failure();
  PyValue variable = plan->isScalar ? variables.front() : makeSequence(variables);
  SmallVector<Value> yielded;
  if (failed(assign(*statement.targets.front(), variable)) ||
      failed(runLoopBody(statement, *plan, loop.getCarried(), yielded)))
    return failure();
  if (!plan->carried.empty()) {
    YieldOp::create(k.b, k.loc(), yielded);
    deriveCombine(loop);
  }
  k.b.setInsertionPointAfter(loop);
  if (outermost)
    k.endLaunch();
  if (outermost && failed(settleHost(launch)))
    return failure();
  leaveLoop(statement, *plan, loop.getResults(), outermost);
  return success();
}

// `hl.grid` inside a tile loop: a counting loop without lanes.
LogicalResult Interpreter::runScalarLoop(const Stmt &statement, const LoopDomain &domain) {
  LoopPlan plan;
  if (domain.uppers.size() != 1)
    return k.fail("an inner `hl.grid` over several dims is not supported; nest one loop per dim");
  FailureOr<Value> lower = indexValue(k, domain.lowers[0]), upper = indexValue(k, domain.uppers[0]);
  if (failed(lower) || failed(upper) || failed(planCarried(statement, plan)))
    return failure();
  std::vector<std::string> names = variableNames(*statement.targets.front(), 1);
  auto loop = scf::ForOp::create(k.b, k.loc(), *lower, *upper, k.constantIndex(domain.step), plan.inits);
  loop->setAttr("site", k.b.getStringAttr(k.uniqueSite(loopSite(names))));
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> yielded;
  if (failed(assign(*statement.targets.front(), Scalar{DType::Index, loop.getInductionVar(), nullptr})) ||
      failed(runLoopBody(statement, plan, loop.getRegionIterArgs(), yielded)))
    return failure();
  if (!plan.carried.empty())
    scf::YieldOp::create(k.b, k.loc(), yielded);
  leaveLoop(statement, plan, loop.getResults(), false);
  return success();
}
