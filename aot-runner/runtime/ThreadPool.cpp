// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool: a list of open jobs under one mutex, spans handed out by an atomic counter per job. A job lives on its
// caller's stack; the caller works too and leaves only when no helper is inside it.
//
// Which helpers take part in a call is chance, so the caller makes the scratch of all of them.
#include "ThreadPool.h"

#include <cstdlib>
#include <ctime>
#include <new>
#include <sched.h>
#include <unistd.h>

// The shared form of a package must load on older systems; pthread_create and pthread_join got a new version when they
// moved into libc, with the same meaning.
#if defined(HELION_RUNTIME_OLD_GLIBC) && defined(__x86_64__)
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_join, pthread_join@GLIBC_2.2.5");
#elif defined(HELION_RUNTIME_OLD_GLIBC) && defined(__aarch64__)
__asm__(".symver pthread_create, pthread_create@GLIBC_2.17");
__asm__(".symver pthread_join, pthread_join@GLIBC_2.17");
#endif

namespace HELION_RUNTIME {

/// A span per thread would wait for the slowest one; this many per thread even out.
static constexpr int64_t spansPerThread = 8;
/// Waking a thread and hearing back from it costs about this much; less work than that stays on the caller.
static constexpr int64_t wakeNanoseconds = 8000;
/// A kernel that asks for more scratch per thread was compiled wrongly.
static constexpr int64_t maxScratchBytes = int64_t(1) << 34;
/// How often an idle thread looks for a next job before it sleeps, about 20 us.
static constexpr int spinRounds = 600;

struct ThreadPool::Job {
  Launch launch;
  int64_t count;
  int64_t chunk;
  std::atomic<int64_t> next;
  std::atomic<int> helpers;
  Job *following;

  bool isOpen() const { return next.load(std::memory_order_relaxed) < count; }
};

/// A block of scratch; its header fills one cache line, the payload follows.
struct alignas(64) ThreadPool::Scratch {
  int64_t bytes;
  unsigned era;
  Scratch *following;

  void *payload() { return this + 1; }

  static Scratch none; // What a launch without scratch gets, at no cost.
};
ThreadPool::Scratch ThreadPool::Scratch::none = {0, 0, nullptr};

namespace {
class Lock {
public:
  explicit Lock(pthread_mutex_t &mutex) : mutex(mutex) { pthread_mutex_lock(&mutex); }
  ~Lock() { pthread_mutex_unlock(&mutex); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  pthread_mutex_t &mutex;
};
} // namespace

static ThreadPool thePool;

ThreadPool &ThreadPool::get() { return thePool; }

static void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

static int usableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? int(online) : 1;
}

int ThreadPool::threads() {
  int wanted = wantedThreads.load(std::memory_order_relaxed);
  if (wanted == 0) {
    int cores = usableCores();
    wanted = cores < maxThreads ? cores : maxThreads;
    wantedThreads.store(wanted, std::memory_order_relaxed);
  }
  return wanted;
}

void ThreadPool::setThreads(int count) {
  int limited = count < 0 ? 0 : count > maxThreads ? maxThreads : count;
  int before = threads();
  wantedThreads.store(limited, std::memory_order_relaxed);
  if (threads() < before)
    stop();
}

//===-- Scratch ---------------------------------------------------------------------------------------------------===//
// All but the functions of callers run with the mutex held.

bool ThreadPool::addBlock() {
  void *memory;
  if (posix_memalign(&memory, 64, sizeof(Scratch) + size_t(blockBytes)) != 0)
    return false;
  freeScratch = new (memory) Scratch{blockBytes, era, freeScratch};
  ++blocks;
  return true;
}

ThreadPool::Scratch *ThreadPool::takeBlock() {
  Scratch *block = freeScratch;
  if (block)
    freeScratch = block->following;
  return block;
}

void ThreadPool::giveBack(Scratch *block) {
  if (block->era != era) {
    std::free(block);
    return;
  }
  block->following = freeScratch;
  freeScratch = block;
}

/// Begins an era without blocks.
void ThreadPool::dropBlocks() {
  while (Scratch *block = takeBlock())
    std::free(block);
  blocks = 0;
  blockBytes = 0;
  ++era;
}

/// The caller's block, after it has seen to it that its helpers find theirs; fewer of those are no error.
ThreadPool::Scratch *ThreadPool::enterCall(int64_t bytes, int helpers) {
  if (bytes == 0)
    return &Scratch::none;
  if (bytes > maxScratchBytes)
    return nullptr;
  Lock lock(mutex);
  if (blockBytes < bytes) {
    dropBlocks();
    blockBytes = bytes;
  }
  ++callsInside;
  helpersAllowed = helpersAllowed < helpers ? helpers : helpersAllowed;
  while (blocks < callsInside + helpersAllowed && addBlock())
    ;
  Scratch *block = takeBlock();
  if (block)
    return block;
  --callsInside;
  if (blocks == 0)
    blockBytes = 0; // A smaller launch may have more luck.
  return nullptr;
}

void ThreadPool::leaveCall(Scratch *block) {
  if (block->bytes == 0)
    return;
  Lock lock(mutex);
  --callsInside;
  giveBack(block);
}

/// None where the memory did not suffice for all helpers, or was freed meanwhile.
ThreadPool::Scratch *ThreadPool::takeForHelper(int64_t bytes) {
  if (bytes == 0)
    return &Scratch::none;
  if (blockBytes < bytes || helpersInside == helpersAllowed)
    return nullptr;
  Scratch *block = takeBlock();
  helpersInside += block != nullptr;
  return block;
}

void ThreadPool::returnFromHelper(Scratch *block) {
  if (block->bytes == 0)
    return;
  --helpersInside;
  giveBack(block);
}

//===-- Threads ---------------------------------------------------------------------------------------------------===//

void ThreadPool::work(Job &job, void *scratch) {
  const Launch &launch = job.launch;
  while (true) {
    int64_t begin = job.next.fetch_add(job.chunk, std::memory_order_relaxed);
    if (begin >= job.count)
      return;
    int64_t end = job.count - begin < job.chunk ? job.count : begin + job.chunk;
    launch.function(launch.arguments, launch.grid, begin, end, scratch);
  }
}

/// A job that has work for a helper, and the helper's scratch for it. One without scratch is left to others.
ThreadPool::Job *ThreadPool::openJob(Scratch *&scratch) {
  for (Job *job = jobs; job; job = job->following)
    if (job->isOpen() && (scratch = takeForHelper(job->launch.scratchBytes)))
      return job;
  return nullptr;
}

void *ThreadPool::workerMain(void *argument) {
  ThreadPool &pool = *static_cast<ThreadPool *>(argument);
  pthread_mutex_lock(&pool.mutex);
  while (!pool.stopping) {
    Scratch *scratch;
    if (Job *job = pool.openJob(scratch)) {
      job->helpers.fetch_add(1, std::memory_order_relaxed);
      pthread_mutex_unlock(&pool.mutex);
      pool.work(*job, scratch->payload());
      pthread_mutex_lock(&pool.mutex);
      pool.returnFromHelper(scratch);
      if (job->helpers.fetch_sub(1, std::memory_order_release) == 1)
        pthread_cond_broadcast(&pool.done);
      continue;
    }
    unsigned seen = pool.generation.load(std::memory_order_relaxed);
    pthread_mutex_unlock(&pool.mutex);
    for (int i = 0; i < spinRounds && pool.generation.load(std::memory_order_relaxed) == seen; ++i)
      relax();
    pthread_mutex_lock(&pool.mutex);
    if (pool.generation.load(std::memory_order_relaxed) == seen && !pool.stopping) {
      ++pool.sleeping;
      pthread_cond_wait(&pool.wake, &pool.mutex);
      --pool.sleeping;
    }
  }
  pthread_mutex_unlock(&pool.mutex);
  return nullptr;
}

/// Called with the mutex held. Fewer threads than wanted are no error: the caller works as well.
bool ThreadPool::startThreads(int wanted) {
  if (stopping)
    return false;
  if (!forkHandlers)
    forkHandlers = pthread_atfork(beforeFork, afterForkInParent, afterForkInChild) == 0;
  if (!forkHandlers)
    return false; // Without them a forked child would wait for threads it does not have.
  while (running < wanted && pthread_create(&handles[running], nullptr, workerMain, this) == 0)
    ++running;
  return running != 0;
}

void ThreadPool::awaitHelpers(Job &job) {
  for (int i = 0; i < spinRounds && job.helpers.load(std::memory_order_acquire) != 0; ++i)
    relax();
  Lock lock(mutex);
  Job **link = &jobs;
  while (*link != &job)
    link = &(*link)->following;
  *link = job.following;
  while (job.helpers.load(std::memory_order_acquire) != 0)
    pthread_cond_wait(&done, &mutex);
}

static bool countPrograms(const int64_t *grid, int64_t &count) {
  int64_t plane;
  return !__builtin_mul_overflow(grid[0], grid[1], &plane) && !__builtin_mul_overflow(plane, grid[2], &count);
}

/// Opens a job for programs begin..count, works on it and waits for the helpers it got.
void ThreadPool::runTogether(const Launch &launch, int64_t count, int64_t begin, int64_t chunk, void *scratch) {
  Job job{launch, count, chunk, {begin}, {0}, nullptr};
  bool helped;
  {
    Lock lock(mutex);
    helped = startThreads(threads() - 1);
    if (helped) {
      job.following = jobs;
      jobs = &job;
      generation.fetch_add(1, std::memory_order_relaxed);
      for (int64_t spans = (count - begin) / chunk, i = 0; i <= spans && i < sleeping; ++i)
        pthread_cond_signal(&wake);
    }
  }
  work(job, scratch);
  if (helped)
    awaitHelpers(job);
}

bool ThreadPool::run(const Launch &launch) {
  int64_t count;
  if (launch.grid[0] <= 0 || launch.grid[1] <= 0 || launch.grid[2] <= 0)
    return true;
  if (!countPrograms(launch.grid, count))
    return false;
  int wanted = threads();
  bool alone = wanted == 1 || count == 1;
  int64_t helpers = count < wanted ? count - 1 : wanted - 1;
  Scratch *scratch = enterCall(launch.scratchBytes, int(helpers));
  if (!scratch)
    return false;
  int64_t chunk = count / (wanted * spansPerThread);
  chunk = chunk < 1 ? 1 : chunk;

  // The first span tells what the rest will cost.
  int64_t first = alone ? count : chunk;
  int64_t start = alone ? 0 : now();
  launch.function(launch.arguments, launch.grid, 0, first, scratch->payload());
  if (!alone && double(now() - start) / double(first) * double(count - first) < double(wakeNanoseconds)) {
    if (first < count)
      launch.function(launch.arguments, launch.grid, first, count, scratch->payload());
    alone = true;
  }
  if (!alone && first < count)
    runTogether(launch, count, first, chunk, scratch->payload());
  leaveCall(scratch);
  return true;
}

void ThreadPool::start() {
  int wanted = threads() - 1;
  Lock lock(mutex);
  startThreads(wanted);
}

void ThreadPool::stop() {
  Lock control(controlMutex);
  int ended;
  {
    Lock lock(mutex);
    stopping = true;
    ended = running;
    generation.fetch_add(1, std::memory_order_relaxed);
    pthread_cond_broadcast(&wake);
  }
  for (int i = 0; i < ended; ++i)
    pthread_join(handles[i], nullptr);
  Lock lock(mutex);
  running = 0;
  stopping = false;
  helpersAllowed = 0;
  dropBlocks();
}

void ThreadPool::beforeFork() {
  pthread_mutex_lock(&thePool.controlMutex);
  pthread_mutex_lock(&thePool.mutex);
}

void ThreadPool::afterForkInParent() {
  pthread_mutex_unlock(&thePool.mutex);
  pthread_mutex_unlock(&thePool.controlMutex);
}

/// Only the forking thread lives on in the child: no helpers, no callers inside a job; what they held is lost.
void ThreadPool::afterForkInChild() {
  thePool.blocks = 0;
  for (Scratch *block = thePool.freeScratch; block; block = block->following)
    ++thePool.blocks;
  thePool.callsInside = 0;
  thePool.helpersInside = 0;
  thePool.running = 0;
  thePool.sleeping = 0;
  thePool.jobs = nullptr;
  thePool.wake = PTHREAD_COND_INITIALIZER;
  thePool.done = PTHREAD_COND_INITIALIZER;
  thePool.mutex = PTHREAD_MUTEX_INITIALIZER;
  thePool.controlMutex = PTHREAD_MUTEX_INITIALIZER;
}

} // namespace HELION_RUNTIME
