// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two results of one kernel: equal bits for integers, and for floats a stated tolerance, because another block
// size sums in another order.

#ifndef HELION_DIALECT_INTERP_COMPARE_H
#define HELION_DIALECT_INTERP_COMPARE_H

#include "dialect/Interp/HostTensor.h"

namespace helion::interp {

/// Elements a and b agree when |a - b| <= relative * max(|a|, |b|) + absolute * (largest finite |a| of the tensor). NaN
/// agrees with NaN, an infinity with itself.
struct Tolerance {
  double relative = 0, absolute = 0;
};

/// Two units in the last place of the type, and 2^-40 of the tensor's largest value where terms cancel: what a double
/// sum in another order can move once it is rounded to the type.
Tolerance reassociationTolerance(ElementType type);

struct Mismatch {
  Shape index;
  std::string first, second; // the two values as text
  int64_t count = 0;         // of all elements that differ
};

/// The first element that differs, row-major; none when all agree. Types and sizes must be equal. With `written` (one
/// flag per element of the storage of `a`), only flagged elements are compared.
std::optional<Mismatch> firstMismatch(const HostTensor &a, const HostTensor &b, Tolerance tolerance,
                                      llvm::ArrayRef<uint8_t> written = {});

/// An element as text, with the digits that tell its neighbours apart; NaN without a sign.
std::string elementText(const HostTensor &tensor, int64_t element);

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_COMPARE_H
