// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order of emission and the buffers of carried values. Nests wait in a group until something comes that cannot share
// its loops; code of a group stands where its last nest stood, after everything it reads.

#include "codegen/CPU/TileEmitter.h"
#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/TileChain.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <numeric>

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

TileEmitter::TileEmitter(func::FuncOp function, const TilePlan &plan, const CodeOptions &options)
    : function(function), plan(plan), options(options), builder(function.getContext()),
      nests(builder, plan, memory, options), dots(builder, plan, memory, nests, options) {}

void TileEmitter::run() {
  findAccumulators();
  for (Block &block : function.getBody())
    emitBlock(block);
  eraseTileOps();
  if (!nests.streamed)
    return;
  builder.setInsertionPoint(function.getBody().back().getTerminator());
  LLVM::FenceOp::create(builder, function.getLoc(), LLVM::AtomicOrdering::seq_cst);
}

/// Values that share a buffer with a dot's accumulator, so that its rows must be padded to whole panels.
void TileEmitter::findAccumulators() {
  auto mark = [&](Value value, int64_t columns) {
    int64_t &multiple = rowMultiples.try_emplace(value, 1).first->second;
    bool grows = multiple % columns;
    multiple = std::lcm(multiple, columns);
    return grows;
  };
  bool changed = false;
  auto visitDot = [&](DotOp dot) {
    int64_t columns = registerTile(dot, options)->columns;
    changed |= mark(dot.getResult(), columns);
    auto isLeaf = [&](Value value) { return plan.isStored(value); };
    walkChain(dot.getAcc(), SmallVector<int>(shapeOf(dot.getAcc()).size(), 0), isLeaf, [&](Value value, ArrayRef<int>) {
      if (isLeaf(value) && value.getType() == dot.getAcc().getType())
        changed |= mark(value, columns);
    });
  };
  auto visitLoop = [&](scf::ForOp loop) {
    for (auto [arg, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      for (auto [from, to] : {std::pair<Value, Value>(arg, result), std::pair<Value, Value>(result, arg)})
        if (auto found = rowMultiples.find(from); found != rowMultiples.end())
          changed |= mark(to, int64_t(found->second));
  };
  do {
    changed = false;
    function.walk([&](Operation *op) {
      if (auto dot = dyn_cast<DotOp>(op))
        visitDot(dot);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        visitLoop(loop);
    });
  } while (changed);
}

View TileEmitter::allocate(Value value) {
  auto multiple = rowMultiples.find(value);
  ArrayRef<int64_t> shape = isTileValue(value.getType()) ? shapeOf(value) : ArrayRef<int64_t>();
  Type element = getElementTypeOrSelf(value.getType());
  if (shape.empty()) {
    View view = memory.allocate(builder, value.getLoc(), {1}, element);
    view.strides.clear();
    return view;
  }
  int64_t rows = multiple == rowMultiples.end() ? 1 : multiple->second;
  return memory.allocate(builder, value.getLoc(), shape, element, rows);
}

SmallVector<Value> TileEmitter::boundsOf(Value value) {
  SmallVector<Value> bounds;
  for (size_t dim = 0; dim < shapeOf(value).size(); ++dim)
    bounds.push_back(plan.reach().lanes(value, dim).bound);
  return bounds;
}

void TileEmitter::emitBlock(Block &block) {
  for (Operation *op : llvm::map_to_vector(block, [](Operation &op) { return &op; })) {
    builder.setInsertionPoint(op);
    emitOp(op);
  }
}

void TileEmitter::addNest(Nest nest) {
  shapeLoops(nest, plan, memory, options);
  ++numNests;
  if (tryJoin(pending, nest, plan, memory))
    return;
  flush();
  tryJoin(pending, nest, plan, memory);
}

void TileEmitter::flush() {
  if (pending.nests.empty())
    return;
  shrinkBuffers();
  nests.emit(pending);
  pending = {};
}

/// A buffer that only the nests of one group write and read needs no more than one round of the shared loops.
void TileEmitter::shrinkBuffers() {
  if (!pending.shared)
    return;
  for (Nest &nest : pending.nests) {
    for (auto &[value, view] : nest.tees)
      shrinkBuffer(value, view);
    if (nest.kind == Nest::Kind::Scan)
      for (auto [result, view] : llvm::zip(nest.op->getResults(), nest.views))
        if (view.memory)
          shrinkBuffer(result, view);
  }
}

void TileEmitter::shrinkBuffer(Value value, View &view) {
  // Only ops that are one nest each: a dot and the yields of a loop read in several, some of them later.
  auto isInside = [&](Site site) {
    return !site.before && isa<StoreOp, ReduceOp, ReduceFnOp, ScanOp, ScanFnOp>(site.op) &&
           llvm::any_of(pending.nests, [&](const Nest &nest) { return nest.op == site.op; });
  };
  if (!llvm::all_of(plan.sitesOf(value), isInside))
    return;
  ArrayRef<int64_t> shape = shapeOf(value);
  SmallVector<int64_t> rest(shape.drop_front(pending.shared));
  if (rest.empty())
    rest.push_back(1);
  Operation *whole = view.memory.getDefiningOp();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(whole);
  View row = memory.allocate(builder, value.getLoc(), rest, getElementTypeOrSelf(value.getType()));
  if (shape.size() == pending.shared)
    row.strides.clear();
  row.strides.insert(row.strides.begin(), pending.shared, row.offset);
  memory.stored[value] = view = row;
  whole->erase();
}

/// Buffers that are to be filled before `op`, by nests of their own or by `nest` in passing, then `nest` itself.
void TileEmitter::emitBuffers(Operation *op, std::optional<Nest> nest) {
  std::vector<Nest> order;
  if (nest)
    order.push_back(std::move(*nest));
  for (Value value : llvm::reverse(plan.buffersBefore(op))) {
    Operation *made = value.getDefiningOp();
    View view = allocate(value);
    if (!isLaneOp(made)) {
      // A reshape that merges or splits dims: the operand row by row, read with the result's strides.
      memory.stored[value] = view;
      Value source = made->getOperand(0);
      SmallVector<int64_t> shape(shapeOf(source));
      IndexMath math(builder, made->getLoc());
      View from{view.memory, view.offset, SmallVector<Value>(shape.size())};
      int64_t stride = 1;
      for (int64_t dim = shape.size() - 1; dim >= 0; stride *= shape[dim--])
        from.strides[dim] = math.constant(stride);
      order.insert(order.begin(), fillNest(plan, op, source, from));
      continue;
    }
    auto reads = [&](const Nest &candidate) {
      bool found = false;
      candidate.walk(plan, [&](Value inner, ArrayRef<int>) { found |= inner == value; });
      return found;
    };
    auto reader = llvm::find_if(order, reads);
    if (reader == order.end() || !tryTee(*reader, value, view, plan))
      order.insert(order.begin(), fillNest(plan, op, value, view, true));
    memory.stored[value] = view;
  }
  for (Nest &next : order)
    addNest(std::move(next));
}

void TileEmitter::emitOp(Operation *op) {
  if (auto store = dyn_cast<StoreOp>(op); store && isTileValue(store.getValue().getType()))
    return emitBuffers(op, storeNest(plan, store));
  if (isa<ReduceOp, ReduceFnOp>(op))
    return emitReduce(op);
  if (isa<ScanOp, ScanFnOp>(op))
    return emitScan(op);
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return emitAtomic(atomic);
  emitBuffers(op, std::nullopt);
  if (auto dot = dyn_cast<DotOp>(op))
    return emitDot(dot);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitBranch(branch);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return flush();
  if (emitScalarOp(op) || isLaneOp(op) || isMemoryEffectFree(op))
    return;
  flush();
}

/// Ops on tiles and host tensors that give or take scalars.
bool TileEmitter::emitScalarOp(Operation *op) {
  Location loc = op->getLoc();
  IndexMath math(builder, loc);
  LaneEvaluator &lanes = nests.evaluator();
  if (auto begin = dyn_cast<TileBeginOp>(op)) {
    begin.getResult().replaceAllUsesWith(lanes.beginOf(begin.getTile()));
    return true;
  }
  if (auto end = dyn_cast<TileEndOp>(op)) {
    Value bound = plan.reach().boundOf(end.getTile());
    int64_t extent = *cast<TileType>(end.getTile().getType()).getDim().getConstant();
    Value count = bound ? lanes.validCount(bound) : math.constant(extent);
    end.getResult().replaceAllUsesWith(math.add(lanes.beginOf(end.getTile()), count));
    return true;
  }
  auto load = dyn_cast<LoadOp>(op);
  auto store = dyn_cast<StoreOp>(op);
  if ((!load || isTileValue(load.getType())) && (!store || isTileValue(store.getValue().getType())))
    return false;
  flush();
  lanes.startNest(NestFacts());
  if (load)
    load.getResult().replaceAllUsesWith(lanes.loadScalar(load));
  else
    lanes.storeTo(store, {});
  return true;
}

/// The one element of a buffer without dims, as a scalar of the kernel.
Value TileEmitter::readScalar(const View &view, Type type) {
  Location loc = view.memory.getLoc();
  Value held = memref::LoadOp::create(builder, loc, view.memory, ValueRange{view.offset});
  if (isNarrowFloat(type))
    return arith::BitcastOp::create(builder, loc, type, held);
  return held.getType() == type ? held : arith::TruncIOp::create(builder, loc, type, held).getResult();
}

void TileEmitter::emitReduce(Operation *op) {
  SmallVector<View> views;
  for (Value result : op->getResults())
    views.push_back(allocate(result));
  if (auto reduce = dyn_cast<ReduceOp>(op))
    emitBuffers(op, reduceNest(plan, reduce, views[0]));
  else
    emitBuffers(op, reduceFnNest(plan, cast<ReduceFnOp>(op), views));
  for (auto [result, view] : llvm::zip(op->getResults(), views)) {
    if (isTileValue(result.getType())) {
      memory.stored[result] = view;
      continue;
    }
    flush();
    result.replaceAllUsesWith(readScalar(view, result.getType()));
  }
}

void TileEmitter::emitScan(Operation *op) {
  SmallVector<View> views;
  for (Value result : op->getResults())
    views.push_back(result.use_empty() ? View() : allocate(result));
  if (auto scan = dyn_cast<ScanOp>(op))
    emitBuffers(op, scanNest(plan, scan, views));
  else
    emitBuffers(op, scanFnNest(plan, cast<ScanFnOp>(op), views));
  for (auto [result, view] : llvm::zip(op->getResults(), views))
    if (view.memory)
      memory.stored[result] = view;
}

void TileEmitter::emitAtomic(AtomicOp op) {
  std::optional<View> view;
  if (!op.getResult().use_empty() || !isTileValue(op.getValue().getType()))
    view = allocate(op.getResult());
  emitBuffers(op, atomicNest(plan, op, view));
  flush();
  if (isTileValue(op.getResult().getType())) {
    if (view)
      memory.stored[op.getResult()] = *view;
    return;
  }
  op.getResult().replaceAllUsesWith(readScalar(*view, op.getResult().getType()));
}

/// The stored value whose buffer the dot may add to: one that the accumulator is made of lane by lane, that nobody
/// reads after the dot, and that is made anew whenever the dot runs.
Value TileEmitter::reusable(DotOp dot) {
  Value found;
  unsigned reads = 0;
  auto isLeaf = [&](Value value) { return plan.isStored(value); };
  SmallVector<int> dims = llvm::to_vector(llvm::seq<int>(0, shapeOf(dot.getAcc()).size()));
  walkChain(dot.getAcc(), dims, isLeaf, [&](Value value, ArrayRef<int> at) {
    bool fits = isLeaf(value) && value.getType() == dot.getAcc().getType() && llvm::equal(at, dims) &&
                memory.blockOf(value) == dot->getBlock() &&
                llvm::all_of(plan.sitesOf(value), [&](Site site) { return site == Site{dot, false}; });
    if (fits && memory.stored.count(value))
      found = value;
  });
  if (!found)
    return {};
  for (Value operand : {dot.getLhs(), dot.getRhs()})
    walkChain(operand, dims, isLeaf, [&](Value value, ArrayRef<int>) { reads += value == found; });
  walkChain(dot.getAcc(), dims, isLeaf,
            [&](Value value, ArrayRef<int> at) { reads += value == found && !llvm::equal(at, dims); });
  return reads ? Value() : found;
}

void TileEmitter::emitDot(DotOp dot) {
  ++numDots;
  Value base = reusable(dot);
  View view = base ? memory.stored.find(base)->second : allocate(dot.getResult());
  if (dot.getAcc() != base) {
    Nest start = fillNest(plan, dot, dot.getAcc(), view);
    start.bounds = boundsOf(dot.getResult());
    addNest(start);
  }
  flush();
  dots.emit(dot, view);
  memory.stored[dot.getResult()] = view;
}
