// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles in children: what a config does to the compiler, it does to a process of its own.
#ifndef HELION_AOT_RUNNER_SEARCH_ISOLATEDCOMPILE_H
#define HELION_AOT_RUNNER_SEARCH_ISOLATEDCOMPILE_H

#include "aot-runner/Search/ChildTasks.h"
#include "aot-runner/Search/SearchKernel.h"

namespace helion::aot {

/// A compile that gave nothing.
struct CompileFailure {
  bool refused = true; // By a pass, which says why; else the compiler crashed, or took too long or too much memory.
  std::string message;
};
using CompileOutcome = std::variant<helion::Artifact, CompileFailure>;

/// Compiles all configs; `finished` gets each outcome, in the order in which they come.
llvm::Error compileIsolated(const SearchKernel &kernel, llvm::ArrayRef<std::string> configs, const ChildLimits &limits,
                            llvm::function_ref<bool()> goOn,
                            llvm::function_ref<llvm::Error(size_t, CompileOutcome)> finished);
/// Compiles one config.
llvm::Expected<helion::Artifact> compileIsolated(const SearchKernel &kernel, llvm::StringRef config,
                                                 const ChildLimits &limits);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SEARCH_ISOLATEDCOMPILE_H
