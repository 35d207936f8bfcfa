// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places the shared buffers of a per-thread function in one arena and puts barriers where threads could meet in memory.

#ifndef HELION_CODEGEN_COMMON_PLANSHARED_H
#define HELION_CODEGEN_COMMON_PLANSHARED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace helion::threads {
struct SharedPlan {
  int64_t bytes = 0, barriers = 0;
};
/// Replaces `memref.alloc`s in workgroup memory by views of `gpu.dynamic_shared_memory`, adds `gpu.barrier`s, and
/// writes `helion.shared_bytes` on the function.
SharedPlan planShared(mlir::func::FuncOp function);

/// Adds the barriers alone; the memory of host tensors counts too.
int64_t placeBarriers(mlir::func::FuncOp function);
} // namespace helion::threads

#endif // HELION_CODEGEN_COMMON_PLANSHARED_H
