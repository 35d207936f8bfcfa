// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "SharedObject.h"
#include "Timing.h"

#include "aot-runner/runtime/Base64.h"

#include <algorithm>
#include <fstream>

namespace runtime = HELION_RUNTIME;

namespace helion::worker {

static constexpr int64_t protocolVersion = 1;
static constexpr int64_t forever = int64_t(1) << 60;

namespace {
/// What a run tells of its results beside their hashes.
struct OutputForm {
  enum Kind { Base64, Path, Hash, Ranges };
  Kind kind = Base64;
  std::string directory;
  std::vector<std::vector<int64_t>> ranges; // Of each result: begin, end, begin, end, .. in bytes.
};
} // namespace

const Session::OperationName Session::operations[] = {
    {"case", &Session::makeCase}, {"free", &Session::free}, {"hello", &Session::hello}, {"load", &Session::load},
    {"query", &Session::query},   {"quit", &Session::quit}, {"run", &Session::run},     {"time", &Session::time},
};

void Session::handle(const Json &request, Json &answer, Failure &failure) {
  Fields fields(request, "the request", failure);
  fields.integer("id", 0, forever);
  fields.integer("deadline_ms", 1, forever, 0);
  std::string name = fields.text("op");
  if (failure)
    return;
  for (const OperationName &known : operations) {
    if (name != known.name)
      continue;
    if (!device && known.operation != &Session::hello && known.operation != &Session::quit)
      return failure.set("state", "`" + name + "` came before `hello`");
    return (this->*known.operation)(fields, answer, failure);
  }
  failure.set("protocol", "unknown op `" + name + "`; known are case, free, hello, load, query, quit, run, time");
}

void Session::hello(Fields &fields, Json &answer, Failure &failure) {
  int64_t version = fields.integer("protocol", 1, forever);
  std::string wanted = fields.has("target") ? fields.text("target") : "cpu";
  fields.finish();
  if (version != protocolVersion)
    failure.set("version", "protocol " + std::to_string(version) + " was asked for, this worker speaks " +
                               std::to_string(protocolVersion));
  if (device && target != wanted)
    failure.set("state", "this worker has greeted `" + target + "`; start another for `" + wanted + "`");
  if (failure)
    return;
  if (!device)
    device = makeBackend(wanted, failure);
  if (!device)
    return;
  target = wanted;
  answer["protocol"] = protocolVersion;
  device->describe(answer["device"]);
}

void Session::load(Fields &fields, Json &, Failure &failure) {
  std::string name = fields.text("artifact");
  std::string path = fields.text("path");
  bool isPackage = fields.boolean("package", false);
  Json symbols = fields.has("symbols") ? fields.list("symbols") : Json::array();
  fields.finish();
  if (artifacts.count(name))
    failure.set("state", "the artifact `" + name + "` is loaded already");
  if (failure)
    return;
  std::unique_ptr<Artifact> artifact = isPackage ? loadSharedObject(path, failure) : device->load(path, failure);
  for (const Json &symbol : symbols) {
    if (!failure && !symbol.is_string())
      failure.set("protocol", "`symbols` holds " + symbol.dump() + ", not a string");
    if (!failure)
      artifact->find(symbol.get<std::string>(), failure);
  }
  if (!failure)
    artifacts.emplace(name, std::move(artifact));
}

void Session::makeCase(Fields &fields, Json &, Failure &failure) {
  std::string name = fields.text("case");
  const Json &buffers = fields.list("buffers");
  fields.finish();
  if (cases.count(name))
    failure.set("state", "the case `" + name + "` is there already");
  if (failure)
    return;
  Case result(*device);
  result.build(buffers, failure);
  if (!failure)
    cases.emplace(name, std::move(result));
}

Case *Session::findCase(Fields &fields, Failure &failure) {
  std::string name = fields.text("case");
  auto found = cases.find(name);
  if (found != cases.end())
    return &found->second;
  failure.set("state", "there is no case `" + name + "`");
  return nullptr;
}

const Artifact *Session::findArtifact(Fields &fields, Failure &failure) {
  std::string name = fields.text("artifact");
  auto found = artifacts.find(name);
  if (found != artifacts.end())
    return found->second.get();
  failure.set("state", "there is no artifact `" + name + "`");
  return nullptr;
}

/// Reads the keys that `run` and `time` share.
Case *Session::bindPlan(Fields &fields, Plan &plan, Failure &failure) {
  Case *buffers = findCase(fields, failure);
  const Artifact *artifact = findArtifact(fields, failure);
  const Json &steps = fields.dictionary("plan");
  int64_t threads = fields.integer("threads", 0, 256, 0);
  if (failure)
    return nullptr;
  plan.bind(steps, *artifact, *buffers, int(threads), failure);
  return buffers;
}

static void writeOutput(const std::string &name, const char *contents, int64_t size, const std::string &directory,
                        Json &row, Failure &failure) {
  std::string path = directory + "/" + name + ".bin";
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(contents, std::streamsize(size));
  file.close();
  if (!file)
    failure.set("io", "cannot write `" + path + "`");
  row["path"] = path;
}

static bool isResult(const Buffer &buffer) { return buffer.role() == Role::Output || buffer.role() == Role::InOut; }

/// The parts of a result that `ranges` names, [begin, end) in bytes, one behind the other.
static std::string partsOf(const char *contents, int64_t size, const std::vector<int64_t> &ranges,
                           const std::string &name, Failure &failure) {
  std::string parts;
  for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
    int64_t begin = ranges[i], end = ranges[i + 1];
    if (begin < 0 || begin > end || end > size) {
      failure.set("protocol", "`ranges` of `" + name + "` has " + std::to_string(begin) + " to " + std::to_string(end) +
                                  ", the result has " + std::to_string(size) + " bytes");
      return "";
    }
    parts.append(contents + begin, size_t(end - begin));
  }
  return parts;
}

/// Puts into the answer what was asked of one result.
static void describe(const Buffer &buffer, const OutputForm &form, Json &list, Failure &failure) {
  buffer.read(
      [&](const char *contents, int64_t size) {
        Json row = {{"name", buffer.name()}, {"bytes", size}, {"hash", hashOf(contents, size)}};
        if (form.kind == OutputForm::Base64)
          row["data"] = runtime::encodeBase64(contents, size_t(size));
        if (form.kind == OutputForm::Path)
          writeOutput(buffer.name(), contents, size, form.directory, row, failure);
        if (form.kind == OutputForm::Ranges) {
          std::string parts = partsOf(contents, size, form.ranges[list.size()], buffer.name(), failure);
          row["data"] = runtime::encodeBase64(parts.data(), parts.size());
        }
        list.push_back(std::move(row));
      },
      failure);
}

static OutputForm readForm(Fields &fields, Failure &failure) {
  OutputForm form;
  form.kind = static_cast<OutputForm::Kind>(fields.choice("outputs", {"base64", "path", "hash", "ranges"}));
  if (form.kind == OutputForm::Path)
    form.directory = fields.text("path");
  if (form.kind != OutputForm::Ranges)
    return form;
  for (const Json &list : fields.list("ranges")) {
    const Json object = {{"ranges", list}};
    form.ranges.push_back(Fields(object, "a list of `ranges`", failure).integers("ranges"));
  }
  return form;
}

void Session::run(Fields &fields, Json &answer, Failure &failure) {
  Plan plan(*device);
  Case *buffers = bindPlan(fields, plan, failure);
  int64_t poison = fields.integer("poison", 0, 255, 255);
  OutputForm form = readForm(fields, failure);
  fields.finish();
  if (failure)
    return;
  auto results = std::count_if(buffers->all().begin(), buffers->all().end(), isResult);
  if (form.kind == OutputForm::Ranges && int64_t(form.ranges.size()) != results)
    return failure.set("protocol", "`ranges` has " + std::to_string(form.ranges.size()) + " lists, the case " +
                                       std::to_string(results) + " results");
  buffers->poison(uint8_t(poison), failure);
  buffers->restore(failure);
  if (!failure)
    plan.run(failure);
  if (!failure)
    device->finish(failure);
  if (failure)
    return;
  buffers->check(failure);
  answer["outputs"] = Json::array();
  for (const Buffer &buffer : buffers->all()) {
    if (isResult(buffer) && !failure)
      describe(buffer, form, answer["outputs"], failure);
  }
}

void Session::time(Fields &fields, Json &answer, Failure &failure) {
  Plan plan(*device);
  TimingRequest request;
  Case *buffers = bindPlan(fields, plan, failure);
  request.mode = static_cast<TimingMode>(fields.choice("mode", {"cold", "warm", "graph"})); // As TimingMode.
  request.warmup = fields.integer("warmup", 0, forever, 1);
  request.repetitions = fields.integer("repetitions", 1, forever);
  request.budgetNanoseconds = fields.integer("budget_ns", 0, forever, 0);
  fields.finish();
  if (failure)
    return;
  device->describeSample(answer, /*after=*/false);
  Samples samples = takeSamples(plan, *buffers, *device, request, failure);
  answer["ns"] = samples.nanoseconds;
  answer["calls_per_sample"] = samples.callsPerSample;
  answer["eviction"] = request.mode == TimingMode::Cold ? device->evictionMethod() : "none";
  device->describeSample(answer, /*after=*/true);
}

void Session::query(Fields &fields, Json &answer, Failure &failure) {
  using Function = int (*)(const int64_t *words, int64_t *values, char *text, size_t size);
  constexpr size_t valueCount = 8, textSize = 4096;
  Case *buffers = findCase(fields, failure);
  const Artifact *artifact = findArtifact(fields, failure);
  const Json &object = fields.dictionary("call");
  fields.finish();
  if (failure)
    return;
  PackageCall call;
  Fields callFields(object, "the call", failure);
  call.bind(callFields, *buffers, *device, failure);
  callFields.finish();
  Function function = failure ? nullptr : findFunction<Function>(*artifact, call.symbol, failure);
  if (failure)
    return;
  std::vector<int64_t> values(valueCount, 0);
  std::vector<char> text(textSize, 0);
  answer["status"] = function(call.words.data(), values.data(), text.data(), text.size());
  answer["values"] = values;
  answer["text"] = text.data();
}

void Session::free(Fields &fields, Json &, Failure &failure) {
  if (fields.has("artifact")) {
    std::string name = fields.text("artifact");
    fields.finish();
    if (!failure && artifacts.erase(name) == 0)
      failure.set("state", "there is no artifact `" + name + "`");
    return;
  }
  std::string name = fields.text("case");
  fields.finish();
  if (!failure && cases.erase(name) == 0)
    failure.set("state", "there is no case `" + name + "`");
}

void Session::quit(Fields &fields, Json &, Failure &failure) {
  fields.finish();
  over = !failure;
}

} // namespace helion::worker
