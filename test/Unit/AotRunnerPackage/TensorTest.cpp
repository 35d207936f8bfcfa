// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a package makes of a caller's DLTensor, and the printed arithmetic against its definition.
#include "aot-runner/runtime/Tensor.h"
#include "aot-runner/runtime/Dispatch.h"
#include "gtest/gtest.h"
#include <cmath>
#include <vector>

using namespace HELION_RUNTIME;

namespace {
/// A tensor of f32 over its own memory.
struct Sample {
  explicit Sample(std::vector<int64_t> sizes, std::vector<int64_t> strides = {}, uint64_t byteOffset = 0)
      : sizes(std::move(sizes)), strides(std::move(strides)) {
    tensor.data = memory;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = int32_t(this->sizes.size());
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = this->sizes.data();
    tensor.strides = this->strides.empty() ? nullptr : this->strides.data();
    tensor.byte_offset = byteOffset;
  }

  Tensor read(Status expected = StatusOk) const {
    Tensor result = {};
    EXPECT_EQ(readTensor(tensor, info(DType::F32).bytes, result), expected);
    return result;
  }

  std::vector<int64_t> sizes, strides;
  DLTensor tensor = {};
  alignas(128) static char memory[1024];
};
alignas(128) char Sample::memory[1024];
} // namespace

static int64_t offsetOf(uintptr_t address) { return int64_t(address) - int64_t(Sample::memory); }

TEST(Tensor, StridesAndSpans) {
  Tensor dense = Sample({2, 3}).read();
  EXPECT_EQ(dense.stride(0), 3);
  EXPECT_EQ(dense.stride(1), 1);
  EXPECT_EQ(offsetOf(dense.last), 24);
  Tensor backwards = Sample({2, 3}, {-4, 1}, 16).read();
  EXPECT_EQ(offsetOf(backwards.first), 0);
  EXPECT_EQ(offsetOf(backwards.last), 28);
  Tensor repeated = Sample({5}, {0}).read();
  EXPECT_EQ(offsetOf(repeated.last), 4);
  Tensor scalar = Sample(std::vector<int64_t>{}).read();
  EXPECT_EQ(offsetOf(scalar.last), 4);
  Tensor empty = Sample({7, 0}).read();
  EXPECT_EQ(empty.first, empty.last);
}

TEST(Tensor, Alignment) {
  EXPECT_EQ(Sample({1}).read().align(), 64);
  EXPECT_EQ(Sample({1}, {}, 64).read().align(), 64);
  EXPECT_EQ(Sample({1}, {}, 32).read().align(), 32);
  EXPECT_EQ(Sample({1}, {}, 4).read().align(), 4);
}

TEST(Tensor, Refused) {
  Sample({1}, {}, 2).read(StatusBadTensor);
  Sample({-1}).read(StatusBadTensor);
  Sample null({1});
  null.tensor.data = nullptr;
  null.read(StatusBadTensor);
  Sample nothing({3, 0}, {}, 8);
  nothing.tensor.data = nullptr;
  EXPECT_EQ(nothing.read().align(), 64);
  Sample({0, -1}).read(StatusBadTensor);
}

TEST(Tensor, Memory) {
  int32_t device = -1;
  EXPECT_TRUE(isHere({kDLCPU, 0}, device));
  EXPECT_EQ(device, 0);
  EXPECT_TRUE(isHere({kDLCUDAHost, 3}, device));
  EXPECT_EQ(device, 0);
  EXPECT_FALSE(isHere({kDLCUDA, 0}, device));
}

TEST(Tensor, Types) {
  Sample sample({2, 3});
  EXPECT_TRUE(hasType(sample.tensor, typeWord(DType::F32), 2));
  EXPECT_FALSE(hasType(sample.tensor, typeWord(DType::F32), 3));
  EXPECT_FALSE(hasType(sample.tensor, typeWord(DType::I32), 2));
  sample.tensor.dtype.lanes = 4;
  EXPECT_FALSE(hasType(sample.tensor, typeWord(DType::F32), 2));
}

TEST(Tensor, Outputs) {
  const int64_t sizes[] = {2, 3}, none[] = {0, 3};
  Tensor unused;
  Sample right({2, 3}), padded({2, 3}, {4, 1}), other({3, 2}), empty({0, 3}, {9, 9});
  EXPECT_EQ(readOutput(&right.tensor, DType::F32, 2, sizes, unused), StatusOk);
  EXPECT_EQ(readOutput(&padded.tensor, DType::F32, 2, sizes, unused), StatusBadOutput);
  EXPECT_EQ(readOutput(&other.tensor, DType::F32, 2, sizes, unused), StatusBadOutput);
  EXPECT_EQ(readOutput(&right.tensor, DType::F16, 2, sizes, unused), StatusBadOutput);
  EXPECT_EQ(readOutput(&empty.tensor, DType::F32, 2, none, unused), StatusOk);
  EXPECT_EQ(readOutput(nullptr, DType::F32, 2, sizes, unused), StatusNullArgument);
  // The stride of a dimension of size 1 says nothing.
  const int64_t one[] = {1, 3};
  Sample odd({1, 3}, {77, 1});
  EXPECT_EQ(readOutput(&odd.tensor, DType::F32, 2, one, unused), StatusOk);
}

TEST(Tensor, Overlaps) {
  Tensor a = Sample({4}).read(), same = Sample({4}).read(), half = Sample({4}, {}, 8).read(),
         behind = Sample({4}, {}, 16).read(), transposed = Sample({2, 2}, {1, 2}).read(),
         square = Sample({2, 2}).read(), empty = Sample({0}, {}, 4).read();
  EXPECT_EQ(overlap(a, same), Overlap::Same);
  EXPECT_EQ(overlap(a, half), Overlap::Partial);
  EXPECT_EQ(overlap(half, a), Overlap::Partial);
  EXPECT_EQ(overlap(a, behind), Overlap::None);
  EXPECT_EQ(overlap(transposed, square), Overlap::Partial);
  EXPECT_EQ(overlap(a, empty), Overlap::None);
}

TEST(Tensor, Arithmetic) {
  for (int64_t a = -20; a <= 20; ++a) {
    for (int64_t b = 1; b <= 7; ++b) {
      EXPECT_EQ(helion_floordiv(a, b), int64_t(std::floor(double(a) / double(b))));
      EXPECT_EQ(helion_ceildiv(a, b), int64_t(std::ceil(double(a) / double(b))));
      EXPECT_EQ(helion_mod(a, b), a - b * helion_floordiv(a, b));
      EXPECT_EQ(helion_min(a, b), std::min(a, b));
      EXPECT_EQ(helion_max(a, b), std::max(a, b));
    }
  }
}
