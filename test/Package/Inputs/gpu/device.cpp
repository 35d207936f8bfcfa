// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the package of shift.json on whatever driver there is: values in the contexts and on the streams of a caller,
// in a captured graph, and what a call costs over a bare launch.
#include "shift.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using Address = unsigned long long;

static int failures = 0;

static void expect(bool good, const char *what, int status = 0) {
  std::printf("%s %s%s%s\n", good ? "ok    " : "FAILED", what, status ? ": " : "",
              status ? shift_strerror(status) : "");
  failures += !good;
}

namespace {
/// Functions of the driver by their names.
class Driver {
public:
  template <typename... Parameters> int operator()(const char *name, Parameters... parameters) const {
    void *address = dlsym(library, name);
    int (*function)(Parameters...) = nullptr;
    std::memcpy(&function, &address, sizeof function);
    return function ? function(parameters...) : -1;
  }

private:
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
};

/// x, out and workspace on device 0.
struct Arguments {
  Arguments(const Driver &driver, int64_t count) : driver(driver), size(count) {
    for (Address *address : {&x, &out, &workspace})
      driver("cuMemAlloc_v2", address, size_t(4 * count));
    std::vector<float> values(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      values[size_t(i)] = float(i % 1000);
    driver("cuMemcpyHtoD_v2", x, static_cast<const void *>(values.data()), size_t(4 * count));
    for (DLTensor *tensor : {&xTensor, &outTensor})
      *tensor = {reinterpret_cast<void *>(tensor == &xTensor ? x : out),
                 {kDLCUDA, 0},
                 1,
                 {kDLFloat, 32, 1},
                 &size,
                 nullptr,
                 0};
  }
  int call(double by, void *stream = nullptr) {
    return shift(&xTensor, by, &outTensor, stream, reinterpret_cast<void *>(workspace));
  }
  void clear() { driver("cuMemsetD8Async", out, static_cast<unsigned char>(0xff), size_t(4 * size), nullptr); }
  /// Waits for the default stream, which waits for all that blocks.
  bool holds(float by) const {
    std::vector<float> values(static_cast<size_t>(size));
    if (driver("cuMemcpyDtoH_v2", static_cast<void *>(values.data()), out, size_t(4 * size)) != 0)
      return false;
    for (int64_t i = 0; i < size; ++i)
      if (values[size_t(i)] != float(i % 1000) + by)
        return false;
    return true;
  }
  const Driver &driver;
  int64_t size;
  Address x = 0, out = 0, workspace = 0;
  DLTensor xTensor, outTensor;
};
} // namespace

static void checkCapture(const Driver &driver, Arguments &small, void *stream) {
  void *graph = nullptr, *executable = nullptr;
  shift_unload();
  small.clear();
  driver("cuStreamSynchronize", static_cast<void *>(nullptr));
  driver("cuStreamBeginCapture_v2", stream, 0);
  int status = small.call(7, stream);
  expect(status == 0, "the first call, while its stream is captured", status);
  expect(driver("cuStreamEndCapture", stream, &graph) == 0, "the capture is whole");
  expect(!small.holds(7.5f), "nothing has run");
  driver("cuGraphInstantiateWithFlags", &executable, graph, 0ull);
  driver("cuGraphLaunch", executable, stream);
  driver("cuStreamSynchronize", stream);
  expect(small.holds(7.5f), "the graph");
}

/// A call in a child of this process, which has used the driver.
static void checkFork(Arguments &small, const char *what) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(small.call(1));
  }
  int ended = -1;
  waitpid(child, &ended, 0);
  expect(WIFEXITED(ended) && WEXITSTATUS(ended) == SHIFT_FORKED, what,
         WIFEXITED(ended) ? WEXITSTATUS(ended) : SHIFT_DEVICE);
}

/// The median time that the host needs for one, in nanoseconds.
template <typename Work> static double cost(const Driver &driver, void *stream, const Work &work) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 200, kCalls = 20; // Fewer than the driver queues without waiting.
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    driver("cuStreamSynchronize", stream);
    auto begin = Clock::now();
    for (int call = 0; call < kCalls; ++call)
      work();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kCalls);
  }
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

static void timeCalls(const Driver &driver, Arguments &large, void *stream, const char *image) {
  void *module = nullptr, *function = nullptr;
  if (driver("cuModuleLoad", &module, image) != 0 ||
      driver("cuModuleGetFunction", &function, module, "shift_11111111_0") != 0)
    return std::puts("no bare launch to compare with"), void();
  driver("cuFuncSetAttribute", function, 8, 65536);
  float by = 1;
  void *parameters[] = {&large.x, &large.out, &large.size, &by};
  using Launch =
      int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  void *address = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuLaunchKernel");
  Launch launch = nullptr;
  std::memcpy(&launch, &address, sizeof launch);
  shift_choice choice;
  double bare =
      cost(driver, stream, [&] { launch(function, 132, 1, 1, 128, 1, 1, 65536, stream, parameters, nullptr); });
  double call = cost(driver, stream, [&] { large.call(1, stream); });
  double choose = cost(driver, stream, [&] { shift_choose(&large.xTensor, 1, &choice); });
  std::printf("bare launch %.0f ns, call %.0f ns (%.2f), choose %.0f ns\n", bare, call, call / bare, choose);
}

int main(int argc, char **argv) {
  Driver driver;
  void *context = nullptr, *current = nullptr, *stream = nullptr;
  driver("cuInit", 0u);
  int device = 0;
  driver("cuDeviceGet", &device, 0);
  driver("cuDevicePrimaryCtxRetain", &context, device);
  driver("cuCtxSetCurrent", context);
  Arguments large(driver, 100003), small(driver, 37);
  driver("cuStreamCreate", &stream, 0u);
  driver("cuCtxSetCurrent", static_cast<void *>(nullptr));
  checkFork(small, "a child of a process that used CUDA, not the package");
  auto begin = std::chrono::steady_clock::now();
  int status = large.call(3);
  std::chrono::duration<double, std::milli> first = std::chrono::steady_clock::now() - begin;
  expect(status == 0, "the first call, without a current context", status);
  std::printf("it took %.2f ms\n", first.count());
  driver("cuCtxGetCurrent", &current);
  expect(!current, "no context is left current");
  driver("cuCtxSetCurrent", context);
  expect(large.holds(3), "one launch, with more shared memory than is granted");
  status = small.call(1);
  expect(status == 0 && small.holds(1.5f), "a fill and two launches", status);
  status = large.call(4, stream);
  expect(status == 0 && large.holds(4), "on a stream of the caller", status);
  checkCapture(driver, small, stream);
  checkFork(small, "a child of a process that used the package");
  timeCalls(driver, large, stream, argc > 1 ? argv[1] : "");
  std::puts(failures ? "checks failed" : "all checks passed");
  return failures != 0;
}
