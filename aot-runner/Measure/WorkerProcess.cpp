// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worker processes by posix_spawn, over a socket pair: a write to a dead worker is then an error and not a signal.
#include "aot-runner/Measure/WorkerProcess.h"

#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace helion::aot;
using Clock = std::chrono::steady_clock;

extern char **environ;

/// A worker that floods us with an endless line is broken.
static constexpr size_t kMaxLine = size_t(1) << 30;

static int spawn(llvm::ArrayRef<std::string> command, llvm::StringRef log, int childEnd, pid_t &pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, childEnd, 0);
  posix_spawn_file_actions_adddup2(&actions, childEnd, 1);
  posix_spawn_file_actions_addopen(&actions, 2, log.str().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, handled;
  sigemptyset(&none);
  sigemptyset(&handled);
  sigaddset(&handled, SIGINT);
  sigaddset(&handled, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &handled);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  int failed = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

llvm::Expected<std::unique_ptr<WorkerProcess>> WorkerProcess::start(llvm::ArrayRef<std::string> command,
                                                                    llvm::StringRef log) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return llvm::createStringError("cannot make a channel to a worker: %s", std::strerror(errno));
  pid_t pid = 0;
  int failed = spawn(command, log, ends[1], pid);
  close(ends[1]);
  if (failed) {
    close(ends[0]);
    return llvm::createStringError("cannot start worker `%s`: %s", command.front().c_str(), std::strerror(failed));
  }
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(pid, ends[0]));
}

WorkerProcess::~WorkerProcess() { end(); }

/// Short waits, because a signal may arrive between the test of `stop` and the wait.
static int nextWaitMs(Clock::time_point deadline) {
  constexpr int64_t kLookAtStopMs = 100;
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, kLookAtStopMs));
}

bool WorkerProcess::writeLine(llvm::StringRef line, int64_t timeoutMs, const std::atomic<bool> &stop) {
  auto deadline = Clock::now() + std::chrono::milliseconds(timeoutMs);
  std::string text = line.str() + "\n";
  for (size_t done = 0; done < text.size();) {
    ssize_t sent = send(socket, text.data() + done, text.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      done += sent;
      continue;
    }
    bool isFull = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (sent == 0 || (!isFull && errno != EINTR) || stop || Clock::now() >= deadline)
      return false;
    pollfd waiting{socket, POLLOUT, 0};
    poll(&waiting, 1, nextWaitMs(deadline));
  }
  return true;
}

WorkerProcess::Read WorkerProcess::readLine(std::string &line, int64_t timeoutMs, const std::atomic<bool> &stop) {
  auto deadline = Clock::now() + std::chrono::milliseconds(timeoutMs);
  size_t searched = 0;
  while (true) {
    size_t newline = pending.find('\n', searched);
    if (newline != std::string::npos) {
      line = pending.substr(0, newline);
      pending.erase(0, newline + 1);
      return Read::Line;
    }
    searched = pending.size();
    if (stop)
      return Read::Stopped;
    auto before = Clock::now();
    if (before >= deadline)
      return Read::TimedOut;
    pollfd waiting{socket, POLLIN, 0};
    int ready = poll(&waiting, 1, nextWaitMs(deadline));
    // Time in which nobody looked, because we were stopped, is not held against the worker.
    constexpr auto kUsual = std::chrono::seconds(2);
    if (auto unseen = Clock::now() - before; unseen > kUsual)
      deadline += unseen;
    if (ready <= 0)
      continue;
    char buffer[65536];
    ssize_t got = recv(socket, buffer, sizeof(buffer), 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0 || pending.size() > kMaxLine)
      return Read::Closed;
    pending.append(buffer, got);
  }
}

std::string WorkerProcess::end() {
  if (!pid)
    return "";
  kill(-pid, SIGKILL);
  close(socket);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  pid = 0;
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

std::string WorkerProcess::endAfterClose() {
  constexpr auto kPatience = std::chrono::seconds(2);
  siginfo_t info{};
  for (auto deadline = Clock::now() + kPatience; pid && Clock::now() < deadline;) {
    // WNOWAIT leaves the status to `end`.
    if (waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return end();
}
