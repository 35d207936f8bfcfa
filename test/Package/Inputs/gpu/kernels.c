// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the fake GPU (test/tools/helion-worker/Inputs/fake-cuda.c) for the package of shift.json.
#include "fake-cuda.h"

#include <stddef.h>

const int fake_chip = 90;

#define POINTER(I) (*(float **)parameters[I])
#define INTEGER(I) (*(int64_t *)parameters[I])

// x, out, n, by: out[i] = x[i] + by; the grid counts multiprocessors.
int shift_11111111_0(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                     const struct fake_state *before) {
  if (!parameters)
    return grid[0] == 132 && threads == 128 && shared == 65536 ? 0 : 1;
  for (int64_t i = 0; i < INTEGER(2); ++i)
    POINTER(1)[i] = POINTER(0)[i] + *(float *)parameters[3];
  return 0;
}

// x, sums, n: adds to what the workspace holds.
int shift_22222222_0(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                     const struct fake_state *before) {
  for (int64_t i = 0; parameters && i < INTEGER(2); ++i)
    POINTER(1)[i] += POINTER(0)[i];
  return 0;
}

// sums, out, n, by.
int shift_22222222_1(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                     const struct fake_state *before) {
  for (int64_t i = 0; parameters && i < INTEGER(2); ++i)
    POINTER(1)[i] = POINTER(0)[i] + *(float *)parameters[3];
  return 0;
}
