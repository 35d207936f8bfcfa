// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/CallModule.h"
#include "aot-runner/Package/CheckSource.h"
#include "aot-runner/Package/RunProgram.h"
#include "aot-runner/Package/Staging.h"
#include "aot-runner/Package/Template.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace llvm;

namespace helion {

PassedAs passedAs(ArrayRef<const Manifest *> signatures, size_t argument) {
  for (const Manifest *manifest : signatures) {
    const Argument &found = manifest->arguments[argument];
    if (found.kind == Argument::Kind::Scalar || found.kind == Argument::Kind::Fixed)
      return isFloat(found.dtype) ? PassedAs::Real : PassedAs::Integer;
  }
  return PassedAs::Tensor;
}

std::string moduleCallSymbol(StringRef kernel) { return (kernel + "_module_call").str(); }
std::string moduleQuerySymbol(StringRef kernel) { return (kernel + "_module_query").str(); }
std::string setThreadsSymbol(StringRef kernel) { return (kernel + "_set_threads").str(); }

static TemplateValues moduleValues(ArrayRef<const Manifest *> signatures) {
  TemplateValues values;
  const Manifest &first = *signatures.front();
  std::string arguments, results;
  size_t word = 0;
  for (; word < first.arguments.size(); ++word) {
    static constexpr StringLiteral readers[] = {"tensorAt(words[", "realAt(words[", "(words["};
    StringRef reader = readers[static_cast<unsigned>(passedAs(signatures, word))];
    arguments += (reader + Twine(word) + "]), ").str();
  }
  for (size_t result = 0; result < first.plan.outputs.size(); ++result)
    results += ("tensorAt(words[" + Twine(word++) + "]), ").str();
  values.texts = {{"arguments", arguments},
                  {"results", results},
                  {"workspaceAt", std::to_string(word)},
                  {"streamAt", std::to_string(word + 1)}};
  return values;
}

static Expected<std::map<std::string, std::string>> moduleFiles(StringRef kernel,
                                                                ArrayRef<const Manifest *> signatures) {
  std::map<std::string, std::string> files;
  for (StringRef name : {"CMakeLists.txt", "module.cpp"}) {
    Expected<std::string> text =
        fillTemplate(embeddedText(("call-module/" + name).str()), moduleValues(signatures), kernel);
    if (!text)
      return text.takeError();
    files[name.str()] = name.ends_with(".cpp") ? formatSource(*text, name) : *text;
  }
  return files;
}

/// The end of a log, for messages.
static std::string endOf(StringRef log) {
  constexpr size_t kShown = 2000;
  auto text = MemoryBuffer::getFile(log);
  return text ? (*text)->getBuffer().take_back(kShown).trim().str() : std::string();
}

static Error runTool(const BuildTools &tools, ArrayRef<StringRef> arguments, StringRef log,
                     function_ref<Error()> mayGoOn) {
  constexpr std::chrono::minutes kMost(20);
  auto end = std::chrono::steady_clock::now() + kMost;
  std::vector<std::string> command = {tools.cmake};
  for (StringRef argument : arguments)
    command.push_back(argument.str());
  auto refuse = [&](const Twine &why) {
    return createStringError("the package does not build with `" + tools.cxx + "`, see `" + log + "`: " + why);
  };
  Expected<int> status = runProgram(command, log.str(), [&]() -> Error {
    if (std::chrono::steady_clock::now() < end)
      return mayGoOn();
    return refuse("it took longer than " + Twine(kMost.count()) + " minutes");
  });
  if (!status)
    return status.takeError();
  return *status == 0 ? Error::success() : refuse(endOf(log));
}

Expected<std::string> buildCallModule(StringRef package, StringRef kernel, ArrayRef<const Manifest *> signatures,
                                      StringRef work, const BuildTools &tools, unsigned jobs,
                                      function_ref<Error()> mayGoOn) {
  Expected<std::map<std::string, std::string>> files = moduleFiles(kernel, signatures);
  if (!files)
    return files.takeError();
  SmallString<128> source(package), folder(work);
  if (std::error_code code = sys::fs::make_absolute(source))
    return createStringError("cannot find `" + package + "`: " + code.message());
  if (std::error_code code = sys::fs::make_absolute(folder))
    return createStringError("cannot find `" + work + "`: " + code.message());
  if (Error error = replaceFolder(folder, *files, [](StringRef) { return true; }))
    return error;
  std::string build = (folder + "/build").str();
  std::string configureLog = (folder + "/configure.log").str(), buildLog = (folder + "/build.log").str();
  std::string cxx = "-DCMAKE_CXX_COMPILER=" + tools.cxx, packageAt = ("-DHELION_PACKAGE=" + source).str();
  if (Error error = runTool(
          tools, {"-G", tools.generator, "-S", folder, "-B", build, cxx, packageAt, "-DCMAKE_BUILD_TYPE=Release"},
          configureLog, mayGoOn))
    return error;
  if (Error error = runTool(tools, {"--build", build, "--parallel", std::to_string(jobs)}, buildLog, mayGoOn))
    return error;
  return build + "/" + kernel.str() + "_module.so";
}

} // namespace helion
