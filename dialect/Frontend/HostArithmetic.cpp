// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host tensor arithmetic as a launch: `part.sum(0).to(dtype)` is a tile kernel over the dims that stay, with a loop
// over the others; where none stays, as in `losses.mean()`, it is one program and the result has rank 0. It goes
// through the same emission as source code, so its lanes and roundings follow the same rules.
#include "dialect/Frontend/Combine.h"
#include "dialect/Frontend/HostTensors.h"
#include "dialect/Frontend/Interpreter.h"
#include "dialect/Frontend/Lanes.h"

#include "dialect/IR/Dims.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

namespace {
struct Span1D {
  Type tile;
  Value upper;
};
} // namespace

static Span1D newSpan(KernelBuilder &k, llvm::StringRef name, const SizeExpr &size) {
  std::string range = k.uniqueRange(name);
  std::string block = k.addBlock(("b" + name).str(), BlockKind::Tile);
  return {TileType::get(k.context(), DimAttr::get(k.context(), block, range)), k.materialize(size)};
}

static TileOp newLoop(KernelBuilder &k, ArrayRef<Span1D> spans, ValueRange inits, llvm::StringRef site) {
  SmallVector<Type> tiles;
  SmallVector<Value> lowers, uppers;
  for (const Span1D &span : spans) {
    tiles.push_back(span.tile);
    lowers.push_back(k.constantIndex(0));
    uppers.push_back(span.upper);
  }
  TileOp loop = TileOp::create(k.b, k.loc(), tiles, lowers, uppers, inits, k.uniqueSite(site));
  k.b.setInsertionPointToStart(&loop.getBody().front());
  return loop;
}

static TileValue loadTile(KernelBuilder &k, const HostTensor &tensor, ValueRange tiles) {
  SmallVector<DimAttr> dims;
  for (Value tile : tiles)
    dims.push_back(cast<TileType>(tile.getType()).getDim());
  Type type = tileValueType(dims, storageType(tensor.dtype, k.context()));
  Value value = LoadOp::create(k.b, k.loc(), type, tensor.memref, tiles, Value(), Value(),
                               k.b.getStringAttr(k.site(tensor.name)), StringAttr(), StringAttr());
  return tileValue(value, tensor.dtype);
}

// The sum over the dims of `e`, for the lanes of `tiles`, in the type that sums are computed in. `spans` are the summed
// dims.
static FailureOr<TileValue> sumLoop(KernelBuilder &k, const HostExpression &e, ArrayRef<Span1D> spans,
                                    ValueRange tiles) {
  DType compute = computeType(e.base->dtype);
  SmallVector<DimAttr> dims;
  for (Value tile : tiles)
    dims.push_back(cast<TileType>(tile.getType()).getDim());
  FailureOr<Value> zero = filled(k, int64_t(0), compute, dims);
  TileOp loop = newLoop(k, spans, *zero, "loop.p");
  SmallVector<Value> indices(tiles);
  for (auto [dim, tile] : llvm::zip(e.dims, loop.getTiles()))
    indices.insert(indices.begin() + dim, tile);
  Result wide = castTo(k, loadTile(k, *e.base, indices), compute);
  if (failed(wide))
    return failure();
  FailureOr<TileValue> part = *wide->get<TileValue>();
  for (int dim : llvm::reverse(e.dims))
    if (succeeded(part))
      part = reduce(k, *part, Reduction::Sum, dim, false);
  if (failed(part))
    return failure();
  Value sum = arith::AddFOp::create(k.b, k.loc(), loop.getCarried()[0], part->value);
  YieldOp::create(k.b, k.loc(), sum);
  deriveCombine(loop);
  k.b.setInsertionPointAfter(loop);
  return tileValue(loop.getResult(0), compute);
}

static Result divideByCount(KernelBuilder &k, const HostExpression &e, const TileValue &sum) {
  SizeExpr count = SizeExpr::constant(1);
  for (int dim : e.dims)
    count = SizeExpr::mul(count, e.base->sizes[dim]);
  FailureOr<Value> number = scalar(k, makeSize(count), sum.dtype);
  if (failed(number))
    return failure();
  return arithmetic(k, {sum, Scalar{sum.dtype, *number, nullptr}}, true,
                    [](OpBuilder &b, Location loc, ValueRange v) { return quotient(b, loc, v[0], v[1]); });
}

static Result emitValue(KernelBuilder &k, const HostExpression &e, ArrayRef<Span1D> spans, ValueRange tiles) {
  if (e.dims.empty())
    return PyValue(loadTile(k, *e.base, tiles));
  FailureOr<TileValue> sum = sumLoop(k, e, spans, tiles);
  if (failed(sum))
    return failure();
  return e.isMean ? divideByCount(k, e, *sum) : Result(PyValue(*sum));
}

// Launches run tile loops, so one program is a loop with one iteration.
static Span1D newSingle(KernelBuilder &k) {
  std::string range = k.uniqueRange("whole");
  std::string block = k.addBlock("bwhole", BlockKind::Fixed, {}, 1);
  return {TileType::get(k.context(), DimAttr::get(k.context(), block, range)), k.constantIndex(1)};
}

static LogicalResult emitLaunch(KernelBuilder &k, const HostExpression &e, const HostTensor &out) {
  SmallVector<Span1D> kept, summed;
  std::string site = "loop";
  for (auto [dim, size] : llvm::enumerate(e.base->sizes)) {
    bool stays = !llvm::is_contained(e.dims, static_cast<int>(dim));
    SmallVector<Span1D> &spans = stays ? kept : summed;
    std::string name = std::string(stays ? "j" : "p") + (spans.empty() ? "" : std::to_string(spans.size()));
    spans.push_back(newSpan(k, name, size));
    if (stays)
      site += (kept.size() == 1 ? "." : "_") + name;
  }
  TileOp loop = kept.empty() ? newLoop(k, newSingle(k), {}, "loop.whole") : newLoop(k, kept, {}, site);
  ProgramScope program(k, &loop.getBody().front());
  SmallVector<Value> tiles;
  if (!kept.empty())
    tiles.assign(loop.getTiles().begin(), loop.getTiles().end());
  Result value = emitValue(k, e, summed, tiles);
  for (const HostStep &step : e.steps)
    if (succeeded(value))
      value = step.apply(k, *value);
  if (failed(value))
    return failure();
  StoreOp::create(k.b, k.loc(), value->get<TileValue>()->value, out.memref, tiles, Value(),
                  k.b.getStringAttr(k.site(out.name)), StringAttr(), StringAttr());
  return success();
}

PyValue Interpreter::postpone(HostExpression expression) {
  auto shared = std::make_shared<HostExpression>(std::move(expression));
  llvm::erase_if(postponed, [](const std::weak_ptr<HostExpression> &old) { return old.expired(); });
  postponed.push_back(shared);
  return shared;
}

Result Interpreter::materializeHost(const PyValue &value) {
  const HostExpressionPtr *shared = value.get<HostExpressionPtr>();
  if (!shared)
    return value;
  const HostExpressionPtr &e = *shared;
  if (e->made)
    return PyValue(e->made);
  std::vector<SizeExpr> sizes(e->base->sizes);
  bool onlyCasts = llvm::all_of(e->steps, [](const HostStep &step) { return step.isCast; });
  std::string kind = onlyCasts ? "to" : "map";
  if (!e->dims.empty())
    kind = e->isMean ? "mean" : "sum";
  for (int dim : llvm::reverse(e->dims))
    sizes.erase(sizes.begin() + dim);
  if (!sizes.empty())
    for (int dim : e->dims)
      kind += std::to_string(dim);
  std::string own = !e->name.empty() ? e->name : e->base->name + "_" + kind;
  FailureOr<HostTensorPtr> out = allocateHost(k, k.uniqueTensorName(own), sizes, e->steps.back().dtype, PyValue());
  if (failed(out))
    return failure();
  k.beginLaunch(kernelName + "." + kind);
  LogicalResult emitted = emitLaunch(k, *e, **out);
  k.endLaunch();
  if (failed(emitted))
    return failure();
  e->made = *out;
  return PyValue(e->made);
}

static HostTensorPtr rootOf(HostTensorPtr tensor) {
  while (tensor->root)
    tensor = tensor->root;
  return tensor;
}

// Before this launch, what reads a tensor that it stores to. Arguments may be one tensor that was passed twice.
LogicalResult Interpreter::settleHost(Operation *launch) {
  std::vector<HostTensorPtr> changed = std::exchange(written, {});
  for (const std::weak_ptr<HostExpression> &old : std::vector(postponed)) {
    HostExpressionPtr expression = old.lock();
    if (!expression || expression->made)
      continue;
    HostTensorPtr base = rootOf(expression->base);
    auto isBase = [&](const HostTensorPtr &tensor) {
      HostTensorPtr root = rootOf(tensor);
      return root == base || (root->argument >= 0 && base->argument >= 0);
    };
    if (!llvm::any_of(changed, isBase))
      continue;
    if (failed(k.before(launch, [&] { return materializeHost(PyValue(expression)); })))
      return failure();
  }
  return success();
}
