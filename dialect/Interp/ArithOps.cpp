// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// arith without its casts: float and integer arithmetic, comparisons, select.

#include "dialect/Interp/Elementwise.h"
#include "dialect/Interp/OpTable.h"
#include "dialect/Interp/Scalars.h"

using namespace mlir;
using namespace helion::interp;

//===-- Floats ---------------------------------------------------------------------------------------------------===//

static double subF(double a, double b) { return a - b; }
static double divF(double a, double b) { return a / b; }
static double remF(double a, double b) { return std::fmod(a, b); }
static double negF(double a) { return -a; }
static double maxNumF(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : maximumF(a, b); }
static double minNumF(double a, double b) { return -maxNumF(-a, -b); }

//===-- Integers -------------------------------------------------------------------------------------------------===//

static int64_t subI(int64_t a, int64_t b, unsigned) { return int64_t(uint64_t(a) - uint64_t(b)); }

// A shift by the width or more is poison in arith; here it shifts everything out.
static int64_t shlI(int64_t a, int64_t b, unsigned width) {
  uint64_t by = unsignedBits(b, width);
  return by >= width ? 0 : int64_t(uint64_t(a) << by);
}
static int64_t shrUI(int64_t a, int64_t b, unsigned width) {
  uint64_t by = unsignedBits(b, width);
  return by >= width ? 0 : int64_t(unsignedBits(a, width) >> by);
}
static int64_t shrSI(int64_t a, int64_t b, unsigned width) {
  return a >> std::min<uint64_t>(unsignedBits(b, width), width - 1);
}

// Divisors are not 0 here. INT64_MIN / -1 wraps.
static int64_t divSI(int64_t a, int64_t b, unsigned) { return b == -1 ? int64_t(0 - uint64_t(a)) : a / b; }
static int64_t remSI(int64_t a, int64_t b, unsigned) { return b == -1 ? 0 : a % b; }
static int64_t floorDivSI(int64_t a, int64_t b, unsigned width) {
  return divSI(a, b, width) - (remSI(a, b, width) != 0 && (a < 0) != (b < 0));
}
static int64_t ceilDivSI(int64_t a, int64_t b, unsigned width) {
  return divSI(a, b, width) + (remSI(a, b, width) != 0 && (a < 0) == (b < 0));
}
static int64_t divUI(int64_t a, int64_t b, unsigned width) {
  return int64_t(unsignedBits(a, width) / unsignedBits(b, width));
}
static int64_t remUI(int64_t a, int64_t b, unsigned width) {
  return int64_t(unsignedBits(a, width) % unsignedBits(b, width));
}
static int64_t ceilDivUI(int64_t a, int64_t b, unsigned width) {
  return divUI(a, b, width) + (remUI(a, b, width) != 0);
}

/// A zero divisor is an error where the lane is surely visible; elsewhere (outside a range, or in form S, where types
/// have no ranges) nobody may look at the lane, and it gets 0.
template <int64_t (*Fn)(int64_t, int64_t, unsigned)> static LogicalResult divide(Machine &machine, Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0)), b = machine.lanes(op->getOperand(1));
  Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
  unsigned width = integerWidth(element);
  std::vector<int64_t> result(a->ints.size());
  for (size_t i = 0, e = result.size(); i != e; ++i) {
    if (b->ints[i] != 0)
      result[i] = wrapInteger(Fn(a->ints[i], b->ints[i], width), element);
    else if (machine.isSurelyVisible(op, type, i))
      return machine.fail(op, "divides `" + Twine(a->ints[i]) + "` by 0 in lane " + Twine(i));
  }
  return machine.setInts(op->getResult(0), a->shape, std::move(result));
}

static LogicalResult addExtended(Machine &machine, arith::AddUIExtendedOp op) {
  LanesRef a = machine.lanes(op.getLhs()), b = machine.lanes(op.getRhs());
  Type element = getElementTypeOrSelf(op.getSum().getType());
  unsigned width = integerWidth(element);
  std::vector<int64_t> sum(a->ints.size()), carry(a->ints.size());
  for (size_t i = 0; i != sum.size(); ++i) {
    uint64_t total = unsignedBits(addI(a->ints[i], b->ints[i], width), width);
    sum[i] = wrapInteger(int64_t(total), element);
    carry[i] = total < unsignedBits(a->ints[i], width) ? -1 : 0;
  }
  return success(succeeded(machine.setInts(op.getSum(), a->shape, std::move(sum))) &&
                 succeeded(machine.setInts(op.getOverflow(), a->shape, std::move(carry))));
}

template <bool IsSigned> static LogicalResult mulExtended(Machine &machine, Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0)), b = machine.lanes(op->getOperand(1));
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = integerWidth(element);
  std::vector<int64_t> low(a->ints.size()), high(a->ints.size());
  for (size_t i = 0; i != low.size(); ++i) {
    __int128 product =
        IsSigned ? __int128(a->ints[i]) * b->ints[i]
                 : __int128((unsigned __int128)unsignedBits(a->ints[i], width) * unsignedBits(b->ints[i], width));
    low[i] = wrapInteger(int64_t(product), element);
    high[i] = wrapInteger(int64_t(product >> width), element);
  }
  return success(succeeded(machine.setInts(op->getResult(0), a->shape, std::move(low))) &&
                 succeeded(machine.setInts(op->getResult(1), a->shape, std::move(high))));
}

//===-- Comparisons ----------------------------------------------------------------------------------------------===//

namespace {
using FloatCompare = void (*)(const double *, const double *, int64_t *, size_t);
using IntCompare = void (*)(const int64_t *, const int64_t *, int64_t *, size_t, unsigned);
} // namespace

/// One loop per predicate: `Ordered` relations as bits (less, equal, greater), and the answer for NaN.
template <bool Less, bool Equal, bool Greater, bool Unordered>
static void compareFloats(const double *a, const double *b, int64_t *result, size_t count) {
  for (size_t i = 0; i != count; ++i) {
    bool isNan = std::isnan(a[i]) || std::isnan(b[i]);
    bool holds = (Less && a[i] < b[i]) || (Equal && a[i] == b[i]) || (Greater && a[i] > b[i]) || (Unordered && isNan);
    result[i] = holds ? -1 : 0;
  }
}

template <bool Less, bool Equal, bool Greater, bool IsUnsigned>
static void compareInts(const int64_t *a, const int64_t *b, int64_t *result, size_t count, unsigned width) {
  for (size_t i = 0; i != count; ++i) {
    bool isLess = IsUnsigned ? unsignedBits(a[i], width) < unsignedBits(b[i], width) : a[i] < b[i];
    bool isEqual = a[i] == b[i];
    bool holds = (Less && isLess) || (Equal && isEqual) || (Greater && !isLess && !isEqual);
    result[i] = holds ? -1 : 0;
  }
}

static LogicalResult cmpF(Machine &machine, arith::CmpFOp op) {
  // In the order of arith::CmpFPredicate.
  static constexpr FloatCompare kLoops[] = {
      compareFloats<false, false, false, false>, // false
      compareFloats<false, true, false, false>,  // oeq
      compareFloats<false, false, true, false>,  // ogt
      compareFloats<false, true, true, false>,   // oge
      compareFloats<true, false, false, false>,  // olt
      compareFloats<true, true, false, false>,   // ole
      compareFloats<true, false, true, false>,   // one
      compareFloats<true, true, true, false>,    // ord
      compareFloats<false, true, false, true>,   // ueq
      compareFloats<false, false, true, true>,   // ugt
      compareFloats<false, true, true, true>,    // uge
      compareFloats<true, false, false, true>,   // ult
      compareFloats<true, true, false, true>,    // ule
      compareFloats<true, false, true, true>,    // une
      compareFloats<false, false, false, true>,  // uno
      compareFloats<true, true, true, true>,     // true
  };
  static_assert(unsigned(arith::CmpFPredicate::AlwaysTrue) == 15 && unsigned(arith::CmpFPredicate::ONE) == 6);
  LanesRef a = machine.lanes(op.getLhs()), b = machine.lanes(op.getRhs());
  std::vector<int64_t> result(a->floats.size());
  kLoops[unsigned(op.getPredicate())](a->floats.data(), b->floats.data(), result.data(), result.size());
  return machine.setInts(op.getResult(), a->shape, std::move(result));
}

static LogicalResult cmpI(Machine &machine, arith::CmpIOp op) {
  // In the order of arith::CmpIPredicate.
  static constexpr IntCompare kLoops[] = {
      compareInts<false, true, false, false>, // eq
      compareInts<true, false, true, false>,  // ne
      compareInts<true, false, false, false>, // slt
      compareInts<true, true, false, false>,  // sle
      compareInts<false, false, true, false>, // sgt
      compareInts<false, true, true, false>,  // sge
      compareInts<true, false, false, true>,  // ult
      compareInts<true, true, false, true>,   // ule
      compareInts<false, false, true, true>,  // ugt
      compareInts<false, true, true, true>,   // uge
  };
  static_assert(unsigned(arith::CmpIPredicate::uge) == 9 && unsigned(arith::CmpIPredicate::slt) == 2);
  LanesRef a = machine.lanes(op.getLhs()), b = machine.lanes(op.getRhs());
  unsigned width = integerWidth(getElementTypeOrSelf(op.getLhs().getType()));
  std::vector<int64_t> result(a->ints.size());
  kLoops[unsigned(op.getPredicate())](a->ints.data(), b->ints.data(), result.data(), result.size(), width);
  return machine.setInts(op.getResult(), a->shape, std::move(result));
}

template <typename T>
static std::vector<T> selectLanes(const Lanes &condition, const std::vector<T> &a, const std::vector<T> &b) {
  bool isScalar = condition.shape.empty(); // arith.select takes one i1 for a whole tensor too
  std::vector<T> result(a.size());
  for (size_t i = 0, e = result.size(); i != e; ++i)
    result[i] = condition.ints[isScalar ? 0 : i] ? a[i] : b[i];
  return result;
}

static LogicalResult select(Machine &machine, arith::SelectOp op) {
  if (!op.getType().isIntOrIndexOrFloat() && !isa<RankedTensorType>(op.getType()))
    return machine.set(op.getResult(),
                       machine.cell(machine.integer(op.getCondition()) ? op.getTrueValue() : op.getFalseValue()));
  LanesRef condition = machine.lanes(op.getCondition());
  LanesRef a = machine.lanes(op.getTrueValue()), b = machine.lanes(op.getFalseValue());
  if (a->isFloat)
    return machine.setFloats(op.getResult(), a->shape, selectLanes(*condition, a->floats, b->floats));
  return machine.setInts(op.getResult(), a->shape, selectLanes(*condition, a->ints, b->ints));
}

ArrayRef<OpRow> helion::interp::arithRows() {
  static const OpRow rows[] = {
      {"arith.addf", zipFloat<addF>},
      {"arith.subf", zipFloat<subF>},
      {"arith.mulf", zipFloat<mulF>},
      {"arith.divf", zipFloat<divF>},
      {"arith.remf", zipFloat<remF>},
      {"arith.negf", mapFloat<negF>},
      {"arith.maximumf", zipFloat<maximumF>},
      {"arith.minimumf", zipFloat<minimumF>},
      {"arith.maxnumf", zipFloat<maxNumF>},
      {"arith.minnumf", zipFloat<minNumF>},
      {"arith.addi", zipInt<addI>},
      {"arith.subi", zipInt<subI>},
      {"arith.muli", zipInt<mulI>},
      {"arith.divsi", divide<divSI>},
      {"arith.divui", divide<divUI>},
      {"arith.remsi", divide<remSI>},
      {"arith.remui", divide<remUI>},
      {"arith.ceildivsi", divide<ceilDivSI>},
      {"arith.ceildivui", divide<ceilDivUI>},
      {"arith.floordivsi", divide<floorDivSI>},
      {"arith.andi", zipInt<andI>},
      {"arith.ori", zipInt<orI>},
      {"arith.xori", zipInt<xorI>},
      {"arith.shli", zipInt<shlI>},
      {"arith.shrsi", zipInt<shrSI>},
      {"arith.shrui", zipInt<shrUI>},
      {"arith.maxsi", zipInt<maxSI>},
      {"arith.maxui", zipInt<maxUI>},
      {"arith.minsi", zipInt<minSI>},
      {"arith.minui", zipInt<minUI>},
      {"arith.addui_extended", runAs<arith::AddUIExtendedOp, addExtended>},
      {"arith.mulsi_extended", mulExtended<true>},
      {"arith.mului_extended", mulExtended<false>},
      {"arith.cmpf", runAs<arith::CmpFOp, cmpF>},
      {"arith.cmpi", runAs<arith::CmpIOp, cmpI>},
      {"arith.select", runAs<arith::SelectOp, select>},
  };
  return rows;
}
