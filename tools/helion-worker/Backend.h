// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a worker needs of a device: memory, artifacts, the steps of a plan, a clock. `hello` picks one of the
// implementations by its target; cases, plans and samples are the same for all.
#ifndef HELION_TOOLS_WORKER_BACKEND_H
#define HELION_TOOLS_WORKER_BACKEND_H

#include "Protocol.h"

#include "aot-runner/runtime/KernelAbi.h"
#include "aot-runner/runtime/dlpack.h"

#include <memory>
#include <string>
#include <vector>

namespace helion::worker {

/// Of a byte as the device sees it; on the CPU a pointer.
using Address = uint64_t;

/// A loaded artifact, or the linked module of a package.
class Artifact {
public:
  virtual ~Artifact() = default;
  /// A kernel's handle, on the CPU its address. Null after a failure.
  virtual void *find(const std::string &symbol, Failure &failure) const = 0;
};

struct Fill {
  Address data = 0;
  int64_t bytes = 0;
  uint64_t pattern = 0;
};

/// A parameter that is a tensor map.
struct LaunchMap {
  size_t argument = 0; // Its place among the launch's arguments.
  std::string buffer;
  HELION_RUNTIME::MapBox box = {};
  HELION_RUNTIME::MapTensor tensor = {};
  HELION_RUNTIME::MapBytes bytes = {}; // Made by `prepare`.
};

struct Launch {
  std::string symbol;
  void *kernel = nullptr;
  std::vector<int64_t> arguments; // 0 in the place of a map.
  std::vector<LaunchMap> maps;    // GPU.
  int64_t grid[3] = {0, 0, 0};
  int64_t scratchBytes = 0; // CPU: of each thread of the pool.
  int64_t threads = 0;      // GPU: of a block.
  int64_t sharedBytes = 0;  // GPU: dynamic, of a block.
};

/// Memory of the host for copies of what lies on a device; there are two, for what is compared.
enum class Shelf { First, Second };

/// Bytes on the device.
struct Span {
  Address begin;
  int64_t bytes;
};

class Backend {
public:
  virtual ~Backend() = default;

  /// The keys of `hello`'s `device`.
  virtual void describe(Json &device) const = 0;
  virtual DLDevice dlpackDevice() const = 0;
  /// What a package is told of the stream to use.
  virtual int64_t streamWord() const = 0;

  // Memory. An address is a multiple of 128; 0 without memory, which is no failure of the device.
  virtual Address allocate(int64_t bytes, Failure &failure) = 0;
  virtual void release(Address block) = 0;
  virtual void set(Address to, uint8_t value, int64_t bytes, Failure &failure) = 0;
  virtual void copy(Address to, Address from, int64_t bytes, Failure &failure) = 0;
  virtual void upload(Address to, const char *from, int64_t bytes, Failure &failure) = 0;
  /// The bytes where we can read them, on a shelf until that is used again, or where they are; null after a failure.
  /// Waits for what was put on the device before.
  virtual const char *fetch(Address from, int64_t bytes, Shelf shelf, Failure &failure) = 0;
  /// Where we can write the bytes, or null.
  virtual char *hostAddress(Address address) = 0;

  // Artifacts and steps.
  virtual std::unique_ptr<Artifact> load(const std::string &path, Failure &failure) = 0;
  virtual void setThreads(int threads) = 0;
  /// Reads the keys of a launch step that only this kind of device has; `launch` has all else but its kernel.
  virtual void readLaunch(Fields &fields, Launch &launch, Failure &failure) = 0;
  /// Called once the kernel is known, before the first run.
  virtual void prepare(Launch &launch, Failure &failure) = 0;
  virtual void run(const Fill &fill, Failure &failure) = 0;
  virtual void run(const Launch &launch, Failure &failure) = 0;
  /// Waits until all of it has run.
  virtual void finish(Failure &failure) = 0;

  // Time.
  virtual void evict(const std::vector<Span> &buffers, Failure &failure) = 0;
  virtual const char *evictionMethod() const = 0;
  virtual void startClock(Failure &failure) = 0;
  /// Nanoseconds since the start, when everything that was run in between is done.
  virtual double stopClock(Failure &failure) = 0;
  /// A warm sample takes at least this long, in nanoseconds, so that the clock's steps do not count.
  virtual int64_t shortestSample() const = 0;
  /// Whether steps run while the host goes on, which then must be ahead before a clock is started.
  virtual bool runsBehind() const = 0;
  /// What is run between these two is not run but kept, and run as one by `runGraph`.
  virtual void startGraph(Failure &failure) = 0;
  virtual void endGraph(Failure &failure) = 0;
  virtual void runGraph(Failure &failure) = 0;
  /// What is worth to know of a sample, beside its times; called before and after.
  virtual void describeSample(Json &answer, bool after) const = 0;
};

/// The backend for a target such as `cpu` or `nvidia:sm_90a`. Null where this machine has none, then the failure says
/// why.
std::unique_ptr<Backend> makeBackend(const std::string &target, Failure &failure);
std::unique_ptr<Backend> makeCpuBackend(const std::string &target, Failure &failure);
std::unique_ptr<Backend> makeCudaBackend(const std::string &target, Failure &failure);

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_BACKEND_H
