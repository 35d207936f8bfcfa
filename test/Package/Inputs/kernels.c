// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written kernels with the CPU kernel ABI, in place of compiled ones. Each function is one object: compile with
// -DVECTOR_ADD_UNIT, -DVECTOR_ADD_ANY, -DCOLUMN_SUMS, -DCOLUMN_SUMS_BIAS, or -DSCALE=id -DSTRIDE=s -DBLOCK=b.
#include <stdint.h>
#include <string.h>

#define KERNEL(name) void name(const int64_t *arguments, const int64_t *grid, int64_t begin, int64_t end, void *scratch)

#ifdef VECTOR_ADD_UNIT
// x, y, out, n; all contiguous, `out` aligned to 8 bytes, else it writes nothing. Program p adds 1024 elements.
KERNEL(vector_add_11111111_0) {
  const float *x = (const float *)arguments[0], *y = (const float *)arguments[1];
  float *out = (float *)arguments[2];
  if (arguments[2] % 8)
    return;
  for (int64_t i = begin * 1024; i < end * 1024 && i < arguments[3]; ++i)
    out[i] = x[i] + y[i];
}
#endif

#ifdef VECTOR_ADD_ANY
// x, y, out, n, stride of x, stride of y. Program p adds 64 elements.
KERNEL(vector_add_22222222_0) {
  const float *x = (const float *)arguments[0], *y = (const float *)arguments[1];
  float *out = (float *)arguments[2];
  for (int64_t i = begin * 64; i < end * 64 && i < arguments[3]; ++i)
    out[i] = x[i * arguments[4]] + y[i * arguments[5]];
}
#endif

#ifdef SCALE
// x, n, factor and, where STRIDE is ANY, the stride. Program p multiplies BLOCK elements in place.
#define NAME(id) NAME2(id)
#define NAME2(id) scale_##id##_0
#define ANY arguments[3]
KERNEL(NAME(SCALE)) {
  float *x = (float *)arguments[0], factor;
  memcpy(&factor, &arguments[2], sizeof factor);
  for (int64_t i = begin * BLOCK; i < end * BLOCK && i < arguments[1]; ++i)
    x[i * STRIDE] *= factor;
}
#endif

#if defined(COLUMN_SUMS) || defined(COLUMN_SUMS_BIAS)
#ifdef COLUMN_SUMS
#define NAME(step) column_sums_33333333_##step
#else
#define NAME(step) column_sums_44444444_##step
#endif
// x, partial, rows, columns, row stride, column stride. Program p sums column p by way of scratch.
KERNEL(NAME(0)) {
  const float *x = (const float *)arguments[0];
  float *partial = (float *)arguments[1];
  double *sum = (double *)scratch;
  for (int64_t p = begin; p < end; ++p) {
    *sum = 0;
    for (int64_t i = 0; i < arguments[2]; ++i)
      *sum += x[i * arguments[4] + p * arguments[5]];
    partial[p] += (float)*sum;
  }
}

// partial, out, alpha, columns, bias, stride of bias. One program.
KERNEL(NAME(1)) {
  const float *partial = (const float *)arguments[0];
  float *out = (float *)arguments[1], alpha;
  memcpy(&alpha, &arguments[2], sizeof alpha);
  for (int64_t j = 0; j < arguments[3]; ++j) {
    out[j] = alpha * partial[j];
#ifdef COLUMN_SUMS_BIAS
    out[j] += ((const float *)arguments[4])[j * arguments[5]];
#endif
  }
}
#endif
