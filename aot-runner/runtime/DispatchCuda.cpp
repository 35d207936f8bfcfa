// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dispatch asks of an NVIDIA GPU: an image is loaded at its first launch in a context, and launched on the
// caller's stream. A call uses the caller's current context if it is of the tensors' device, else the device's primary
// one.
#include "Dispatch.h"

#include "Cuda.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace HELION_RUNTIME {

/// The package's code in one context, as far as it was needed; never freed before `unload`, so that calls read it
/// without a lock. Both arrays are as long as Package::kernels.
struct Loaded {
  unsigned long long contextId; // No other context ever gets it.
  CUcontext context;
  Loaded *next;
  const Package *package;
  int device;
  CUmodule *modules; // Each at its image's first kernel.
  std::atomic<CUfunction> *functions;
};

namespace {
/// What was found out of a device.
enum class Known : uint8_t { Nothing, Runs, DoesNotRun, Forked };

struct DeviceState {
  std::atomic<Known> known{Known::Nothing};
  CUdevice handle = 0;
  int multiprocessors = 0;
  int target = 0;        // Of the package's.
  bool usesText = false; // Its PTX.
  bool makesMaps = true;
  std::atomic<CUcontext> primary{nullptr};
};
} // namespace

static constexpr int maxDevices = 64;

static std::atomic<const CudaDriver *> openedDriver{nullptr};
static DeviceState devices[maxDevices];
static std::atomic<Loaded *> loaded{nullptr};
static std::atomic<bool> hasBegun{false}; // To use the driver.
// A tool in the driver (a profiler's callback) may call the package while the driver works for it, on the same thread.
static pthread_mutex_t changing = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

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

/// Whether all kernels of a target are there in a form.
static bool isWhole(const Package &package, int target, bool asText) {
  for (int k = 0; k < package.kernelCount; ++k) {
    const Kernel &kernel = package.kernels[k];
    if (kernel.target == target && !(asText ? kernel.text : kernel.binary))
      return false;
  }
  return true;
}

/// Whether the target's universal variants take tensor maps: others are only faster.
static bool needsMaps(const Package &package, int target) {
  for (int s = 0; s < package.signatureCount; ++s) {
    const Signature &signature = package.signatures[s];
    if (signature.variants[signature.universals[target]].takesMaps)
      return true;
  }
  return false;
}

/// The first target of which the device runs the cubins, else the first of which it takes the PTX; of those alone that
/// need no tensor maps where they cannot be made.
static bool pickTarget(const Package &package, const CudaChip &chip, bool makesMaps, DeviceState &device) {
  for (int form = 0; form < 2; ++form)
    for (int target = 0; target < package.targetCount; ++target) {
      if (!makesMaps && needsMaps(package, target))
        continue;
      bool asText = form == 1;
      const char *colon = std::strchr(package.targets[target], ':');
      CudaFit fit = cudaFit(chip, colon ? colon + 1 : "");
      bool fits = fit == CudaFit::All || (asText && fit == CudaFit::Text);
      if (!fits || !isWhole(package, target, asText))
        continue;
      device.target = target;
      device.usesText = asText;
      return true;
    }
  return false;
}

//===-- Forks -----------------------------------------------------------------------------------------------------===//

/// The driver does not work in a child of a process that used it, and the lock may be held there by a thread that the
/// child has not. So the child's calls end before either, and a fork waits for nothing: a driver may itself fork
/// while it works for a call that holds the lock.
static void afterForkInChild() {
  if (!hasBegun.load(std::memory_order_relaxed))
    return;
  for (DeviceState &device : devices)
    device.known.store(Known::Forked, std::memory_order_relaxed);
}

/// Comes before anything that is of the driver. Two threads may both register; a second time does no harm.
static bool begin() {
  if (hasBegun.load(std::memory_order_relaxed))
    return true;
  bool isWatched = pthread_atfork(nullptr, nullptr, afterForkInChild) == 0;
  if (isWatched)
    hasBegun.store(true, std::memory_order_relaxed);
  return isWatched;
}

//===-- Devices ---------------------------------------------------------------------------------------------------===//

/// Opens the driver and asks what the device is.
__attribute__((cold, noinline)) static Status askDevice(const Package &package, int ordinal) {
  if (!begin())
    return StatusNoMemory;
  CudaProblem problem;
  const CudaDriver *opened = cudaDriver(problem);
  if (!opened)
    return problem.status == CudaStatus::Forked ? StatusForked : StatusNoDriver;
  Lock lock;
  openedDriver.store(opened, std::memory_order_release);
  DeviceState &device = devices[ordinal];
  if (device.known.load(std::memory_order_relaxed) != Known::Nothing)
    return StatusOk;
  CudaChip chip;
  bool isThere = cudaChip(*opened, ordinal, chip, problem);
  device.makesMaps = opened->cuTensorMapEncodeTiled != nullptr;
  bool runs = isThere && pickTarget(package, chip, device.makesMaps, device);
  if (isThere && !runs)
    runs = pickTarget(package, chip, true, device); // Its calls say what is missing.
  device.handle = chip.device;
  device.multiprocessors = chip.multiprocessors;
  device.known.store(runs ? Known::Runs : Known::DoesNotRun, std::memory_order_release);
  return StatusOk;
}

Status checkDevice(const Package &package, Call &call) {
  DeviceState &device = devices[call.device];
  if (device.known.load(std::memory_order_acquire) == Known::Nothing)
    if (Status status = askDevice(package, call.device))
      return status;
  call.multiprocessors = device.multiprocessors;
  call.target = device.target;
  call.makesMaps = device.makesMaps;
  Known known = device.known.load(std::memory_order_relaxed);
  return known == Known::Runs ? StatusOk : known == Known::Forked ? StatusForked : StatusUnsupportedDevice;
}

//===-- Contexts and kernels --------------------------------------------------------------------------------------===//

static Loaded *find(unsigned long long contextId) {
  Loaded *entry = loaded.load(std::memory_order_acquire);
  while (entry && entry->contextId != contextId)
    entry = entry->next;
  return entry;
}

static void release(Loaded *entry) {
  std::free(entry->modules);
  std::free(static_cast<void *>(entry->functions));
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

static bool isSameImage(const Kernel &a, const Kernel &b) { return a.binary == b.binary && a.text == b.text; }

/// Loads the image of a kernel and finds all kernels of it; their own code is loaded now too, not by their first
/// launch.
static CUresult loadKernels(Loaded &entry, int kernel) {
  const Package &package = *entry.package;
  const Kernel *kernels = package.kernels;
  int begin = kernel;
  while (begin > 0 && isSameImage(kernels[begin - 1], kernels[kernel]))
    --begin;
  if (!entry.modules[begin])
    if (CUresult result = loadImage(kernels[begin], devices[entry.device].usesText, entry.modules[begin]))
      return result;
  for (int k = begin; k < package.kernelCount && isSameImage(kernels[k], kernels[kernel]); ++k) {
    CUfunction function = nullptr;
    int registers = 0;
    if (CUresult result = driver().cuModuleGetFunction(&function, entry.modules[begin], kernels[k].symbol))
      return result;
    if (CUresult result = cudaAllowShared(driver(), function, kernels[k].sharedBytes))
      return result;
    if (CUresult result = driver().cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function))
      return result;
    entry.functions[k].store(function, std::memory_order_release);
  }
  return CUDA_SUCCESS;
}

/// The kernel's function in the current context, which is the entry's. Null where it cannot be loaded; `failure` says
/// why.
__attribute__((cold, noinline)) static CUfunction load(Loaded &entry, int kernel, Status &failure) {
  Lock lock;
  CUresult result = CUDA_SUCCESS;
  if (!entry.functions[kernel].load(std::memory_order_relaxed)) {
    // Where the caller's stream is being captured, loading is no part of what is captured.
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    driver().cuThreadExchangeStreamCaptureMode(&mode);
    result = loadKernels(entry, kernel);
    driver().cuThreadExchangeStreamCaptureMode(&mode);
  }
  failure = result == CUDA_ERROR_OUT_OF_MEMORY ? StatusNoMemory : StatusDevice;
  return result == CUDA_SUCCESS ? entry.functions[kernel].load(std::memory_order_relaxed) : nullptr;
}

/// Makes the entry of a context, without any code yet.
__attribute__((cold, noinline)) static Loaded *addContext(const Package &package, CUcontext context,
                                                          unsigned long long contextId, int device) {
  Lock lock;
  if (Loaded *entry = find(contextId))
    return entry;
  size_t count = size_t(package.kernelCount) + 1; // Not 0.
  auto *entry = static_cast<Loaded *>(std::calloc(1, sizeof(Loaded)));
  if (!entry)
    return nullptr;
  entry->contextId = contextId;
  entry->context = context;
  entry->package = &package;
  entry->device = device;
  entry->modules = static_cast<CUmodule *>(std::calloc(count, sizeof(CUmodule)));
  entry->functions = static_cast<std::atomic<CUfunction> *>(std::calloc(count, sizeof(std::atomic<CUfunction>)));
  if (!entry->modules || !entry->functions) {
    release(entry);
    return nullptr;
  }
  entry->next = loaded.load(std::memory_order_relaxed);
  loaded.store(entry, std::memory_order_release);
  return entry;
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

/// The entry of the current context where that was met before and is of the device.
static Loaded *currentEntry(int device) {
  CUcontext context = nullptr;
  unsigned long long contextId = 0;
  if (driver().cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context ||
      driver().cuCtxGetId(context, &contextId) != CUDA_SUCCESS)
    return nullptr;
  Loaded *entry = find(contextId);
  return entry && entry->device == device ? entry : nullptr;
}

/// Enters a context that was not met before, or the primary one.
static Status enterOther(const Package &package, Call &call) {
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
  if (!status) {
    call.loaded = find(contextId);
    if (!call.loaded)
      call.loaded = addContext(package, context, contextId, call.device);
    status = call.loaded ? StatusOk : StatusNoMemory;
  }
  if (status)
    leave(call);
  return status;
}

Status enter(const Package &package, void *stream, Call &call) {
  call.stream = stream;
  call.loaded = currentEntry(call.device);
  return call.loaded ? StatusOk : enterOther(package, call);
}

void leave(const Call &call) {
  CUcontext popped = nullptr;
  if (call.hasOwnContext)
    driver().cuCtxPopCurrent_v2(&popped);
}

Status stepFailure(const Call &call) { return call.failure; }

/// Whether some call launches the kernel.
static bool isUsed(const Package &package, int kernel, const Call &call) {
  bool takesMaps = false;
  for (int m = 0; m < package.mapCount; ++m)
    takesMaps |= package.maps[m].kernel == kernel;
  return package.kernels[kernel].target == call.target && (call.makesMaps || !takesMaps);
}

Status prepare(const Package &package, int device) {
  Call call = {nullptr, nullptr};
  call.device = device;
  if (device < 0 || device >= maxDevices)
    return StatusWrongDevice;
  if (Status status = checkDevice(package, call))
    return status;
  if (!call.makesMaps && needsMaps(package, call.target))
    return StatusNoTensorMaps;
  if (Status status = enter(package, nullptr, call))
    return status;
  bool isWhole = true;
  for (int k = 0; isWhole && k < package.kernelCount; ++k)
    if (isUsed(package, k, call))
      isWhole = call.loaded->functions[k].load(std::memory_order_acquire) || load(*call.loaded, k, call.failure);
  leave(call);
  return isWhole ? StatusOk : stepFailure(call);
}

void unload() {
  bool isForked = devices[0].known.load(std::memory_order_relaxed) == Known::Forked;
  if (isForked || !openedDriver.load(std::memory_order_acquire))
    return;
  Lock lock;
  Loaded *entry = loaded.exchange(nullptr, std::memory_order_acq_rel);
  while (entry) {
    Loaded *next = entry->next;
    CUcontext popped = nullptr;
    // A context that is gone has taken its modules with it.
    if (driver().cuCtxPushCurrent_v2(entry->context) == CUDA_SUCCESS) {
      for (int k = 0; k < entry->package->kernelCount; ++k)
        if (entry->modules[k])
          driver().cuModuleUnload(entry->modules[k]);
      driver().cuCtxPopCurrent_v2(&popped);
    }
    release(entry);
    entry = next;
  }
}

void setThreads(int) {}

int threads() { return 0; }

//===-- Steps -----------------------------------------------------------------------------------------------------===//

/// The kernel's function; null where it cannot be loaded.
static inline CUfunction functionOf(const Call &call, int kernel) {
  CUfunction function = call.loaded->functions[kernel].load(std::memory_order_acquire);
  return function ? function : load(*call.loaded, kernel, call.failure);
}

/// Makes a map in the call's frame: a launch copies it, so does a graph that is captured.
static bool makeMap(const Call &call, TensorMap &map) {
  CUresult result = cudaEncodeMap(driver(), call.loaded->package->maps[map.row].box, map.tensor, map.bytes);
  // It only looks at numbers, so any other error is one of the driver.
  call.failure = result == CUDA_ERROR_INVALID_VALUE ? Status(StatusMap + map.row) : StatusDevice;
  return result == CUDA_SUCCESS;
}

bool launch(const Call &call, int kernel, TensorMap *maps, int mapCount, void **parameters, const int64_t *grid,
            int64_t threads, int64_t sharedBytes) {
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return true; // Nor need the maps be any that a driver takes.
  CudaLaunch launch;
  launch.function = functionOf(call, kernel);
  if (!launch.function)
    return false;
  for (int m = 0; m < mapCount; ++m)
    if (!makeMap(call, maps[m]))
      return false;
  launch.grid = grid;
  launch.threads = threads;
  launch.sharedBytes = sharedBytes;
  return cudaLaunchAt(driver(), launch, parameters, static_cast<CUstream>(call.stream)) == CUDA_SUCCESS;
}

bool launch(const Call &call, int kernel, const int64_t *arguments, int argumentCount, const int64_t *grid,
            int64_t threads, int64_t sharedBytes) {
  CudaLaunch launch;
  launch.function = functionOf(call, kernel);
  if (!launch.function)
    return false;
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
