// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process that runs and times kernels: one JSON object per line in, one per line out (docs/formats/
// worker-protocol.md). It links no LLVM, so that it can be copied to the machine that has the device. A kernel that
// crashes takes this process with it, and only this one.
#include "Deadline.h"
#include "Session.h"

#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

using namespace helion::worker;

namespace {
/// After these the process ends: its memory, or the device's context, can no longer be trusted.
struct LastFailure {
  const char *kind;
  int exitStatus;
};
} // namespace

static constexpr LastFailure lastFailures[] = {{"red_zone", 3}, {"input_changed", 3}, {"device", 4}};

static void writeAnswer(const Json &answer) {
  std::string line = answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

/// Answers one line; returns the exit status when the process should end, else -1.
static int answerLine(Session &session, const std::string &line) {
  Json request = Json::parse(line, nullptr, false);
  Json answer = Json::object();
  Failure failure;
  answer["id"] = nullptr;
  if (request.is_object()) {
    if (request.contains("id") && request["id"].is_number_unsigned())
      answer["id"] = request["id"];
    deadline::start(request);
    session.handle(request, answer, failure);
    deadline::stop();
  } else {
    failure.set("protocol", request.is_discarded() ? "the line is not JSON" : "the line is not a JSON object");
  }
  if (failure)
    answer = {{"id", answer["id"]}, {"error", {{"kind", failure.kind}, {"message", failure.message}}}};
  answer["ok"] = !failure;
  writeAnswer(answer);
  for (const LastFailure &last : lastFailures)
    if (failure.kind == last.kind)
      return last.exitStatus;
  return session.isOver() ? 0 : -1;
}

static int serve() {
  Session session;
  std::string line;
  while (std::getline(std::cin, line)) {
    int status = answerLine(session, line);
    if (status >= 0)
      return status;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 1) {
    bool help = std::strcmp(argv[1], "--help") == 0;
    std::fprintf(help ? stdout : stderr, "%s", help ? "" : "helion-worker: takes no arguments\n");
    std::fprintf(help ? stdout : stderr,
                 "usage: helion-worker\n"
                 "Reads requests from stdin, one JSON object per line, and answers on stdout.\n");
    return help ? 0 : 2;
  }
  std::ios::sync_with_stdio(false);
  return serve();
}
