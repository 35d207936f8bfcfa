// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be known to fail before hours are spent: folders that cannot be written, rows that no memory holds, input
// files that do not fit.
#ifndef HELION_AOT_RUNNER_PHASES_PREFLIGHT_H
#define HELION_AOT_RUNNER_PHASES_PREFLIGHT_H

#include "aot-runner/Measure/WorkerClient.h"
#include "aot-runner/Phases/Problem.h"

namespace helion::aot {

/// The package's folder and the run directory, as far as the phases write them.
llvm::Error checkFolders(const Options &options);
/// The row's files of inputs; the row's memory, as far as numbers can count it.
llvm::Error checkInputs(const Row &row, const ResolvedPlan &plan);
/// Every row fits the worker's memory, and twice the memory here, where inputs and reference lie.
llvm::Error checkMemory(const Problem &problem, const WorkerDevice &device);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_PREFLIGHT_H
