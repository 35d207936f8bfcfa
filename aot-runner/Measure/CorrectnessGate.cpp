// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gate.
#include "aot-runner/Measure/CorrectnessGate.h"

#include "aot-runner/runtime/Base64.h"

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

llvm::Expected<CheckResult> CorrectnessGate::run(const Subject &subject, const Reference &reference,
                                                 int64_t deadlineMs) {
  llvm::Expected<WorkerAnswer> first =
      bench.ask(subject, json::Object{{"op", "run"}, {"poison", kPoison[0]}, {"outputs", "base64"}}, deadlineMs);
  if (!first)
    return first.takeError();
  if (first->kind != WorkerAnswer::Kind::Ok)
    return bad(blame(*first), first->message);
  llvm::Expected<WorkerAnswer> second =
      bench.ask(subject, json::Object{{"op", "run"}, {"poison", kPoison[1]}, {"outputs", "hash"}}, deadlineMs);
  if (!second)
    return second.takeError();
  if (second->kind != WorkerAnswer::Kind::Ok)
    return bad(blame(*second), second->message);

  auto data = member(*first, "data"), hashes = member(*first, "hash"), again = member(*second, "hash");
  if (!data || !hashes || !again)
    return bad(CheckVerdict::Crash, "the worker's answer lacks outputs");
  for (std::string &text : *data)
    if (std::string decoded; HELION_RUNTIME::decodeBase64(text, decoded))
      text = std::move(decoded);
  CheckResult result = reference.compare(*data);
  if (result.verdict == CheckVerdict::Ok && *hashes != *again) {
    result.verdict = CheckVerdict::NonDeterministic;
    result.message = "two runs differ, or depend on what the outputs held before";
  }
  return result;
}

llvm::Expected<CheckResult> CorrectnessGate::check(const Subject &subject, MakeReference makeReference,
                                                   int64_t deadlineMs) {
  std::string row = subject.row->id();
  llvm::Expected<std::optional<CheckResult>> known = journal.findVerdict(subject.artifact, row);
  if (!known)
    return known.takeError();
  if (*known)
    return **known;
  llvm::Expected<const Reference *> reference = makeReference(*subject.row);
  if (!reference)
    return reference.takeError();
  llvm::Expected<CheckResult> result = run(subject, **reference, deadlineMs);
  if (!result)
    return result;
  if (llvm::Error error = journal.addVerdict(subject.artifact, row, *result))
    return std::move(error);
  return result;
}
