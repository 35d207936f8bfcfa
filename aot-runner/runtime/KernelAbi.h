// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The border between compiled kernels and whoever runs them.
#ifndef HELION_AOT_RUNNER_RUNTIME_KERNELABI_H
#define HELION_AOT_RUNNER_RUNTIME_KERNELABI_H

#include "DType.h"
#include "Namespace.h"

#include <cstdint>

namespace HELION_RUNTIME {

/// Runs programs begin <= p < end of the linear program id; p = x + grid[0] * (y + grid[1] * z). `scratch` is private
/// to the call.
using ProgramFunction = void (*)(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end,
                                 void *scratch);

// Of a GPU: tensor maps (docs/design/0018). Dims go from the contiguous one outwards.
constexpr int maxMapRank = 5;

/// What a map copies at once; the code was compiled for it.
struct MapBox {
  DType dtype;
  int rank;
  uint32_t extents[maxMapRank]; // In elements.
  int swizzle;                  // Bytes; 0, 32, 64 or 128.
};

/// What it copies from.
struct MapTensor {
  const char *data;
  int64_t sizes[maxMapRank];
  int64_t byteStrides[maxMapRank - 1]; // Of all dims but the first.
};

/// The kernel's parameter.
struct alignas(64) MapBytes {
  unsigned char bytes[128];
};

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_KERNELABI_H
