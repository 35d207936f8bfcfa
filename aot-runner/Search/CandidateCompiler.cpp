// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel compiles over a journal.
#include "aot-runner/Search/CandidateCompiler.h"

#include "aot-runner/Journal/DurableFile.h"
#include "codegen/Driver/SharedObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace helion;
using namespace helion::aot;

namespace {
/// What a worker loads, made of an artifact's object: a CPU's is linked, a GPU's driver takes it as it is.
struct Loadable {
  llvm::StringLiteral vendor;
  llvm::Error (*make)(llvm::StringRef object, llvm::StringRef path);
};
} // namespace

static llvm::Error writeObject(llvm::StringRef object, llvm::StringRef path) { return writeFileDurably(path, object); }

static constexpr Loadable loadables[] = {{"cpu", linkShared}, {"nvidia", writeObject}};

static llvm::Error makeLoadable(const helion::Artifact &artifact, llvm::StringRef path) {
  llvm::StringRef vendor = llvm::StringRef(artifact.manifest.target).split(':').first;
  for (const Loadable &loadable : loadables)
    if (loadable.vendor == vendor)
      return loadable.make(artifact.object, path);
  return llvm::createStringError("no worker loads code for `" + artifact.manifest.target + "`");
}

/// One that a machine lost when it went down has a name and no bytes.
static bool isThere(llvm::StringRef file) {
  uint64_t bytes = 0;
  return !llvm::sys::fs::file_size(file, bytes) && bytes != 0;
}

llvm::Error CandidateCompiler::provide(const helion::Artifact &artifact, llvm::StringRef hash) {
  llvm::Expected<std::string> object = runDir.storeObject(hash, artifact.object);
  if (!object)
    return object.takeError();
  std::string library = runDir.libraryPath(hash);
  if (isThere(library))
    return llvm::Error::success();
  // Renamed when it is whole: a worker must never open half of one.
  std::string partial = library + ".partial";
  if (llvm::Error error = makeLoadable(artifact, partial))
    return error;
  if (std::error_code code = llvm::sys::fs::rename(partial, library))
    return llvm::createStringError("cannot write `" + library + "`: " + code.message());
  return llvm::Error::success();
}

llvm::Error CandidateCompiler::commit(llvm::StringRef config, const CompileOutcome &outcome) {
  if (auto *failure = std::get_if<CompileFailure>(&outcome)) {
    CompileVerdict verdict = failure->refused ? CompileVerdict::Rejected : CompileVerdict::Failed;
    return journal.addCompile(keyOf(config), {verdict, "", failure->message});
  }
  const auto &artifact = std::get<helion::Artifact>(outcome);
  std::string hash = artifact.manifest.artifactHash();
  if (llvm::Error error = provide(artifact, hash))
    return error;
  if (llvm::Error error = journal.addArtifact({hash, artifact.manifest.text(), artifact.object}))
    return error;
  return journal.addCompile(keyOf(config), {CompileVerdict::Ok, hash, ""});
}

llvm::Error CandidateCompiler::compileAll(llvm::ArrayRef<std::string> configs, llvm::function_ref<bool()> goOn,
                                          llvm::function_ref<void()> done) {
  std::vector<std::string> missing;
  for (const std::string &config : configs) {
    llvm::Expected<std::optional<CompileResult>> known = recordOf(config);
    if (!known)
      return known.takeError();
    if (*known || llvm::is_contained(missing, config))
      done();
    else
      missing.push_back(config);
  }
  return compileIsolated(kernel, missing, limits, goOn, [&](size_t task, CompileOutcome outcome) {
    done();
    return commit(missing[task], outcome);
  });
}

llvm::Expected<std::map<std::string, Candidate>> CandidateCompiler::candidates() {
  llvm::Expected<std::vector<CompileRecord>> records = journal.compiles(kernel.getHash());
  if (!records)
    return records.takeError();
  std::map<std::string, Candidate> found;
  for (const CompileRecord &record : *records) {
    if (record.key.buildId != buildId || record.result.verdict != CompileVerdict::Ok)
      continue;
    const std::string &hash = record.result.artifact;
    if (auto known = found.find(hash); known != found.end()) {
      known->second.config = std::min(known->second.config, record.key.config);
      continue;
    }
    llvm::Expected<std::optional<aot::Artifact>> stored = journal.findArtifact(hash);
    if (!stored)
      return stored.takeError();
    if (!*stored)
      continue; // A damaged journal: the config counts as never compiled.
    llvm::Expected<Manifest> manifest = Manifest::parse((*stored)->manifest, journal.path());
    if (!manifest)
      return manifest.takeError();
    bool hasObject = !(*stored)->object.empty();
    if (llvm::Error error =
            hasObject ? provide(helion::Artifact{*manifest, (*stored)->object}, hash) : llvm::Error::success())
      return std::move(error);
    found[hash] = {hash, record.key.config, std::move(*manifest)};
  }
  return found;
}

llvm::Expected<helion::Artifact> CandidateCompiler::artifact(llvm::StringRef hash, llvm::StringRef config) {
  llvm::Expected<std::optional<aot::Artifact>> stored = journal.findArtifact(hash);
  if (!stored)
    return stored.takeError();
  if (*stored && !(*stored)->object.empty()) {
    llvm::Expected<Manifest> manifest = Manifest::parse((*stored)->manifest, journal.path());
    if (!manifest)
      return manifest.takeError();
    return helion::Artifact{std::move(*manifest), (*stored)->object};
  }
  llvm::Expected<helion::Artifact> made = compileIsolated(kernel, config, limits);
  if (!made)
    return llvm::createStringError(
        "config `" + config +
        "`, whose object `journal gc` dropped, does not compile again: " + llvm::toString(made.takeError()));
  if (made->manifest.artifactHash() != hash)
    return llvm::createStringError("config `" + config +
                                   "`, whose object `journal gc` dropped, gives another artifact "
                                   "than the one measured; run `--phase collect` again");
  if (llvm::Error error = commit(config, *made))
    return std::move(error);
  return made;
}

llvm::Error CandidateCompiler::provide(const Candidate &candidate) {
  if (isThere(runDir.libraryPath(candidate.artifact)))
    return llvm::Error::success();
  llvm::Expected<helion::Artifact> found = artifact(candidate.artifact, candidate.config);
  return found ? provide(*found, candidate.artifact) : found.takeError();
}

llvm::Expected<std::optional<CompileResult>> CandidateCompiler::recordOf(llvm::StringRef config) {
  llvm::Expected<std::optional<CompileResult>> known = journal.findCompile(keyOf(config));
  if (!known)
    return known.takeError();
  if (!*known || (*known)->verdict != CompileVerdict::Ok)
    return known;
  llvm::Expected<std::optional<aot::Artifact>> stored = journal.findArtifact((*known)->artifact);
  if (!stored)
    return stored.takeError();
  return *stored ? std::move(*known) : std::nullopt;
}

llvm::Expected<std::optional<std::string>> CandidateCompiler::artifactOf(llvm::StringRef config) {
  llvm::Expected<std::optional<CompileResult>> known = recordOf(config);
  if (!known)
    return known.takeError();
  if (!*known || (*known)->verdict != CompileVerdict::Ok)
    return std::optional<std::string>();
  return std::optional<std::string>((*known)->artifact);
}

llvm::Expected<bool> CandidateCompiler::knows(llvm::StringRef config) {
  llvm::Expected<std::optional<CompileResult>> known = recordOf(config);
  if (!known)
    return known.takeError();
  return known->has_value();
}
