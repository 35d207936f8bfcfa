// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of NVIDIA's CUDA driver API that is used here, by its public names and numbers, so that neither a build nor
// a machine without a GPU needs NVIDIA's headers. `Cuda.h` opens the driver and fills the table.
#ifndef HELION_AOT_RUNNER_RUNTIME_CUDADRIVER_H
#define HELION_AOT_RUNNER_RUNTIME_CUDADRIVER_H

#include "Namespace.h"

#include <cstddef>
#include <cstdint>

namespace HELION_RUNTIME {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_UNKNOWN = 999,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};
enum CUstreamCaptureMode : int { CU_STREAM_CAPTURE_MODE_RELAXED = 2 };
enum CUtensorMapDataType : int {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
  CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
  CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
};
enum CUtensorMapInterleave : int { CU_TENSOR_MAP_INTERLEAVE_NONE = 0 };
enum CUtensorMapSwizzle : int {
  CU_TENSOR_MAP_SWIZZLE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_32B = 1,
  CU_TENSOR_MAP_SWIZZLE_64B = 2,
  CU_TENSOR_MAP_SWIZZLE_128B = 3,
};
enum CUtensorMapL2promotion : int { CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3 };
enum CUtensorMapFloatOOBfill : int { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 };
/// 128 bytes, aligned to 64.
using CUtensorMap = struct CUtensorMap_st;
enum CUjit_option : int { CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

/// Name and parameters of each function that must be there. Where the ABI changed, the name is the newer symbol's.
#define HELION_CUDA_DRIVER_FUNCTIONS(F)                                                                                \
  F(cuInit, unsigned flags)                                                                                            \
  F(cuDriverGetVersion, int *version)                                                                                  \
  F(cuGetErrorName, CUresult error, const char **text)                                                                 \
  F(cuGetErrorString, CUresult error, const char **text)                                                               \
  F(cuDeviceGetCount, int *count)                                                                                      \
  F(cuDeviceGet, CUdevice *device, int ordinal)                                                                        \
  F(cuDeviceGetName, char *name, int size, CUdevice device)                                                            \
  F(cuDeviceGetAttribute, int *value, CUdevice_attribute attribute, CUdevice device)                                   \
  F(cuDeviceGetPCIBusId, char *text, int size, CUdevice device)                                                        \
  F(cuDeviceTotalMem_v2, size_t *bytes, CUdevice device)                                                               \
  F(cuDevicePrimaryCtxRetain, CUcontext *context, CUdevice device)                                                     \
  F(cuCtxSetCurrent, CUcontext context)                                                                                \
  F(cuCtxGetCurrent, CUcontext *context)                                                                               \
  F(cuCtxGetDevice, CUdevice *device)                                                                                  \
  F(cuCtxGetId, CUcontext context, unsigned long long *id)                                                             \
  F(cuCtxPushCurrent_v2, CUcontext context)                                                                            \
  F(cuCtxPopCurrent_v2, CUcontext *context)                                                                            \
  F(cuThreadExchangeStreamCaptureMode, CUstreamCaptureMode *mode)                                                      \
  F(cuMemAlloc_v2, CUdeviceptr *address, size_t bytes)                                                                 \
  F(cuMemFree_v2, CUdeviceptr address)                                                                                 \
  F(cuMemAllocHost_v2, void **memory, size_t bytes)                                                                    \
  F(cuMemFreeHost, void *memory)                                                                                       \
  F(cuMemcpyHtoD_v2, CUdeviceptr to, const void *from, size_t bytes)                                                   \
  F(cuMemcpyDtoH_v2, void *to, CUdeviceptr from, size_t bytes)                                                         \
  F(cuMemcpyDtoDAsync_v2, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)                             \
  F(cuMemsetD8Async, CUdeviceptr to, unsigned char value, size_t count, CUstream stream)                               \
  F(cuMemsetD16Async, CUdeviceptr to, unsigned short value, size_t count, CUstream stream)                             \
  F(cuMemsetD32Async, CUdeviceptr to, unsigned value, size_t count, CUstream stream)                                   \
  F(cuMemsetD2D8Async, CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,                 \
    CUstream stream)                                                                                                   \
  F(cuMemsetD2D16Async, CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,               \
    CUstream stream)                                                                                                   \
  F(cuMemsetD2D32Async, CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream)    \
  F(cuModuleLoadDataEx, CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)     \
  F(cuModuleUnload, CUmodule module)                                                                                   \
  F(cuModuleGetFunction, CUfunction *function, CUmodule module, const char *name)                                      \
  F(cuFuncGetAttribute, int *value, CUfunction_attribute attribute, CUfunction function)                               \
  F(cuFuncSetAttribute, CUfunction function, CUfunction_attribute attribute, int value)                                \
  F(cuLaunchKernel, CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,              \
    unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters, void **extra)          \
  F(cuStreamCreate, CUstream *stream, unsigned flags)                                                                  \
  F(cuStreamSynchronize, CUstream stream)                                                                              \
  F(cuStreamBeginCapture_v2, CUstream stream, CUstreamCaptureMode mode)                                                \
  F(cuStreamEndCapture, CUstream stream, CUgraph *graph)                                                               \
  F(cuGraphInstantiateWithFlags, CUgraphExec *executable, CUgraph graph, unsigned long long flags)                     \
  F(cuGraphLaunch, CUgraphExec executable, CUstream stream)                                                            \
  F(cuGraphExecDestroy, CUgraphExec executable)                                                                        \
  F(cuGraphDestroy, CUgraph graph)                                                                                     \
  F(cuEventCreate, CUevent *event, unsigned flags)                                                                     \
  F(cuEventRecord, CUevent event, CUstream stream)                                                                     \
  F(cuEventSynchronize, CUevent event)                                                                                 \
  F(cuEventElapsedTime, float *milliseconds, CUevent from, CUevent to)

/// Those that only some kernels need: null where the driver lacks them.
#define HELION_CUDA_DRIVER_OPTIONAL_FUNCTIONS(F)                                                                       \
  F(cuTensorMapEncodeTiled, CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *data,                     \
    const uint64_t *sizes, const uint64_t *byteStrides, const uint32_t *box, const uint32_t *elementStrides,           \
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,                    \
    CUtensorMapFloatOOBfill fill)

struct CudaDriver {
#define HELION_CUDA_DRIVER_MEMBER(NAME, ...) CUresult (*NAME)(__VA_ARGS__);
  HELION_CUDA_DRIVER_FUNCTIONS(HELION_CUDA_DRIVER_MEMBER)
  HELION_CUDA_DRIVER_OPTIONAL_FUNCTIONS(HELION_CUDA_DRIVER_MEMBER)
#undef HELION_CUDA_DRIVER_MEMBER
};

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_CUDADRIVER_H
