// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what is allocated while packages are asked and called. This program's malloc is everybody's.
#include "column_sums.h"
#include "scale.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

static std::atomic<long> allocations{0};

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
int posix_memalign(void **result, size_t align, size_t size) {
  ++allocations;
  *result = __libc_memalign(align, size);
  return *result ? 0 : 12;
}
void *aligned_alloc(size_t align, size_t size) {
  ++allocations;
  return __libc_memalign(align, size);
}
}

template <typename Do> static void count(const char *what, const Do &work) {
  long before = allocations;
  bool right = true;
  for (int round = 0; round < 100; ++round)
    right &= work();
  long after = allocations;
  std::printf("%s: %ld allocations%s\n", what, after - before, right ? "" : ", and a wrong status");
}

int main() {
  // The counter counts, or all below means nothing.
  count("control", [] {
    void *volatile memory = std::malloc(16);
    std::free(memory);
    return true;
  });
  std::vector<float> values(100000, 1), sums(1000);
  int64_t size = 100000, sizes[] = {100, 1000}, columns = 1000;
  DLTensor x = {values.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &size, nullptr, 0};
  DLTensor table = {values.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, sizes, nullptr, 0};
  DLTensor result = {sums.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &columns, nullptr, 0};
  alignas(64) static char workspace[8192];
  auto call = [&] { return scale(&x, 1, nullptr, nullptr) == SCALE_OK; };
  auto sum = [&] { return column_sums(&table, 0.5, nullptr, 7, &result, nullptr, workspace) == COLUMN_SUMS_OK; };
  for (int threads : {1, 3}) {
    scale_set_threads(threads);
    column_sums_set_threads(threads);
    // Threads start now, or with the first call that pays for them; scratch for all comes with the first call.
    scale_prepare(0);
    column_sums_prepare(0);
    call();
    sum();
    std::printf("%d threads\n", threads);
    count("call", call);
    count("call with workspace and scratch", sum);
  }
  count("choose", [&] {
    scale_choice choice;
    return scale_choose(&x, 1, &choice) == SCALE_OK;
  });
  count("explain", [&] {
    char text[2000];
    return scale_explain(&x, 1, text, sizeof text) > 0;
  });
  count("workspace", [&] {
    int64_t bytes;
    return column_sums_workspace(&table, 0.5, nullptr, 7, &bytes) == COLUMN_SUMS_OK && bytes <= 8192;
  });
  count("shape", [&] {
    column_sums_shape shape;
    return column_sums_output_shape(&table, 0.5, nullptr, 7, 0, &shape) == COLUMN_SUMS_OK;
  });
  scale_unload();
  column_sums_unload();
  return 0;
}
