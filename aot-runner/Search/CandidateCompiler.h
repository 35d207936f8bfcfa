// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles candidates in parallel, each at most once for a journal: the record of a compile and its artifact are
// committed as soon as it is done, objects and shared objects lie in the run directory.
#ifndef HELION_AOT_RUNNER_SEARCH_CANDIDATECOMPILER_H
#define HELION_AOT_RUNNER_SEARCH_CANDIDATECOMPILER_H

#include "aot-runner/Journal/Journal.h"
#include "aot-runner/Journal/RunDir.h"
#include "aot-runner/Search/IsolatedCompile.h"
#include <map>

namespace helion::aot {

/// What a config led to: an artifact that may be shared with other configs.
struct Candidate {
  std::string artifact; // Hash.
  std::string config;   // The first, in the order of texts, that led to it.
  Manifest manifest;
};

class CandidateCompiler {
public:
  CandidateCompiler(const SearchKernel &kernel, Journal &journal, const RunDir &runDir, std::string buildId,
                    ChildLimits limits)
      : kernel(kernel), journal(journal), runDir(runDir), buildId(std::move(buildId)), limits(std::move(limits)) {}

  /// Compiles those that have no record, each in a child. When `goOn` says no, compiles that run are given up; `done`
  /// is told after each. An error is the journal's or the run directory's; a config that does not compile, crashes the
  /// compiler or takes too long is a record.
  llvm::Error compileAll(llvm::ArrayRef<std::string> configs, llvm::function_ref<bool()> goOn,
                         llvm::function_ref<void()> done);

  /// All of this kernel and build that compiled, by artifact. What the journal has of their objects is put in the run
  /// directory.
  llvm::Expected<std::map<std::string, Candidate>> candidates();
  /// From the journal, or compiled again where that has no object any more.
  llvm::Expected<helion::Artifact> artifact(llvm::StringRef hash, llvm::StringRef config);
  /// Makes sure that a worker can load it.
  llvm::Error provide(const Candidate &candidate);
  /// The artifact of a config; none where it has no record or did not compile.
  llvm::Expected<std::optional<std::string>> artifactOf(llvm::StringRef config);
  /// Whether the config has a record, whatever it says, and the journal still has what that names.
  llvm::Expected<bool> knows(llvm::StringRef config);
  /// Puts object and shared object in place.
  llvm::Error provide(const helion::Artifact &artifact, llvm::StringRef hash);

private:
  /// Of a compile that need not be done again.
  llvm::Expected<std::optional<CompileResult>> recordOf(llvm::StringRef config);
  CompileKey keyOf(llvm::StringRef config) const { return {kernel.getHash(), config.str(), buildId}; }
  llvm::Error commit(llvm::StringRef config, const CompileOutcome &outcome);

  const SearchKernel &kernel;
  Journal &journal;
  const RunDir &runDir;
  std::string buildId;
  ChildLimits limits;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SEARCH_CANDIDATECOMPILER_H
