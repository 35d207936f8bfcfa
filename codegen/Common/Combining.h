// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a thread combines two sets of scalars, for every kind of reduction and for combiner regions.

#ifndef HELION_CODEGEN_COMMON_COMBINING_H
#define HELION_CODEGEN_COMMON_COMBINING_H

#include "dialect/IR/Helion.h"

namespace helion::threads {
/// What a reduction carries: a value; a value and its index (i32) of argmax and argmin; the values of a region.
using Held = llvm::SmallVector<mlir::Value, 2>;

/// The upstream name of a kind that has one (all but argmax and argmin).
mlir::arith::AtomicRMWKind combiningOf(ReductionKind kind);

/// Two neighbours become one.
class Combiner {
public:
  explicit Combiner(ReductionKind kind) : kind(kind) {}
  explicit Combiner(mlir::Region &region) : kind(ReductionKind::AddF), region(&region) {}
  /// `left` has the lower indices, where that matters.
  Held combine(mlir::OpBuilder &b, mlir::Location loc, const Held &left, const Held &right) const;
  /// A region says only that it is associative: neighbours stay neighbours.
  bool inOrder() const { return region != nullptr; }
  /// What changes nothing, not even the sign of a zero; of a region nobody knows one.
  std::optional<mlir::TypedAttr> identity(mlir::Type element) const;

private:
  ReductionKind kind;
  mlir::Region *region = nullptr;
};

/// By register what several values of one layout have there.
llvm::SmallVector<Held> heldOf(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange values);
} // namespace helion::threads

#endif // HELION_CODEGEN_COMMON_COMBINING_H
