// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidates of one signature with what is known of them: artifacts, verdicts, samples. Collect and measure add to
// it, build reads it. Everything it learns is in the journal first.
#ifndef HELION_AOT_RUNNER_PHASES_POOL_H
#define HELION_AOT_RUNNER_PHASES_POOL_H

#include "aot-runner/Measure/CorrectnessGate.h"
#include "aot-runner/Measure/Timing.h"
#include "aot-runner/Phases/Problem.h"
#include "aot-runner/Phases/Progress.h"
#include "aot-runner/Search/CandidateCompiler.h"
#include "aot-runner/Select/Verdict.h"
#include "mlir/IR/OwningOpRef.h"
#include <set>

namespace helion::aot {

/// Calls like the rows', and larger, odd, strided and unaligned ones: what the facts of candidates are tried on.
std::vector<Binding> probesAround(llvm::ArrayRef<Row> rows);

/// Dense calls of the rows' sizes, each size times `factor`: what candidates without an end serve.
std::vector<Binding> callsBeyond(llvm::ArrayRef<Row> rows, int64_t factor);

/// What all signatures of a run share.
struct Workbench {
  const Options &options;
  RunDir &runDir;
  Journal &journal;
  Bench *bench = nullptr; // None where nothing is measured.
  Timing *timing = nullptr;
  SampleStore &samples;
  Progress &progress;
};

class Pool {
public:
  Pool(Workbench &bench, const SignatureProblem &problem);

  const SignatureProblem &getProblem() const { return problem; }
  CandidateCompiler &getCompiler() { return compiler; }
  const std::map<std::string, Candidate> &getCandidates() const { return candidates; }
  const std::string &universalArtifact() const { return anchorHash; }

  /// Reads the candidates again after compiles.
  llvm::Error refresh();
  /// The same; an error where there are none.
  llvm::Error refreshSome();
  /// Gates every candidate on every row where its facts hold, and takes one sample of those that pass.
  llvm::Error measureOnce();
  /// Takes samples of some candidates on one row until each has `rounds`.
  llvm::Error measureMore(unsigned row, const std::vector<std::string> &artifacts, unsigned rounds);
  /// Median and interval of all samples; NaN median for none.
  Interval time(unsigned row, llvm::StringRef artifact) const;
  /// Artifacts by time on a row, the fastest first; those without samples are left out.
  std::vector<std::pair<double, std::string>> ranked(unsigned row) const;
  std::optional<std::string> bestOn(unsigned row) const;

  /// A row as launch plans see it on the device at hand.
  Binding binding(unsigned row) const;
  /// An artifact on a row with inputs of a draw; none where it is no candidate, or its facts fail.
  llvm::Expected<std::optional<Subject>> subjectOf(unsigned row, const std::string &artifact, unsigned draw);
  llvm::Expected<Reference> makeReference(const Row &row, unsigned draw);

  /// Candidates that serve every call that any candidate serves, as far as probes around the rows tell.
  std::set<std::string> universals() const;
  /// Candidates that serve dense calls as far beyond the rows as any candidate does.
  std::set<std::string> reaching() const;
  /// Rows are those of the problem where something was measured; `kept` gets their places.
  llvm::Expected<Matrix> matrix(std::vector<unsigned> &kept);

private:
  std::set<std::string> servingMost(llvm::ArrayRef<Binding> calls) const;
  llvm::Expected<std::map<std::string, unsigned>> placesOfModel();
  llvm::Expected<std::optional<Subject>> subject(unsigned row, const Candidate &candidate);
  /// Those that pass the gate.
  llvm::Expected<std::vector<Subject>> passing(unsigned row, const std::vector<std::string> &artifacts);
  llvm::Expected<const Reference *> reference(const Row &row);
  llvm::Error anchorFailed(const Row &row);
  llvm::Expected<bool> passed(unsigned row, llvm::StringRef artifact);
  llvm::Expected<bool> failedAnywhere(llvm::StringRef artifact);

  Workbench &workbench;
  const SignatureProblem &problem;
  CandidateCompiler compiler;
  std::string anchorHash;
  std::map<std::string, Candidate> candidates;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;    // Form K, for references; parsed when the first is needed.
  std::map<std::string, Reference> references; // By row.
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_POOL_H
