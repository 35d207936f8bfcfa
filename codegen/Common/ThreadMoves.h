// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops whose result registers are operand registers of the same thread under other names.

#ifndef HELION_CODEGEN_COMMON_THREADMOVES_H
#define HELION_CODEGEN_COMMON_THREADMOVES_H

#include "codegen/Common/ThreadMap.h"
#include "dialect/IR/Helion.h"

namespace helion::threads {
/// For a broadcast, permute, reshape or subtile: the operand's register for each of the result. None when another
/// thread holds an element.
std::optional<llvm::SmallVector<int64_t>> movedRegisters(mlir::Operation *op, int64_t lanes, int64_t warps);
} // namespace helion::threads

#endif // HELION_CODEGEN_COMMON_THREADMOVES_H
