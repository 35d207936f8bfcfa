// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C program needs no C++ library.
#include "vector_add.h"
#include <stdio.h>

int main(void) {
  float x[3] = {1, 2, 3}, y[3] = {10, 20, 30}, out[3];
  int64_t size = 3;
  DLTensor a = {x, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &size, NULL, 0}, b = a, c = a;
  b.data = y;
  c.data = out;
  int status = vector_add(&a, &b, &c, NULL, NULL);
  printf("%s: %g %g %g\n", vector_add_strerror(status), (double)out[0], (double)out[1], (double)out[2]);
  return status;
}
