// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the fake GPU for the package of crop.json. They check what the driver was asked for of their maps.
#include "fake-cuda.h"

#include <stddef.h>

const int fake_chip = 90;

static int isMap(const struct fake_map *map, int rank, int type, int swizzle, int box) {
  return map->magic == FAKE_MAP_MAGIC && map->rank == rank && map->type == type && map->swizzle == swizzle &&
         map->promotion == 3 && map->box[0] == box;
}

// out, map of x from row 1 and column 4 on, columns, map of 48 elements: out has what the boxes have, 0 beyond the edges.
int crop_11111111_0(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                    const struct fake_state *before) {
  if (!parameters)
    return 0;
  float *out = *(float **)parameters[0];
  const struct fake_map *x = parameters[1], *flat = parameters[3];
  uint64_t columns = *(uint64_t *)parameters[2];
  if (!isMap(x, 2, 7, 1, 8) || x->box[1] != 4 || !isMap(flat, 1, 1, 0, 16) || flat->sizes[0] != 48 ||
      flat->address % 64 != 16)
    return 719;
  for (uint64_t row = 0; row < x->sizes[1] + 1; ++row)
    for (uint64_t column = 0; column < columns; ++column) {
      int isInside = row < x->sizes[1] && column < x->sizes[0];
      const char *at = (const char *)x->address + row * x->byteStrides[0] + 4 * column;
      out[row * columns + column] = isInside ? *(const float *)at : 0;
    }
  return 0;
}

// A map of out, without a word beside it: adds 1 to the first element.
int crop_11111111_1(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                    const struct fake_state *before) {
  if (!parameters)
    return 0;
  const struct fake_map *out = parameters[0];
  if (!isMap(out, 3, 0, 0, 16) || out->sizes[0] != 16 || out->byteStrides[0] != 16 ||
      out->byteStrides[1] != 16 * out->sizes[1])
    return 719;
  ++*(float *)out->address;
  return 0;
}
