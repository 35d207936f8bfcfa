// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The client of the worker protocol.
#include "aot-runner/Measure/WorkerClient.h"

#include "dialect/Target/JsonText.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

using namespace helion::aot;
namespace json = llvm::json;
using Kind = WorkerAnswer::Kind;
using Clock = std::chrono::steady_clock;

/// Beyond a deadline that the worker itself keeps, for the way there and back.
static int64_t patienceMs(int64_t deadlineMs) {
  constexpr int64_t kGraceMs = 5000;
  return deadlineMs + std::min(deadlineMs, kGraceMs);
}

std::string WorkerDevice::deviceClass() const {
  constexpr int64_t kGiB = int64_t(1) << 30;
  bool isCpu = llvm::StringRef(target).starts_with("cpu:");
  std::string text = llvm::formatv("{0}, {1} {2}, {3} GiB", name, cores, isCpu ? "cores" : "multiprocessors",
                                   (memoryBytes + kGiB / 2) / kGiB);
  return powerLimitMilliwatts ? text + llvm::formatv(", {0} W", (powerLimitMilliwatts + 500) / 1000).str() : text;
}

static std::string shortened(llvm::StringRef text) {
  constexpr size_t kShown = 80;
  return text.size() <= kShown ? text.str() : text.take_front(kShown).str() + "...";
}

WorkerAnswer WorkerClient::failure(Kind kind, llvm::StringRef what) {
  WorkerAnswer answer;
  answer.kind = kind;
  answer.message = what.str();
  if (kind == Kind::Died)
    answer.message += ": " + process->endAfterClose();
  process.reset();
  return answer;
}

WorkerAnswer WorkerClient::read(llvm::StringRef line, int64_t id) {
  llvm::Expected<json::Value> value = parseJson(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return failure(Kind::Garbled, "the worker answered `" + shortened(line) + "`, which is no JSON");
  }
  json::Object *object = value->getAsObject();
  std::optional<bool> ok = object ? object->getBoolean("ok") : std::nullopt;
  if (!ok || object->getInteger("id") != id)
    return failure(Kind::Garbled, "the worker answered `" + shortened(line) + "`, which is no answer to request " +
                                      std::to_string(id));
  WorkerAnswer answer;
  if (*ok) {
    answer.body = std::move(*object);
    return answer;
  }
  answer.kind = Kind::Refused;
  if (const json::Object *error = object->getObject("error")) {
    answer.reason = error->getString("kind").value_or("").str();
    answer.message = error->getString("message").value_or("").str();
  }
  return answer;
}

WorkerAnswer WorkerClient::ask(json::Object request, int64_t deadlineMs) {
  int64_t id = nextId++;
  request["id"] = id;
  if (request.getString("op") != "hello")
    request["deadline_ms"] = deadlineMs;
  auto begin = Clock::now();
  const int64_t patience = patienceMs(deadlineMs);
  // Where nobody reads any more, what was said last is still to be read.
  process->writeLine(llvm::formatv("{0}", json::Value(std::move(request))).str(), patience, stop);
  int64_t spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
  std::string line;
  switch (process->readLine(line, patience - spent, stop)) {
  case WorkerProcess::Read::Line:
    break;
  case WorkerProcess::Read::Closed:
    return failure(Kind::Died, "the worker ended without an answer");
  case WorkerProcess::Read::TimedOut:
    return failure(Kind::TimedOut, llvm::formatv("no answer within {0} ms", deadlineMs).str());
  case WorkerProcess::Read::Stopped:
    return failure(Kind::Stopped, "interrupted");
  }
  WorkerAnswer answer = read(line, id);
  if (answer.reason == "deadline") {
    process.reset();
    answer.kind = Kind::TimedOut;
  }
  return answer;
}

llvm::Error WorkerClient::readDevice(const json::Object &answer) {
  std::optional<int64_t> version = answer.getInteger("protocol");
  if (version != protocol)
    return llvm::createStringError("the worker speaks protocol %lld, this program %lld; install both from one build",
                                   static_cast<long long>(version.value_or(0)), static_cast<long long>(protocol));
  const json::Object *device = answer.getObject("device");
  if (!device || !device->getString("target") || !device->getString("name") || !device->getInteger("cores"))
    return llvm::createStringError("the worker does not describe its device");
  greeted = {device->getString("target")->str(), device->getString("name")->str(), *device->getInteger("cores"),
             device->getInteger("memory_bytes").value_or(0), device->getInteger("power_limit_mw").value_or(0)};
  return llvm::Error::success();
}

llvm::Error WorkerClient::restart() {
  process.reset();
  llvm::Expected<std::unique_ptr<WorkerProcess>> fresh = WorkerProcess::start(command, log);
  if (!fresh)
    return fresh.takeError();
  process = std::move(*fresh);
  ++started;
  json::Object hello{{"op", "hello"}, {"protocol", protocol}};
  if (!target.empty())
    hello["target"] = target;
  WorkerAnswer answer = ask(std::move(hello), helloMs);
  if (answer.kind == Kind::Refused && answer.reason == "version")
    return llvm::createStringError("the worker refuses protocol %lld: %s", static_cast<long long>(protocol),
                                   answer.message.c_str());
  if (answer.kind != Kind::Ok)
    return llvm::createStringError("no worker: " + answer.message);
  if (llvm::Error error = readDevice(answer.body)) {
    process.reset();
    return error;
  }
  return llvm::Error::success();
}
