// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills of every element type, with sizes around the 8-byte pattern and around the block a thread takes, and nothing
// written behind the end.
#include "aot-runner/runtime/Fill.h"
#include "aot-runner/runtime/DType.h"
#include "aot-runner/runtime/ThreadPool.h"

#include <gtest/gtest.h>
#include <vector>

using namespace HELION_RUNTIME;

TEST(Fill, EveryTypeAndSize) {
  ThreadPool::get().setThreads(3);
  for (const char *name : {"f64", "f32", "f16", "bf16", "f8e4m3", "i64", "i32", "i16", "i8", "bool"}) {
    DType type;
    ASSERT_TRUE(parseDType(name, type));
    int64_t size = info(type).bytes;
    for (int64_t elements : {0, 1, 2, 3, 5, 7, 9, 65535, 65536, 65537, 200001}) {
      for (double value : {0.0, 1.0}) {
        std::vector<char> data(size_t(elements * size + 16), 0x5a), element(size_t(size), 0);
        encode(type, value, element.data());
        ASSERT_TRUE(fill(data.data(), elements * size, fillPattern(element.data(), size)));
        for (int64_t i = 0; i < elements; ++i)
          ASSERT_EQ(decode(type, &data[size_t(i * size)]), value) << name << " " << i << " of " << elements;
        for (int64_t i = elements * size; i < int64_t(data.size()); ++i)
          ASSERT_EQ(data[size_t(i)], 0x5a);
      }
    }
  }
  ThreadPool::get().stop();
}
