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

TEST(CudaTest, parametersOfAnyKind) {
  static void **seen;
  CudaDriver driver = hostDriver();
  driver.cuLaunchKernel = [](CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                             void **parameters, void **) {
    seen = parameters;
    return CUDA_SUCCESS;
  };
  const int64_t grid[] = {2, 3, 4};
  CudaLaunch launch;
  launch.grid = grid;
  void *parameters[] = {&launch, nullptr};
  EXPECT_EQ(cudaLaunchAt(driver, launch, parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(seen, parameters);
}

/// What the driver was asked for.
struct AskedMap {
  void *map, *data;
  int type, swizzle;
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box, elementStrides;
  int interleave, promotion, fill;
};

TEST(CudaTest, maps) {
  static AskedMap asked;
  CudaDriver driver = hostDriver();
  driver.cuTensorMapEncodeTiled =
      [](CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *data, const uint64_t *sizes,
         const uint64_t *strides, const uint32_t *box, const uint32_t *steps, CUtensorMapInterleave interleave,
         CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
        asked = {map,
                 data,
                 type,
                 swizzle,
                 {sizes, sizes + rank},
                 {strides, strides + rank - 1},
                 {box, box + rank},
                 {steps, steps + rank},
                 interleave,
                 promotion,
                 fill};
        return CUresult(swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
      };
  MapBytes map;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(&map) % 64, 0u);
  EXPECT_EQ(sizeof map, 128u);
  char data[16];
  const MapTensor tensor = {data, {100, 48, 7}, {256, 12288}};
  EXPECT_EQ(cudaEncodeMap(driver, {DType::BF16, 3, {64, 32, 1}, 128}, tensor, map), CUDA_SUCCESS);
  EXPECT_EQ(asked.map, &map);
  EXPECT_EQ(asked.data, data);
  EXPECT_EQ(asked.type, 9);
  EXPECT_EQ(asked.swizzle, 3);
  EXPECT_EQ(asked.sizes, (std::vector<uint64_t>{100, 48, 7}));
  EXPECT_EQ(asked.strides, (std::vector<uint64_t>{256, 12288}));
  EXPECT_EQ(asked.box, (std::vector<uint32_t>{64, 32, 1}));
  EXPECT_EQ(asked.elementStrides, (std::vector<uint32_t>{1, 1, 1}));
  EXPECT_EQ(asked.interleave, 0);
  EXPECT_EQ(asked.promotion, 3);
  EXPECT_EQ(asked.fill, 0);
  EXPECT_EQ(cudaEncodeMap(driver, {DType::F32, 1, {8}, 32}, tensor, map), CUDA_ERROR_INVALID_VALUE);
  // By cuda.h.
  const std::pair<DType, int> types[] = {{DType::UI8, 0}, {DType::I8, 0},     {DType::Bool, 0}, {DType::F8E4M3, 0},
                                         {DType::I16, 1}, {DType::F8E5M2, 0}, {DType::I32, 3},  {DType::I64, 5},
                                         {DType::F16, 6}, {DType::F32, 7},    {DType::F64, 8},  {DType::BF16, 9}};
  for (auto [dtype, number] : types) {
    cudaEncodeMap(driver, {dtype, 1, {16}, 0}, tensor, map);
    EXPECT_EQ(asked.type, number) << info(dtype).name;
  }
  for (auto [bytes, number] : {std::pair(0, 0), std::pair(32, 1), std::pair(64, 2), std::pair(128, 3)}) {
    cudaEncodeMap(driver, {DType::F32, 1, {16}, bytes}, tensor, map);
    EXPECT_EQ(asked.swizzle, number);
  }
}

} // namespace
