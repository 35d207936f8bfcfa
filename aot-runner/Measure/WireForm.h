// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows and resolved plans as the worker protocol writes them.
#ifndef HELION_AOT_RUNNER_MEASURE_WIREFORM_H
#define HELION_AOT_RUNNER_MEASURE_WIREFORM_H

#include "aot-runner/Journal/Corpus.h"
#include "dialect/Target/ResolvedPlan.h"

namespace helion::aot {

/// The buffers of a case: the row's tensors, then outputs and workspace of the plan.
llvm::Expected<llvm::json::Array> wireBuffers(const Row &row, const ResolvedPlan &plan, unsigned draw = 0);
llvm::json::Object wirePlan(const ResolvedPlan &plan);
/// Names the buffers that a plan needs: plans with equal names can share a case.
std::string caseName(const Row &row, const ResolvedPlan &plan, unsigned draw = 0);

/// A call of a package through `symbol`: arguments and results as its C function takes them, then the workspace, which
/// is the plan's buffer of that role where it has one, then the stream. The function `setThreads` is called before.
llvm::json::Object wireCall(llvm::StringRef symbol, llvm::StringRef setThreads, const Manifest &manifest,
                            const Row &row, const ResolvedPlan &plan);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_WIREFORM_H
