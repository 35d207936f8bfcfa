// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's driver, opened at run time: a status where there is none, what a device is, fills and launches on a stream.
// The GPU's sibling of `Cpu`, `Fill` and the thread pool.
#ifndef HELION_AOT_RUNNER_RUNTIME_CUDA_H
#define HELION_AOT_RUNNER_RUNTIME_CUDA_H

#include "CudaDriver.h"
#include "KernelAbi.h"

namespace HELION_RUNTIME {

enum class CudaStatus : uint8_t {
  Ok,
  NoDriver,   // No libcuda.so.1.
  NoFunction, // It lacks an entry point.
  OldDriver,  // It knows an older CUDA than our code needs.
  NoDevice,   // The driver sees none, or has not the one that was asked for.
  Forked,     // This process was forked from one that used the driver.
  Failed,     // The driver answered with an error.
};

/// Why something cannot be had; `text` is one line.
struct CudaProblem {
  CudaStatus status = CudaStatus::Ok;
  char text[256] = "";
};

/// The oldest CUDA whose driver runs our code, as the driver counts: 1000 * major + 10 * minor.
constexpr int oldestCuda = 12000;

/// Opens and starts the driver at the first call. Null without one, then `problem` says why.
const CudaDriver *cudaDriver(CudaProblem &problem);

/// What decides which code a device runs. The driver knows it at once; others of the facts take it milliseconds.
struct CudaChip {
  CUdevice device = 0;      // What the driver calls it.
  int major = 0, minor = 0; // Compute capability.
  int multiprocessors = 0;
};

/// Device `ordinal` of this process. False without it, then `problem` says why.
bool cudaChip(const CudaDriver &driver, int ordinal, CudaChip &chip, CudaProblem &problem);

struct CudaFacts : CudaChip {
  char name[256] = "";
  char busId[32] = ""; // What other libraries of the vendor know the device by.
  int maxThreads = 0;  // Of a block.
  int maxGrid[3] = {0, 0, 0};
  int clockKilohertz = 0, memoryClockKilohertz = 0; // At most; 0 where the driver does not tell.
  int driverVersion = 0;                            // The CUDA that it knows.
  int64_t sharedBytes = 0;                          // Of a block, at most.
  int64_t level2Bytes = 0;
  int64_t memoryBytes = 0;
};

bool cudaFacts(const CudaDriver &driver, int ordinal, CudaFacts &facts, CudaProblem &problem);

/// What a device runs of code for a chip. `sm_90a` runs on exactly 9.0, since it uses what only that has; a cubin for
/// `sm_80` on 8.0 and newer devices of the same major number, PTX for it on whatever is newer.
enum class CudaFit : uint8_t { None, Text, All };
CudaFit cudaFit(const CudaChip &device, const char *chip);

/// Whether the context is lost with the error, so that all later calls give it too.
bool isSticky(CUresult error);

/// What the driver calls the error: `CUDA_ERROR_ILLEGAL_ADDRESS`.
const char *cudaErrorName(const CudaDriver &driver, CUresult error);

/// Repeats `pattern` over `bytes` bytes, as `fill` does on the CPU, at any alignment of the address.
CUresult cudaFill(const CudaDriver &driver, CUdeviceptr data, int64_t bytes, uint64_t pattern, CUstream stream);

constexpr int maxCudaArguments = 128;

/// One launch of a kernel whose parameters are 8-byte words, or begin at those.
struct CudaLaunch {
  CUfunction function = nullptr;
  const int64_t *arguments = nullptr;
  int argumentCount = 0;         // At most maxCudaArguments.
  const int64_t *grid = nullptr; // Three, in blocks.
  int64_t threads = 1;           // Of a block.
  int64_t sharedBytes = 0;       // Dynamic, of a block.
};

/// Allows a function the dynamic shared memory that its launches want.
CUresult cudaAllowShared(const CudaDriver &driver, CUfunction function, int64_t sharedBytes);

/// Puts the launch on the stream. A grid with a 0 is skipped.
CUresult cudaLaunch(const CudaDriver &driver, const CudaLaunch &launch, CUstream stream);

/// The same for parameters of any kind: one address each instead of `arguments`.
CUresult cudaLaunchAt(const CudaDriver &driver, const CudaLaunch &launch, void **parameters, CUstream stream);

/// Makes a tensor map; the driver must have the function. It refuses what the hardware cannot do.
CUresult cudaEncodeMap(const CudaDriver &driver, const MapBox &box, const MapTensor &tensor, MapBytes &map);

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_CUDA_H
