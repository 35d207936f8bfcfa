// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fill is a launch like any other: program p writes one block of bytes. The pattern is 8 bytes, whatever the type.
#include "Fill.h"

#include "ThreadPool.h"

#include <cstring>

namespace HELION_RUNTIME {

static constexpr int64_t blockBytes = 1 << 16;

static void fillBlock(char *to, int64_t bytes, uint64_t pattern) {
  if (pattern == (pattern & 0xff) * 0x0101010101010101u) {
    std::memset(to, int(pattern & 0xff), size_t(bytes));
    return;
  }
  int64_t whole = bytes / 8 * 8;
  for (int64_t i = 0; i < whole; i += 8)
    std::memcpy(to + i, &pattern, 8);
  std::memcpy(to + whole, &pattern, size_t(bytes - whole));
}

/// Arguments: address, bytes, pattern. See ProgramFunction.
static void fillPrograms(const int64_t *arguments, const int64_t *, int64_t begin, int64_t end, void *) {
  char *data = reinterpret_cast<char *>(arguments[0]);
  int64_t from = begin * blockBytes;
  int64_t to = end * blockBytes < arguments[1] ? end * blockBytes : arguments[1];
  fillBlock(data + from, to - from, uint64_t(arguments[2]));
}

uint64_t fillPattern(const void *element, int64_t elementBytes) {
  uint64_t pattern = 0;
  for (int64_t i = 0; i < 8; i += elementBytes)
    std::memcpy(reinterpret_cast<char *>(&pattern) + i, element, size_t(elementBytes));
  return pattern;
}

bool fill(void *data, int64_t bytes, uint64_t pattern) {
  if (bytes <= 0)
    return true;
  int64_t arguments[3] = {reinterpret_cast<int64_t>(data), bytes, int64_t(pattern)};
  int64_t grid[3] = {(bytes + blockBytes - 1) / blockBytes, 1, 1};
  return ThreadPool::get().run({fillPrograms, arguments, grid, 0});
}

} // namespace HELION_RUNTIME
