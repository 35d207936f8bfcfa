// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in forked children, a few at a time: what crashes, hangs or eats the memory takes its own process with it and no
// other. The caller stays on one thread (docs/design/0008-compiles-in-children.md).
#ifndef HELION_AOT_RUNNER_SEARCH_CHILDTASKS_H
#define HELION_AOT_RUNNER_SEARCH_CHILDTASKS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <string>

namespace helion::aot {

/// How a child ended.
struct ChildOutcome {
  enum class Kind { Done, Crashed, TimedOut, OutOfMemory };
  Kind kind = Kind::Done;
  std::string bytes;   // Done: what the work returned.
  std::string message; // Not done: why.
};

struct ChildLimits {
  unsigned jobs = 1;         // Children at a time.
  double seconds = 120;      // Of each, on the clock.
  std::string log;           // Gets what children say on stderr; empty: nobody does.
  unsigned mebibytes = 4096; // Of memory, for each, beyond what the caller has mapped.
};

/// Calls `work(i)` for all i < `count`, each in a child of its own, and `finished` here with what it returned, in the
/// order in which they end. When `goOn` says no, or `finished` fails, children that run are ended and nothing more is
/// started. `work` must not touch files that the caller has open; it has nothing but its memory.
llvm::Error runInChildren(size_t count, const ChildLimits &limits, llvm::function_ref<std::string(size_t)> work,
                          llvm::function_ref<bool()> goOn,
                          llvm::function_ref<llvm::Error(size_t, ChildOutcome)> finished);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SEARCH_CHILDTASKS_H
