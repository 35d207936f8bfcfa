// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers made from a scalar function: one loop over contiguous lanes each, the function inlined into it. Scalars are
// values without dims, so they need nothing of their own.

#ifndef HELION_DIALECT_INTERP_ELEMENTWISE_H
#define HELION_DIALECT_INTERP_ELEMENTWISE_H

#include "dialect/Interp/Machine.h"

namespace helion::interp {

template <double (*Fn)(double)> mlir::LogicalResult mapFloat(Machine &machine, mlir::Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0));
  std::vector<double> result(a->floats.size());
  for (size_t i = 0, e = result.size(); i != e; ++i)
    result[i] = Fn(a->floats[i]);
  return machine.setFloats(op->getResult(0), a->shape, std::move(result));
}

template <double (*Fn)(double, double)> mlir::LogicalResult zipFloat(Machine &machine, mlir::Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0)), b = machine.lanes(op->getOperand(1));
  std::vector<double> result(a->floats.size());
  for (size_t i = 0, e = result.size(); i != e; ++i)
    result[i] = Fn(a->floats[i], b->floats[i]);
  return machine.setFloats(op->getResult(0), a->shape, std::move(result));
}

template <double (*Fn)(double, double, double)> mlir::LogicalResult zip3Float(Machine &machine, mlir::Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0)), b = machine.lanes(op->getOperand(1)),
           c = machine.lanes(op->getOperand(2));
  std::vector<double> result(a->floats.size());
  for (size_t i = 0, e = result.size(); i != e; ++i)
    result[i] = Fn(a->floats[i], b->floats[i], c->floats[i]);
  return machine.setFloats(op->getResult(0), a->shape, std::move(result));
}

/// i1 lanes from a property of floats; true is -1, all bits of i1.
template <bool (*Fn)(double)> mlir::LogicalResult testFloat(Machine &machine, mlir::Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0));
  std::vector<int64_t> result(a->floats.size());
  for (size_t i = 0, e = result.size(); i != e; ++i)
    result[i] = Fn(a->floats[i]) ? -1 : 0;
  return machine.setInts(op->getResult(0), a->shape, std::move(result));
}

template <int64_t (*Fn)(int64_t, unsigned)> mlir::LogicalResult mapInt(Machine &machine, mlir::Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0));
  mlir::Type element = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = integerWidth(element);
  std::vector<int64_t> result(a->ints.size());
  for (size_t i = 0, e = result.size(); i != e; ++i)
    result[i] = wrapInteger(Fn(a->ints[i], width), element);
  return machine.setInts(op->getResult(0), a->shape, std::move(result));
}

template <int64_t (*Fn)(int64_t, int64_t, unsigned)> mlir::LogicalResult zipInt(Machine &machine, mlir::Operation *op) {
  LanesRef a = machine.lanes(op->getOperand(0)), b = machine.lanes(op->getOperand(1));
  mlir::Type element = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = integerWidth(element);
  std::vector<int64_t> result(a->ints.size());
  for (size_t i = 0, e = result.size(); i != e; ++i)
    result[i] = wrapInteger(Fn(a->ints[i], b->ints[i], width), element);
  return machine.setInts(op->getResult(0), a->shape, std::move(result));
}

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_ELEMENTWISE_H
