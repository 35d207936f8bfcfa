// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The border between compiled kernels and whoever runs them.
#ifndef HELION_AOT_RUNNER_RUNTIME_KERNELABI_H
#define HELION_AOT_RUNNER_RUNTIME_KERNELABI_H

#include "Namespace.h"

#include <cstdint>

namespace HELION_RUNTIME {

/// Runs programs begin <= p < end of the linear program id; p = x + grid[0] * (y + grid[1] * z). `scratch` is private
/// to the call.
using ProgramFunction = void (*)(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end,
                                 void *scratch);

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_KERNELABI_H
