// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs functions that helion-simulate-threads made: the threads of a block are fibers that switch where threads meet. Checks
// that all lanes of a warp take part in a shuffle and all threads of a block in a barrier, and that nothing is written
// behind the shared memory. The order in which fibers run is a parameter, so that races show.
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <ucontext.h>
#include <vector>

namespace {
enum class State { Ready, Shuffle, Barrier, Meet, Done, Yielded };

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  State state = State::Ready;
  int32_t value = 0, mode = 0, offset = 0, width = 0;
  void *brought = nullptr;
  void (*meeting)(void **, int64_t) = nullptr;
};

constexpr size_t kStackBytes = 512 * 1024;
constexpr size_t kGuardBytes = 64;
// As a device aligns it, for swizzles that follow addresses.
constexpr size_t kSharedAlignment = 1024;

struct Block {
  void (*kernel)(const int64_t *) = nullptr;
  const int64_t *words = nullptr;
  int64_t grid[3] = {}, id[3] = {}, lanes = 0, order = 0;
  std::vector<Fiber> fibers;
  std::vector<unsigned char> shared;
  size_t sharedBytes = 0;
  ucontext_t scheduler;
  size_t current = 0;
  std::string error;
  std::mt19937 random;

  void start(size_t number);
  void run();
  void runFiber(size_t number);
  bool wakeWarp(size_t warp);
  bool meetWarp(size_t warp);
  bool wakeYielded();
  bool wakeAll();
  size_t nextReady();
  void fail(const std::string &message) {
    if (error.empty())
      error = message + " in block " + std::to_string(id[0]) + "," + std::to_string(id[1]) + "," + std::to_string(id[2]);
  }
};

Block block;

void wait(State state) {
  Fiber &fiber = block.fibers[block.current];
  fiber.state = state;
  swapcontext(&fiber.context, &block.scheduler);
}

void body() {
  block.kernel(block.words);
  block.fibers[block.current].state = State::Done;
  // Returns to the scheduler through uc_link.
}

void Block::start(size_t number) {
  Fiber &fiber = fibers[number];
  if (!fiber.stack)
    fiber.stack.reset(new char[kStackBytes]);
  fiber.state = State::Ready;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = &scheduler;
  makecontext(&fiber.context, body, 0);
}

void Block::runFiber(size_t number) {
  current = number;
  swapcontext(&scheduler, &fibers[number].context);
}

/// Lets the lanes of a warp exchange their values once all have come.
bool Block::wakeWarp(size_t warp) {
  size_t first = warp * lanes;
  for (int64_t lane = 0; lane != lanes; ++lane)
    if (fibers[first + lane].state != State::Shuffle)
      return false;
  std::vector<int32_t> values;
  for (int64_t lane = 0; lane != lanes; ++lane)
    values.push_back(fibers[first + lane].value);
  for (int64_t lane = 0; lane != lanes; ++lane) {
    Fiber &fiber = fibers[first + lane];
    if (fiber.mode != fibers[first].mode || fiber.width != lanes)
      fail("lanes of warp " + std::to_string(warp) + " shuffle in different ways");
    // xor, down, up, idx, as in gpu.shuffle.
    const int64_t from[] = {lane ^ fiber.offset, lane + fiber.offset, lane - fiber.offset, fiber.offset};
    int64_t source = from[fiber.mode & 3];
    fiber.value = source >= 0 && source < lanes ? values[source] : -1;
    fiber.state = State::Ready;
  }
  return true;
}

/// Runs what the lanes of a warp do together, once all have come.
bool Block::meetWarp(size_t warp) {
  Fiber *first = &fibers[warp * lanes];
  std::vector<void *> brought;
  for (int64_t lane = 0; lane != lanes; ++lane) {
    if (first[lane].state != State::Meet)
      return false;
    if (first[lane].meeting != first->meeting)
      fail("lanes of warp " + std::to_string(warp) + " meet for different things");
    brought.push_back(first[lane].brought);
  }
  if (error.empty())
    first->meeting(brought.data(), lanes);
  for (int64_t lane = 0; lane != lanes; ++lane)
    first[lane].state = State::Ready;
  return true;
}

/// Those that wait for others look again when nobody else can run.
bool Block::wakeYielded() {
  bool woken = false;
  for (Fiber &fiber : fibers)
    if (fiber.state == State::Yielded) {
      fiber.state = State::Ready;
      woken = true;
    }
  return woken;
}

/// All threads that are not done stand at a barrier, or something is wrong.
bool Block::wakeAll() {
  size_t counts[6] = {};
  for (Fiber &fiber : fibers)
    ++counts[int(fiber.state)];
  if (counts[int(State::Done)] == fibers.size())
    return false;
  if (counts[int(State::Barrier)] != fibers.size()) {
    fail("threads diverge: " + std::to_string(counts[int(State::Shuffle)] + counts[int(State::Meet)]) + " at a shuffle, " +
         std::to_string(counts[int(State::Barrier)]) + " at a barrier, " + std::to_string(counts[int(State::Done)]) + " done");
    return false;
  }
  for (Fiber &fiber : fibers)
    fiber.state = State::Ready;
  return true;
}

/// 0: the first that can run; 1: the last; else any.
size_t Block::nextReady() {
  std::vector<size_t> ready;
  for (size_t number = 0; number != fibers.size(); ++number)
    if (fibers[number].state == State::Ready)
      ready.push_back(number);
  if (ready.empty())
    return fibers.size();
  if (order < 2)
    return order == 0 ? ready.front() : ready.back();
  return ready[random() % ready.size()];
}

void Block::run() {
  // NaN in every float type, and nothing that a kernel may rely on.
  shared.assign(sharedBytes + kGuardBytes + kSharedAlignment, 0xFF);
  for (size_t number = 0; number != fibers.size(); ++number)
    start(number);
  while (error.empty()) {
    size_t next = nextReady();
    if (next == fibers.size()) {
      if (!wakeYielded() && !wakeAll())
        break;
      continue;
    }
    runFiber(next);
    wakeWarp(next / lanes);
    meetWarp(next / lanes);
  }
  size_t skip = -reinterpret_cast<uintptr_t>(shared.data()) % kSharedAlignment;
  for (size_t byte = 0; byte != kGuardBytes; ++byte)
    if (shared[skip + sharedBytes + byte] != 0xFF)
      fail("a write behind the shared memory");
}
} // namespace

extern "C" {
int64_t helion_harness_thread(int32_t axis) { return axis ? 0 : int64_t(block.current); }
int64_t helion_harness_block(int32_t axis) { return block.id[axis]; }
int64_t helion_harness_grid(int32_t axis) { return block.grid[axis]; }
void helion_harness_barrier() { wait(State::Barrier); }
void *helion_harness_shared() {
  return block.shared.data() + -reinterpret_cast<uintptr_t>(block.shared.data()) % kSharedAlignment;
}

int32_t helion_harness_shuffle(int32_t value, int32_t mode, int32_t offset, int32_t width) {
  Fiber &fiber = block.fibers[block.current];
  fiber.value = value;
  fiber.mode = mode;
  fiber.offset = offset;
  fiber.width = width;
  wait(State::Shuffle);
  return block.fibers[block.current].value;
}

/// For what all lanes of a warp do together beside shuffles: `act` gets what each lane brought.
void helion_harness_meet(void (*act)(void **brought, int64_t lanes), void *mine) {
  block.fibers[block.current].brought = mine;
  block.fibers[block.current].meeting = act;
  wait(State::Meet);
}

int64_t helion_harness_order() { return block.order; }

/// Lets others run, for one who waits for something that they do.
void helion_harness_yield() { wait(State::Yielded); }

/// Ends the run with this message.
void helion_harness_fail(const char *message) {
  block.fail(message);
  wait(State::Ready);
}

/// To bf16, to nearest even, which x86-64 has no instruction for. The result is the low half of its register, so the float here is
/// only a place for bits.
float __truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  bits = value != value ? 0x7FC0 : (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  memcpy(&value, &bits, 4);
  return value;
}

/// Empty text when all went well.
const char *helion_harness_run(void (*kernel)(const int64_t *), const int64_t *words, const int64_t *grid, int64_t threads,
                               int64_t lanes, int64_t sharedBytes, int64_t order) {
  block.kernel = kernel;
  block.words = words;
  block.lanes = lanes;
  block.order = order;
  block.sharedBytes = sharedBytes;
  block.random.seed(unsigned(order));
  block.error.clear();
  block.fibers.resize(threads);
  memcpy(block.grid, grid, sizeof block.grid);
  for (int64_t z = 0; z != grid[2]; ++z)
    for (int64_t y = 0; y != grid[1]; ++y)
      for (int64_t x = 0; x != grid[0] && block.error.empty(); ++x) {
        block.id[0] = x, block.id[1] = y, block.id[2] = z;
        block.run();
      }
  return block.error.c_str();
}
}
