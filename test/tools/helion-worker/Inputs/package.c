// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a package's module looks like to the worker: calls with words, and kernels that change a tensor in place.
#include "runtime/dlpack.h"
#include <stdio.h>
#include <string.h>

static int threads = -1;

int set_threads(int count) { return threads = count; }

// x (in place), factor, a tensor or none, out, workspace: x *= factor; out = [rank, size, stride, bits, threads, none?].
int scale_call(const int64_t *words) {
  DLTensor *x = (DLTensor *)words[0], *out = (DLTensor *)words[3];
  double factor;
  memcpy(&factor, &words[1], sizeof factor);
  if (factor < 0)
    return 77;
  float *values = x->data, *told = out->data;
  for (int64_t i = 0; i < x->shape[0]; ++i)
    values[i * x->strides[0]] *= (float)factor;
  float facts[] = {(float)x->ndim,       (float)x->shape[0], (float)x->strides[0],
                   (float)x->dtype.bits, (float)threads,     (float)(words[2] == 0)};
  memcpy(told, facts, sizeof facts);
  if (words[4])
    *(char *)words[4] = 1;
  return 0;
}

int scale_query(const int64_t *words, int64_t *values, char *text, size_t size) {
  values[0] = ((DLTensor *)words[0])->shape[0];
  values[6] = 64;
  snprintf(text, size, "id\nbecause");
  return 3;
}

// arguments: x, n, stride. Doubles in place.
void twice(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch) {
  for (int64_t i = 0; i < arguments[1]; ++i)
    ((float *)arguments[0])[i * arguments[2]] *= 2;
}

// arguments: x, n. Writes n elements in a row.
void smear(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch) {
  for (int64_t i = 0; i < arguments[1]; ++i)
    ((float *)arguments[0])[i] = 1;
}
