// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `fill` step of a launch plan: one value in every element of a contiguous buffer, spread over the pool's threads.
#ifndef HELION_AOT_RUNNER_RUNTIME_FILL_H
#define HELION_AOT_RUNNER_RUNTIME_FILL_H

#include "Namespace.h"

#include <cstdint>

namespace HELION_RUNTIME {

/// Repeats `pattern` over `bytes` bytes: the element's bytes, low byte first, repeated to fill the word. False when the
/// pool cannot run (see ThreadPool::run).
bool fill(void *data, int64_t bytes, uint64_t pattern);

/// The pattern of an element of 1, 2, 4 or 8 bytes.
uint64_t fillPattern(const void *element, int64_t elementBytes);

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_FILL_H
