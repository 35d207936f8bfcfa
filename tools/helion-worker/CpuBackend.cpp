// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU as a device: memory of this process, shared objects, the thread pool, the system's clock.
#include "Backend.h"

#include "DeviceFacts.h"
#include "SharedObject.h"

#include "aot-runner/runtime/Fill.h"
#include "aot-runner/runtime/ThreadPool.h"

#include <cstdlib>
#include <cstring>
#include <ctime>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace runtime = HELION_RUNTIME;

namespace helion::worker {

namespace {

class CpuBackend : public Backend {
public:
  void describe(Json &device) const override;
  DLDevice dlpackDevice() const override { return {kDLCPU, 0}; }
  int64_t streamWord() const override { return 0; }

  Address allocate(int64_t bytes, Failure &failure) override;
  void release(Address block) override { std::free(pointer(block)); }
  void set(Address to, uint8_t value, int64_t bytes, Failure &) override {
    std::memset(pointer(to), value, size_t(bytes));
  }
  void copy(Address to, Address from, int64_t bytes, Failure &) override {
    std::memcpy(pointer(to), pointer(from), size_t(bytes));
  }
  void upload(Address to, const char *from, int64_t bytes, Failure &) override {
    std::memcpy(pointer(to), from, size_t(bytes));
  }
  const char *fetch(Address from, int64_t, Shelf, Failure &) override { return pointer(from); }
  char *hostAddress(Address address) override { return pointer(address); }

  std::unique_ptr<Artifact> load(const std::string &path, Failure &failure) override {
    return loadSharedObject(path, failure);
  }
  void setThreads(int threads) override { runtime::ThreadPool::get().setThreads(threads); }
  void readLaunch(Fields &fields, Launch &launch, Failure &failure) override {
    launch.scratchBytes = fields.integer("scratch_bytes", 0, int64_t(1) << 32, 0);
    if (!launch.maps.empty())
      failure.set("protocol", "`" + launch.symbol + "` takes a map of `" + launch.maps.front().buffer +
                                  "`; only kernels of a GPU can");
  }
  void prepare(Launch &, Failure &) override {}
  void run(const Fill &fill, Failure &failure) override;
  void run(const Launch &launch, Failure &failure) override;
  void finish(Failure &) override {}

  void evict(const std::vector<Span> &buffers, Failure &failure) override;
  const char *evictionMethod() const override;
  void startClock(Failure &) override { start = now(); }
  double stopClock(Failure &) override { return double(now() - start); }
  int64_t shortestSample() const override { return 5000; } // Reading the clock costs about 25 ns.
  bool runsBehind() const override { return false; }
  void startGraph(Failure &failure) override {
    failure.set("protocol", "`mode` of the request is `graph`, which a CPU has not; it has `cold` and `warm`");
  }
  void endGraph(Failure &) override {}
  void runGraph(Failure &) override {}
  void describeSample(Json &answer, bool after) const override {
    if (after)
      answer["threads"] = runtime::ThreadPool::get().threads();
  }

private:
  static char *pointer(Address address) { return reinterpret_cast<char *>(address); }
  static int64_t now();

  int64_t start = 0;
};

} // namespace

int64_t CpuBackend::now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

void CpuBackend::describe(Json &device) const {
  const DeviceFacts &facts = DeviceFacts::get();
  device = {{"target", facts.target},           {"name", facts.name},        {"cores", facts.cores},
            {"l1_bytes", facts.l1Bytes},        {"l2_bytes", facts.l2Bytes}, {"l3_bytes", facts.l3Bytes},
            {"memory_bytes", facts.memoryBytes}};
}

Address CpuBackend::allocate(int64_t bytes, Failure &) {
  void *block;
  return posix_memalign(&block, 128, size_t(bytes)) == 0 ? reinterpret_cast<Address>(block) : 0;
}

void CpuBackend::run(const Fill &fill, Failure &failure) {
  if (!runtime::fill(pointer(fill.data), fill.bytes, fill.pattern))
    failure.set("memory", "no memory for the scratch of the plan");
}

void CpuBackend::run(const Launch &launch, Failure &failure) {
  runtime::ProgramFunction function = nullptr;
  static_assert(sizeof function == sizeof launch.kernel);
  std::memcpy(&function, &launch.kernel, sizeof function);
  if (!runtime::ThreadPool::get().run({function, launch.arguments.data(), launch.grid, launch.scratchBytes}))
    failure.set("memory", "no memory for the scratch of the plan");
}

#if defined(__x86_64__)
const char *CpuBackend::evictionMethod() const { return "flush"; }

/// Flushing a line drops it from all cores' caches and costs time by the buffers' size, not the cache's.
void CpuBackend::evict(const std::vector<Span> &buffers, Failure &) {
  for (const Span &buffer : buffers)
    for (int64_t offset = 0; offset < buffer.bytes + 64; offset += 64)
      _mm_clflush(pointer(buffer.begin) + offset);
  _mm_mfence();
}
#else
const char *CpuBackend::evictionMethod() const { return "touch"; }

/// Program p touches every line of one block; arguments: address, bytes.
static void touchPrograms(const int64_t *arguments, const int64_t *, int64_t begin, int64_t end, void *) {
  volatile char *data = reinterpret_cast<volatile char *>(arguments[0]);
  for (int64_t offset = begin << 16; offset < end << 16; offset += 64)
    data[offset] = char(data[offset] + 1);
}

void CpuBackend::evict(const std::vector<Span> &, Failure &) {
  static std::vector<char> foreign(size_t(2 * DeviceFacts::get().lastLevelCacheBytes() + (8 << 20)) >> 16 << 16);
  int64_t arguments[2] = {reinterpret_cast<int64_t>(foreign.data()), int64_t(foreign.size())};
  int64_t grid[3] = {int64_t(foreign.size()) >> 16, 1, 1};
  runtime::ThreadPool::get().run({touchPrograms, arguments, grid, 0});
}
#endif

std::unique_ptr<Backend> makeCpuBackend(const std::string &, Failure &) { return std::make_unique<CpuBackend>(); }

} // namespace helion::worker
