// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stranger's program calls a package for a GPU: whose context and stream it uses, when it loads code, what it
// refuses. The driver is the test's fake, so device memory is memory of this process.
#include "fake-cuda.h"
#include "shift.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static void *driver;

template <typename Function> static Function find(const char *name) {
  void *address = driver ? dlsym(driver, name) : nullptr;
  Function function = nullptr;
  std::memcpy(&function, &address, sizeof function);
  return function;
}

static void expect(bool good, const char *what, int seen) {
  if (!good)
    std::printf("FAILED: %s, saw %d\n", what, seen);
}

namespace {
/// x and out on a device.
struct Arguments {
  explicit Arguments(int64_t count, int device = 0, DLDeviceType type = kDLCUDA)
      : size(count), x(size_t(count), 2.0f), out(size_t(count), -1.0f), workspace(size_t(count) + 64) {
    for (DLTensor *tensor : {&xTensor, &outTensor})
      *tensor = {tensor == &xTensor ? x.data() : out.data(), {type, device}, 1, {kDLFloat, 32, 1}, &size, nullptr, 0};
  }
  int call(double by, void *stream = nullptr) {
    auto address = (reinterpret_cast<uintptr_t>(workspace.data()) + 63) & ~uintptr_t(63);
    return shift(&xTensor, by, &outTensor, stream, reinterpret_cast<void *>(address));
  }
  bool holds(float value) const {
    for (float element : out)
      if (element != value)
        return false;
    return true;
  }
  int64_t size;
  std::vector<float> x, out, workspace;
  DLTensor xTensor, outTensor;
};
} // namespace

static void callsAndContexts(fake_state *(*counts)()) {
  auto setContext = find<int (*)(void *)>("cuCtxSetCurrent");
  auto getContext = find<int (*)(void **)>("cuCtxGetCurrent");
  auto makeContext = find<void *(*)(int)>("fake_context");
  void *current = &current;
  Arguments large(4096), small(37);
  int status = large.call(3);
  expect(status == SHIFT_OK && large.holds(5), "one launch", status);
  expect(counts()->loads == 1, "a first call loads what it launches", int(counts()->loads));
  getContext(&current);
  expect(!current, "no context is left current", 0);
  status = small.call(1);
  expect(status == SHIFT_OK && small.holds(3.5), "a fill and two launches", status);
  expect(counts()->loads == 2, "each image is loaded once", int(counts()->loads));

  void *own = makeContext(0);
  setContext(own);
  status = large.call(4, &large);
  expect(status == SHIFT_OK && large.holds(6), "a call in the caller's context", status);
  getContext(&current);
  expect(current == own, "the caller's context stays", 0);
  expect(counts()->lastStream == reinterpret_cast<uint64_t>(&large), "the caller's stream is used", 0);
  expect(counts()->loads == 3, "its own image is loaded", int(counts()->loads));
  large.call(5);
  expect(counts()->loads == 3, "and not again", int(counts()->loads));
  setContext(makeContext(1));
  status = large.call(6);
  expect(status == SHIFT_OK && large.holds(8) && counts()->loads == 3, "in a context of another device", status);
  std::puts("calls and contexts");
}

static void capture(fake_state *(*counts)()) {
  auto setContext = find<int (*)(void *)>("cuCtxSetCurrent");
  auto makeContext = find<void *(*)(int)>("fake_context");
  auto begin = find<int (*)(void *, int)>("cuStreamBeginCapture_v2");
  auto end = find<int (*)(void *, void **)>("cuStreamEndCapture");
  auto instantiate = find<int (*)(void **, void *, unsigned long long)>("cuGraphInstantiateWithFlags");
  auto launch = find<int (*)(void *, void *)>("cuGraphLaunch");
  Arguments small(37);
  void *graph = nullptr, *executable = nullptr;
  uint64_t loads = counts()->loads;
  setContext(makeContext(0));
  begin(nullptr, 0);
  int status = small.call(1);
  expect(status == SHIFT_OK && small.holds(-1), "the first call in a context is captured, not run", status);
  end(nullptr, &graph);
  expect(counts()->loads == loads + 1, "it loads", int(counts()->loads - loads));
  instantiate(&executable, graph, 0);
  launch(executable, nullptr);
  expect(small.holds(3.5), "the graph runs it", 0);
  setContext(nullptr);
  std::puts("capture");
}

static void refusals() {
  Arguments host(37, 0, kDLCPU), other(37, 1), none(37, 7), wrong(37, -1), mixed(37);
  expect(host.call(1) == SHIFT_WRONG_DEVICE, "memory of the processor", host.call(1));
  expect(other.call(1) == SHIFT_OK && other.holds(3.5), "the second device", other.call(1));
  expect(none.call(1) == SHIFT_UNSUPPORTED_DEVICE, "a device that is not there", none.call(1));
  expect(wrong.call(1) == SHIFT_WRONG_DEVICE, "no device", wrong.call(1));
  mixed.outTensor.device.device_id = 1;
  expect(mixed.call(1) == SHIFT_WRONG_DEVICE, "two devices", mixed.call(1));
  expect(shift_prepare(0) == SHIFT_OK, "prepare", shift_prepare(0));
  expect(shift_prepare(7) == SHIFT_UNSUPPORTED_DEVICE, "prepare what is not there", shift_prepare(7));
  expect(shift_prepare(-1) == SHIFT_WRONG_DEVICE, "prepare nothing", shift_prepare(-1));
  std::puts("refusals");
}

static void unloads(fake_state *(*counts)()) {
  Arguments small(37);
  uint64_t loads = counts()->loads;
  shift_unload();
  expect(small.call(1) == SHIFT_OK && counts()->loads == loads + 1, "loads again", int(counts()->loads - loads));
  expect(shift_prepare(0) == SHIFT_OK && counts()->loads == loads + 2, "prepare loads the rest",
         int(counts()->loads - loads));
  shift_unload();
  shift_unload();
  std::puts("unloads");
}

/// Several threads call first at once; each image is loaded once.
static void threads(fake_state *(*counts)()) {
  constexpr int kThreads = 8;
  auto setContext = find<int (*)(void *)>("cuCtxSetCurrent");
  void *context = find<void *(*)(int)>("fake_context")(0);
  uint64_t loads = counts()->loads;
  std::vector<std::thread> started;
  std::atomic<int> wrong{0}, ready{0};
  for (int t = 0; t < kThreads; ++t)
    started.emplace_back([&, t] {
      Arguments mine(t % 2 ? 37 : 4096);
      setContext(context);
      for (++ready; ready < kThreads;)
        continue;
      wrong += mine.call(t) != SHIFT_OK || !mine.holds(float(t) + (t % 2 ? 2.5f : 2));
    });
  for (std::thread &thread : started)
    thread.join();
  expect(wrong == 0, "threads", wrong);
  expect(counts()->loads == loads + 2, "threads load each image once", int(counts()->loads - loads));
  std::puts("threads");
}

/// The status of a first call in a forked child, which is ended where it waits.
static int inChild() {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    Arguments own(37);
    int status = own.call(1);
    shift_unload();
    _exit(status == shift_prepare(1) ? status : 99);
  }
  int ended = -1;
  waitpid(child, &ended, 0);
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : -WTERMSIG(ended);
}

static std::atomic<bool> isLoading, mayLoad;
static int statusWhileLoading, childWhileLoading;

/// A thread is in the driver, for the package, while another forks.
static void forks(fake_state *(*counts)()) {
  alarm(50);
  auto setContext = find<int (*)(void *)>("cuCtxSetCurrent");
  auto makeContext = find<void *(*)(int)>("fake_context");
  void *context = makeContext(0), *other = makeContext(0);
  counts()->loading = [] {
    isLoading = true;
    while (!mayLoad)
      usleep(1000);
  };
  int status = -1;
  std::thread loader([&] {
    setContext(context);
    Arguments mine(37);
    status = mine.call(1);
  });
  while (!isLoading)
    usleep(1000);
  int child = inChild();
  mayLoad = true;
  loader.join();
  expect(child == SHIFT_FORKED, "a child of a process that used the driver, forked while a thread loads", child);
  expect(status == SHIFT_OK, "that thread", status);

  // The driver itself forks, and calls, on the thread that it loads for.
  counts()->loading = [] {
    find<fake_state *(*)()>("fake_counts")()->loading = nullptr;
    childWhileLoading = inChild();
    Arguments mine(37);
    statusWhileLoading = mine.call(2);
  };
  setContext(other);
  Arguments mine(37);
  status = mine.call(1);
  expect(childWhileLoading == SHIFT_FORKED, "a child that the driver forks", childWhileLoading);
  expect(statusWhileLoading == SHIFT_OK, "a call that the driver makes", statusWhileLoading);
  expect(status == SHIFT_OK && mine.holds(3.5), "the call that loads", status);
  setContext(nullptr);
  std::printf("forks: %s\n", shift_strerror(child));
  alarm(0);
}

/// A device whose context is lost.
static void lost() {
  int *error = find<int *(*)()>("fake_error")();
  Arguments small(37);
  *error = 700;
  int status = small.call(1);
  expect(status == SHIFT_DEVICE, "a lost context", status);
  std::printf("%s\n", shift_strerror(status));
}

int main(int argc, char **) {
  Arguments large(4096);
  if (argc > 1) {
    std::printf("%d: %s\n", large.call(1), shift_strerror(large.call(1)));
    return 0;
  }
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  int child = inChild();
  expect(child == SHIFT_OK, "a child that is forked before the driver was used", child);
  auto counts = find<fake_state *(*)()>("fake_counts");
  shift_choice choice;
  expect(shift_choose(&large.xTensor, 1, &choice) == SHIFT_OK && choice.variant == 0, "choose", choice.variant);
  std::vector<char> text(4096);
  shift_explain(&large.xTensor, 1, text.data(), text.size());
  std::printf("%s", text.data());
  callsAndContexts(counts);
  capture(counts);
  refusals();
  unloads(counts);
  threads(counts);
  forks(counts);
  lost();
  return 0;
}
