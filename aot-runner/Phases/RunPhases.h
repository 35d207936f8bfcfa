// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-aot as a function. All bad input is found before anything is written; then the phases run in their order, and
// what ended them early decides the exit code.
#ifndef HELION_AOT_RUNNER_PHASES_RUNPHASES_H
#define HELION_AOT_RUNNER_PHASES_RUNPHASES_H

#include "aot-runner/Phases/Options.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

namespace helion::aot {

/// `stop` may become true at any time. Results go to `out`, one line per error and progress to `err`.
ExitCode runPhases(const Options &options, const std::atomic<bool> &stop, llvm::raw_ostream &out,
                   llvm::raw_fd_ostream &err);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_RUNPHASES_H
