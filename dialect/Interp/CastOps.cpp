// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants and casts. A cast to a float format is one of the two places where a float value is rounded.

#include "dialect/Interp/OpTable.h"
#include <cmath>

using namespace mlir;
using namespace helion::interp;

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

static LogicalResult denseConstant(Machine &machine, arith::ConstantOp op, DenseElementsAttr dense) {
  ArrayRef<int64_t> shape = dense.getType().getShape();
  if (isa<FloatType>(dense.getElementType())) {
    std::vector<double> lanes;
    for (APFloat value : dense.getValues<APFloat>())
      lanes.push_back(toDouble(value));
    return machine.setFloats(op.getResult(), shape, std::move(lanes));
  }
  std::vector<int64_t> lanes;
  for (const APInt &value : dense.getValues<APInt>())
    lanes.push_back(wrapInteger(int64_t(value.getZExtValue()), dense.getElementType()));
  return machine.setInts(op.getResult(), shape, std::move(lanes));
}

static LogicalResult constant(Machine &machine, arith::ConstantOp op) {
  if (auto value = dyn_cast<FloatAttr>(op.getValue()))
    return machine.setFloats(op.getResult(), {}, {toDouble(value.getValue())});
  if (auto value = dyn_cast<IntegerAttr>(op.getValue()))
    return machine.setInteger(op.getResult(), wrapInteger(int64_t(value.getValue().getZExtValue()), value.getType()));
  // A `dense` of symbolic shape cannot say how many lanes it has.
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense || !dense.getType().hasStaticShape())
    return machine.fail(op, "has a value of type `" + Twine(op.getValue().getAbstractAttribute().getName()) +
                                "`; numbers and `dense` of static shape are known");
  return denseConstant(machine, op, dense);
}

//===-- Floats and integers --------------------------------------------------------------------------------------===//

static const llvm::fltSemantics &formatOf(Value value) {
  return cast<FloatType>(getElementTypeOrSelf(value.getType())).getFloatSemantics();
}

static LogicalResult sameLanes(Machine &machine, Operation *op) {
  return machine.set(op->getResult(0), machine.lanes(op->getOperand(0)));
}

static llvm::RoundingMode modeOf(arith::TruncFOp op) {
  switch (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even)) {
  case arith::RoundingMode::to_nearest_even:
    return llvm::RoundingMode::NearestTiesToEven;
  case arith::RoundingMode::to_nearest_away:
    return llvm::RoundingMode::NearestTiesToAway;
  case arith::RoundingMode::downward:
    return llvm::RoundingMode::TowardNegative;
  case arith::RoundingMode::upward:
    return llvm::RoundingMode::TowardPositive;
  case arith::RoundingMode::toward_zero:
    return llvm::RoundingMode::TowardZero;
  }
  llvm_unreachable("covered switch");
}

static LogicalResult truncF(Machine &machine, arith::TruncFOp op) {
  LanesRef a = machine.lanes(op.getIn());
  const llvm::fltSemantics &format = formatOf(op.getOut());
  llvm::RoundingMode mode = modeOf(op);
  std::vector<double> result(a->floats.size());
  for (size_t i = 0; i != result.size(); ++i)
    result[i] = roundToFormat(a->floats[i], format, mode);
  return machine.setFloats(op.getOut(), a->shape, std::move(result));
}

/// The nearest number of the format; the double between is exact up to 2^53.
static double fromInteger(int64_t value, bool isUnsigned, const llvm::fltSemantics &format) {
  constexpr int64_t kExact = int64_t(1) << 53;
  if (value < kExact && value > (isUnsigned ? -1 : -kExact))
    return roundToFormat(double(value), format);
  APFloat number(format);
  number.convertFromAPInt(APInt(64, uint64_t(value)), !isUnsigned, llvm::RoundingMode::NearestTiesToEven);
  return toDouble(number);
}

template <bool IsUnsigned> static LogicalResult intToFloat(Machine &machine, Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0));
  unsigned width = integerWidth(getElementTypeOrSelf(op->getOperand(0).getType()));
  const llvm::fltSemantics &format = formatOf(op->getResult(0));
  std::vector<double> result(a->ints.size());
  for (size_t i = 0; i != result.size(); ++i)
    result[i] = fromInteger(IsUnsigned ? int64_t(unsignedBits(a->ints[i], width)) : a->ints[i], IsUnsigned, format);
  return machine.setFloats(op->getResult(0), a->shape, std::move(result));
}

/// Towards zero; NaN gives 0 and numbers outside the type its nearest end, where arith leaves the result open.
template <bool IsUnsigned> static LogicalResult floatToInt(Machine &machine, Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0));
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = integerWidth(element);
  std::vector<int64_t> result(a->floats.size());
  for (size_t i = 0; i != result.size(); ++i) {
    llvm::APSInt number(width, IsUnsigned);
    bool isExact;
    APFloat(a->floats[i]).convertToInteger(number, llvm::RoundingMode::TowardZero, &isExact);
    result[i] = wrapInteger(int64_t(number.getZExtValue()), element);
  }
  return machine.setInts(op->getResult(0), a->shape, std::move(result));
}

/// Sign extension, truncation and signed index casts: wrapped integers stay themselves or lose bits.
static LogicalResult rewrap(Machine &machine, Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0));
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  std::vector<int64_t> result(a->ints.size());
  for (size_t i = 0; i != result.size(); ++i)
    result[i] = wrapInteger(a->ints[i], element);
  return machine.setInts(op->getResult(0), a->shape, std::move(result));
}

static LogicalResult zeroExtend(Machine &machine, Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0));
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = integerWidth(getElementTypeOrSelf(op->getOperand(0).getType()));
  std::vector<int64_t> result(a->ints.size());
  for (size_t i = 0; i != result.size(); ++i)
    result[i] = wrapInteger(int64_t(unsignedBits(a->ints[i], width)), element);
  return machine.setInts(op->getResult(0), a->shape, std::move(result));
}

//===-- Bits -----------------------------------------------------------------------------------------------------===//

/// Bits of each lane; a float is rounded to its type first, because its bits exist only there.
static std::vector<int64_t> bitsOf(const Lanes &lanes, Type element) {
  if (!lanes.isFloat)
    return lanes.ints;
  std::vector<int64_t> bits;
  for (double lane : lanes.floats) {
    APFloat number(lane);
    bool losesInfo;
    number.convert(cast<FloatType>(element).getFloatSemantics(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
    bits.push_back(int64_t(number.bitcastToAPInt().getZExtValue()));
  }
  return bits;
}

static LogicalResult bitcast(Machine &machine, arith::BitcastOp op) {
  LanesRef a = machine.lanes(op.getIn());
  Type to = getElementTypeOrSelf(op.getOut().getType());
  std::vector<int64_t> bits = bitsOf(*a, getElementTypeOrSelf(op.getIn().getType()));
  auto format = dyn_cast<FloatType>(to);
  if (!format) {
    for (int64_t &lane : bits)
      lane = wrapInteger(lane, to);
    return machine.setInts(op.getOut(), a->shape, std::move(bits));
  }
  std::vector<double> result;
  for (int64_t lane : bits)
    result.push_back(
        toDouble(APFloat(format.getFloatSemantics(), APInt(format.getWidth(), unsignedBits(lane, format.getWidth())))));
  return machine.setFloats(op.getOut(), a->shape, std::move(result));
}

ArrayRef<OpRow> helion::interp::castRows() {
  static const OpRow rows[] = {
      {"arith.constant", runAs<arith::ConstantOp, constant>},
      {"arith.extf", sameLanes},
      {"arith.truncf", runAs<arith::TruncFOp, truncF>},
      {"arith.sitofp", intToFloat<false>},
      {"arith.uitofp", intToFloat<true>},
      {"arith.fptosi", floatToInt<false>},
      {"arith.fptoui", floatToInt<true>},
      {"arith.extsi", rewrap},
      {"arith.trunci", rewrap},
      {"arith.extui", zeroExtend},
      {"arith.index_cast", rewrap},
      {"arith.index_castui", zeroExtend},
      {"arith.bitcast", runAs<arith::BitcastOp, bitcast>},
  };
  return rows;
}
