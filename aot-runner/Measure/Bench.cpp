// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asking a worker about candidates.
#include "aot-runner/Measure/Bench.h"

#include "llvm/Support/FormatVariadic.h"

using namespace helion::aot;
namespace json = llvm::json;
using Kind = WorkerAnswer::Kind;

char EndedEarly::ID = 0;

llvm::Error Budget::check() const {
  if (stop)
    return llvm::make_error<EndedEarly>(EndedEarly::Why::Interrupted, "interrupted");
  if (Clock::now() >= end)
    return llvm::make_error<EndedEarly>(EndedEarly::Why::Budget, "the budget of `--budget-seconds` is spent");
  if (deviceSeconds <= 0)
    return llvm::make_error<EndedEarly>(EndedEarly::Why::Budget, "the budget of `--gpu-seconds` is spent");
  return llvm::Error::success();
}

CheckVerdict helion::aot::blame(const WorkerAnswer &answer) {
  switch (answer.kind) {
  case Kind::Ok:
    return CheckVerdict::Ok;
  case Kind::TimedOut:
    return CheckVerdict::Timeout;
  case Kind::Refused:
    break;
  default:
    return CheckVerdict::Crash;
  }
  static constexpr std::pair<llvm::StringLiteral, CheckVerdict> reasons[] = {
      {"memory", CheckVerdict::OutOfMemory},
      {"red_zone", CheckVerdict::Wrong},
      {"input_changed", CheckVerdict::Wrong},
      {"device", CheckVerdict::DeviceLost},
  };
  for (auto &[reason, verdict] : reasons)
    if (answer.reason == reason)
      return verdict;
  return CheckVerdict::Crash;
}

std::string Bench::protocol() const {
  // The worker counts its own cores, so 0 is a fact of the device class.
  return llvm::formatv("v1 {0} threads={1}", options.mode, options.threads);
}

llvm::Error Bench::restart() {
  loaded.clear();
  currentCase.clear();
  if (llvm::Error error = client.restart()) {
    if (llvm::Error ended = budget.check()) {
      llvm::consumeError(std::move(error));
      return ended;
    }
    return llvm::make_error<EndedEarly>(EndedEarly::Why::NoWorker, llvm::toString(std::move(error)));
  }
  generation = client.generation();
  return llvm::Error::success();
}

llvm::Error Bench::ready() {
  bool current = client.isRunning() && generation == client.generation();
  return current ? llvm::Error::success() : restart();
}

WorkerAnswer Bench::prepare(const Subject &subject, int64_t deadlineMs) {
  WorkerAnswer answer;
  if (!loaded.count(subject.artifact)) {
    json::Object load{{"op", "load"}, {"artifact", subject.artifact}, {"path", subject.library}};
    if (subject.call)
      load["package"] = true;
    answer = client.ask(std::move(load), deadlineMs);
    if (answer.kind != Kind::Ok)
      return answer;
    loaded.insert(subject.artifact);
  }
  std::string wanted = caseName(*subject.row, subject.plan, subject.draw);
  if (currentCase == wanted)
    return answer;
  if (!currentCase.empty())
    answer = client.ask(json::Object{{"op", "free"}, {"case", currentCase}}, deadlineMs);
  currentCase.clear();
  if (answer.kind != Kind::Ok)
    return answer;
  llvm::Expected<json::Array> buffers = wireBuffers(*subject.row, subject.plan, subject.draw);
  if (!buffers) {
    answer.kind = Kind::Refused;
    answer.message = llvm::toString(buffers.takeError());
    return answer;
  }
  answer = client.ask(json::Object{{"op", "case"}, {"case", wanted}, {"buffers", std::move(*buffers)}}, deadlineMs);
  if (answer.kind == Kind::Ok)
    currentCase = wanted;
  return answer;
}

WorkerAnswer Bench::attempt(const Subject &subject, json::Object request, int64_t deadlineMs) {
  WorkerAnswer answer = prepare(subject, deadlineMs);
  if (answer.kind != Kind::Ok)
    return answer;
  request["case"] = currentCase;
  request["artifact"] = subject.artifact;
  return client.ask(std::move(request), deadlineMs);
}

llvm::Expected<WorkerAnswer> Bench::ask(const Subject &subject, json::Object request, int64_t deadlineMs) {
  request["plan"] =
      subject.call ? json::Object{{"steps", json::Array{json::Object(*subject.call)}}} : wirePlan(subject.plan);
  request["threads"] = options.threads;
  return askTwice(subject, request, deadlineMs);
}

llvm::Expected<WorkerAnswer> Bench::query(const Subject &subject, llvm::StringRef symbol, int64_t deadlineMs) {
  json::Object call{{"symbol", symbol}, {"arguments", *subject.call->get("arguments")}};
  return askTwice(subject, json::Object{{"op", "query"}, {"call", std::move(call)}}, deadlineMs);
}

llvm::Expected<WorkerAnswer> Bench::askTwice(const Subject &subject, const json::Object &request, int64_t deadlineMs) {
  if (llvm::Error ended = budget.check())
    return std::move(ended);
  auto begin = Budget::Clock::now();
  WorkerAnswer answer;
  for (bool alone : {false, true}) {
    if (llvm::Error error = alone ? restart() : ready())
      return std::move(error);
    answer = attempt(subject, request, deadlineMs);
    if (answer.kind == Kind::Ok)
      break;
    // Whatever it was, the process is not trusted any more.
    client.end();
    if (answer.kind == Kind::Stopped)
      return budget.check();
  }
  budget.deviceSeconds -= std::chrono::duration<double>(Budget::Clock::now() - begin).count();
  return answer;
}
