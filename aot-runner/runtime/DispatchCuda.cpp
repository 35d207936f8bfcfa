// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dispatch asks of an NVIDIA GPU: kernels are loaded when a context calls first, and launched on the caller's
// stream. A call uses the caller's current context if it is of the tensors' device, else the device's primary one.
#include "Dispatch.h"

#include "Cuda.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace HELION_RUNTIME {

namespace {
/// The package's kernels in one context; never freed before `unload`, so that calls read the list without a lock.
struct Loaded {
  unsigned long long contextId; // No other context ever gets it.
  CUcontext context;
  Loaded *next;
  int moduleCount;
  CUmodule *modules;
  void **functions;
};

struct DeviceState {
  std::atomic<int> known{0}; // 0: not asked yet, 1: runs the package, 2: does not.
  CUdevice handle = 0;
  int multiprocessors = 0;
  int target = 0;        // Of the package's.
  bool usesText = false; // Its PTX.
  std::atomic<CUcontext> primary{nullptr};
};
} // namespace

static constexpr int maxDevices = 64;

static std::atomic<const CudaDriver *> openedDriver{nullptr};
static DeviceState devices[maxDevices];
static std::atomic<Loaded *> loaded{nullptr};
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

namespace {
struct Lock {
  Lock() { pthread_mutex_lock(&changing); }
  ~Lock() { pthread_mutex_unlock(&changing); }
};
} // namespace

static const CudaDriver &driver() { return *openedDriver.load(std::memory_order_acquire); }

bool isHere(const DLDevice &memory, int32_t &device) {
  device = memory.device_id;
  return memory.device_type == kDLCUDA && device >= 0 && device < maxDevices;
}

Status checkMachine(const Package &) {
  if (openedDriver.load(std::memory_order_acquire))
    return StatusOk;
  CudaProblem problem;
  const CudaDriver *opened = cudaDriver(problem);
  openedDriver.store(opened, std::memory_order_release);
  return opened ? StatusOk : StatusNoDriver;
}

/// Whether all kernels of a target are there in a form.
static bool isWhole(const Package &package, int target, bool asText) {
  for (int k = 0; k < package.kernelCount; ++k) {
    const Kernel &kernel = package.kernels[k];
    if (kernel.target == target && !(asText ? kernel.text : kernel.binary))
      return false;
  }
  return true;
}

/// The first target of which the device runs the cubins, else the first of which it takes the PTX.
static bool pickTarget(const Package &package, const CudaFacts &facts, DeviceState &device) {
  for (int form = 0; form < 2; ++form)
    for (int target = 0; target < package.targetCount; ++target) {
      bool asText = form == 1;
      const char *colon = std::strchr(package.targets[target], ':');
      CudaFit fit = cudaFit(facts, colon ? colon + 1 : "");
      bool fits = fit == CudaFit::All || (asText && fit == CudaFit::Text);
      if (!fits || !isWhole(package, target, asText))
        continue;
      device.target = target;
      device.usesText = asText;
      return true;
    }
  return false;
}

Status checkDevice(const Package &package, Call &call) {
  DeviceState &device = devices[call.device];
  if (device.known.load(std::memory_order_acquire) == 0) {
    Lock lock;
    CudaProblem problem;
    CudaFacts facts;
    bool runs = cudaFacts(driver(), call.device, facts, problem) && pickTarget(package, facts, device);
    device.handle = facts.device;
    device.multiprocessors = facts.multiprocessors;
    device.known.store(runs ? 1 : 2, std::memory_order_release);
  }
  call.multiprocessors = device.multiprocessors;
  call.target = device.target;
  return device.known.load(std::memory_order_relaxed) == 1 ? StatusOk : StatusUnsupportedDevice;
}

//===-- Contexts and kernels --------------------------------------------------------------------------------------===//

static Loaded *find(unsigned long long contextId) {
  Loaded *entry = loaded.load(std::memory_order_acquire);
  while (entry && entry->contextId != contextId)
    entry = entry->next;
  return entry;
}

static void release(Loaded *entry) {
  for (int m = 0; m < entry->moduleCount; ++m)
    driver().cuModuleUnload(entry->modules[m]);
  std::free(entry->modules);
  std::free(entry->functions);
  std::free(entry);
}

/// A cubin that the driver is too old for leaves the PTX.
static CUresult loadImage(const Kernel &kernel, bool usesText, CUmodule &module) {
  const unsigned char *image = usesText ? kernel.text : kernel.binary;
  CUresult result = driver().cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr);
  bool isImageBad = result != CUDA_SUCCESS && result != CUDA_ERROR_OUT_OF_MEMORY && !isSticky(result);
  if (!usesText && kernel.text && isImageBad)
    result = driver().cuModuleLoadDataEx(&module, kernel.text, 0, nullptr, nullptr);
  return result;
}

/// Loads the images of the device's target and finds the kernels; a kernel's own code is loaded now too, not by its
/// first launch.
static CUresult loadKernels(const Package &package, const DeviceState &device, Loaded &entry) {
  const Kernel *before = nullptr;
  for (int k = 0; k < package.kernelCount; ++k) {
    const Kernel &kernel = package.kernels[k];
    if (kernel.target != device.target)
      continue;
    bool isSameImage = before && kernel.binary == before->binary && kernel.text == before->text;
    before = &kernel;
    if (!isSameImage) {
      CUmodule module = nullptr;
      if (CUresult result = loadImage(kernel, device.usesText, module))
        return result;
      entry.modules[entry.moduleCount++] = module;
    }
    CUfunction function = nullptr;
    int registers = 0;
    if (CUresult result = driver().cuModuleGetFunction(&function, entry.modules[entry.moduleCount - 1], kernel.symbol))
      return result;
    if (CUresult result = cudaAllowShared(driver(), function, kernel.sharedBytes))
      return result;
    if (CUresult result = driver().cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function))
      return result;
    entry.functions[k] = function;
  }
  return CUDA_SUCCESS;
}

static Status load(const Package &package, const DeviceState &device, CUcontext context, unsigned long long contextId) {
  Lock lock;
  if (find(contextId))
    return StatusOk;
  size_t count = size_t(package.kernelCount) + 1; // Not 0.
  auto *entry = static_cast<Loaded *>(std::calloc(1, sizeof(Loaded)));
  if (!entry)
    return StatusNoMemory;
  entry->contextId = contextId;
  entry->context = context;
  entry->modules = static_cast<CUmodule *>(std::calloc(count, sizeof(CUmodule)));
  entry->functions = static_cast<void **>(std::calloc(count, sizeof(void *)));
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  if (entry->modules && entry->functions) {
    // Where the caller's stream is being captured, loading is no part of what is captured.
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    driver().cuThreadExchangeStreamCaptureMode(&mode);
    result = loadKernels(package, device, *entry);
    driver().cuThreadExchangeStreamCaptureMode(&mode);
  }
  if (result != CUDA_SUCCESS) {
    release(entry);
    return result == CUDA_ERROR_OUT_OF_MEMORY ? StatusNoMemory : StatusDevice;
  }
  entry->next = loaded.load(std::memory_order_relaxed);
  loaded.store(entry, std::memory_order_release);
  return StatusOk;
}

/// The context that the device's users share, retained once.
static CUcontext primaryContext(DeviceState &device) {
  if (CUcontext context = device.primary.load(std::memory_order_acquire))
    return context;
  Lock lock;
  CUcontext context = device.primary.load(std::memory_order_relaxed);
  if (!context && driver().cuDevicePrimaryCtxRetain(&context, device.handle) == CUDA_SUCCESS)
    device.primary.store(context, std::memory_order_release);
  return context;
}

Status enter(const Package &package, void *stream, Call &call) {
  DeviceState &device = devices[call.device];
  CUcontext context = nullptr;
  CUdevice current = -1;
  bool isThere = driver().cuCtxGetCurrent(&context) == CUDA_SUCCESS && context &&
                 driver().cuCtxGetDevice(&current) == CUDA_SUCCESS && current == device.handle;
  if (!isThere) {
    context = primaryContext(device);
    if (!context || driver().cuCtxPushCurrent_v2(context) != CUDA_SUCCESS)
      return StatusDevice;
    call.hasOwnContext = true;
  }
  unsigned long long contextId = 0;
  Status status = driver().cuCtxGetId(context, &contextId) == CUDA_SUCCESS ? StatusOk : StatusDevice;
  if (!status && !find(contextId))
    status = load(package, device, context, contextId);
  if (status) {
    leave(call);
    return status;
  }
  call.kernels = find(contextId)->functions;
  call.stream = stream;
  return StatusOk;
}

void leave(const Call &call) {
  CUcontext popped = nullptr;
  if (call.hasOwnContext)
    driver().cuCtxPopCurrent_v2(&popped);
}

Status stepFailure() { return StatusDevice; }

Status prepare(const Package &package, int device) {
  Call call = {nullptr, nullptr};
  call.device = device;
  if (device < 0 || device >= maxDevices)
    return StatusWrongDevice;
  if (Status status = checkMachine(package))
    return status;
  if (Status status = checkDevice(package, call))
    return status;
  Status status = enter(package, nullptr, call);
  if (!status)
    leave(call);
  return status;
}

void unload() {
  if (!openedDriver.load(std::memory_order_acquire))
    return;
  Lock lock;
  Loaded *entry = loaded.exchange(nullptr, std::memory_order_acq_rel);
  while (entry) {
    Loaded *next = entry->next;
    CUcontext popped = nullptr;
    // A context that is gone has taken its modules with it.
    bool isThere = driver().cuCtxPushCurrent_v2(entry->context) == CUDA_SUCCESS;
    if (!isThere)
      entry->moduleCount = 0;
    release(entry);
    if (isThere)
      driver().cuCtxPopCurrent_v2(&popped);
    entry = next;
  }
}

void setThreads(int) {}

int threads() { return 0; }

//===-- Steps -----------------------------------------------------------------------------------------------------===//

bool launch(const Call &call, int kernel, const int64_t *arguments, int argumentCount, const int64_t *grid,
            int64_t threads, int64_t sharedBytes) {
  CudaLaunch launch;
  launch.function = static_cast<CUfunction>(call.kernels[kernel]);
  launch.arguments = arguments;
  launch.argumentCount = argumentCount;
  launch.grid = grid;
  launch.threads = threads;
  launch.sharedBytes = sharedBytes;
  return cudaLaunch(driver(), launch, static_cast<CUstream>(call.stream)) == CUDA_SUCCESS;
}

bool fill(const Call &call, void *data, int64_t bytes, uint64_t pattern) {
  return cudaFill(driver(), reinterpret_cast<CUdeviceptr>(data), bytes, pattern, static_cast<CUstream>(call.stream)) ==
         CUDA_SUCCESS;
}

} // namespace HELION_RUNTIME
