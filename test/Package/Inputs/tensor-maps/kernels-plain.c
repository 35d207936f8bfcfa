// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of plain.json on the fake GPU, which takes no tensor maps: code for -DCHIP, or what the driver would make of PTX.
#include "fake-cuda.h"

#include <stddef.h>

#ifdef CHIP
const int fake_chip = CHIP;
#endif

// x from row 1 and column 4 on, out, rows, columns, stride: as both of kernels.c do it.
int crop_22222222_0(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                    const struct fake_state *before) {
  if (!parameters)
    return 0;
  const float *x = *(float **)parameters[0];
  float *out = *(float **)parameters[1];
  int64_t rows = *(int64_t *)parameters[2], columns = *(int64_t *)parameters[3], stride = *(int64_t *)parameters[4];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      out[row * columns + column] = row + 1 < rows && column + 4 < columns ? x[row * stride + column] : 0;
  ++*out;
  return 0;
}
