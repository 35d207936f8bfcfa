// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates and their measurements.
#include "aot-runner/Phases/Pool.h"

#include "codegen/Driver/Registration.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"

using namespace helion;
using namespace helion::aot;

/// The gate's patience: the first run of a candidate may page in, and bad ones are slow, but not this slow.
static constexpr double kGateSeconds = 20;

static mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Pool::Pool(Workbench &bench, const SignatureProblem &problem)
    : workbench(bench), problem(problem),
      compiler(problem.kernel, bench.journal, bench.runDir, bench.options.buildId,
               {bench.options.jobs, bench.options.compileSeconds, bench.runDir.logPath("compiler")}),
      anchorHash(problem.universalArtifact.manifest.artifactHash()), context(allDialects()) {}

llvm::Error Pool::refresh() {
  auto found = compiler.candidates();
  if (!found)
    return found.takeError();
  candidates = std::move(*found);
  return llvm::Error::success();
}

llvm::Error Pool::refreshSome() {
  if (llvm::Error error = refresh())
    return error;
  if (!candidates.empty())
    return llvm::Error::success();
  return llvm::createStringError("the run directory has no candidates of `" + problem.name +
                                 "` by this program; run `--phase collect` first");
}

llvm::Expected<const Reference *> Pool::reference(const Row &row) {
  std::string id = row.id();
  if (auto known = references.find(id); known != references.end())
    return &known->second;
  if (!module)
    module = mlir::parseSourceString<mlir::ModuleOp>(problem.kernel.getText(), &context);
  auto made = Reference::make(*module->getOps<KernelOp>().begin(), row);
  if (!made)
    return made.takeError();
  return &references.emplace(id, std::move(*made)).first->second;
}

llvm::Expected<std::optional<Subject>> Pool::subject(unsigned row, const Candidate &candidate) {
  int64_t threads = workbench.options.threads;
  Binding binding = deviceBinding(problem.rows[row], threads ? threads : workbench.bench->getClient().device().cores);
  llvm::Expected<bool> legal = checkPredicate(candidate.manifest.facts, binding);
  if (!legal)
    return legal.takeError();
  if (!*legal)
    return std::optional<Subject>();
  llvm::Expected<ResolvedPlan> plan = resolve(candidate.manifest, binding);
  if (!plan)
    return plan.takeError();
  return std::optional<Subject>(Subject{candidate.artifact, workbench.runDir.libraryPath(candidate.artifact),
                                        &problem.rows[row], std::move(*plan)});
}

llvm::Expected<std::vector<Subject>> Pool::passing(unsigned row, const std::vector<std::string> &artifacts) {
  std::vector<Subject> subjects;
  CorrectnessGate gate(workbench.journal, *workbench.bench);
  double patience = workbench.options.answerSeconds > 0 ? workbench.options.answerSeconds : kGateSeconds;
  for (const std::string &artifact : artifacts) {
    llvm::Expected<std::optional<Subject>> next = subject(row, candidates.at(artifact));
    if (!next)
      return next.takeError();
    if (!*next)
      continue;
    llvm::Expected<CheckResult> verdict =
        gate.check(**next, [&](const Row &row) { return reference(row); }, static_cast<int64_t>(patience * 1000));
    if (!verdict)
      return verdict.takeError();
    if (verdict->verdict == CheckVerdict::Ok)
      subjects.push_back(std::move(**next));
  }
  return subjects;
}

/// The row has no anchor: nothing on it can be compared.
llvm::Error Pool::anchorFailed(const Row &row) {
  llvm::Expected<std::optional<CheckResult>> verdict = workbench.journal.findVerdict(anchorHash, row.id());
  if (!verdict)
    return verdict.takeError();
  std::string why = *verdict ? (name((*verdict)->verdict) + ": " + (*verdict)->message).str() : "its facts do not hold";
  return llvm::createStringError(row.place + ": the universal config fails on this row, so nothing can be compared (" +
                                 why + ")");
}

llvm::Error Pool::measureMore(unsigned row, const std::vector<std::string> &artifacts, unsigned rounds) {
  const Row &call = problem.rows[row];
  if (llvm::Error error = workbench.journal.addRow(call.id(), call.key()))
    return error;
  llvm::Expected<std::vector<Subject>> subjects = passing(row, artifacts);
  if (!subjects)
    return subjects.takeError();
  llvm::Expected<std::vector<Subject>> anchor = passing(row, {anchorHash});
  if (!anchor)
    return anchor.takeError();
  if (anchor->empty())
    return anchorFailed(call);
  for (unsigned round = 0; round < rounds; ++round)
    if (auto blamed = workbench.timing->round(anchor->front(), *subjects, round); !blamed)
      return blamed.takeError();
  return llvm::Error::success();
}

llvm::Error Pool::measureOnce() {
  std::vector<std::string> all;
  for (auto &[artifact, candidate] : candidates)
    all.push_back(artifact);
  workbench.progress.begin("measuring " + problem.name, problem.rows.size());
  for (unsigned row = 0; row < problem.rows.size(); ++row) {
    if (llvm::Error error = measureMore(row, all, 1))
      return error;
    workbench.progress.step();
  }
  return llvm::Error::success();
}

Interval Pool::time(unsigned row, llvm::StringRef artifact) const {
  return medianInterval(workbench.samples.all(problem.rows[row].id(), artifact));
}

llvm::Expected<bool> Pool::passed(unsigned row, llvm::StringRef artifact) {
  llvm::Expected<std::optional<CheckResult>> verdict = workbench.journal.findVerdict(artifact, problem.rows[row].id());
  if (!verdict)
    return verdict.takeError();
  return *verdict && (*verdict)->verdict == CheckVerdict::Ok;
}

llvm::Expected<Matrix> Pool::matrix(std::vector<unsigned> &kept) {
  std::vector<MatrixCandidate> columns;
  bool anyUniversal = false;
  for (auto &[artifact, candidate] : candidates) {
    bool universal = candidate.manifest.facts.empty();
    anyUniversal |= universal;
    columns.push_back({artifact, candidate.manifest.resources.codeBytes, universal});
  }
  // Where every candidate relies on something, the default relies on what the kernel itself needs.
  for (MatrixCandidate &column : columns)
    column.universal |= !anyUniversal && column.artifact == anchorHash;
  std::vector<MatrixRow> rows;
  for (const Row &row : problem.rows)
    rows.push_back({row.weight, row.group});
  Matrix all(rows, columns);
  for (unsigned row = 0; row < rows.size(); ++row) {
    for (unsigned column = 0; column < columns.size(); ++column) {
      llvm::Expected<bool> good = passed(row, columns[column].artifact);
      if (!good)
        return good.takeError();
      SampleHalves halves = workbench.samples.halves(problem.rows[row].id(), columns[column].artifact);
      if (*good && !halves.pick.empty() && !halves.judge.empty())
        all.set(row, column, {medianInterval(halves.pick), medianInterval(halves.judge)});
    }
    if (all.best(row))
      kept.push_back(row);
  }
  return all.subset(kept);
}
