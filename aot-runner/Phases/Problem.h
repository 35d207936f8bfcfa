// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is to be tuned: one kernel, its signatures, the rows of each. Loading it finds all bad input before anything is
// written: the rows are tried against the manifest of the universal config, compiled in memory.
#ifndef HELION_AOT_RUNNER_PHASES_PROBLEM_H
#define HELION_AOT_RUNNER_PHASES_PROBLEM_H

#include "aot-runner/Journal/Corpus.h"
#include "aot-runner/Phases/Options.h"
#include "aot-runner/Search/SearchKernel.h"

namespace helion::aot {

struct SignatureProblem {
  std::string name; // `x=f32[?,?] y=f32[?,?]`
  SearchKernel kernel;
  helion::Artifact universalArtifact;
  std::vector<Row> rows; // In canonical order.
};

struct Problem {
  std::string kernel;
  std::vector<SignatureProblem> signatures; // By name.
  std::vector<std::string> specialize;      // What the user fixed, and what the kernel's own source does.
};

/// The signature that a row asks for: dtype and rank of tensors, None, the value of integers and booleans, and of the
/// sizes named in `specialize`; floats are passed at each call.
std::string signatureOf(const Row &row, llvm::ArrayRef<std::string> specialize);

/// The row's binding on a device where `cores` threads of a CPU, or multiprocessors of a GPU, run programs: what plans
/// call `dev.cores`, and `dev.sms` where a plan is written for any target.
Binding deviceBinding(const Row &row, int64_t cores);

llvm::Expected<Problem> loadProblem(const Options &options);
/// The same signatures with the rows of `options.heldOut`. An error where one is in the corpus too, or of a signature
/// that the corpus has not.
llvm::Expected<Problem> loadHeldOut(const Options &options, const Problem &problem);
/// One signature of the kernel file, without rows.
llvm::Expected<SignatureProblem> loadSignature(const Options &options, llvm::StringRef kernel,
                                               llvm::StringRef signature);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_PROBLEM_H
