// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times what a package costs its caller: first calls, choosing, and calls beside bare launches of the same kernels. The
// package's functions are in case.h, which measure-calls.py writes; it also reads what comes out.
// Use: measure-calls first|steady ROWS [ROUNDS]
#include "case.h"

#if CASE_HAS_DRIVER
#include "runtime/Cuda.h"
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <vector>

//===-- Allocations -----------------------------------------------------------------------------------------------===//

static std::atomic<long> allocations{0};

// This program's malloc is everybody's.
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
}

[[noreturn]] static void die(const char *what, const char *why) {
  std::fprintf(stderr, "measure-calls: %s: %s\n", what, why);
  std::exit(1);
}

static void check(int status, const char *what) {
  if (status)
    die(what, the_case::text(status));
}

//===-- The device ------------------------------------------------------------------------------------------------===//

#if CASE_HAS_DRIVER
namespace runtime = HELION_RUNTIME;

/// The table that the package itself calls through.
static runtime::CudaDriver *driver;

static void startDevice() {
  runtime::CudaProblem problem;
  driver = const_cast<runtime::CudaDriver *>(runtime::cudaDriver(problem));
  runtime::CUdevice device = 0;
  runtime::CUcontext context = nullptr;
  if (!driver)
    die("no device", problem.text);
  if (driver->cuDeviceGet(&device, 0) || driver->cuDevicePrimaryCtxRetain(&context, device) ||
      driver->cuCtxSetCurrent(context))
    die("no device", "it has no context");
}

static void *allocate(size_t bytes) {
  runtime::CUdeviceptr address = 0;
  bytes = std::max<size_t>(bytes, 64);
  if (driver->cuMemAlloc_v2(&address, bytes) || driver->cuMemsetD8Async(address, 0, bytes, nullptr))
    die("no memory", "on the device");
  return reinterpret_cast<void *>(address);
}

static void release(void *memory) { driver->cuMemFree_v2(reinterpret_cast<runtime::CUdeviceptr>(memory)); }
static void finish() { driver->cuStreamSynchronize(nullptr); }
constexpr DLDeviceType kMemory = kDLCUDA;

namespace {
struct Launch {
  runtime::CUfunction function;
  unsigned grid[3], threads, sharedBytes;
  std::vector<int64_t> words;
  std::vector<runtime::MapBytes> maps;
  std::vector<void *> parameters;
};
} // namespace

static std::vector<Launch> *recording;
static decltype(driver->cuTensorMapEncodeTiled) makeMap;
static std::vector<const void *> madeMaps; // Parameters that are no words.

static bool isMap(const void *parameter) {
  return std::find(madeMaps.begin(), madeMaps.end(), parameter) != madeMaps.end();
}

static runtime::CUresult recordMap(runtime::CUtensorMap *map, runtime::CUtensorMapDataType type, uint32_t rank,
                                   void *data, const uint64_t *sizes, const uint64_t *byteStrides, const uint32_t *box,
                                   const uint32_t *elementStrides, runtime::CUtensorMapInterleave interleave,
                                   runtime::CUtensorMapSwizzle swizzle, runtime::CUtensorMapL2promotion promotion,
                                   runtime::CUtensorMapFloatOOBfill fill) {
  madeMaps.push_back(map);
  return makeMap(map, type, rank, data, sizes, byteStrides, box, elementStrides, interleave, swizzle, promotion, fill);
}

static runtime::CUresult record(runtime::CUfunction function, unsigned x, unsigned y, unsigned z, unsigned threads,
                                unsigned, unsigned, unsigned sharedBytes, runtime::CUstream, void **parameters,
                                void **) {
  Launch launch = {function, {x, y, z}, threads, sharedBytes, {}, {}, {}};
  for (void **parameter = parameters; *parameter; ++parameter)
    if (isMap(*parameter))
      launch.maps.push_back(*static_cast<const runtime::MapBytes *>(*parameter));
    else
      launch.words.push_back(*static_cast<const int64_t *>(*parameter));
  auto word = launch.words.begin();
  auto map = launch.maps.begin();
  for (void **parameter = parameters; *parameter; ++parameter)
    launch.parameters.push_back(isMap(*parameter) ? static_cast<void *>(&*map++) : static_cast<void *>(&*word++));
  launch.parameters.push_back(nullptr);
  madeMaps.clear();
  recording->push_back(std::move(launch));
  return runtime::CUDA_SUCCESS;
}

/// What a call launches; nothing runs.
static std::vector<Launch> launchesOf(const std::function<int()> &call) {
  std::vector<Launch> launches;
  auto real = driver->cuLaunchKernel;
  recording = &launches;
  makeMap = driver->cuTensorMapEncodeTiled;
  driver->cuLaunchKernel = record;
  driver->cuTensorMapEncodeTiled = makeMap ? recordMap : nullptr;
  check(call(), "a call");
  driver->cuLaunchKernel = real;
  driver->cuTensorMapEncodeTiled = makeMap;
  return launches;
}

static void launchBare(std::vector<Launch> &launches) {
  for (Launch &launch : launches)
    if (driver->cuLaunchKernel(launch.function, launch.grid[0], launch.grid[1], launch.grid[2], launch.threads, 1, 1,
                               launch.sharedBytes, nullptr, launch.parameters.data(), nullptr))
      die("a bare launch", "the driver refuses it");
}
#else
static void startDevice() {}
static void *allocate(size_t bytes) {
  bytes = (std::max<size_t>(bytes, 64) + 63) & ~size_t(63);
  void *memory = std::aligned_alloc(64, bytes);
  return memory ? std::memset(memory, 0, bytes) : nullptr;
}
static void release(void *memory) { std::free(memory); }
static void finish() {}
constexpr DLDeviceType kMemory = kDLCPU;
#endif

//===-- Rows ------------------------------------------------------------------------------------------------------===//

namespace {
/// An argument as the file of rows has it.
struct Described {
  enum class Kind { Tensor, None, Integer, Real } kind = Kind::None;
  DLDataType type{};
  std::vector<int64_t> sizes;
  int64_t integer = 0;
  double real = 0;
};

struct Row {
  std::string name;
  std::vector<Described> arguments;
};

struct Tensor {
  Tensor(DLDataType type, std::vector<int64_t> from) : sizes(std::move(from)), strides(sizes.size()) {
    int64_t count = 1;
    for (size_t d = sizes.size(); d-- > 0; count *= sizes[d])
      strides[d] = count;
    view = {allocate(size_t(count * type.bits / 8)), {kMemory, 0}, int32_t(sizes.size()), type, nullptr, nullptr, 0};
    view.shape = sizes.data();
    view.strides = strides.data();
  }
  Tensor(Tensor &&) = default;
  std::vector<int64_t> sizes, strides;
  DLTensor view;
};

/// Everything that one call needs.
struct CallSet {
  explicit CallSet(const Row &row) {
    tensors.reserve(row.arguments.size() + size_t(the_case::kResults));
    for (const Described &argument : row.arguments) {
      the_case::Value value = {nullptr, argument.integer, argument.real};
      if (argument.kind == Described::Kind::Tensor) {
        tensors.emplace_back(argument.type, argument.sizes);
        value.tensor = &tensors.back().view;
      }
      values.push_back(value);
    }
    int64_t bytes = 0;
    for (int i = 0; i < the_case::kResults; ++i) {
      the_case::Shape shape;
      check(the_case::outputShape(values.data(), i, &shape), "a result's shape");
      tensors.emplace_back(shape.dtype, std::vector<int64_t>(shape.sizes, shape.sizes + shape.ndim));
      results.push_back(&tensors.back().view);
    }
    check(the_case::workspace(values.data(), &bytes), "the workspace");
    workspace = bytes ? allocate(size_t(bytes)) : nullptr;
  }
  void releaseAll() {
    for (Tensor &tensor : tensors)
      release(tensor.view.data);
    if (workspace)
      release(workspace);
  }
  int call() const { return the_case::call(values.data(), results.data(), nullptr, workspace); }

  std::vector<Tensor> tensors;
  std::vector<the_case::Value> values;
  std::vector<DLTensor *> results;
  void *workspace = nullptr;
};
} // namespace

static std::vector<Row> readRows(const char *path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    Described argument;
    if (kind == "row") {
      rows.push_back({line.substr(4), {}});
      continue;
    }
    if (kind == "tensor") {
      int code = 0, bits = 0, rank = 0;
      words >> code >> bits >> rank;
      argument.kind = Described::Kind::Tensor;
      argument.type = {uint8_t(code), uint8_t(bits), 1};
      argument.sizes.resize(size_t(rank));
      for (int64_t &size : argument.sizes)
        words >> size;
    } else if (kind == "integer") {
      argument.kind = Described::Kind::Integer;
      words >> argument.integer;
    } else if (kind == "real") {
      argument.kind = Described::Kind::Real;
      words >> argument.real;
    }
    rows.back().arguments.push_back(argument);
  }
  if (rows.empty())
    die("no rows", path);
  return rows;
}

//===-- Time ------------------------------------------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

static double nanoseconds(Clock::duration time) { return std::chrono::duration<double, std::nano>(time).count(); }

namespace {
/// Code and data that push others out of the caches.
class OtherWork {
public:
  OtherWork() : data(kMostBytes, 1) {
    void *memory = mmap(nullptr, kCodeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return;
    char *begin = static_cast<char *>(memory);
    for (size_t at = 0; at < kCodeBytes; at += kLine)
      writeReturn(begin + at);
    __builtin___clear_cache(begin, begin + kCodeBytes);
    if (mprotect(memory, kCodeBytes, PROT_READ | PROT_EXEC) == 0)
      code = begin;
  }
  void run(size_t bytes) {
    for (size_t at = 0; at < bytes; at += kLine)
      sum += data[at];
    for (size_t at = 0; code && at < kCodeBytes; at += kLine) {
      void (*function)() = nullptr;
      char *address = code + at;
      std::memcpy(&function, &address, sizeof function);
      function();
    }
  }
  static constexpr size_t kMostBytes = size_t(256) << 20;

private:
  static void writeReturn(char *to) {
#if defined(__aarch64__)
    const unsigned word = 0xd65f03c0;
    std::memcpy(to, &word, sizeof word);
#else
    *to = char(0xc3);
#endif
  }
  static constexpr size_t kLine = 64, kCodeBytes = size_t(1) << 20;
  std::vector<char> data;
  char *code = nullptr;
  volatile long sum = 0;
};
} // namespace

/// One call of `work` after `bytes` of other work; what reading the clock costs is taken off.
static std::vector<double> coldTimes(OtherWork &other, size_t bytes, int rounds, const std::function<void()> &work) {
  std::vector<double> times, empty;
  for (int round = 0; round < rounds; ++round)
    for (bool isEmpty : {true, false}) {
      other.run(bytes);
      Clock::now();
      Clock::now();
      auto begin = Clock::now();
      if (!isEmpty)
        work();
      (isEmpty ? empty : times).push_back(nanoseconds(Clock::now() - begin));
    }
  std::nth_element(empty.begin(), empty.begin() + rounds / 2, empty.end());
  for (double &time : times)
    time = std::max(0.0, time - empty[size_t(rounds) / 2]);
  return times;
}

namespace {
/// Costs of works in turn, in another order in each round.
struct Race {
  struct Entry {
    const char *name;
    int calls; // In a round; fewer than a device queues without waiting.
    std::function<void(int)> work;
    std::vector<double> times;
  };
  void run(int rounds) {
    std::mt19937 random(0);
    std::vector<size_t> order(entries.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    for (int round = -2; round < rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (size_t index : order) {
        Entry &entry = entries[index];
        finish();
        auto begin = Clock::now();
        for (int call = 0; call < entry.calls; ++call)
          entry.work(call);
        double time = nanoseconds(Clock::now() - begin) / entry.calls;
        if (round >= 0)
          entry.times.push_back(time);
      }
    }
    finish();
  }
  std::vector<Entry> entries;
};
} // namespace

//===-- What is measured ------------------------------------------------------------------------------------------===//

static void printTimes(const char *name, const std::vector<double> &times) {
  std::printf(", \"%s\": [", name);
  for (size_t i = 0; i < times.size(); ++i)
    std::printf("%s%.1f", i ? ", " : "", times[i]);
  std::printf("]");
}

static void first(const std::vector<Row> &rows) {
  std::vector<CallSet> sets;
  for (const Row &row : rows)
    sets.emplace_back(row);
  finish();
  struct Seen {
    double returned, done;
  };
  std::vector<Seen> seen;
  for (CallSet &set : sets) {
    auto begin = Clock::now();
    int status = set.call();
    auto returned = Clock::now();
    finish();
    seen.push_back({nanoseconds(returned - begin), nanoseconds(Clock::now() - begin)});
    check(status, "a first call");
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    the_case::Choice choice;
    check(the_case::choose(sets[r].values.data(), &choice), "choose");
    std::printf("{\"row\": \"%s\", \"variant\": %d, \"returned_ns\": %.0f, \"done_ns\": %.0f}\n", rows[r].name.c_str(),
                choice.variant, seen[r].returned, seen[r].done);
  }
}

static void steady(const Row &row, int rounds, OtherWork &other) {
  constexpr int kSets = 4, kCalls = 20, kChoices = 200;
  std::vector<CallSet> sets;
  for (int i = 0; i < kSets; ++i)
    sets.emplace_back(row);
  const CallSet &one = sets.front();
  for (const CallSet &set : sets)
    check(set.call(), "a call");
  the_case::Choice choice;
  check(the_case::choose(one.values.data(), &choice), "choose");
  int failed = 0;
  auto choose = [&](int) { failed |= the_case::choose(one.values.data(), &choice); };
  Race race;
  race.entries = {{"choose_ns", kChoices, choose, {}},
                  {"call_ns", kCalls, [&](int) { failed |= one.call(); }, {}},
                  {"call_new_ns", kCalls, [&](int call) { failed |= sets[size_t(call % kSets)].call(); }, {}}};
  size_t launches = 0;
#if CASE_HAS_DRIVER
  std::vector<std::vector<Launch>> bare;
  for (const CallSet &set : sets)
    bare.push_back(launchesOf([&] { return set.call(); }));
  launches = bare.front().size();
  race.entries.push_back({"bare_ns", kCalls, [&](int) { launchBare(bare.front()); }, {}});
  race.entries.push_back({"bare_new_ns", kCalls, [&](int call) { launchBare(bare[size_t(call % kSets)]); }, {}});
#endif
  race.run(rounds);
  long before = allocations;
  for (int i = 0; i < 100; ++i)
    choose(0);
  long chooses = allocations - before;
  for (int i = 0; i < 100; ++i)
    failed |= one.call();
  long calls = allocations - before - chooses;
  finish();
  std::printf("{\"row\": \"%s\", \"variant\": %d, \"in_corpus\": %d, \"launches\": %zu, \"choose_allocations\": %ld, "
              "\"call_allocations\": %ld",
              row.name.c_str(), choice.variant, choice.in_corpus, launches, chooses, calls);
  for (const Race::Entry &entry : race.entries)
    printTimes(entry.name, entry.times);
  int coldRounds = std::min(rounds, 60);
  printTimes("choose_cold_ns", coldTimes(other, size_t(4) << 20, coldRounds, [&] { choose(0); }));
  printTimes("choose_coldest_ns", coldTimes(other, OtherWork::kMostBytes, coldRounds, [&] { choose(0); }));
  std::printf("}\n");
  check(failed, "a timed call");
  for (CallSet &set : sets)
    set.releaseAll();
}

int main(int argc, char **argv) {
  if (argc < 3)
    die("no arguments", "measure-calls first|steady ROWS [ROUNDS]");
  std::vector<Row> rows = readRows(argv[2]);
  startDevice();
  if (std::strcmp(argv[1], "first") == 0) {
    first(rows);
    return 0;
  }
  OtherWork other;
  for (const Row &row : rows)
    steady(row, argc > 3 ? std::atoi(argv[3]) : 200, other);
  return 0;
}
