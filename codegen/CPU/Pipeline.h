// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed order of passes from functions of form S, as `helion-outline-launches` makes them, to the LLVM dialect.

#ifndef HELION_CODEGEN_CPU_PIPELINE_H
#define HELION_CODEGEN_CPU_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace helion {
/// What code for a CPU depends on besides the kernel.
struct CPUOptions : mlir::PassPipelineOptions<CPUOptions> {
  Option<unsigned> vectorBits{*this, "vector-bits", llvm::cl::desc("bits of a vector register"), llvm::cl::init(256)};
  Option<unsigned> vectorRegisters{*this, "vector-registers", llvm::cl::desc("number of vector registers"),
                                   llvm::cl::init(16)};
  Option<int64_t> streamBytes{*this, "stream-bytes",
                              llvm::cl::desc("size from which tensors are written past the caches"),
                              llvm::cl::init(int64_t(16) << 20)};
};

/// Tile values to vectors, buffers to scratch; what comes out is scalars, vectors and memrefs.
void buildCPUTilePipeline(mlir::OpPassManager &manager, const CPUOptions &options);

/// The whole way to the LLVM dialect, on a module of functions.
void buildCPUPipeline(mlir::OpPassManager &manager, const CPUOptions &options);

/// Makes the pipeline known to tools as `helion-lower-cpu`.
void registerCPUPipelines();
} // namespace helion

#endif // HELION_CODEGEN_CPU_PIPELINE_H
