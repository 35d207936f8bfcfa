// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this vendor does for helion-lower-threads: matrix instructions and the moves that feed them.

#ifndef HELION_CODEGEN_NVIDIA_THREADVENDOR_H
#define HELION_CODEGEN_NVIDIA_THREADVENDOR_H

#include "codegen/Common/LowerThreads.h"

namespace helion {
/// `tensorMaps`: the device copies boxes by itself; `groupMatrices`: four warps multiply what is in shared memory.
threads::Vendor nvidiaThreads(bool tensorMaps, bool groupMatrices);
} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_THREADVENDOR_H
