// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the fake GPU, one for each thing the worker must see.
#include "fake-cuda.h"

#include <stddef.h>
#include <string.h>

#define POINTER(I) (*(float **)parameters[I])
#define INTEGER(I) (*(int64_t *)parameters[I])
#define CHECKED()                                                                                                      \
  if (!parameters)                                                                                                     \
  return 0

// x, y, out, n: one element for each thread.
int add(void **parameters, const unsigned *grid, unsigned threads, unsigned shared, const struct fake_state *before) {
  CHECKED();
  for (int64_t i = 0; i < (int64_t)grid[0] * threads && i < INTEGER(3); ++i)
    POINTER(2)[i] = POINTER(0)[i] + POINTER(1)[i];
  return 0;
}

// x, out, rows, columns: block c adds up column c.
int column_sum(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
               const struct fake_state *before) {
  CHECKED();
  for (int64_t column = 0; column < grid[0]; ++column) {
    float sum = 0;
    for (int64_t row = 0; row < INTEGER(2); ++row)
      sum += POINTER(0)[row * INTEGER(3) + column];
    POINTER(1)[column] = sum;
  }
  return 0;
}

// out, alpha (f32), n: out[i] += alpha * i.
int accumulate(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
               const struct fake_state *before) {
  CHECKED();
  for (int64_t i = 0; i < INTEGER(2); ++i)
    POINTER(0)[i] += *(float *)parameters[1] * (float)i;
  return 0;
}

// out, x, rows, columns, row stride, column stride.
int copy_rows(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
              const struct fake_state *before) {
  CHECKED();
  for (int64_t i = 0; i < INTEGER(2); ++i)
    for (int64_t j = 0; j < INTEGER(3); ++j)
      POINTER(0)[i * INTEGER(3) + j] = POINTER(1)[i * INTEGER(4) + j * INTEGER(5)];
  return 0;
}

// pointer, element. Writes one float.
int poke(void **parameters, const unsigned *grid, unsigned threads, unsigned shared, const struct fake_state *before) {
  CHECKED();
  POINTER(0)[INTEGER(1)] = 1.0f;
  return 0;
}

// out: the address's last byte, the grid, threads and shared memory, as floats.
int facts(void **parameters, const unsigned *grid, unsigned threads, unsigned shared, const struct fake_state *before) {
  CHECKED();
  float values[] = {(float)((uintptr_t)POINTER(0) % 128),
                    (float)grid[0],
                    (float)grid[1],
                    (float)grid[2],
                    (float)threads,
                    (float)shared};
  for (int i = 0; i < 6; ++i)
    POINTER(1)[i] = values[i];
  return 0;
}

/// Where the hardware puts a byte of a box: pieces of 16 bytes change places inside rows of the swizzle.
static uint64_t swizzled(const struct fake_map *map, uint64_t byte) {
  uint64_t pieces = (1u << map->swizzle) - 1;
  return byte ^ ((byte >> 7 & pieces) << 4);
}

// map of a matrix, out, extents of the box, its bytes: block (x, y) copies its box to out as it lies in shared memory.
int boxes(void **parameters, const unsigned *grid, unsigned threads, unsigned shared, const struct fake_state *before) {
  static const unsigned char elementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  CHECKED();
  const struct fake_map *map = parameters[0];
  uint64_t element = elementBytes[map->type], boxBytes = (uint64_t)INTEGER(4);
  char *out = (char *)POINTER(1);
  if (map->rank != 2 || map->box[0] != INTEGER(2) || map->box[1] != INTEGER(3) ||
      element * map->box[0] * map->box[1] != boxBytes)
    return 719;
  for (uint64_t i = 0; i < (uint64_t)grid[0] * grid[1] * map->box[0] * map->box[1]; ++i) {
    uint64_t column = i % map->box[0], row = i / map->box[0] % map->box[1], block = i / map->box[0] / map->box[1];
    uint64_t x = block % grid[0] * map->box[0] + column, y = block / grid[0] * map->box[1] + row;
    char *to = out + block * boxBytes + swizzled(map, (row * map->box[0] + column) * element);
    if (x < map->sizes[0] && y < map->sizes[1])
      memcpy(to, (char *)map->address + y * map->byteStrides[0] + x * element, element);
    else
      memset(to, 0, element);
  }
  return 0;
}

// word, map, out: all that the map was made with, as floats.
int map_facts(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
              const struct fake_state *before) {
  CHECKED();
  const struct fake_map *map = parameters[1];
  float *out = POINTER(2);
  *out++ = (float)INTEGER(0);
  *out++ = (float)(map->address % 128);
  *out++ = map->rank;
  *out++ = map->type;
  *out++ = map->swizzle;
  *out++ = map->promotion;
  for (int d = 0; d < map->rank; ++d) {
    *out++ = (float)map->sizes[d];
    *out++ = d ? (float)map->byteStrides[d - 1] : 0;
    *out++ = map->box[d];
  }
  return 0;
}

int illegal_address(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                    const struct fake_state *before) {
  CHECKED();
  return 700;
}

int too_many_registers(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                       const struct fake_state *before) {
  return threads > 256 ? 701 : 0;
}

int hang(void **parameters, const unsigned *grid, unsigned threads, unsigned shared, const struct fake_state *before) {
  CHECKED();
  for (volatile int64_t i = 0;; ++i)
    ;
}

// Fails unless the caches were emptied since its last launch.
int cold_only(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
              const struct fake_state *before) {
  static uint64_t evictions;
  CHECKED();
  int isWarm = before->launches > 0 && before->evictions == evictions;
  evictions = before->evictions;
  return isWarm ? 719 : 0;
}

// Fails in a graph.
int never_in_graph(void **parameters, const unsigned *grid, unsigned threads, unsigned shared,
                   const struct fake_state *before) {
  CHECKED();
  return before->graphLaunches ? 719 : 0;
}
