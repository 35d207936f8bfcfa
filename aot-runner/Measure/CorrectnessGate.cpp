// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gate.
#include "aot-runner/Measure/CorrectnessGate.h"

#include "aot-runner/runtime/Base64.h"
#include "dialect/Target/ContentHash.h"

using namespace helion;
using namespace helion::aot;
namespace json = llvm::json;

/// NaN in every float type, and some number.
static constexpr int64_t kPoison[] = {0xff, 0x5a};

static CheckResult bad(CheckVerdict verdict, std::string message) {
  CheckResult result;
  result.verdict = verdict;
  result.message = std::move(message);
  return result;
}

/// One member of each output, in order; none where the answer has another form.
static std::optional<std::vector<std::string>> member(const WorkerAnswer &answer, llvm::StringRef key) {
  const json::Array *outputs = answer.body.getArray("outputs");
  if (!outputs)
    return std::nullopt;
  std::vector<std::string> texts;
  for (const json::Value &output : *outputs) {
    const json::Object *object = output.getAsObject();
    std::optional<llvm::StringRef> text = object ? object->getString(key) : std::nullopt;
    if (!text)
      return std::nullopt;
    texts.push_back(text->str());
  }
  return texts;
}

/// The hash of all outputs' hashes.
static std::optional<std::string> outputsHash(const WorkerAnswer &answer) {
  std::optional<std::vector<std::string>> hashes = member(answer, "hash");
  if (!hashes)
    return std::nullopt;
  std::vector<llvm::StringRef> parts(hashes->begin(), hashes->end());
  return contentHash(parts);
}

static CheckResult unusable() { return bad(CheckVerdict::Crash, "the worker's answer lacks outputs"); }

/// Asks for what the reference knows: of large outputs that is a small part.
static json::Object askFor(const Reference &reference) {
  json::Object request{{"op", "run"}, {"poison", kPoison[0]}};
  if (reference.isWhole()) {
    request["outputs"] = "base64";
    return request;
  }
  json::Array lists;
  for (const std::vector<int64_t> &ranges : reference.ranges())
    lists.push_back(json::Array(ranges));
  request["outputs"] = "ranges";
  request["ranges"] = std::move(lists);
  return request;
}

/// The run whose values count. Bad ones are the verdict; good ones are kept, for the second run to be compared with.
llvm::Expected<FirstRun> CorrectnessGate::runFirst(const Subject &subject, const Reference &reference,
                                                   int64_t deadlineMs) {
  llvm::Expected<WorkerAnswer> answer = bench.ask(subject, askFor(reference), deadlineMs);
  if (!answer)
    return answer.takeError();
  if (answer->kind != WorkerAnswer::Kind::Ok)
    return FirstRun{bad(blame(*answer), answer->message), ""};
  auto data = member(*answer, "data");
  std::optional<std::string> hash = outputsHash(*answer);
  if (!data || !hash)
    return FirstRun{unusable(), ""};
  for (std::string &text : *data)
    if (std::string decoded; HELION_RUNTIME::decodeBase64(text, decoded))
      text = std::move(decoded);
  return FirstRun{reference.compare(*data), *hash};
}

llvm::Expected<CheckResult> CorrectnessGate::runAgain(const Subject &subject, FirstRun first, int64_t deadlineMs) {
  llvm::Expected<WorkerAnswer> answer =
      bench.ask(subject, json::Object{{"op", "run"}, {"poison", kPoison[1]}, {"outputs", "hash"}}, deadlineMs);
  if (!answer)
    return answer.takeError();
  if (answer->kind != WorkerAnswer::Kind::Ok)
    return bad(blame(*answer), answer->message);
  std::optional<std::string> hash = outputsHash(*answer);
  if (!hash)
    return unusable();
  if (*hash != first.outputs) {
    first.result.verdict = CheckVerdict::NonDeterministic;
    first.result.message = "two runs differ, or depend on what the outputs held before";
  }
  return std::move(first.result);
}

llvm::Expected<FirstRun> CorrectnessGate::firstRun(const Subject &subject, MakeReference makeReference,
                                                   int64_t deadlineMs) {
  std::string row = subject.row->id();
  llvm::Expected<std::optional<FirstRun>> known = journal.findFirstRun(subject.artifact, row);
  if (!known)
    return known.takeError();
  if (*known)
    return std::move(**known);
  llvm::Expected<const Reference *> reference = makeReference(*subject.row);
  if (!reference)
    return reference.takeError();
  llvm::Expected<FirstRun> first = runFirst(subject, **reference, deadlineMs);
  if (first && first->result.verdict == CheckVerdict::Ok)
    if (llvm::Error error = journal.addFirstRun(subject.artifact, row, *first))
      return std::move(error);
  return first;
}

llvm::Expected<CheckResult> CorrectnessGate::check(const Subject &subject, MakeReference makeReference,
                                                   int64_t deadlineMs) {
  std::string row = subject.row->id();
  llvm::Expected<std::optional<CheckResult>> known = journal.findVerdict(subject.artifact, row);
  if (!known)
    return known.takeError();
  if (*known)
    return **known;
  llvm::Expected<FirstRun> first = firstRun(subject, makeReference, deadlineMs);
  if (!first)
    return first.takeError();
  CheckResult result = first->result;
  if (result.verdict == CheckVerdict::Ok) {
    llvm::Expected<CheckResult> second = runAgain(subject, std::move(*first), deadlineMs);
    if (!second)
      return second;
    result = std::move(*second);
  }
  if (llvm::Error error = journal.addVerdict(subject.artifact, row, result))
    return std::move(error);
  return result;
}

llvm::Expected<CheckResult> CorrectnessGate::checkAnew(const Subject &subject, const Reference &reference,
                                                       int64_t deadlineMs) {
  llvm::Expected<FirstRun> first = runFirst(subject, reference, deadlineMs);
  if (!first)
    return first.takeError();
  if (first->result.verdict != CheckVerdict::Ok)
    return first->result;
  return runAgain(subject, std::move(*first), deadlineMs);
}
