// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool runs each program once, whoever calls: one thread, several at once, a forked child, after stop and after a
// new thread count. Scratch is private, aligned, reused, and made by callers alone.
#include "aot-runner/runtime/ThreadPool.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace HELION_RUNTIME;

static std::atomic<int> alignedBlocks{0}, mostBlocks{INT_MAX};

extern "C" void *__libc_memalign(size_t, size_t);
/// Everybody's in this program.
extern "C" int posix_memalign(void **result, size_t align, size_t size) {
  *result = ++alignedBlocks <= mostBlocks ? __libc_memalign(align, size) : nullptr;
  return *result ? 0 : ENOMEM;
}

/// Counts each program and, for a while, keeps the core busy, so that helpers are woken. Arguments: counters, rounds.
static void countPrograms(const int64_t *arguments, const int64_t *, int64_t begin, int64_t end, void *) {
  auto *counters = reinterpret_cast<std::atomic<int> *>(arguments[0]);
  for (int64_t p = begin; p < end; ++p) {
    for (volatile int64_t i = 0; i < arguments[1]; ++i)
      ;
    counters[p].fetch_add(1);
  }
}

static bool runsEachOnce(int64_t x, int64_t y, int64_t z, int64_t rounds) {
  std::vector<std::atomic<int>> counters(size_t(x * y * z));
  int64_t arguments[] = {reinterpret_cast<int64_t>(counters.data()), rounds};
  int64_t grid[] = {x, y, z};
  if (!ThreadPool::get().run({countPrograms, arguments, grid, 0}))
    return false;
  for (std::atomic<int> &counter : counters)
    if (counter != 1)
      return false;
  return true;
}

TEST(ThreadPool, EachProgramOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool::get().setThreads(threads);
    EXPECT_EQ(ThreadPool::get().threads(), threads);
    for (int64_t count : {1, 2, 3, 7, 64, 1000, 10007}) {
      EXPECT_TRUE(runsEachOnce(count, 1, 1, 0)) << count;
      EXPECT_TRUE(runsEachOnce(count, 1, 1, 300)) << count;
    }
    EXPECT_TRUE(runsEachOnce(5, 7, 3, 1000));
  }
  ThreadPool::get().setThreads(0);
  EXPECT_GE(ThreadPool::get().threads(), 1);
}

TEST(ThreadPool, EmptyAndTooLargeGrids) {
  int64_t empty[] = {4, 0, 2}, tooLarge[] = {int64_t(1) << 40, int64_t(1) << 40, 1};
  EXPECT_TRUE(ThreadPool::get().run({nullptr, nullptr, empty, 0}));
  EXPECT_FALSE(ThreadPool::get().run({nullptr, nullptr, tooLarge, 0}));
}

TEST(ThreadPool, CallersAtOnce) {
  ThreadPool::get().setThreads(4);
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 50; ++i)
        failures += !runsEachOnce(100 + caller, 1, 1, 500);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(failures, 0);
}

TEST(ThreadPool, StopsWhileOthersCall) {
  ThreadPool::get().setThreads(4);
  std::atomic<bool> over{false};
  std::thread stopper([&] {
    while (!over) {
      ThreadPool::get().stop();
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(runsEachOnce(200, 1, 1, 500));
  over = true;
  stopper.join();
  EXPECT_TRUE(runsEachOnce(200, 1, 1, 500));
}

TEST(ThreadPool, WorksInAForkedChild) {
  ThreadPool::get().setThreads(3);
  ASSERT_TRUE(runsEachOnce(100, 1, 1, 20000));
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    _exit(runsEachOnce(100, 1, 1, 20000) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(runsEachOnce(100, 1, 1, 20000));
}

/// Writes to all of its scratch, waits, and sees only its own values. Arguments: failures, bytes.
static void useScratch(const int64_t *arguments, const int64_t *, int64_t begin, int64_t end, void *scratch) {
  auto *failures = reinterpret_cast<std::atomic<int> *>(arguments[0]);
  auto *words = static_cast<int64_t *>(scratch);
  if (reinterpret_cast<uintptr_t>(scratch) % 64 != 0)
    ++*failures;
  for (int64_t p = begin; p < end; ++p) {
    for (int64_t i = 0; i < arguments[1] / 8; ++i)
      words[i] = p;
    for (int64_t i = 0; i < arguments[1] / 8; ++i)
      if (static_cast<volatile int64_t *>(words)[i] != p)
        ++*failures;
  }
}

TEST(ThreadPool, ScratchIsPrivate) {
  ThreadPool::get().setThreads(4);
  std::atomic<int> failures{0};
  int64_t grid[] = {500, 1, 1};
  for (int64_t bytes : {8, 4096, 64, 100000}) {
    int64_t arguments[] = {reinterpret_cast<int64_t>(&failures), bytes};
    EXPECT_TRUE(ThreadPool::get().run({useScratch, arguments, grid, bytes}));
  }
  EXPECT_EQ(failures, 0);
  int64_t arguments[] = {reinterpret_cast<int64_t>(&failures), 8};
  EXPECT_FALSE(ThreadPool::get().run({useScratch, arguments, grid, int64_t(1) << 60}));
  ThreadPool::get().stop();
}

/// Behind the first span, which the caller runs before it wakes anybody, each thread waits for four, or a minute.
/// Arguments: how many threads are there.
static void meet(const int64_t *arguments, const int64_t *, int64_t begin, int64_t, void *) {
  if (begin == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // It pays to wake them.
    return;
  }
  auto &present = *reinterpret_cast<std::atomic<int> *>(arguments[0]);
  static thread_local bool isHere = false;
  present += !isHere;
  isHere = true;
  auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (present < 4 && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
}

static void nothing(const int64_t *, const int64_t *, int64_t, int64_t, void *) {}

// Where no helper takes part in the first call and all do in the next, there is scratch for them.
TEST(ThreadPool, TheFirstCallMakesScratchForAll) {
  ThreadPool &pool = ThreadPool::get();
  pool.stop();
  pool.setThreads(4);
  pool.start();
  int64_t grid[] = {64, 1, 1}, bytes = 5000;
  ASSERT_TRUE(pool.run({nothing, nullptr, grid, bytes}));
  int made = alignedBlocks;
  std::atomic<int> present{0};
  int64_t arguments[] = {reinterpret_cast<int64_t>(&present)};
  ASSERT_TRUE(pool.run({meet, arguments, grid, bytes}));
  EXPECT_EQ(present, 4);
  EXPECT_EQ(alignedBlocks, made);
  // A smaller need finds what is there, a larger one replaces it.
  ASSERT_TRUE(pool.run({nothing, nullptr, grid, bytes / 2}));
  EXPECT_EQ(alignedBlocks, made);
  ASSERT_TRUE(pool.run({nothing, nullptr, grid, bytes * 2}));
  EXPECT_EQ(alignedBlocks, made + 4);
  pool.stop();
}

TEST(ThreadPool, HelpersWithoutScratchLeaveTheWorkToOthers) {
  ThreadPool &pool = ThreadPool::get();
  pool.stop();
  pool.setThreads(4);
  std::vector<std::atomic<int>> counters(1000);
  int64_t arguments[] = {reinterpret_cast<int64_t>(counters.data()), 3000}, grid[] = {1000, 1, 1};
  for (int blocks : {1, 2}) {
    pool.stop();
    mostBlocks = alignedBlocks + blocks;
    EXPECT_TRUE(pool.run({countPrograms, arguments, grid, 4096}));
    for (std::atomic<int> &counter : counters)
      EXPECT_EQ(counter.exchange(0), 1);
    // What the caller itself finds no memory for is refused, and runs nothing.
    mostBlocks = 0;
    EXPECT_FALSE(pool.run({countPrograms, arguments, grid, 8192}));
    for (std::atomic<int> &counter : counters)
      EXPECT_EQ(counter, 0);
    mostBlocks = alignedBlocks + 1;
    EXPECT_TRUE(pool.run({countPrograms, arguments, grid, 64}));
    for (std::atomic<int> &counter : counters)
      EXPECT_EQ(counter.exchange(0), 1);
  }
  mostBlocks = INT_MAX;
  pool.stop();
}

TEST(ThreadPool, ScratchOfCallersAtOnceWhileOthersStop) {
  ThreadPool &pool = ThreadPool::get();
  pool.setThreads(4);
  std::atomic<int> failures{0}, callersInside{3};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 200; ++i) {
        int64_t bytes = 64 << (i + caller) % 8, grid[] = {40, 1, 1};
        int64_t arguments[] = {reinterpret_cast<int64_t>(&failures), bytes};
        failures += !pool.run({useScratch, arguments, grid, bytes});
      }
      --callersInside;
    });
  while (callersInside != 0) {
    pool.stop();
    std::this_thread::yield();
  }
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(failures, 0);
  pool.stop();
}
