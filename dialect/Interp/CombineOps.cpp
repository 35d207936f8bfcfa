// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that combine lanes: reduce, scan, both with a region, dot. Only here do ranges decide which lanes of a tile value
// count.

#include "dialect/IR/Dims.h"
#include "dialect/Interp/OpTable.h"
#include "dialect/Interp/Reduction.h"
#include "dialect/Interp/Scalars.h"

using namespace mlir;
using namespace helion;
using namespace helion::interp;

FloatCombiner helion::interp::floatCombiner(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::AddF:
    return addF;
  case ReductionKind::MulF:
    return mulF;
  case ReductionKind::MaximumF:
    return maximumF;
  case ReductionKind::MinimumF:
    return minimumF;
  default:
    return nullptr;
  }
}

IntCombiner helion::interp::intCombiner(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::AddI:
    return addI;
  case ReductionKind::MulI:
    return mulI;
  case ReductionKind::MaxSI:
    return maxSI;
  case ReductionKind::MinSI:
    return minSI;
  case ReductionKind::MaxUI:
    return maxUI;
  case ReductionKind::MinUI:
    return minUI;
  case ReductionKind::AndI:
    return andI;
  case ReductionKind::OrI:
    return orI;
  case ReductionKind::XorI:
    return xorI;
  default:
    return nullptr;
  }
}

namespace {
/// A value seen as [outer, dim, inner]; lanes of `dim` from `valid` on do not count.
struct Split {
  int64_t outer = 1, extent = 1, inner = 1, valid = 0;
  Shape rest; // without `dim`
  int64_t at(int64_t o, int64_t lane, int64_t i) const { return (o * extent + lane) * inner + i; }
  int64_t count() const { return outer * inner; }
};
} // namespace

static FailureOr<Split> splitAt(Machine &machine, Operation *op, Value value, int64_t dim) {
  Split split;
  LanesRef lanes = machine.lanes(value);
  for (auto [d, extent] : llvm::enumerate(lanes->shape)) {
    (int64_t(d) < dim ? split.outer : int64_t(d) == dim ? split.extent : split.inner) *= extent;
    if (int64_t(d) != dim)
      split.rest.push_back(extent);
  }
  FailureOr<int64_t> valid = machine.validLanesOf(op, dimsOf(value.getType())[dim]);
  if (failed(valid))
    return failure();
  split.valid = *valid;
  return split;
}

//===-- Reduce ---------------------------------------------------------------------------------------------------===//

static double asDouble(Attribute attr) {
  APFloat value = cast<FloatAttr>(attr).getValue();
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

static int64_t asInteger(Attribute attr) {
  auto integer = cast<IntegerAttr>(attr);
  return wrapInteger(int64_t(integer.getValue().getZExtValue()), integer.getType());
}

/// Calls `step(result, operand lane)` for each lane that counts, lanes of the reduced dim in order.
template <typename Step> static void forEachCounted(const Split &split, Step step) {
  for (int64_t o = 0; o != split.outer; ++o)
    for (int64_t lane = 0; lane != split.valid; ++lane)
      for (int64_t i = 0; i != split.inner; ++i)
        step(o * split.inner + i, split.at(o, lane, i));
}

static bool beats(double a, double best, bool wantsMax) {
  if (std::isnan(best))
    return false;
  return std::isnan(a) || (wantsMax ? a > best : a < best);
}
static bool beats(int64_t a, int64_t best, bool wantsMax) { return wantsMax ? a > best : a < best; }

/// Lowest lane that holds the extreme (the first NaN, when there is one); lane 0 when no lane counts.
template <typename T>
static std::vector<int64_t> extremeLanes(const Split &split, const std::vector<T> &lanes, bool wantsMax) {
  std::vector<int64_t> result(split.count(), 0);
  for (int64_t o = 0; o != split.outer; ++o)
    for (int64_t lane = 1; lane < split.valid; ++lane)
      for (int64_t i = 0; i != split.inner; ++i) {
        int64_t &best = result[o * split.inner + i];
        if (beats(lanes[split.at(o, lane, i)], lanes[split.at(o, best, i)], wantsMax))
          best = lane;
      }
  return result;
}

static LogicalResult reduce(Machine &machine, ReduceOp op) {
  FailureOr<Split> split = splitAt(machine, op, op.getValue(), op.getDim());
  if (failed(split))
    return failure();
  LanesRef value = machine.lanes(op.getValue());
  ReductionKind kind = op.getKind();
  if (kind == ReductionKind::ArgMax || kind == ReductionKind::ArgMin) {
    bool wantsMax = kind == ReductionKind::ArgMax;
    return machine.setInts(op.getResult(), split->rest,
                           value->isFloat ? extremeLanes(*split, value->floats, wantsMax)
                                          : extremeLanes(*split, value->ints, wantsMax));
  }
  Type element = getElementTypeOrSelf(op.getValue().getType());
  Attribute identity = reductionIdentity(kind, element);
  if (value->isFloat) {
    FloatCombiner combine = floatCombiner(kind);
    std::vector<double> result(split->count(), asDouble(identity));
    forEachCounted(*split, [&](int64_t to, int64_t from) { result[to] = combine(result[to], value->floats[from]); });
    return machine.setFloats(op.getResult(), split->rest, std::move(result));
  }
  IntCombiner combine = intCombiner(kind);
  unsigned width = integerWidth(element);
  std::vector<int64_t> result(split->count(), asInteger(identity));
  forEachCounted(*split, [&](int64_t to, int64_t from) {
    result[to] = wrapInteger(combine(result[to], value->ints[from], width), element);
  });
  return machine.setInts(op.getResult(), split->rest, std::move(result));
}

//===-- Reduce_fn ------------------------------------------------------------------------------------------------===//

static Cell scalarOf(const Lanes &lanes, int64_t at) {
  auto scalar = std::make_shared<Lanes>();
  scalar->isFloat = lanes.isFloat;
  if (lanes.isFloat)
    scalar->floats.push_back(lanes.floats[at]);
  else
    scalar->ints.push_back(lanes.ints[at]);
  return LanesRef(std::move(scalar));
}

/// `left` becomes `left` combined with the values at one lane.
static LogicalResult combineAt(Machine &machine, Region &region, ArrayRef<LanesRef> values, int64_t at, Cells &left) {
  Block &combiner = region.front();
  size_t count = values.size();
  for (size_t v = 0; v != count; ++v) {
    (void)machine.set(combiner.getArgument(v), left[v]);
    (void)machine.set(combiner.getArgument(count + v), scalarOf(*values[v], at));
  }
  return machine.runBlock(combiner, left);
}

/// Folds one line of lanes, beginning with the identities: `left` holds the outcome.
static LogicalResult foldLine(Machine &machine, ReduceFnOp op, const Split &split, ArrayRef<LanesRef> values, int64_t o,
                              int64_t i, Cells &left) {
  for (int64_t lane = 0; lane != split.valid; ++lane)
    if (failed(combineAt(machine, op.getCombiner(), values, split.at(o, lane, i), left)))
      return failure();
  return success();
}

static LogicalResult reduceFn(Machine &machine, ReduceFnOp op) {
  FailureOr<Split> split = splitAt(machine, op, op.getValues()[0], op.getDim());
  if (failed(split))
    return failure();
  SmallVector<LanesRef> values;
  SmallVector<Lanes> results(op.getValues().size());
  for (auto [v, value] : llvm::enumerate(op.getValues())) {
    values.push_back(machine.lanes(value));
    results[v].isFloat = values[v]->isFloat;
  }
  for (int64_t line = 0; line != split->count(); ++line) {
    Cells left;
    for (Value other : op.getOthers())
      left.push_back(machine.cell(other));
    if (failed(foldLine(machine, op, *split, values, line / split->inner, line % split->inner, left)))
      return failure();
    for (auto [v, cell] : llvm::enumerate(left)) {
      const Lanes &scalar = **std::get_if<LanesRef>(&cell);
      results[v].floats.insert(results[v].floats.end(), scalar.floats.begin(), scalar.floats.end());
      results[v].ints.insert(results[v].ints.end(), scalar.ints.begin(), scalar.ints.end());
    }
  }
  for (auto [result, lanes] : llvm::zip(op.getResults(), results)) {
    lanes.shape = split->rest;
    (void)machine.set(result, std::make_shared<const Lanes>(std::move(lanes)));
  }
  return success();
}

//===-- Scan -----------------------------------------------------------------------------------------------------===//

/// Calls `step(lane of the value, isFirst)` for the lanes of a line that count, in the order of the scan; the first is
/// taken as it is. Lanes outside come last, or with `reverse` first, and hold `outside()`.
template <typename Step, typename Outside>
static LogicalResult scanLine(const Split &split, int64_t line, bool reverse, Step step, Outside outside) {
  int64_t o = line / split.inner, i = line % split.inner;
  for (int64_t number = 0; number != split.valid; ++number) {
    int64_t lane = reverse ? split.valid - 1 - number : number;
    if (failed(step(split.at(o, lane, i), number == 0)))
      return failure();
  }
  for (int64_t lane = split.valid; lane != split.extent; ++lane)
    outside(split.at(o, lane, i));
  return success();
}

template <typename T, typename Combine>
static std::vector<T> scanLanes(const Split &split, const std::vector<T> &lanes, bool reverse, T identity,
                                Combine combine) {
  std::vector<T> result(lanes.size());
  for (int64_t line = 0; line != split.count(); ++line) {
    T held = identity;
    auto step = [&](int64_t at, bool isFirst) {
      result[at] = held = isFirst ? lanes[at] : combine(held, lanes[at]);
      return success();
    };
    (void)scanLine(split, line, reverse, step, [&](int64_t at) { result[at] = reverse ? identity : held; });
  }
  return result;
}

static LogicalResult scan(Machine &machine, ScanOp op) {
  FailureOr<Split> split = splitAt(machine, op, op.getValue(), op.getDim());
  if (failed(split))
    return failure();
  LanesRef value = machine.lanes(op.getValue());
  Type element = getElementTypeOrSelf(op.getValue().getType());
  Attribute identity = reductionIdentity(op.getKind(), element);
  if (value->isFloat)
    return machine.setFloats(
        op.getResult(), value->shape,
        scanLanes(*split, value->floats, op.getReverse(), asDouble(identity), floatCombiner(op.getKind())));
  IntCombiner combine = intCombiner(op.getKind());
  auto wrapped = [&](int64_t a, int64_t b) { return wrapInteger(combine(a, b, integerWidth(element)), element); };
  return machine.setInts(op.getResult(), value->shape,
                         scanLanes(*split, value->ints, op.getReverse(), asInteger(identity), wrapped));
}

/// Writes a cell of each value to one lane of the results.
static void putAt(MutableArrayRef<Lanes> results, ArrayRef<Cell> cells, int64_t at) {
  for (auto [result, cell] : llvm::zip(results, cells)) {
    const Lanes &scalar = **std::get_if<LanesRef>(&cell);
    if (result.isFloat)
      result.floats[at] = scalar.floats[0];
    else
      result.ints[at] = scalar.ints[0];
  }
}

static LogicalResult scanFn(Machine &machine, ScanFnOp op) {
  FailureOr<Split> split = splitAt(machine, op, op.getValues()[0], op.getDim());
  if (failed(split))
    return failure();
  SmallVector<LanesRef> values;
  SmallVector<Lanes> results;
  Cells others;
  for (auto [value, other] : llvm::zip(op.getValues(), op.getOthers())) {
    values.push_back(machine.lanes(value));
    results.push_back(*values.back());
    others.push_back(machine.cell(other));
  }
  for (int64_t line = 0; line != split->count(); ++line) {
    Cells held = others;
    auto step = [&](int64_t at, bool isFirst) -> LogicalResult {
      if (isFirst)
        for (auto [cell, value] : llvm::zip(held, values))
          cell = scalarOf(*value, at);
      else if (failed(combineAt(machine, op.getCombiner(), values, at, held)))
        return failure();
      putAt(results, held, at);
      return success();
    };
    auto outside = [&](int64_t at) { putAt(results, op.getReverse() ? others : held, at); };
    if (failed(scanLine(*split, line, op.getReverse(), step, outside)))
      return failure();
  }
  for (auto [result, lanes] : llvm::zip(op.getResults(), results))
    (void)machine.set(result, std::make_shared<const Lanes>(std::move(lanes)));
  return success();
}

//===-- Dot ------------------------------------------------------------------------------------------------------===//

namespace {
struct DotShape {
  int64_t batch = 1, m = 1, n = 1, k = 1, validK = 0;
};
} // namespace

/// acc += lhs x rhs, the innermost loop over contiguous lanes. Lanes of k outside its range are 0 on both sides, so
/// they are skipped: 0 * 0 adds nothing.
template <typename T>
static void multiply(const DotShape &shape, const std::vector<T> &lhs, const std::vector<T> &rhs, std::vector<T> &acc) {
  for (int64_t row = 0; row != shape.batch * shape.m; ++row) {
    T *to = &acc[row * shape.n];
    const T *left = &lhs[row * shape.k];
    const T *right = &rhs[row / shape.m * shape.k * shape.n];
    for (int64_t k = 0; k != shape.validK; ++k)
      for (int64_t n = 0; n != shape.n; ++n)
        to[n] += left[k] * right[k * shape.n + n];
  }
}

/// `lhs x rhs + acc` over the first `validK` lanes of k.
static LogicalResult setProduct(Machine &machine, Operation *op, LanesRef lhs, LanesRef rhs, LanesRef acc,
                                int64_t validK) {
  Value target = op->getResult(0);
  if (lhs->isFloat != acc->isFloat || rhs->isFloat != acc->isFloat)
    return machine.fail(op, "mixes integers and floats");
  size_t rank = acc->shape.size();
  DotShape shape;
  for (int64_t extent : ArrayRef(acc->shape).drop_back(2))
    shape.batch *= extent;
  shape.m = acc->shape[rank - 2];
  shape.n = acc->shape[rank - 1];
  shape.k = lhs->shape[rank - 1];
  shape.validK = validK;
  if (acc->isFloat) {
    std::vector<double> result = acc->floats;
    multiply(shape, lhs->floats, rhs->floats, result);
    return machine.setFloats(target, acc->shape, std::move(result));
  }
  // Unsigned arithmetic wraps; the sum is cut to the accumulator's width once.
  std::vector<uint64_t> result(acc->ints.begin(), acc->ints.end());
  multiply(shape, std::vector<uint64_t>(lhs->ints.begin(), lhs->ints.end()),
           std::vector<uint64_t>(rhs->ints.begin(), rhs->ints.end()), result);
  auto token = dyn_cast<TokenType>(target.getType());
  Type element = token ? token.getTile().getElementType() : getElementTypeOrSelf(target.getType());
  std::vector<int64_t> wrapped(result.size());
  for (size_t i = 0; i != result.size(); ++i)
    wrapped[i] = wrapInteger(int64_t(result[i]), element);
  return machine.setInts(target, acc->shape, std::move(wrapped));
}

static LogicalResult dot(Machine &machine, DotOp op) {
  FailureOr<int64_t> valid = machine.validLanesOf(op, dimsOf(op.getLhs().getType()).back());
  if (failed(valid))
    return failure();
  return setProduct(machine, op, machine.lanes(op.getLhs()), machine.lanes(op.getRhs()), machine.lanes(op.getAcc()),
                    *valid);
}

/// A token holds its value from the start: nothing but a wait or the next dot looks at it.
static LogicalResult dotAsync(Machine &machine, DotAsyncOp op) {
  LanesRef lhs = machine.contents(op.getLhs());
  LanesRef acc;
  if (op.getAcc()) {
    acc = machine.lanes(op.getAcc());
  } else {
    RankedTensorType type = op.getToken().getType().getTile();
    auto zero = std::make_shared<Lanes>();
    zero->shape.assign(type.getShape().begin(), type.getShape().end());
    zero->isFloat = isa<FloatType>(type.getElementType());
    zero->floats.assign(zero->isFloat ? type.getNumElements() : 0, 0.0);
    zero->ints.assign(zero->isFloat ? 0 : type.getNumElements(), 0);
    acc = zero;
  }
  return setProduct(machine, op, lhs, machine.contents(op.getRhs()), acc, lhs->shape.back());
}

ArrayRef<OpRow> helion::interp::combineRows() {
  static const OpRow rows[] = {
      {"helion.dot", runAs<DotOp, dot>},          {"helion.dot_async", runAs<DotAsyncOp, dotAsync>},
      {"helion.reduce", runAs<ReduceOp, reduce>}, {"helion.reduce_fn", runAs<ReduceFnOp, reduceFn>},
      {"helion.scan", runAs<ScanOp, scan>},       {"helion.scan_fn", runAs<ScanFnOp, scanFn>},
  };
  return rows;
}
