// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written kernels with the CPU kernel ABI, one for each thing the worker must see.
#include <stdint.h>
#include <string.h>

// arguments: x, y, out, n. Program p adds 16 elements.
void add(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch) {
  const float *x = (const float *)arguments[0], *y = (const float *)arguments[1];
  float *out = (float *)arguments[2];
  for (int64_t p = begin; p < end; ++p)
    for (int64_t i = p * 16; i < p * 16 + 16 && i < arguments[3]; ++i)
      out[i] = x[i] + y[i];
}

// arguments: out, alpha (f32), n. Program p does out[p] += alpha * p, by way of its scratch.
void accumulate(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch) {
  float *out = (float *)arguments[0], alpha;
  memcpy(&alpha, &arguments[1], sizeof alpha);
  for (int64_t p = begin; p < end && p < arguments[2]; ++p) {
    ((float *)scratch)[3] = alpha * (float)p;
    out[p] += ((float *)scratch)[3];
  }
}

// arguments: out, x, rows, columns, row stride, column stride. Program p copies row p of a strided tensor.
void copy_rows(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch) {
  float *out = (float *)arguments[0];
  const float *x = (const float *)arguments[1];
  for (int64_t p = begin; p < end; ++p)
    for (int64_t j = 0; j < arguments[3]; ++j)
      out[p * arguments[3] + j] = x[p * arguments[4] + j * arguments[5]];
}

// arguments: pointer, element. Writes one float.
void poke(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch) {
  ((float *)arguments[0])[arguments[1]] = 1.0f;
}

void crash(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch) {
  __builtin_trap();
}

void hang(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch) {
  for (volatile int64_t i = 0;; ++i)
    ;
}

void nothing(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch) {}
