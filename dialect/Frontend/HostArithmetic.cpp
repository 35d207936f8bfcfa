// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host tensor arithmetic as a launch: `part.sum(0).to(dtype)` is a tile kernel over the dims that stay, with a loop over
// the summed one. It goes through the same emission as source code, so its lanes and roundings follow the same rules.
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

// The sum over the dim `sumDim` of `base`, for the lanes of `tiles`, in the type that sums are computed in.
static FailureOr<TileValue> sumLoop(KernelBuilder &k, const HostExpression &e, const Span1D &span, ValueRange tiles) {
  DType compute = computeType(e.base->dtype);
  SmallVector<DimAttr> dims;
  for (Value tile : tiles)
    dims.push_back(cast<TileType>(tile.getType()).getDim());
  FailureOr<Value> zero = filled(k, int64_t(0), compute, dims);
  TileOp loop = newLoop(k, span, *zero, "loop.p");
  SmallVector<Value> indices(tiles);
  indices.insert(indices.begin() + e.sumDim, loop.getTiles()[0]);
  Result wide = castTo(k, loadTile(k, *e.base, indices), compute);
  if (failed(wide))
    return failure();
  FailureOr<TileValue> part = reduce(k, *wide->get<TileValue>(), Reduction::Sum, e.sumDim, false);
  Value sum = arith::AddFOp::create(k.b, k.loc(), loop.getCarried()[0], part->value);
  YieldOp::create(k.b, k.loc(), sum);
  deriveCombine(loop);
  k.b.setInsertionPointAfter(loop);
  return tileValue(loop.getResult(0), compute);
}

static LogicalResult emitLaunch(KernelBuilder &k, const HostExpression &e, const HostTensor &out) {
  SmallVector<Span1D> kept;
  Span1D summed;
  std::string site = "loop.";
  for (auto [dim, size] : llvm::enumerate(e.base->sizes)) {
    if (static_cast<int>(dim) == e.sumDim)
      continue;
    std::string name = kept.empty() ? "j" : "j" + std::to_string(kept.size());
    kept.push_back(newSpan(k, name, size));
    site += name;
  }
  if (e.sumDim >= 0)
    summed = newSpan(k, "p", e.base->sizes[e.sumDim]);
  TileOp loop = newLoop(k, kept, {}, site);
  ProgramScope program(k, &loop.getBody().front());
  SmallVector<Value> tiles(loop.getTiles().begin(), loop.getTiles().end());
  FailureOr<TileValue> lanes = e.sumDim >= 0 ? sumLoop(k, e, summed, tiles) : loadTile(k, *e.base, tiles);
  Result value = failed(lanes) ? Result(failure()) : Result(PyValue(*lanes));
  for (DType dtype : e.dtypes)
    if (succeeded(value))
      value = castTo(k, *value, dtype);
  if (failed(value))
    return failure();
  StoreOp::create(k.b, k.loc(), value->get<TileValue>()->value, out.memref, tiles, Value(),
                  k.b.getStringAttr(k.site(out.name)), StringAttr(), StringAttr());
  return success();
}

Result Interpreter::materializeHost(const PyValue &value, llvm::StringRef name) {
  const HostExpression *e = value.get<HostExpression>();
  if (!e)
    return value;
  std::vector<SizeExpr> sizes(e->base->sizes);
  std::string kind = "to";
  if (e->sumDim >= 0) {
    sizes.erase(sizes.begin() + e->sumDim);
    kind = "sum" + std::to_string(e->sumDim);
  }
  std::string own = !e->name.empty() ? e->name : e->base->name + "_" + kind;
  FailureOr<HostTensorPtr> out = allocateHost(k, k.uniqueTensorName(own), sizes, e->dtypes.back(), PyValue());
  if (failed(out))
    return failure();
  k.beginLaunch(kernelName + "." + kind);
  LogicalResult emitted = emitLaunch(k, *e, **out);
  k.endLaunch();
  return failed(emitted) ? Result(failure()) : Result(PyValue(*out));
}
