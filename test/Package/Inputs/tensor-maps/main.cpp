// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a package whose kernels take tensor maps: what the driver is asked for, in calls and in a captured graph, of
// tensors that move; what it refuses; a driver that has no maps.
#include "crop.h"
#include "fake-cuda.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <vector>

template <typename Function> static Function find(const char *name) {
  static void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void *address = dlsym(driver, name);
  Function function = nullptr;
  std::memcpy(&function, &address, sizeof function);
  return function;
}

static void expect(bool good, const char *what, int seen) {
  if (!good)
    std::printf("FAILED: %s, saw %d: %s\n", what, seen, crop_strerror(seen));
}

namespace {
/// x has `stride` floats in a row and begins `skipped` floats behind an aligned address.
struct Arguments {
  Arguments(int64_t rows, int64_t columns, int64_t stride, size_t skipped = 0)
      : sizes{rows, columns}, strides{stride, 1}, memory(size_t(rows * stride) + 32),
        out(size_t(rows * columns) + 1, -1.0f), workspace(64) {
    data = aligned(memory) + skipped;
    for (int64_t i = 0; i < rows * stride; ++i)
      data[i] = float(i);
    xTensor = {data, {kDLCUDA, 0}, 2, {kDLFloat, 32, 1}, sizes, strides, 0};
    outTensor = {out.data(), {kDLCUDA, 0}, 2, {kDLFloat, 32, 1}, sizes, nullptr, 0};
  }
  static float *aligned(std::vector<float> &memory) {
    return reinterpret_cast<float *>((reinterpret_cast<uintptr_t>(memory.data()) + 63) & ~uintptr_t(63));
  }
  int call() { return crop(&xTensor, &outTensor, nullptr, aligned(workspace)); }
  bool holds() const {
    for (int64_t row = 0; row < sizes[0]; ++row)
      for (int64_t column = 0; column < sizes[1]; ++column) {
        bool isInside = row + 1 < sizes[0] && column + 4 < sizes[1];
        float first = row == 0 && column == 0 ? 1 : 0;
        float expected = (isInside ? float((row + 1) * strides[0] + column + 4) : 0) + first;
        if (out[size_t(row * sizes[1] + column)] != expected)
          return false;
      }
    return true;
  }
  int64_t sizes[2], strides[2];
  std::vector<float> memory, out, workspace;
  float *data = nullptr;
  DLTensor xTensor, outTensor;
};
} // namespace

static void calls(fake_state *(*counts)()) {
  Arguments some(9, 20, 24), others(5, 12, 16);
  int status = some.call();
  expect(status == CROP_OK && some.holds(), "boxes over the edges", status);
  expect(counts()->maps == 3, "a map for each", int(counts()->maps));
  const fake_map &last = counts()->lastMap; // Of out.
  expect(last.address == reinterpret_cast<uint64_t>(some.out.data()) && last.rank == 3 && last.sizes[1] == 5 &&
             last.sizes[2] == 9 && last.byteStrides[1] == 80,
         "its numbers", 0);
  status = others.call();
  expect(status == CROP_OK && others.holds(), "another tensor", status);
  expect(counts()->maps == 6, "maps are made for each call", int(counts()->maps));
  std::puts("calls");
}

static void capture(fake_state *(*counts)()) {
  Arguments some(9, 20, 24);
  void *graph = nullptr, *executable = nullptr;
  find<int (*)(void *)>("cuCtxSetCurrent")(find<void *(*)(int)>("fake_context")(0));
  find<int (*)(void *, int)>("cuStreamBeginCapture_v2")(nullptr, 0);
  int status = some.call();
  expect(status == CROP_OK && some.out[0] == -1, "a captured call", status);
  find<int (*)(void *, void **)>("cuStreamEndCapture")(nullptr, &graph);
  find<int (*)(void **, void *, unsigned long long)>("cuGraphInstantiateWithFlags")(&executable, graph, 0);
  uint64_t maps = counts()->maps;
  Arguments(5, 12, 16).call(); // Writes over the frame that the captured call had.
  find<int (*)(void *, void *)>("cuGraphLaunch")(executable, nullptr);
  expect(some.holds() && counts()->maps == maps + 3, "the graph has its own maps", int(counts()->maps - maps));
  std::puts("capture");
}

static void refusals() {
  Arguments odd(9, 20, 22), moved(9, 20, 24, 1);
  int status = odd.call();
  expect(status == CROP_MAP_0, "rows that are no multiples of 16 bytes", status);
  std::printf("%d: %s\n", status, crop_strerror(status));
  status = moved.call();
  expect(status == CROP_MAP_0 && moved.out[0] == -1, "an address that is no multiple of 16 bytes", status);
  moved.xTensor.data = Arguments::aligned(moved.memory);
  moved.sizes[1] = 16;
  moved.outTensor.data = moved.out.data() + 1;
  status = moved.call();
  expect(status == CROP_MAP_2, "the same of the output", status);
  std::printf("%d: %s\n", status, crop_strerror(status));
  // Nothing runs of the launch that fits no map; of no rows there are no programs.
  Arguments none(0, 20, 24);
  status = none.call();
  expect(status == CROP_MAP_2, "an empty grid needs no maps, the next launch does", status);
  std::puts("refusals");
}

/// Which of several variants runs.
static void which() {
  Arguments some(9, 20, 24);
  int prepared = crop_prepare(0), called = some.call();
  std::printf("prepare: %s\ncall: %s, %s\n", crop_strerror(prepared), crop_strerror(called),
              some.holds() ? "right" : "wrong");
  std::vector<char> text(4096);
  crop_explain(&some.xTensor, text.data(), text.size());
  std::printf("%s", text.data());
}

int main(int argc, char **arguments) {
  Arguments some(9, 20, 24);
  if (argc > 1 && !std::strcmp(arguments[1], "which")) {
    which();
    return 0;
  }
  if (argc > 1) {
    int called = some.call(), prepared = crop_prepare(0);
    std::printf("%d, %d: %s\n", called, prepared, crop_strerror(prepared));
    return 0;
  }
  int status = crop_prepare(0);
  expect(status == CROP_OK, "prepare", status);
  auto counts = find<fake_state *(*)()>("fake_counts");
  calls(counts);
  capture(counts);
  refusals();
  return 0;
}
