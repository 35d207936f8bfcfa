// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How nests are made from ops, which dim their vectors run along, and when they may share loops.

#include "codegen/CPU/TileNest.h"
#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/TileChain.h"
#include "dialect/IR/Dims.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

static SmallVector<int> naturalDims(size_t rank) { return llvm::to_vector(llvm::seq<int>(0, rank)); }

/// The operands of a store or atomic that its lanes come from.
template <typename Op> static void visitAccessRoots(Op op, function_ref<void(Value, ArrayRef<int>)> visit) {
  SmallVector<int> dims = naturalDims(shapeOf(op.getValue()).size());
  for (const IndexDims &index : indexDims(op.getIndices()))
    if (isTileValue(index.index.getType()))
      visit(index.index, ArrayRef<int>(dims).slice(index.first, index.count));
  if (op.getMask())
    visit(op.getMask(), dims);
}

void Nest::forEachRoot(function_ref<void(Value, ArrayRef<int>)> visit) const {
  SmallVector<int> dims = naturalDims(extents.size());
  for (Value value : values)
    visit(value, dims);
  if (kind == Kind::Store)
    visitAccessRoots(cast<StoreOp>(op), visit);
  if (kind == Kind::Atomic)
    visitAccessRoots(cast<AtomicOp>(op), visit);
}

bool Nest::passes(Value value) const {
  return (computes && value == values[0]) || llvm::any_of(tees, [&](auto &tee) { return tee.first == value; });
}

void Nest::walk(const TilePlan &plan, function_ref<void(Value, ArrayRef<int>)> visit) const {
  auto isLeaf = [&](Value value) { return plan.isStored(value) && !passes(value); };
  forEachRoot([&](Value value, ArrayRef<int> at) { walkChain(value, at, isLeaf, visit); });
}

SmallVector<std::pair<Value, unsigned>> Nest::accessesAlong(const TilePlan &plan, int dim) const {
  SmallVector<std::pair<Value, unsigned>> result;
  auto collect = [&](Value memref, OperandRange indices, ArrayRef<int> at) {
    for (auto [memoryDim, index] : llvm::enumerate(indexDims(indices)))
      if (isa<TileType>(index.index.getType()) && at[index.first] == dim)
        result.push_back({memref, memoryDim});
  };
  SmallVector<int> dims = naturalDims(extents.size());
  if (auto store = dyn_cast_or_null<StoreOp>(kind == Kind::Store ? op : nullptr))
    collect(store.getDest(), store.getIndices(), dims);
  auto visit = [&](Value value, ArrayRef<int> at) {
    if (auto load = value.getDefiningOp<LoadOp>())
      collect(load.getSource(), load.getIndices(), at);
  };
  walk(plan, visit);
  return result;
}

unsigned Nest::sharableLoops() const {
  unsigned count = 0;
  while (count < order.size() && order[count] == int(count) && int(count) != vectorDim && int(count) != combined)
    ++count;
  return kind == Kind::Atomic ? 0 : count;
}

static SmallVector<Value> reachBounds(const TilePlan &plan, Value value) {
  SmallVector<Value> bounds;
  for (size_t dim = 0; dim < shapeOf(value).size(); ++dim)
    bounds.push_back(plan.reach().lanes(value, dim).bound);
  return bounds;
}

Nest cpu::fillNest(const TilePlan &plan, Operation *place, Value value, View view, bool computes) {
  Nest nest;
  nest.computes = computes;
  nest.op = place;
  nest.values = {value};
  nest.views = {view};
  nest.extents.assign(shapeOf(value).begin(), shapeOf(value).end());
  nest.bounds = reachBounds(plan, value);
  return nest;
}

template <typename Op> static Nest accessNest(const TilePlan &plan, Op op, Nest::Kind kind) {
  Nest nest;
  nest.kind = kind;
  nest.op = op;
  nest.values = {op.getValue()};
  nest.extents.assign(shapeOf(op.getValue()).begin(), shapeOf(op.getValue()).end());
  nest.bounds.resize(nest.extents.size());
  for (const IndexDims &index : indexDims(op.getIndices()))
    if (isa<TileType>(index.index.getType()))
      nest.bounds[index.first] = plan.reach().boundOf(index.index);
  return nest;
}

Nest cpu::storeNest(const TilePlan &plan, StoreOp store) { return accessNest(plan, store, Nest::Kind::Store); }

Nest cpu::atomicNest(const TilePlan &plan, AtomicOp atomic, std::optional<View> view) {
  Nest nest = accessNest(plan, atomic, Nest::Kind::Atomic);
  if (view)
    nest.views = {*view};
  return nest;
}

/// Lanes of the combined dim that hold the neutral value anyway need no visit.
static Value identityBound(const TilePlan &plan, Value value, int dim, function_ref<bool(MaskOp)> isIdentity) {
  auto mask = value.getDefiningOp<MaskOp>();
  if (!mask || plan.isStored(value) || !isIdentity(mask))
    return {};
  for (auto [masked, tile] : llvm::zip(mask.getDims(), mask.getTiles()))
    if (masked == dim)
      return plan.reach().boundOf(tile);
  return {};
}

template <typename Op> static Nest combineNest(const TilePlan &plan, Op op, ValueRange values) {
  Nest nest;
  nest.op = op;
  nest.values.assign(values.begin(), values.end());
  nest.extents.assign(shapeOf(values[0]).begin(), shapeOf(values[0]).end());
  nest.combined = op.getDim();
  Value result = op->getResult(0);
  if (isTileValue(result.getType()))
    nest.bounds = reachBounds(plan, result);
  nest.bounds.insert(nest.bounds.begin() + nest.combined, Value());
  return nest;
}

Nest cpu::reduceNest(const TilePlan &plan, ReduceOp reduce, View view) {
  Nest nest = combineNest(plan, reduce, reduce.getValue());
  bool ordered = reduce.getKind() == ReductionKind::ArgMax || reduce.getKind() == ReductionKind::ArgMin;
  nest.kind = ordered ? Nest::Kind::Sequence : Nest::Kind::Reduce;
  nest.views = {view};
  auto isIdentity = [&](MaskOp mask) { return fillsIdentity(mask, reduce.getKind()); };
  nest.bounds[nest.combined] = identityBound(plan, reduce.getValue(), nest.combined, isIdentity);
  return nest;
}

Nest cpu::reduceFnNest(const TilePlan &plan, ReduceFnOp reduce, ArrayRef<View> views) {
  Nest nest = combineNest(plan, reduce, reduce.getValues());
  nest.kind = Nest::Kind::Sequence;
  nest.views.assign(views.begin(), views.end());
  Value common;
  for (auto [index, value] : llvm::enumerate(reduce.getValues())) {
    Value other = reduce.getOthers()[index];
    auto isIdentity = [&](MaskOp mask) { return mask.getFill() == other; };
    Value bound = identityBound(plan, value, nest.combined, isIdentity);
    if (!bound || (common && common != bound))
      return nest;
    common = bound;
  }
  nest.bounds[nest.combined] = common;
  return nest;
}

/// Backwards, the lanes behind those that somebody reads come first; they change nothing if they hold the identity.
template <typename Op>
static Nest scanNestOf(const TilePlan &plan, Op scan, ValueRange values, ArrayRef<View> views,
                       function_ref<bool(MaskOp, unsigned)> isIdentity) {
  Nest nest;
  nest.kind = Nest::Kind::Scan;
  nest.op = scan;
  nest.values.assign(values.begin(), values.end());
  nest.views.assign(views.begin(), views.end());
  nest.extents.assign(shapeOf(values[0]).begin(), shapeOf(values[0]).end());
  nest.combined = scan.getDim();
  for (const Lanes &lanes : plan.reach().resultLanes(scan))
    nest.bounds.push_back(lanes.bound);
  Value &bound = nest.bounds[nest.combined];
  for (auto [number, value] : llvm::enumerate(values)) {
    auto fits = [&, number = number](MaskOp mask) { return isIdentity(mask, number); };
    if (scan.getReverse() && identityBound(plan, value, nest.combined, fits) != bound)
      bound = {};
  }
  return nest;
}

Nest cpu::scanNest(const TilePlan &plan, ScanOp scan, ArrayRef<View> views) {
  return scanNestOf(plan, scan, scan.getValue(), views,
                    [&](MaskOp mask, unsigned) { return fillsIdentity(mask, scan.getKind()); });
}

Nest cpu::scanFnNest(const TilePlan &plan, ScanFnOp scan, ArrayRef<View> views) {
  return scanNestOf(plan, scan, scan.getValues(), views,
                    [&](MaskOp mask, unsigned number) { return mask.getFill() == scan.getOthers()[number]; });
}

/// Bytes of a lane that the widths of vectors follow: of the widest float that is computed with, else of the integers.
static unsigned laneBytes(const Nest &nest, const TilePlan &plan) {
  unsigned floats = 0, integers = 1;
  auto visit = [&](Value value, ArrayRef<int>) {
    Type element = getElementTypeOrSelf(value.getType());
    Operation *op = value.getDefiningOp();
    if (isa<FloatType>(element)) {
      unsigned bytes = element.getIntOrFloatBitWidth() / 8;
      bool computes = op && isLaneOp(op) && !isa<LoadOp, SplatOp, BroadcastOp, PermuteOp, ReboundOp>(op);
      floats = std::max(floats, computes ? std::max(4u, bytes) : bytes);
    } else {
      integers =
          std::max(integers, isa<IndexType>(element) ? 4u : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
    }
  };
  nest.walk(plan, visit);
  if (nest.convertTo)
    floats = std::max(floats, nest.convertTo.getIntOrFloatBitWidth() / 8);
  if ((nest.kind == Nest::Kind::Reduce || nest.kind == Nest::Kind::Scan) && floats)
    floats = std::max(floats, 4u);
  return floats ? floats : integers;
}

/// A combiner region can take vectors when it has nothing but lane-wise ops.
static bool combinesVectors(Operation *op) {
  return op->getNumRegions() == 0 || llvm::all_of(op->getRegion(0).front().without_terminator(), [](Operation &inner) {
           return isa<arith::ConstantOp>(inner) || OpTrait::hasElementwiseMappableTraits(&inner);
         });
}

static int chooseVectorDim(const Nest &nest, const TilePlan &plan) {
  int last = -1;
  for (auto [dim, extent] : llvm::enumerate(nest.extents))
    if (extent > 1 && !(nest.isOrdered() && int(dim) == nest.combined))
      last = dim;
  // Lanes that a sequence walks closely are better left to it than split into far loads.
  if (nest.kind == Nest::Kind::Atomic ||
      (nest.isOrdered() && (nest.combined == int(nest.extents.size()) - 1 || !combinesVectors(nest.op))))
    return -1;
  auto unitStrides = [&](int dim) {
    return llvm::count_if(nest.accessesAlong(plan, dim), [](auto access) {
      SmallVector<int64_t> strides;
      int64_t offset;
      auto type = cast<MemRefType>(access.first.getType());
      return succeeded(type.getStridesAndOffset(strides, offset)) && strides[access.second] == 1;
    });
  };
  if (last < 0 || unitStrides(last))
    return last;
  for (int dim = last - 1; dim >= 0; --dim)
    if (nest.extents[dim] > 1 && unitStrides(dim) && !(nest.isOrdered() && dim == nest.combined))
      return dim;
  return last;
}

void cpu::shapeLoops(Nest &nest, const TilePlan &plan, const TileMemory &memory, const CodeOptions &options) {
  nest.vectorDim = chooseVectorDim(nest, plan);
  nest.width = 1;
  if (nest.vectorDim >= 0) {
    int64_t lanes = options.vectorBits / 8 / laneBytes(nest, plan);
    nest.width =
        std::max<int64_t>(1, std::min<int64_t>(lanes, llvm::bit_floor(uint64_t(nest.extents[nest.vectorDim]))));
  }
  if (nest.width == 1)
    nest.vectorDim = -1;
  else
    nest.step =
        llvm::bit_floor(uint64_t(std::min<int64_t>(options.stepVectors, nest.extents[nest.vectorDim] / nest.width)));
  nest.order.clear();
  for (int dim : naturalDims(nest.extents.size()))
    if (dim != nest.vectorDim && dim != nest.combined)
      nest.order.push_back(dim);
  if (nest.vectorDim >= 0)
    nest.order.push_back(nest.vectorDim);
  if (nest.combined >= 0 && nest.combined != nest.vectorDim)
    nest.order.push_back(nest.combined);
}

/// True when `at` begins with the first `shared` dims of the nest.
static bool isAligned(ArrayRef<int> at, unsigned shared) {
  return at.size() >= shared && llvm::equal(at.take_front(shared), naturalDims(shared));
}

static Value storedRoot(const Nest &nest) {
  if (auto store = dyn_cast_or_null<StoreOp>(nest.kind == Nest::Kind::Store ? nest.op : nullptr))
    return TilePlan::rootOf(store.getDest());
  return {};
}

/// Two nests of one group run row by row in turn: no one may write what the other reads in another row.
static bool isRowwise(const Nest &writer, const Nest &reader, unsigned shared, const TilePlan &plan,
                      const TileMemory &memory) {
  bool rowwise = true;
  Value root = storedRoot(writer);
  if (root && root == storedRoot(reader))
    return false;
  auto writes = [&](Value buffer) {
    auto isBuffer = [&](const View &view) { return view.memory == buffer; };
    return llvm::any_of(writer.views, isBuffer) ||
           llvm::any_of(writer.tees, [&](auto &tee) { return isBuffer(tee.second); });
  };
  reader.walk(plan, [&](Value value, ArrayRef<int> at) {
    if (auto load = value.getDefiningOp<LoadOp>())
      rowwise &= !root || TilePlan::rootOf(load.getSource()) != root;
    auto stored = memory.stored.find(value);
    if (stored != memory.stored.end() && writes(stored->second.memory))
      rowwise &= isAligned(at, shared);
  });
  return rowwise;
}

bool cpu::tryJoin(NestGroup &group, const Nest &nest, const TilePlan &plan, const TileMemory &memory) {
  unsigned shared = nest.sharableLoops();
  if (group.nests.empty()) {
    group.shared = shared;
    group.nests.push_back(nest);
    return true;
  }
  const Nest &first = group.nests.front();
  shared = std::min(shared, group.shared);
  for (unsigned dim = 0; dim < shared; ++dim)
    if (first.extents[dim] != nest.extents[dim] || first.bounds[dim] != nest.bounds[dim])
      shared = dim;
  for (; shared > 0; --shared) {
    auto fits = [&](const Nest &other) {
      return isRowwise(other, nest, shared, plan, memory) && isRowwise(nest, other, shared, plan, memory);
    };
    if (llvm::all_of(group.nests, fits))
      break;
  }
  if (!shared)
    return false;
  group.shared = shared;
  group.nests.push_back(nest);
  return true;
}

bool cpu::tryTee(Nest &nest, Value value, View view, const TilePlan &plan) {
  if (nest.kind == Nest::Kind::Atomic || nest.extents != SmallVector<int64_t>(shapeOf(value)))
    return false;
  SmallVector<int> dims = naturalDims(nest.extents.size());
  bool once = nest.bounds == reachBounds(plan, value), reads = false;
  nest.walk(plan, [&](Value inner, ArrayRef<int> at) {
    if (inner != value)
      return;
    reads = true;
    once &= llvm::equal(at, dims);
  });
  if (!once || !reads)
    return false;
  nest.tees.push_back({value, view});
  return true;
}
