// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between fake-cuda.c and its kernels.
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdint.h>

/// What happened before on the device.
struct fake_state {
  uint64_t launches, evictions, graphLaunches, loads, texts;
  uint64_t lastStream;
  /// Called while a module is loaded.
  void (*loading)(void);
};

/// Runs all blocks. `parameters` is NULL when the launch is checked, before it is put on a stream. The result is the
/// error that the kernel causes, 0 for none.
typedef int fake_kernel(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                        const struct fake_state *before);

#endif
