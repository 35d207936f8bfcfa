// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed order of passes from one thread's code to kernels in LLVM's and NVVM's dialects.

#ifndef HELION_CODEGEN_NVIDIA_PIPELINE_H
#define HELION_CODEGEN_NVIDIA_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace helion {
/// What code for an NVIDIA device depends on besides the kernel: facts of its row.
struct NVIDIAOptions : mlir::PassPipelineOptions<NVIDIAOptions> {
  Option<int64_t> lanes{*this, "lanes", llvm::cl::desc("threads of a warp"), llvm::cl::init(32)};
  Option<int64_t> maxThreads{*this, "max-threads", llvm::cl::desc("threads that a block may have"),
                             llvm::cl::init(1024)};
  Option<int64_t> maxShared{*this, "max-shared", llvm::cl::desc("bytes of shared memory that a block may have"),
                            llvm::cl::init(99 << 10)};
};

/// On a module of functions that are one thread's code.
void buildNVIDIAPipeline(mlir::OpPassManager &manager, const NVIDIAOptions &options);

/// Makes the pipeline known to tools as `helion-lower-nvidia`.
void registerNVIDIAPipelines();
} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_PIPELINE_H
