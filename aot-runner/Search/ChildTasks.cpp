// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children by fork: they have the kernel, the dialects and the passes already, so a start costs a page table.
#include "aot-runner/Search/ChildTasks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <list>
#include <new>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace helion::aot;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

namespace {
struct Child {
  size_t task;
  pid_t pid;
  int pipe;
  Clock::time_point end;
  std::string bytes;
};
} // namespace

/// A whole answer ends with it, so that one that a crash cut short is told apart.
static constexpr llvm::StringLiteral kWhole = "whole";

static void writeAll(int file, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      _exit(1);
    bytes = bytes.drop_front(written);
  }
}

/// How a child ends that has no memory left; `exit` and what it would call need some.
static constexpr int kNoMemory = 112;

static void endWithoutMemory() { _exit(kNoMemory); }

/// A child that grows without end must not drive the machine to kill whatever it likes. The limit counts from what is
/// mapped already: the compiler's code, and all that the parent has.
static void limitMemory(unsigned mebibytes) {
  std::set_new_handler(endWithoutMemory);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endWithoutMemory(); });
  rlim_t pages = 0;
  rlimit memory;
  if (!(std::ifstream("/proc/self/statm") >> pages) || getrlimit(RLIMIT_AS, &memory))
    return;
  constexpr unsigned kMebibyteBits = 20;
  rlim_t most = pages * sysconf(_SC_PAGESIZE) + (static_cast<rlim_t>(mebibytes) << kMebibyteBits);
  memory.rlim_cur = std::min(most, memory.rlim_cur); // RLIM_INFINITY is the greatest.
  setrlimit(RLIMIT_AS, &memory);
}

/// Leaves nothing of the parent but its memory: no lock, no journal, no signal handler, and no life after its death.
static void becomeChild(pid_t parent, int pipe, const ChildLimits &limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  constexpr int kResult = 3;
  dup2(pipe, kResult);
  close_range(kResult + 1, ~0u, 0);
  int silent = open("/dev/null", O_RDWR);
  int said = limits.log.empty() ? -1 : open(limits.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  dup2(silent, 0);
  dup2(silent, 1);
  dup2(said < 0 ? silent : said, 2);
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM})
    std::signal(number, SIG_DFL);
  std::signal(SIGINT, SIG_IGN); // Ctrl-C reaches the parent too, which ends us.
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  limitMemory(limits.mebibytes);
}

static llvm::Expected<Child> startChild(size_t task, const ChildLimits &limits,
                                        llvm::function_ref<std::string(size_t)> work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return llvm::createStringError("cannot make a channel to a child: %s", std::strerror(errno));
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    becomeChild(parent, ends[1], limits);
    writeAll(3, work(task));
    writeAll(3, kWhole);
    _exit(0);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return llvm::createStringError("cannot start a child: %s", std::strerror(errno));
  }
  auto patience = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  return Child{task, pid, ends[0], Clock::now() + patience, ""};
}

static int waitFor(const Child &child) {
  close(child.pipe);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return status;
}

static int endChild(const Child &child) {
  kill(child.pid, SIGKILL);
  return waitFor(child);
}

static ChildOutcome outcomeOf(Child &child, const ChildLimits &limits) {
  int status = waitFor(child);
  ChildOutcome outcome;
  llvm::StringRef bytes = child.bytes;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && bytes.consume_back(kWhole)) {
    outcome.bytes = bytes.str();
    return outcome;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoMemory) {
    outcome.kind = ChildOutcome::Kind::OutOfMemory;
    outcome.message = "ran out of memory: it may take " + std::to_string(limits.mebibytes) + " MiB";
    return outcome;
  }
  outcome.kind = ChildOutcome::Kind::Crashed;
  outcome.message = WIFSIGNALED(status) ? std::string("crashed: signal ") + std::to_string(WTERMSIG(status)) + " (" +
                                              strsignal(WTERMSIG(status)) + ")"
                                        : "ended with exit status " + std::to_string(WEXITSTATUS(status));
  return outcome;
}

/// Waits until a child said something, a deadline is over, or it is time to ask whether to go on.
static void waitForAny(std::list<Child> &children) {
  constexpr Milliseconds kAsk(50);
  auto wait = kAsk;
  std::vector<pollfd> files;
  for (const Child &child : children) {
    files.push_back({child.pipe, POLLIN, 0});
    wait = std::min(wait, std::chrono::duration_cast<Milliseconds>(child.end - Clock::now()) + Milliseconds(1));
  }
  poll(files.data(), files.size(), std::max<int>(wait.count(), 0));
}

/// Reads what is there; whether that was the end.
static bool readSome(Child &child) {
  pollfd file{child.pipe, POLLIN, 0};
  while (poll(&file, 1, 0) > 0) {
    char buffer[65536];
    ssize_t got = read(child.pipe, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return true;
    child.bytes.append(buffer, got);
  }
  return false;
}

/// How a child ended, if it did.
static std::optional<ChildOutcome> lookAt(Child &child, const ChildLimits &limits) {
  if (readSome(child))
    return outcomeOf(child, limits);
  if (Clock::now() < child.end)
    return std::nullopt;
  endChild(child);
  std::string seconds = std::to_string(limits.seconds);
  seconds.erase(seconds.find_last_not_of('0') + 1);
  return ChildOutcome{ChildOutcome::Kind::TimedOut, "",
                      "took longer than " + llvm::StringRef(seconds).rtrim('.').str() + " s"};
}

/// Time in which nobody looked, because we were stopped or the machine slept, is not held against the children: they
/// were stopped as well.
static void forgive(std::list<Child> &children, Clock::duration unseen) {
  constexpr auto kUsual = std::chrono::seconds(2);
  if (unseen > kUsual)
    for (Child &child : children)
      child.end += unseen;
}

llvm::Error helion::aot::runInChildren(size_t count, const ChildLimits &limits,
                                       llvm::function_ref<std::string(size_t)> work, llvm::function_ref<bool()> goOn,
                                       llvm::function_ref<llvm::Error(size_t, ChildOutcome)> finished) {
  std::list<Child> children;
  llvm::Error error = llvm::Error::success();
  for (size_t next = 0; !error && (next < count || !children.empty()) && goOn();) {
    while (next < count && children.size() < std::max(limits.jobs, 1u)) {
      llvm::Expected<Child> child = startChild(next, limits, work);
      if (!child) {
        error = child.takeError();
        break;
      }
      children.push_back(std::move(*child));
      ++next;
    }
    auto before = Clock::now();
    waitForAny(children);
    forgive(children, Clock::now() - before);
    for (auto child = children.begin(); child != children.end() && !error;) {
      std::optional<ChildOutcome> outcome = lookAt(*child, limits);
      if (!outcome) {
        ++child;
        continue;
      }
      size_t task = child->task;
      child = children.erase(child);
      error = finished(task, std::move(*outcome));
    }
  }
  for (const Child &child : children)
    endChild(child);
  return error;
}
