// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of further.json on the fake GPU: the binary for compute capability 8.0, or with -DTEXT what the driver would
// make of the PTX beside it. What is added tells them apart.
#include "fake-cuda.h"

#include <stddef.h>

#ifdef TEXT
#define EXTRA 100
#else
#define EXTRA 10
const int fake_chip = 80;
#endif

// x, out, n, by.
int shift_33333333_0(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                     const struct fake_state *before) {
  for (int64_t i = 0; parameters && i < *(int64_t *)parameters[2]; ++i)
    (*(float **)parameters[1])[i] = (*(float **)parameters[0])[i] + *(float *)parameters[3] + EXTRA;
  return 0;
}
