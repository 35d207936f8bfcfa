// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emission of scans. A function that is one op on its two sides becomes a kind. Of any other function nobody knows a
// neutral value; where lanes that do not count come before some that do, each lane carries whether it counts.
#include "dialect/Frontend/Lanes.h"

#include "dialect/IR/Dims.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

//===--- by a kind ---===//

FailureOr<TileValue> helion::frontend::scan(KernelBuilder &k, const TileValue &value, Reduction reduction, int dim,
                                            bool reverse) {
  int axis = value.axes[dim];
  if (axis < 0) // one lane
    return value;
  ReductionKind kind = kindOf(reduction, value.dtype);
  Type element = getElementTypeOrSelf(value.value);
  DimAttr along = helion::dimsOf(value.value.getType())[axis];
  FailureOr<Value> lanes = uncovered(k, value.value, along, reductionIdentity(kind, element));
  if (failed(lanes))
    return failure();
  TileValue out = value;
  llvm::StringRef site = reduction == Reduction::Sum ? "cumsum" : "cumprod";
  out.value = ScanOp::create(k.b, k.loc(), lanes->getType(), kind, *lanes, axis, reverse, k.site(site));
  return out;
}

//===--- by a function ---===//

namespace {
struct KindRow {
  llvm::StringRef op;
  ReductionKind kind;
};
} // namespace

static const KindRow kindRows[] = {
    {"arith.addf", ReductionKind::AddF},         {"arith.addi", ReductionKind::AddI},
    {"arith.mulf", ReductionKind::MulF},         {"arith.muli", ReductionKind::MulI},
    {"arith.maximumf", ReductionKind::MaximumF}, {"arith.maxsi", ReductionKind::MaxSI},
    {"arith.minimumf", ReductionKind::MinimumF}, {"arith.minsi", ReductionKind::MinSI},
    {"arith.andi", ReductionKind::AndI},         {"arith.ori", ReductionKind::OrI},
    {"arith.xori", ReductionKind::XorI},
};

// The kind that a combiner of one value comes to.
static std::optional<ReductionKind> kindOf(Block &combiner) {
  if (combiner.getNumArguments() != 2 || !llvm::hasNItems(combiner, 2))
    return std::nullopt;
  Operation &op = combiner.front();
  Value left = combiner.getArgument(0), right = combiner.getArgument(1);
  bool isPair = op.getNumOperands() == 2 && combiner.back().getOperand(0).getDefiningOp() == &op &&
                ((op.getOperand(0) == left && op.getOperand(1) == right) ||
                 (op.getOperand(0) == right && op.getOperand(1) == left));
  const auto *row = llvm::find_if(kindRows, [&](const KindRow &row) { return op.getName().getStringRef() == row.op; });
  return isPair && row != std::end(kindRows) ? std::optional(row->kind) : std::nullopt;
}

// What does not depend on the two sides goes before the scan; what is left may only compute.
static LogicalResult settleCombiner(KernelBuilder &k, ScanFnOp op) {
  Block &combiner = op.getCombiner().front();
  for (Operation &inner : llvm::make_early_inc_range(combiner.without_terminator())) {
    bool isFixed = isPure(&inner) && !inner.getNumRegions() && llvm::none_of(inner.getOperands(), [&](Value operand) {
                     return operand.getParentRegion() == &op.getCombiner();
                   });
    if (isFixed)
      inner.moveBefore(op);
    else if (!isMemoryEffectFree(&inner) || isa<HelionDialect>(inner.getDialect()))
      return k.fail("the combine function may only compute with numbers; `" + inner.getName().getStringRef() +
                    "` stands in it");
  }
  return success();
}

static ScanFnOp createScan(KernelBuilder &k, ValueRange values, int axis, bool reverse, StringRef site) {
  SmallVector<Value> others;
  SmallVector<Type> sides;
  SmallVector<Location> locs(2 * values.size(), k.loc());
  for (Value value : values) {
    sides.push_back(getElementTypeOrSelf(value.getType()));
    others.push_back(arith::ConstantOp::create(k.b, k.loc(), cast<TypedAttr>(k.b.getZeroAttr(sides.back()))));
  }
  llvm::append_range(sides, SmallVector<Type>(sides)); // Not itself: what it points to may move.
  auto op = ScanFnOp::create(k.b, k.loc(), values, others, axis, reverse, site);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.createBlock(&op.getCombiner(), {}, sides, locs);
  return op;
}

// The scan with one value more, which says of each lane whether it counts: `counts`, and false outside of ranges.
static SmallVector<Value> scanCounted(KernelBuilder &k, ScanFnOp plain, Value counts) {
  SmallVector<Value> values(plain.getValues());
  values.push_back(counts);
  size_t count = plain.getValues().size();
  ScanFnOp op = createScan(k, values, plain.getDim(), plain.getReverse(), plain.getSite());
  Block &from = plain.getCombiner().front(), &to = op.getCombiner().front();
  auto sides = to.getArguments();
  auto left = sides.take_front(count), right = sides.slice(count + 1, count);
  Value leftCounts = sides[count], rightCounts = sides.back();
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToEnd(&to);
  IRMapping map;
  map.map(from.getArguments().take_front(count), left);
  map.map(from.getArguments().drop_front(count), right);
  for (Operation &inner : from.without_terminator())
    k.b.clone(inner, map);
  SmallVector<Value> results;
  for (auto [both, a, b] : llvm::zip(from.getTerminator()->getOperands(), left, right)) {
    Value kept = arith::SelectOp::create(k.b, k.loc(), rightCounts, map.lookupOrDefault(both), a);
    results.push_back(arith::SelectOp::create(k.b, k.loc(), leftCounts, kept, b));
  }
  results.push_back(arith::OrIOp::create(k.b, k.loc(), leftCounts, rightCounts));
  YieldOp::create(k.b, k.loc(), results);
  return SmallVector<Value>(op.getResults().drop_back());
}

// Which lanes count, where some that do not may come before some that do; null where they come last.
static FailureOr<Value> countedLanes(KernelBuilder &k, ScanFnOp op) {
  Type type = op.getValues()[0].getType();
  SmallVector<DimAttr> dims = helion::dimsOf(type);
  FailureOr<Value> covered = coveredLanes(k, dims);
  if (failed(covered) || *covered)
    return covered;
  if (!op.getReverse() || !dims[op.getDim()].getRange())
    return Value();
  Value all = arith::ConstantOp::create(k.b, k.loc(), k.b.getBoolAttr(true));
  return Value(SplatOp::create(k.b, k.loc(), withElementType(type, all.getType()), all));
}

// The results of the scan in its last form; `op` is the plain one.
static FailureOr<SmallVector<Value>> settleScan(KernelBuilder &k, ScanFnOp op) {
  SmallVector<Value> results, others(op.getOthers());
  Value first = op.getValues()[0];
  if (std::optional<ReductionKind> kind = kindOf(op.getCombiner().front())) {
    DimAttr along = helion::dimsOf(first.getType())[op.getDim()];
    FailureOr<Value> lanes = uncovered(k, first, along, reductionIdentity(*kind, getElementTypeOrSelf(first)));
    if (failed(lanes))
      return failure();
    results.push_back(
        ScanOp::create(k.b, k.loc(), lanes->getType(), *kind, *lanes, op.getDim(), op.getReverse(), op.getSite()));
  } else {
    FailureOr<Value> counts = countedLanes(k, op);
    if (failed(counts))
      return failure();
    if (!*counts)
      return SmallVector<Value>(op.getResults());
    results = scanCounted(k, op, *counts);
  }
  op.erase();
  for (Value other : others)
    other.getDefiningOp()->erase();
  return results;
}

FailureOr<SmallVector<TileValue>> helion::frontend::scanBy(KernelBuilder &k, ArrayRef<TileValue> values, int dim,
                                                           bool reverse, CombineNumbers combine) {
  SmallVector<Value> lanes;
  SmallVector<DimAttr> dims = frontend::dimsOf(values[0], k.context());
  for (const TileValue &value : values) {
    FailureOr<Value> real = broadcastTo(k, value, dims);
    if (failed(real))
      return failure();
    lanes.push_back(*real);
  }
  ScanFnOp op = createScan(k, lanes, dim, reverse, k.site("scan"));
  Block &combiner = op.getCombiner().front();
  {
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToEnd(&combiner);
    FailureOr<SmallVector<Value>> yields = combine(combiner.getArguments());
    if (failed(yields))
      return failure();
    YieldOp::create(k.b, k.loc(), *yields);
  }
  if (failed(settleCombiner(k, op)))
    return failure();
  FailureOr<SmallVector<Value>> results = settleScan(k, op);
  if (failed(results))
    return failure();
  SmallVector<TileValue> out;
  for (auto [result, value] : llvm::zip(*results, values))
    out.push_back(tileValue(result, value.dtype));
  return out;
}
