// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cuda.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

// The shared form of a package must load on older systems; these got a new version when they moved into libc, with the
// same meaning.
#if defined(HELION_RUNTIME_OLD_GLIBC) && defined(__x86_64__)
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver pthread_once, pthread_once@GLIBC_2.2.5");
#elif defined(HELION_RUNTIME_OLD_GLIBC) && defined(__aarch64__)
__asm__(".symver dlopen, dlopen@GLIBC_2.17");
__asm__(".symver dlsym, dlsym@GLIBC_2.17");
__asm__(".symver pthread_once, pthread_once@GLIBC_2.17");
#endif

namespace HELION_RUNTIME {

//===-- The driver ------------------------------------------------------------------------------------------------===//

static constexpr const char *libraryName = "libcuda.so.1";
static const char *const functionNames[] = {
#define HELION_CUDA_DRIVER_NAME(NAME, ...) #NAME,
    HELION_CUDA_DRIVER_FUNCTIONS(HELION_CUDA_DRIVER_NAME) HELION_CUDA_DRIVER_OPTIONAL_FUNCTIONS(HELION_CUDA_DRIVER_NAME)
#undef HELION_CUDA_DRIVER_NAME
};
static constexpr size_t functionCount = sizeof functionNames / sizeof *functionNames;
static constexpr size_t neededCount = offsetof(CudaDriver, cuTensorMapEncodeTiled) / sizeof(void *);
static_assert(sizeof(CudaDriver) == functionCount * sizeof(void *), "the table holds functions and nothing else");

static CudaDriver table;
static CudaProblem opening;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void setProblem(CudaProblem &problem, CudaStatus status, const char *format, const char *what) {
  problem.status = status;
  std::snprintf(problem.text, sizeof problem.text, format, what);
}

const char *cudaErrorName(const CudaDriver &driver, CUresult error) {
  const char *name = nullptr;
  return driver.cuGetErrorName(error, &name) == CUDA_SUCCESS && name ? name : "an error without a name";
}

/// Sets the problem for a driver's answer.
static bool did(const CudaDriver &driver, CUresult result, const char *function, CudaProblem &problem) {
  if (result == CUDA_SUCCESS)
    return true;
  problem.status = result == CUDA_ERROR_NO_DEVICE ? CudaStatus::NoDevice : CudaStatus::Failed;
  std::snprintf(problem.text, sizeof problem.text, "%s: `%s` answered %s",
                result == CUDA_ERROR_NO_DEVICE ? "no NVIDIA device" : "the NVIDIA driver does not start", function,
                cudaErrorName(driver, result));
  return false;
}

static void start() {
  CUresult result = table.cuInit(0);
  if (result == CUDA_ERROR_NOT_INITIALIZED)
    return setProblem(
        opening, CudaStatus::Forked,
        "the NVIDIA driver does not start: `%s` answered CUDA_ERROR_NOT_INITIALIZED, as it does in a process that "
        "was forked from one that used it; start a new program instead",
        "cuInit");
  did(table, result, "cuInit", opening);
}

static void checkVersion() {
  int version = 0;
  if (!did(table, table.cuDriverGetVersion(&version), "cuDriverGetVersion", opening) || version >= oldestCuda)
    return;
  opening.status = CudaStatus::OldDriver;
  std::snprintf(opening.text, sizeof opening.text,
                "the NVIDIA driver knows CUDA %d.%d, at least %d.%d is needed; install a newer driver", version / 1000,
                version % 1000 / 10, oldestCuda / 1000, oldestCuda % 1000 / 10);
}

static void openDriver() {
  void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return setProblem(opening, CudaStatus::NoDriver, "no NVIDIA driver: `%s` cannot be opened", libraryName);
  void *addresses[functionCount];
  for (size_t i = 0; i < functionCount; ++i) {
    addresses[i] = dlsym(library, functionNames[i]);
    if (!addresses[i] && i < neededCount)
      return setProblem(opening, CudaStatus::NoFunction,
                        "the NVIDIA driver lacks the function `%s`; install a newer driver", functionNames[i]);
  }
  std::memcpy(&table, addresses, sizeof table);
  checkVersion();
  if (opening.status == CudaStatus::Ok)
    start();
}

const CudaDriver *cudaDriver(CudaProblem &problem) {
  pthread_once(&opened, openDriver);
  problem = opening;
  return problem.status == CudaStatus::Ok ? &table : nullptr;
}

bool isSticky(CUresult error) {
  switch (error) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_UNKNOWN:
    return true;
  default:
    return error >= CUDA_ERROR_ASSERT && error <= CUDA_ERROR_LAUNCH_FAILED &&
           (error == CUDA_ERROR_ASSERT || error >= CUDA_ERROR_HARDWARE_STACK_ERROR);
  }
}

//===-- Facts -----------------------------------------------------------------------------------------------------===//

static int attribute(const CudaDriver &driver, CUdevice device, CUdevice_attribute name) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, name, device) == CUDA_SUCCESS ? value : 0;
}

bool cudaChip(const CudaDriver &driver, int ordinal, CudaChip &chip, CudaProblem &problem) {
  int count = 0;
  if (!did(driver, driver.cuDeviceGetCount(&count), "cuDeviceGetCount", problem))
    return false;
  if (ordinal >= count) {
    problem.status = CudaStatus::NoDevice;
    std::snprintf(problem.text, sizeof problem.text, "no NVIDIA device %d: the driver sees %d", ordinal, count);
    return false;
  }
  if (!did(driver, driver.cuDeviceGet(&chip.device, ordinal), "cuDeviceGet", problem))
    return false;
  chip.major = attribute(driver, chip.device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  chip.minor = attribute(driver, chip.device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  chip.multiprocessors = attribute(driver, chip.device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return true;
}

bool cudaFacts(const CudaDriver &driver, int ordinal, CudaFacts &facts, CudaProblem &problem) {
  size_t memory = 0;
  facts = CudaFacts();
  if (!cudaChip(driver, ordinal, facts, problem))
    return false;
  CUdevice device = facts.device;
  if (!did(driver, driver.cuDeviceGetName(facts.name, sizeof facts.name, device), "cuDeviceGetName", problem) ||
      !did(driver, driver.cuDeviceTotalMem_v2(&memory, device), "cuDeviceTotalMem", problem))
    return false;
  if (driver.cuDeviceGetPCIBusId(facts.busId, sizeof facts.busId, device) != CUDA_SUCCESS)
    facts.busId[0] = 0;
  driver.cuDriverGetVersion(&facts.driverVersion);
  facts.memoryBytes = int64_t(memory);
  facts.maxThreads = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  facts.maxGrid[0] = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  facts.maxGrid[1] = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  facts.maxGrid[2] = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  facts.clockKilohertz = attribute(driver, device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  facts.memoryClockKilohertz = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  facts.sharedBytes = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  facts.level2Bytes = attribute(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  return true;
}

CudaFit cudaFit(const CudaChip &device, const char *chip) {
  if (std::strncmp(chip, "sm_", 3) != 0)
    return CudaFit::None;
  char *end;
  long wanted = std::strtol(chip + 3, &end, 10);
  long here = device.major * 10 + device.minor;
  if (std::strcmp(end, "a") == 0)
    return here == wanted ? CudaFit::All : CudaFit::None;
  if (*end != 0 || end == chip + 3 || here < wanted)
    return CudaFit::None;
  return here / 10 == wanted / 10 ? CudaFit::All : CudaFit::Text;
}

//===-- Steps of a plan -------------------------------------------------------------------------------------------===//

/// The fewest bytes that repeat in the word.
static int64_t periodOf(uint64_t word) {
  uint32_t half = uint32_t(word);
  if (word >> 32 != half)
    return 8;
  if (half >> 16 != (half & 0xffff))
    return 4;
  return (half >> 8 & 0xff) == (half & 0xff) ? 1 : 2;
}

/// `count` units of `bytes` bytes, `pitch` bytes apart.
static CUresult fillUnits(const CudaDriver &driver, CUdeviceptr to, int64_t bytes, int64_t pitch, uint64_t value,
                          size_t count, CUstream stream) {
  switch (bytes) {
  case 1:
    return pitch == 1 ? driver.cuMemsetD8Async(to, uint8_t(value), count, stream)
                      : driver.cuMemsetD2D8Async(to, size_t(pitch), uint8_t(value), 1, count, stream);
  case 2:
    return pitch == 2 ? driver.cuMemsetD16Async(to, uint16_t(value), count, stream)
                      : driver.cuMemsetD2D16Async(to, size_t(pitch), uint16_t(value), 1, count, stream);
  default:
    return pitch == 4 ? driver.cuMemsetD32Async(to, uint32_t(value), count, stream)
                      : driver.cuMemsetD2D32Async(to, size_t(pitch), uint32_t(value), 1, count, stream);
  }
}

CUresult cudaFill(const CudaDriver &driver, CUdeviceptr data, int64_t bytes, uint64_t pattern, CUstream stream) {
  int64_t period = periodOf(pattern);
  // The driver's fills have units of up to 4 bytes, which must lie at their own multiples.
  int64_t unit = period < 4 ? period : 4;
  while (data % uint64_t(unit) != 0)
    unit /= 2;
  for (int64_t at = 0; at < period && at < bytes; at += unit) {
    size_t count = size_t((bytes - at + period - unit) / period);
    CUresult result = fillUnits(driver, data + uint64_t(at), unit, period, pattern >> (8 * at), count, stream);
    if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

CUresult cudaAllowShared(const CudaDriver &driver, CUfunction function, int64_t sharedBytes) {
  // What any launch may have without asking.
  constexpr int64_t granted = 48 * 1024;
  return sharedBytes <= granted
             ? CUDA_SUCCESS
             : driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(sharedBytes));
}

CUresult cudaLaunchAt(const CudaDriver &driver, const CudaLaunch &launch, void **parameters, CUstream stream) {
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0)
    return CUDA_SUCCESS;
  constexpr int64_t most = 0x7fffffff; // Smaller limits are the driver's to know.
  const int64_t sizes[] = {launch.grid[0], launch.grid[1], launch.grid[2], launch.threads, launch.sharedBytes};
  for (int64_t size : sizes)
    if (size > most)
      return CUDA_ERROR_INVALID_VALUE;
  return driver.cuLaunchKernel(launch.function, unsigned(launch.grid[0]), unsigned(launch.grid[1]),
                               unsigned(launch.grid[2]), unsigned(launch.threads), 1, 1, unsigned(launch.sharedBytes),
                               stream, parameters, nullptr);
}

CUresult cudaLaunch(const CudaDriver &driver, const CudaLaunch &launch, CUstream stream) {
  if (launch.argumentCount > maxCudaArguments)
    return CUDA_ERROR_INVALID_VALUE;
  void *parameters[maxCudaArguments + 1];
  for (int i = 0; i < launch.argumentCount; ++i)
    parameters[i] = const_cast<int64_t *>(launch.arguments + i);
  parameters[launch.argumentCount] = nullptr;
  return cudaLaunchAt(driver, launch, parameters, stream);
}

//===-- Tensor maps -----------------------------------------------------------------------------------------------===//

namespace {
struct MapType {
  DType dtype;
  CUtensorMapDataType type;
};
} // namespace

// A copy moves bits: a type of the same width stands for those that maps do not know. In the order of the enum.
static constexpr MapType mapTypes[] = {
    {DType::F64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64},  {DType::F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
    {DType::F16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},  {DType::BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
    {DType::F8E4M3, CU_TENSOR_MAP_DATA_TYPE_UINT8}, {DType::F8E5M2, CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {DType::I64, CU_TENSOR_MAP_DATA_TYPE_INT64},    {DType::I32, CU_TENSOR_MAP_DATA_TYPE_INT32},
    {DType::I16, CU_TENSOR_MAP_DATA_TYPE_UINT16},   {DType::I8, CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {DType::UI8, CU_TENSOR_MAP_DATA_TYPE_UINT8},    {DType::Bool, CU_TENSOR_MAP_DATA_TYPE_UINT8},
};
static constexpr bool hasAllTypes() {
  for (size_t i = 0; i < sizeof mapTypes / sizeof *mapTypes; ++i)
    if (mapTypes[i].dtype != static_cast<DType>(i))
      return false;
  return sizeof mapTypes / sizeof *mapTypes == sizeof dtypes / sizeof *dtypes;
}
static_assert(hasAllTypes(), "a row for each element type");

static CUtensorMapSwizzle swizzleOf(int bytes) {
  switch (bytes) {
  case 32:
    return CU_TENSOR_MAP_SWIZZLE_32B;
  case 64:
    return CU_TENSOR_MAP_SWIZZLE_64B;
  case 128:
    return CU_TENSOR_MAP_SWIZZLE_128B;
  default:
    return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

CUresult cudaEncodeMap(const CudaDriver &driver, const MapBox &box, const MapTensor &tensor, MapBytes &map) {
  static constexpr uint32_t elementStrides[maxMapRank] = {1, 1, 1, 1, 1};
  // Of signed numbers the driver gets the bits: a negative one is too large for it.
  return driver.cuTensorMapEncodeTiled(
      reinterpret_cast<CUtensorMap *>(&map), mapTypes[static_cast<size_t>(box.dtype)].type, uint32_t(box.rank),
      const_cast<char *>(tensor.data), reinterpret_cast<const uint64_t *>(tensor.sizes),
      reinterpret_cast<const uint64_t *>(tensor.byteStrides), box.extents, elementStrides,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzleOf(box.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

} // namespace HELION_RUNTIME
