// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What utils/measure-cpu.py times, and the clock: launches on the runtime's thread pool, two copies of the same bytes
// (the C library's, and one that writes past the caches), OpenBLAS's product. Built by the script beside the pool.
#include "aot-runner/runtime/ThreadPool.h"

#include <cstring>
#include <ctime>
#include <immintrin.h>

using namespace HELION_RUNTIME;

/// Time that the calling thread had on a core: a shared machine takes the core away at times. With more threads at work
/// that says nothing, so then it is time on the wall.
static clockid_t theClock = CLOCK_THREAD_CPUTIME_ID;

static int64_t now() {
  timespec time;
  clock_gettime(theClock, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// Nanoseconds of `count` calls.
template <typename Call> static int64_t timed(int64_t count, Call call) {
  int64_t start = now();
  for (int64_t i = 0; i < count; ++i)
    call();
  return now() - start;
}

/// Bytes a program of a copy moves; both ends lie at multiples of it.
static constexpr int64_t kPiece = 128;

static void memcpyPieces(const int64_t *ends, const int64_t *, int64_t begin, int64_t end, void *) {
  std::memcpy(reinterpret_cast<char *>(ends[0]) + begin * kPiece,
              reinterpret_cast<const char *>(ends[1]) + begin * kPiece, size_t((end - begin) * kPiece));
}

__attribute__((target("avx"))) static void streamPieces(const int64_t *ends, const int64_t *, int64_t begin,
                                                        int64_t end, void *) {
  for (int64_t at = begin * kPiece; at < end * kPiece; at += kPiece) {
    auto *target = reinterpret_cast<__m256i *>(ends[0] + at);
    auto *source = reinterpret_cast<const __m256i *>(ends[1] + at);
    __m256i first = _mm256_load_si256(source), second = _mm256_load_si256(source + 1);
    __m256i third = _mm256_load_si256(source + 2), fourth = _mm256_load_si256(source + 3);
    _mm256_stream_si256(target, first);
    _mm256_stream_si256(target + 1, second);
    _mm256_stream_si256(target + 2, third);
    _mm256_stream_si256(target + 3, fourth);
  }
  _mm_sfence();
}

static void copyOnPool(ProgramFunction pieces, void *to, const void *from, int64_t bytes) {
  const int64_t ends[] = {reinterpret_cast<int64_t>(to), reinterpret_cast<int64_t>(from)};
  const int64_t grid[] = {bytes / kPiece, 1, 1};
  ThreadPool::get().run({pieces, ends, grid, 0});
}

using Sgemm = void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                       int);

extern "C" {
void set_threads(int count) { ThreadPool::get().setThreads(count); }
void use_wall_clock(bool wall) { theClock = wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID; }

int64_t time_launches(int64_t count, const Launch *launches, int64_t steps) {
  return timed(count, [=] {
    for (int64_t step = 0; step < steps; ++step)
      ThreadPool::get().run(launches[step]);
  });
}

/// Copies on the pool, as the launches that they are compared with; each program copies `kPiece` bytes, and one thread
/// copies all of them at once.
int64_t time_memcpy(int64_t count, void *to, const void *from, int64_t bytes) {
  return timed(count, [=] { copyOnPool(memcpyPieces, to, from, bytes); });
}

int64_t time_streaming_copy(int64_t count, void *to, const void *from, int64_t bytes) {
  return timed(count, [=] { copyOnPool(streamPieces, to, from, bytes); });
}

/// Row-major, no operand transposed.
int64_t time_sgemm(int64_t count, Sgemm sgemm, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                   float *c) {
  return timed(count, [=] { sgemm(101, 111, 111, int(m), int(n), int(k), 1, a, int(k), b, int(n), 0, c, int(n)); });
}
}
