// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Artifacts through a pipe: the manifest's text, PTX behind a cubin, the object, zero bytes between them; or why there
// is none.
#include "aot-runner/Search/IsolatedCompile.h"

using namespace helion;
using namespace helion::aot;

static constexpr char kArtifact = 'a', kRefused = 'r';

static std::string pack(llvm::Expected<helion::Artifact> artifact) {
  if (!artifact)
    return kRefused + llvm::toString(artifact.takeError());
  return kArtifact + artifact->manifest.text() + '\0' + artifact->text + '\0' + artifact->object;
}

static CompileOutcome unpack(ChildOutcome outcome) {
  if (outcome.kind != ChildOutcome::Kind::Done)
    return CompileFailure{/*refused=*/false, "the compiler " + outcome.message};
  llvm::StringRef bytes = outcome.bytes;
  if (bytes.consume_front(llvm::StringRef(&kRefused, 1)))
    return CompileFailure{/*refused=*/true, bytes.str()};
  auto [text, code] = bytes.drop_front().split('\0');
  auto [ptx, object] = code.split('\0');
  llvm::Expected<Manifest> manifest = Manifest::parse(text, "manifest");
  if (!manifest)
    return CompileFailure{/*refused=*/false, llvm::toString(manifest.takeError())};
  return helion::Artifact{std::move(*manifest), object.str(), ptx.str()};
}

llvm::Error helion::aot::compileIsolated(const SearchKernel &kernel, llvm::ArrayRef<std::string> configs,
                                         const ChildLimits &limits, llvm::function_ref<bool()> goOn,
                                         llvm::function_ref<llvm::Error(size_t, CompileOutcome)> finished) {
  return runInChildren(
      configs.size(), limits, [&](size_t task) { return pack(kernel.compile(configs[task])); }, goOn,
      [&](size_t task, ChildOutcome outcome) { return finished(task, unpack(std::move(outcome))); });
}

llvm::Expected<helion::Artifact> helion::aot::compileIsolated(const SearchKernel &kernel, llvm::StringRef config,
                                                              const ChildLimits &limits) {
  std::optional<CompileOutcome> result;
  llvm::Error error = compileIsolated(
      kernel, {config.str()}, limits, [] { return true; },
      [&](size_t, CompileOutcome outcome) {
        result = std::move(outcome);
        return llvm::Error::success();
      });
  if (error)
    return std::move(error);
  if (auto *failure = std::get_if<CompileFailure>(&*result))
    return llvm::createStringError(failure->message);
  return std::get<helion::Artifact>(std::move(*result));
}
