// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children that answer, crash, overflow their stack, hang, and are told to stop.
#include "aot-runner/Search/ChildTasks.h"
#include "llvm/Support/MemAlloc.h"
#include "gtest/gtest.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <sys/file.h>
#include <unistd.h>

using namespace helion::aot;
using Kind = ChildOutcome::Kind;

static bool always() { return true; }

static ChildOutcome runOne(std::string (*work)(), double seconds = 60, unsigned mebibytes = 4096) {
  ChildLimits limits;
  limits.mebibytes = mebibytes;
  limits.seconds = seconds;
  ChildOutcome result;
  llvm::cantFail(runInChildren(
      1, limits, [&](size_t) { return work(); }, always,
      [&](size_t, ChildOutcome outcome) {
        result = std::move(outcome);
        return llvm::Error::success();
      }));
  return result;
}

/// Needs a stack as deep as `depth`.
static int deep(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? frame[0] : deep(depth - 1) + frame[0];
}

TEST(ChildTasks, GivesEveryByte) {
  ChildOutcome outcome = runOne([] { return std::string(3'000'000, 'x') + '\0' + "whole"; });
  EXPECT_EQ(outcome.kind, Kind::Done);
  EXPECT_EQ(outcome.bytes, std::string(3'000'000, 'x') + '\0' + "whole");
  EXPECT_EQ(runOne([] { return std::string(); }).kind, Kind::Done);
}

TEST(ChildTasks, CrashesAreTold) {
  ChildOutcome killed = runOne([] { return raise(SIGKILL), std::string("not reached"); });
  EXPECT_EQ(killed.kind, Kind::Crashed);
  EXPECT_EQ(killed.message, "crashed: signal 9 (Killed)");
  EXPECT_EQ(runOne([]() -> std::string { abort(); }).message, "crashed: signal 6 (Aborted)");
  EXPECT_EQ(runOne([] { return std::to_string(deep(100'000'000)); }).kind, Kind::Crashed);
  EXPECT_EQ(runOne([]() -> std::string { _exit(7); }).message, "ended with exit status 7");
  EXPECT_EQ(runOne([]() -> std::string { _exit(0); }).kind, Kind::Crashed) << "an answer that is cut short is none";
}

TEST(ChildTasks, EndlessOnesAreEnded) {
  ChildOutcome outcome = runOne([]() -> std::string { return sleep(1000), ""; }, 0.25);
  EXPECT_EQ(outcome.kind, Kind::TimedOut);
  EXPECT_EQ(outcome.message, "took longer than 0.25 s");
}

// Both ways to memory: `new`, and LLVM's own.
TEST(ChildTasks, MemoryIsBounded) {
  constexpr unsigned kMebibytes = 64;
  ChildOutcome outcome = runOne(
      [] {
        std::vector<std::string> kept;
        while (true)
          kept.emplace_back(1'000'000, 'x');
        return kept.front();
      },
      60, kMebibytes);
  EXPECT_EQ(outcome.kind, Kind::OutOfMemory);
  EXPECT_EQ(outcome.message, "ran out of memory: it may take 64 MiB");
  auto once = [] {
    auto *bytes = static_cast<volatile char *>(llvm::safe_malloc(size_t(200) << 20));
    bytes[0] = 'x'; // What nobody touches, a compiler need not allocate.
    return std::string(1, bytes[0]);
  };
  EXPECT_EQ(runOne(once, 60, kMebibytes).kind, Kind::OutOfMemory);
  EXPECT_EQ(runOne(once).bytes, "x");
}

TEST(ChildTasks, OneCrashAmongMany) {
  ChildLimits limits;
  limits.jobs = 3;
  std::map<size_t, ChildOutcome> outcomes;
  llvm::cantFail(runInChildren(
      20, limits,
      [](size_t task) {
        if (task == 7)
          abort();
        return std::to_string(task * task);
      },
      always,
      [&](size_t task, ChildOutcome outcome) {
        outcomes[task] = std::move(outcome);
        return llvm::Error::success();
      }));
  ASSERT_EQ(outcomes.size(), 20u);
  for (auto &[task, outcome] : outcomes) {
    EXPECT_EQ(outcome.kind, task == 7 ? Kind::Crashed : Kind::Done);
    EXPECT_EQ(outcome.bytes, task == 7 ? "" : std::to_string(task * task));
  }
}

TEST(ChildTasks, StopsAtOnce) {
  auto begin = std::chrono::steady_clock::now();
  ChildLimits limits;
  limits.jobs = 2;
  unsigned finished = 0;
  llvm::cantFail(runInChildren(
      5, limits, [](size_t) -> std::string { return sleep(1000), ""; },
      [&] { return std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(200); },
      [&](size_t, ChildOutcome) {
        ++finished;
        return llvm::Error::success();
      }));
  EXPECT_EQ(finished, 0u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(100));
}

TEST(ChildTasks, AnErrorOfTheCallerEndsThem) {
  ChildLimits limits;
  llvm::Error error = runInChildren(
      3, limits, [](size_t) { return std::string(); }, always,
      [](size_t, ChildOutcome) { return llvm::createStringError("no space"); });
  EXPECT_EQ(llvm::toString(std::move(error)), "no space");
}

// A lock that a child kept would outlive a caller that is killed.
TEST(ChildTasks, ChildrenHoldNoFilesOfTheirParent) {
  std::string path = testing::TempDir() + "child-tasks-lock-" + std::to_string(getpid());
  int low = open(path.c_str(), O_RDWR | O_CREAT, 0600), file = fcntl(low, F_DUPFD, 100);
  ASSERT_GE(file, 100); // The child uses low numbers itself.
  ASSERT_EQ(flock(file, LOCK_EX), 0);
  static int inherited;
  inherited = file;
  EXPECT_EQ(runOne([] { return std::string(fcntl(inherited, F_GETFD) == -1 ? "closed" : "open"); }).bytes, "closed");
  close(file);
  close(low);
  unlink(path.c_str());
}
