// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Deadline.h"

#include <csignal>
#include <cstdio>
#include <sys/time.h>
#include <unistd.h>

namespace helion::worker::deadline {

static constexpr int exitStatus = 124;

/// The answer the signal handler gives; written before the timer starts.
static char answer[256];
static size_t answerLength = 0;

static void onTimer(int) {
  // Only async-signal-safe calls; the process is in an unknown place of a kernel.
  ssize_t written = write(STDOUT_FILENO, answer, answerLength);
  _exit(written == ssize_t(answerLength) ? exitStatus : exitStatus + 1);
}

static void setTimer(int64_t milliseconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = milliseconds / 1000;
  timer.it_value.tv_usec = milliseconds % 1000 * 1000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void start(const Json &request) {
  auto limit = request.find("deadline_ms");
  auto id = request.find("id");
  if (limit == request.end() || !limit->is_number_unsigned() || id == request.end() || !id->is_number_unsigned())
    return;
  int64_t milliseconds = limit->get<int64_t>();
  int length =
      std::snprintf(answer, sizeof answer,
                    "{\"error\":{\"kind\":\"deadline\",\"message\":\"no answer within %lld ms\"},\"id\":%llu,"
                    "\"ok\":false}\n",
                    static_cast<long long>(milliseconds), static_cast<unsigned long long>(id->get<uint64_t>()));
  answerLength = length > 0 ? size_t(length) : 0;
  std::signal(SIGALRM, onTimer);
  setTimer(milliseconds);
}

void stop() { setTimer(0); }

} // namespace helion::worker::deadline
