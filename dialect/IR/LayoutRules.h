// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form L: how the layout of one value of an op follows from that of another, so that no element changes its thread.
// Verifiers hold ops to these rules, the pass that assigns layouts computes with them.

#ifndef HELION_DIALECT_IR_LAYOUTRULES_H
#define HELION_DIALECT_IR_LAYOUTRULES_H

#include "dialect/IR/Helion.h"

namespace helion {
/// The operand of a broadcast `to [dims]`: the result's without what is repeated.
Layout broadcastOperand(const Layout &result, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> operandShape);

/// The integer tile values among the indices of an access: the accessed value's without the dims of the other indices.
Layout indexOperand(const Layout &value, mlir::TypeRange indices);

/// The result of `helion.reshape` with these groups; none when a thread's part of the operand is no part of the result.
std::optional<Layout> reshapedLayout(const Layout &operand, llvm::ArrayRef<int64_t> shape, mlir::ArrayAttr groups);
} // namespace helion

#endif // HELION_DIALECT_IR_LAYOUTRULES_H
