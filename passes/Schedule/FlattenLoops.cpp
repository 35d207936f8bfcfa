// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-flatten-loops: a pointwise grid over several dims becomes one over their product.
//
// Every tile value of the body has dims that are a subset of the loop's; all of them become one flat dim, so broadcasts
// vanish. An access through all tiles, in order, of a host tensor that is contiguous over them goes to the collapsed
// view and keeps the prefix structure of its tile; any other access uses index tensors made by div and rem, masked by
// the flat bound.

#include "dialect/IR/Dims.h"
#include "passes/Analysis/HostExpr.h"
#include "passes/Config/SiteOptions.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/TileLoops.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_FLATTENLOOPSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace helion

namespace {
class Flattener {
public:
  explicit Flattener(TileOp loop)
      : loop(loop), host(loop->getParentOfType<LaunchOp>()), builder(loop.getContext()), loc(loop.getLoc()) {}
  LogicalResult flatten();

private:
  InFlightDiagnostic refuse(Operation *op, const char *why) {
    return op->emitError() << "flatten_loops: `" << loop.getSite() << "` cannot be flattened: " << why;
  }
  LogicalResult check();
  LogicalResult checkOp(Operation *op);
  bool isOurs(Value value) { return llvm::is_contained(loop.getTiles(), value); }
  void makeFlatLoop();
  Value collapsedView(Value hostTensor);
  bool accessesWhole(ValueRange indices);
  SmallVector<Value> flatIndices(ValueRange indices);
  Value flatMask(Value mask);
  LogicalResult rewrite(Operation *op);
  void pullSplats(Operation *op);
  template <typename AccessOp> LogicalResult rewriteAccess(AccessOp op, Value hostTensor, unsigned hostOperand);

  TileOp loop, flat;
  OpBuilder host, builder;
  Location loc;
  int64_t extent = 1;
  Value bound;                // product of the upper bounds, host
  SmallVector<Value> indexOf; // per dim, index tensor of the flat lanes
  Value inside;               // i1 tensor: lane below the bound
  llvm::DenseMap<Value, Value> views;
};
} // namespace

//===-- What can be flattened ------------------------------------------------------------------------------------===//

LogicalResult Flattener::checkOp(Operation *op) {
  if (op->getNumRegions())
    return refuse(op, "it nests a region");
  if (isa<ReduceOp, ScanOp, DotOp, PermuteOp, ReshapeOp, AtomicOp>(op))
    return refuse(op, "the body combines or moves lanes");
  for (Value operand : op->getOperands())
    if (isa<TileType>(operand.getType()) && !isOurs(operand))
      return refuse(op, "a slice has lanes that are not the loop's");
  if (auto iota = dyn_cast<IotaOp>(op); iota && !iota.getTile())
    return refuse(op, "an iota has lanes that are not the loop's");
  if (isa<TileBeginOp, TileEndOp, TileIdOp, TileCountOp, TileShiftOp>(op) && isOurs(op->getOperand(0)))
    return refuse(op, "a tile's bounds are used as numbers");
  for (Value operand : op->getOperands())
    if (isTileValue(operand.getType()) && operand.getParentRegion() != &loop.getBody() &&
        !operand.getDefiningOp<SplatOp>())
      return refuse(op, "a tile value from outside is used");
  return success();
}

LogicalResult Flattener::check() {
  if (!loop.isGrid())
    return refuse(loop, "it is no grid loop");
  for (Value lower : loop.getLowers())
    if (!isConstantIntValue(lower, 0))
      return refuse(loop, "a lower bound is not 0");
  for (Operation &op : loop.getBody().front().without_terminator())
    if (failed(checkOp(&op)))
      return failure();
  return success();
}

//===-- Rewriting ------------------------------------------------------------------------------------------------===//

void Flattener::makeFlatLoop() {
  for (unsigned dim = 0; dim != loop.getNumDims(); ++dim) {
    extent *= boundExtent(loop, dim);
    Value upper = loop.getUppers()[dim];
    bound = bound ? arith::MulIOp::create(host, loc, bound, upper) : upper;
  }
  builder.setInsertionPoint(loop);
  Type tile = TileType::get(builder.getContext(), DimAttr::get(builder.getContext(), extent));
  Value zero = arith::ConstantIndexOp::create(host, loc, 0);
  flat =
      TileOp::create(builder, loc, TypeRange(tile), ValueRange(zero), ValueRange(bound), ValueRange(), loop.getSite());
  builder.setInsertionPointToStart(&flat.getBody().front());
  auto type = RankedTensorType::get({extent}, builder.getIndexType());
  Value rest = IotaOp::create(builder, loc, type, flat.getTiles()[0]);
  auto splat = [&](Value size) { return SplatOp::create(builder, loc, type, size).getResult(); };
  inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, rest, splat(bound));
  indexOf.resize(loop.getNumDims());
  for (unsigned dim = loop.getNumDims(); dim-- > 0;) {
    // A size of 0 means an empty grid, so no lane divides by it.
    Value size = splat(loop.getUppers()[dim]);
    indexOf[dim] = dim == 0 ? rest : arith::RemUIOp::create(builder, loc, rest, size).getResult();
    if (dim)
      rest = arith::DivUIOp::create(builder, loc, rest, size);
  }
}

bool Flattener::accessesWhole(ValueRange indices) { return llvm::equal(indices, ValueRange(loop.getTiles())); }

/// The one-dimensional view of a host tensor whose sizes are the loop's bounds and whose dims follow on each other in
/// memory; the facts that make it so are recorded. Null where they cannot be stated.
Value Flattener::collapsedView(Value hostTensor) {
  auto [it, inserted] = views.try_emplace(hostTensor, Value());
  if (!inserted)
    return it->second;
  HostExprs exprs;
  FailureOr<HostView> view = exprs.view(hostTensor);
  if (failed(view))
    return {};
  std::vector<Pred> facts = view->needs;
  SizeExpr whole = view->strides.back();
  for (unsigned dim = view->sizes.size(); dim-- > 0;) {
    std::optional<SizeExpr> upper = exprs.expr(loop.getUppers()[dim]);
    if (!upper)
      return {};
    // Bounds equal to the sizes, or asserted to be; the dim of largest stride needs no bound.
    if (dim)
      facts.push_back(Pred::compare(Pred::Compare::EQ, view->sizes[dim], *upper));
    if (dim + 1 != view->sizes.size())
      facts.push_back(followsOn(view->sizes[dim], view->strides[dim], whole));
    whole = SizeExpr::mul(view->sizes[dim], whole);
  }
  for (const Pred &fact : facts)
    if (fact.fold() == false)
      return {};
  for (const Pred &fact : facts)
    if (!fact.fold())
      loop->getParentOfType<KernelOp>().addFact(fact.str());
  auto type = cast<MemRefType>(hostTensor.getType());
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t dim = 0; dim != type.getRank(); ++dim)
    groups[0].push_back(dim);
  it->second = memref::CollapseShapeOp::create(host, loc, hostTensor, groups);
  return it->second;
}

/// Tensor indices of one access have one type, so the kernel's own become `index` too.
SmallVector<Value> Flattener::flatIndices(ValueRange indices) {
  return llvm::map_to_vector(indices, [&](Value index) -> Value {
    auto argument = dyn_cast<BlockArgument>(index);
    if (argument && isOurs(index))
      return indexOf[argument.getArgNumber()];
    if (!isTileValue(index.getType()) || getElementTypeOrSelf(index.getType()).isIndex())
      return index;
    return arith::IndexCastOp::create(builder, loc, withElementType(index.getType(), builder.getIndexType()), index);
  });
}

Value Flattener::flatMask(Value mask) {
  auto splat = mask ? mask.getDefiningOp<SplatOp>() : SplatOp();
  if (splat && matchPattern(splat.getValue(), m_One()))
    return inside;
  return mask ? arith::AndIOp::create(builder, loc, mask, inside).getResult() : inside;
}

template <typename AccessOp>
LogicalResult Flattener::rewriteAccess(AccessOp op, Value hostTensor, unsigned hostOperand) {
  bool usesTile =
      llvm::any_of(op.getIndices(), [&](Value index) { return isOurs(index) || isTileValue(index.getType()); });
  if (!usesTile)
    return success();
  Value view = accessesWhole(op.getIndices()) ? collapsedView(hostTensor) : Value();
  if (view) {
    op.getIndicesMutable().assign(ValueRange(flat.getTiles()[0]));
    op->setOperand(hostOperand, view);
    return success();
  }
  op.getIndicesMutable().assign(flatIndices(op.getIndices()));
  op.getMaskMutable().assign(flatMask(op.getMask()));
  return success();
}

/// A splat that stands outside the loop has the old shape; the body gets its own.
void Flattener::pullSplats(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto splat = operand.get().getDefiningOp<SplatOp>();
    if (!splat || splat->getParentRegion() == &flat.getBody())
      continue;
    Type type = RankedTensorType::get({extent}, getElementTypeOrSelf(splat.getResult().getType()));
    operand.set(SplatOp::create(builder, loc, type, splat.getValue()));
  }
}

LogicalResult Flattener::rewrite(Operation *op) {
  builder.setInsertionPoint(op);
  pullSplats(op);
  auto flatType = [&](Type type) -> Type {
    return isTileValue(type) ? RankedTensorType::get({extent}, getElementTypeOrSelf(type)) : type;
  };
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    broadcast.replaceAllUsesWith(broadcast.getValue());
    broadcast.erase();
    return success();
  }
  // Flat lanes below the bound are inside every dim, and no op looks at the others.
  if (auto mask = dyn_cast<MaskOp>(op)) {
    mask.replaceAllUsesWith(mask.getValue());
    mask.erase();
    return success();
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    Value index = indexOf[cast<BlockArgument>(iota.getTile()).getArgNumber()];
    Type element = getElementTypeOrSelf(iota.getResult().getType());
    if (!element.isIndex())
      index = arith::IndexCastOp::create(builder, loc, flatType(iota.getResult().getType()), index);
    iota.replaceAllUsesWith(index);
    iota.erase();
    return success();
  }
  for (Value result : op->getResults())
    result.setType(flatType(result.getType()));
  if (auto load = dyn_cast<LoadOp>(op))
    return rewriteAccess(load, load.getSource(), 0);
  if (auto store = dyn_cast<StoreOp>(op))
    return rewriteAccess(store, store.getDest(), 1);
  return success();
}

LogicalResult Flattener::flatten() {
  if (failed(check()))
    return failure();
  makeFlatLoop();
  Block &body = flat.getBody().front();
  body.getOperations().splice(Block::iterator(body.getTerminator()), loop.getBody().front().getOperations(),
                              loop.getBody().front().begin(), Block::iterator(loop.getYield()));
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    if (!isa<IotaOp>(op) || cast<IotaOp>(op).getTile() != flat.getTiles()[0])
      ops.push_back(&op);
  for (Operation *op : ops)
    if (failed(rewrite(op)))
      return failure();
  loop.erase();
  return success();
}

namespace {
struct FlattenLoops : public helion::impl::FlattenLoopsPassBase<FlattenLoops> {
  using FlattenLoopsPassBase::FlattenLoopsPassBase;

  void runOnOperation() override {
    SiteOptions sites("flatten_loops", SiteOptions::Kind::Flag);
    SmallVector<TileOp> loops;
    getOperation().walk([&](TileOp loop) {
      if (loop.isGrid() && loop.getNumDims() > 1)
        loops.push_back(loop);
    });
    if (failed(sites.parse(getOperation(), flattenLoops)) ||
        failed(sites.checkSites(getOperation(), llvm::map_to_vector(loops, [](TileOp op) { return op.getSite(); }))))
      return signalPassFailure();
    for (TileOp loop : loops) {
      if (!sites.flag(loop.getSite()))
        continue;
      if (failed(Flattener(loop).flatten()))
        return signalPassFailure();
      ++flattened;
    }
  }
};
} // namespace
