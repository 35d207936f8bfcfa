// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program leads a process group of its own: signals to ours do not reach it, and one to its group reaches what it
// started. Tools that give their children groups of their own, as ninja does, end them when they are asked to end.
#include "aot-runner/Package/RunProgram.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace llvm;
using Clock = std::chrono::steady_clock;

namespace helion {

static constexpr std::chrono::milliseconds kLook(20);

[[noreturn]] static void becomeProgram(char *const *arguments, const char *log) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  int input = open("/dev/null", O_RDONLY), output = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(input, 0);
  dup2(output, 1);
  dup2(output, 2);
  for (int number : {SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGXFSZ})
    std::signal(number, SIG_DFL);
  execv(arguments[0], arguments);
  constexpr int kCannotRun = 127; // As a shell says it.
  _exit(kCannotRun);
}

/// Its status, once it has ended.
static std::optional<int> statusOf(pid_t pid) {
  int status = 0;
  pid_t ended = waitpid(pid, &status, WNOHANG);
  return ended == pid ? std::optional(status) : std::nullopt;
}

/// Asks the group to end, and after a while no longer asks.
static void endGroup(pid_t leader) {
  // Whoever of the group loses its parent becomes our child, whose end we see.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  kill(-leader, SIGTERM);
  auto patience = Clock::now() + std::chrono::seconds(5);
  while (waitpid(-leader, nullptr, WNOHANG) >= 0) {
    if (Clock::now() >= patience)
      kill(-leader, SIGKILL);
    std::this_thread::sleep_for(kLook);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

Expected<int> runProgram(ArrayRef<std::string> command, const std::string &log, function_ref<Error()> mayGoOn) {
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = fork();
  if (pid == 0)
    becomeProgram(arguments.data(), log.c_str());
  if (pid < 0)
    return createStringError("cannot start `%s`: %s", command.front().c_str(), std::strerror(errno));
  setpgid(pid, pid); // Whichever of us comes first.
  while (true) {
    if (std::optional<int> status = statusOf(pid))
      return *status;
    if (Error ended = mayGoOn()) {
      endGroup(pid);
      return std::move(ended);
    }
    std::this_thread::sleep_for(kLook);
  }
}

} // namespace helion
