// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between fake-cuda.c and its kernels.
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdint.h>

/// What the fake puts into the 128 bytes of a tensor map: what it was asked for. Numbers are the driver's.
struct fake_map {
  uint64_t magic, address;
  uint64_t sizes[5], byteStrides[4];
  uint16_t box[5];
  uint8_t rank, type, swizzle, promotion;
  uint8_t unused[26];
};
#define FAKE_MAP_MAGIC 0x6d61702066616b65u

/// What happened before on the device.
struct fake_state {
  uint64_t launches, evictions, graphLaunches, loads, texts;
  uint64_t lastStream;
  /// Called while a module is loaded.
  void (*loading)(void);
  uint64_t maps; // That were made.
  struct fake_map lastMap;
};

/// Runs all blocks. `parameters` is NULL when the launch is checked, before it is put on a stream. The result is the
/// error that the kernel causes, 0 for none.
typedef int fake_kernel(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                        const struct fake_state *before);

#endif
