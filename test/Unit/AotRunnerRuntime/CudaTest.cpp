// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What needs no driver: fills of any pattern at any address, by functions that write to this process's memory; which
// code a device runs; which errors lose a context.
#include "aot-runner/runtime/Cuda.h"
#include "aot-runner/runtime/Fill.h"

#include "gtest/gtest.h"
#include <cstring>
#include <vector>

using namespace HELION_RUNTIME;

namespace {

template <typename Unit> CUresult fillUnits(CUdeviceptr to, size_t pitch, Unit value, size_t width, size_t height) {
  // The driver refuses both.
  if (to % sizeof(Unit) != 0 || pitch % sizeof(Unit) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t row = 0; row < height; ++row)
    for (size_t column = 0; column < width; ++column)
      std::memcpy(reinterpret_cast<char *>(to) + row * pitch + column * sizeof(Unit), &value, sizeof value);
  return CUDA_SUCCESS;
}

CudaDriver hostDriver() {
  CudaDriver driver = {};
  driver.cuMemsetD8Async = [](CUdeviceptr to, unsigned char value, size_t count, CUstream) {
    return fillUnits(to, 1, value, count, 1);
  };
  driver.cuMemsetD16Async = [](CUdeviceptr to, unsigned short value, size_t count, CUstream) {
    return fillUnits(to, 2, value, count, 1);
  };
  driver.cuMemsetD32Async = [](CUdeviceptr to, unsigned value, size_t count, CUstream) {
    return fillUnits(to, 4, value, count, 1);
  };
  driver.cuMemsetD2D8Async = [](CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                                CUstream) { return fillUnits(to, pitch, value, width, height); };
  driver.cuMemsetD2D16Async = [](CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                                 CUstream) { return fillUnits(to, pitch, value, width, height); };
  driver.cuMemsetD2D32Async = [](CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream) {
    return fillUnits(to, pitch, value, width, height);
  };
  return driver;
}

TEST(CudaTest, fillsAreThoseOfTheCpu) {
  CudaDriver driver = hostDriver();
  const unsigned char elements[][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 1, 2, 3, 4}, {1, 1, 1, 1, 1, 1, 1, 1}};
  for (auto &element : elements)
    for (int64_t size : {1, 2, 4, 8})
      for (int64_t offset = 0; offset < 8; ++offset)
        for (int64_t count : {0, 1, 2, 5}) {
          alignas(8) unsigned char expected[64], got[64];
          std::memset(expected, 0xcc, sizeof expected);
          std::memset(got, 0xcc, sizeof got);
          for (int64_t i = 0; i < count; ++i)
            std::memcpy(expected + offset + i * size, element, size_t(size));
          CUdeviceptr data = reinterpret_cast<CUdeviceptr>(got + offset);
          ASSERT_EQ(cudaFill(driver, data, count * size, fillPattern(element, size), nullptr), CUDA_SUCCESS);
          EXPECT_EQ(std::memcmp(expected, got, sizeof got), 0)
              << "size " << size << ", offset " << offset << ", count " << count;
        }
}

TEST(CudaTest, targetsOfADevice) {
  CudaFacts hopper, ampere, ada;
  hopper.major = 9;
  ampere.major = ada.major = 8;
  ada.minor = 9;
  EXPECT_EQ(cudaFit(hopper, "sm_90a"), CudaFit::All);
  EXPECT_EQ(cudaFit(hopper, "sm_80"), CudaFit::Text);
  EXPECT_EQ(cudaFit(hopper, "sm_100a"), CudaFit::None);
  EXPECT_EQ(cudaFit(ampere, "sm_90a"), CudaFit::None);
  EXPECT_EQ(cudaFit(ada, "sm_90"), CudaFit::None);
  EXPECT_EQ(cudaFit(ada, "sm_80"), CudaFit::All);
  EXPECT_EQ(cudaFit(ada, "sm_89b"), CudaFit::None);
  EXPECT_EQ(cudaFit(ada, "sm_"), CudaFit::None);
  EXPECT_EQ(cudaFit(ada, "x86-64-v3"), CudaFit::None);
}

TEST(CudaTest, stickyErrors) {
  EXPECT_TRUE(isSticky(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_TRUE(isSticky(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_TRUE(isSticky(CUDA_ERROR_MISALIGNED_ADDRESS));
  EXPECT_FALSE(isSticky(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(isSticky(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
  EXPECT_FALSE(isSticky(static_cast<CUresult>(712))); // Host memory that is registered already.
}

TEST(CudaTest, launchesPassWords) {
  static std::vector<int64_t> seen;
  CudaDriver driver = hostDriver();
  driver.cuLaunchKernel = [](CUfunction, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned, unsigned,
                             unsigned shared, CUstream, void **parameters, void **) {
    seen = {x, y, z, threads, shared, *static_cast<int64_t *>(parameters[0]), *static_cast<int64_t *>(parameters[1])};
    return CUDA_SUCCESS;
  };
  const int64_t arguments[] = {7, -9}, grid[] = {2, 3, 4}, empty[] = {2, 0, 4};
  CudaLaunch launch;
  launch.arguments = arguments;
  launch.argumentCount = 2;
  launch.grid = empty;
  launch.threads = 128;
  launch.sharedBytes = 16;
  EXPECT_EQ(cudaLaunch(driver, launch, nullptr), CUDA_SUCCESS);
  EXPECT_TRUE(seen.empty());
  launch.grid = grid;
  EXPECT_EQ(cudaLaunch(driver, launch, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(seen, (std::vector<int64_t>{2, 3, 4, 128, 16, 7, -9}));
  launch.argumentCount = maxCudaArguments + 1;
  EXPECT_EQ(cudaLaunch(driver, launch, nullptr), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
