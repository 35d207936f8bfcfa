// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the programs of a launch on all cores. Threads start at the first call that pays for them, take spans of the
// linear program id until none is left, and sleep between calls. Calls may come from several threads at once; each
// works on its own launch and the pool's threads help whoever has work. Callers alone allocate, for their helpers too,
// and a launch that was called before finds its scratch there. Uses no C++ runtime library.
#ifndef HELION_AOT_RUNNER_RUNTIME_THREADPOOL_H
#define HELION_AOT_RUNNER_RUNTIME_THREADPOOL_H

#include "KernelAbi.h"
#include "Namespace.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace HELION_RUNTIME {

struct Launch {
  ProgramFunction function;
  const int64_t *arguments;
  const int64_t *grid; // three extents
  int64_t scratchBytes;
};

class ThreadPool {
public:
  /// The one pool of this package. It has static storage and no constructor to run.
  static ThreadPool &get();

  /// Runs all programs and returns when they are done; false when there is no scratch for the caller or the grid
  /// overflows, in which case no program ran. Helpers without scratch leave the work to others. A grid with a 0 runs
  /// nothing.
  bool run(const Launch &launch);

  /// Sets how many threads work on a launch, the caller included; 0 asks the machine. Takes effect at the next call.
  void setThreads(int count);
  int threads();

  /// Starts the threads now instead of at the first call that pays for them.
  void start();

  /// Ends the threads and frees scratch. The next call starts them again.
  void stop();

private:
  struct Job;
  struct Scratch;

  static void *workerMain(void *pool);
  static void beforeFork();
  static void afterForkInParent();
  static void afterForkInChild();

  void work(Job &job, void *scratch);
  void runTogether(const Launch &launch, int64_t count, int64_t begin, int64_t chunk, void *scratch);
  bool startThreads(int wanted);
  Job *openJob(Scratch *&scratch);
  void awaitHelpers(Job &job);
  Scratch *enterCall(int64_t bytes, int helpers);
  void leaveCall(Scratch *scratch);
  Scratch *takeForHelper(int64_t bytes);
  void returnFromHelper(Scratch *scratch);
  bool addBlock();
  Scratch *takeBlock();
  void giveBack(Scratch *scratch);
  void dropBlocks();

  static constexpr int maxThreads = 256;

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;        // guards all below that is not atomic
  pthread_mutex_t controlMutex = PTHREAD_MUTEX_INITIALIZER; // serialises stop()
  pthread_cond_t wake = PTHREAD_COND_INITIALIZER;           // a job was added, or stopping
  pthread_cond_t done = PTHREAD_COND_INITIALIZER;           // a helper left a job
  Job *jobs = nullptr;
  // All blocks of scratch of one era have one size. There are as many as callers and helpers may hold at once, so that
  // each finds one.
  Scratch *freeScratch = nullptr;
  int64_t blockBytes = 0;
  unsigned era = 0;                    // a block of an older one is freed when it is given back
  int blocks = 0;                      // of this era, free or held
  int callsInside = 0;                 // callers that hold a block
  int helpersAllowed = 0;              // how many helpers may hold one
  int helpersInside = 0;               // how many do
  std::atomic<unsigned> generation{0}; // counts the jobs added, so that idle threads can spin for a moment
  std::atomic<int> wantedThreads{0};
  int running = 0;
  int sleeping = 0;
  bool stopping = false;
  bool forkHandlers = false;
  pthread_t handles[maxThreads] = {};
};

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_THREADPOOL_H
