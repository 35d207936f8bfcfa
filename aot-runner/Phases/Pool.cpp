// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates and their measurements.
#include "aot-runner/Phases/Pool.h"

#include "aot-runner/Search/CandidateSource.h"
#include "codegen/Driver/Registration.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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
    : workbench(bench), problem(problem), compiler(problem.kernel, bench.journal, bench.runDir, bench.options.buildId,
                                                   {bench.options.jobs, bench.options.compileSeconds,
                                                    bench.runDir.logPath("compiler"), bench.options.compileMebibytes}),
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

llvm::Expected<Reference> Pool::makeReference(const Row &row, unsigned draw) {
  if (!module)
    module = mlir::parseSourceString<mlir::ModuleOp>(problem.kernel.getText(), &context);
  return Reference::make(*module->getOps<KernelOp>().begin(), row, draw);
}

llvm::Expected<const Reference *> Pool::reference(const Row &row) {
  std::string id = row.id();
  if (auto known = references.find(id); known != references.end())
    return &known->second;
  auto made = makeReference(row, /*draw=*/0);
  if (!made)
    return made.takeError();
  return &references.emplace(id, std::move(*made)).first->second;
}

Binding Pool::binding(unsigned row) const {
  int64_t threads = workbench.options.threads;
  return deviceBinding(problem.rows[row], threads ? threads : workbench.bench->getClient().device().cores);
}

llvm::Expected<std::optional<Subject>> Pool::subjectOf(unsigned row, const std::string &artifact, unsigned draw) {
  auto candidate = candidates.find(artifact);
  if (candidate == candidates.end())
    return std::optional<Subject>();
  llvm::Expected<std::optional<Subject>> found = subject(row, candidate->second);
  if (found && *found)
    (*found)->draw = draw;
  return found;
}

llvm::Expected<std::optional<Subject>> Pool::subject(unsigned row, const Candidate &candidate) {
  Binding binding = this->binding(row);
  llvm::Expected<bool> legal = checkPredicate(candidate.manifest.facts, binding);
  if (!legal)
    return legal.takeError();
  if (!*legal)
    return std::optional<Subject>();
  llvm::Expected<ResolvedPlan> plan = resolve(candidate.manifest, binding);
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = compiler.provide(candidate))
    return std::move(error);
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

std::vector<std::pair<double, std::string>> Pool::ranked(unsigned row) const {
  std::vector<std::pair<double, std::string>> order;
  for (auto &[artifact, candidate] : candidates)
    if (Interval time = this->time(row, artifact); time.median == time.median)
      order.push_back({time.median, artifact});
  llvm::sort(order);
  return order;
}

std::optional<std::string> Pool::bestOn(unsigned row) const {
  auto order = ranked(row);
  return order.empty() ? std::nullopt : std::optional(order.front().second);
}

llvm::Expected<bool> Pool::passed(unsigned row, llvm::StringRef artifact) {
  llvm::Expected<std::optional<CheckResult>> verdict = workbench.journal.findVerdict(artifact, problem.rows[row].id());
  if (!verdict)
    return verdict.takeError();
  return *verdict && (*verdict)->verdict == CheckVerdict::Ok;
}

/// The row with other sizes, dense but for `step` elements from one to the next.
static Binding resized(const Row &row, int64_t factor, int64_t more, int64_t step) {
  Binding probe = deviceBinding(row, /*cores=*/1);
  for (auto &[name, tensor] : probe.tensors) {
    int64_t stride = step;
    for (size_t dim = tensor.sizes.size(); dim-- > 0;) {
      tensor.sizes[dim] = tensor.sizes[dim] * factor + more;
      tensor.strides[dim] = stride;
      if (llvm::MulOverflow(stride, std::max<int64_t>(tensor.sizes[dim], 1), stride))
        stride = INT64_MAX;
    }
    tensor.align = step == 1 ? tensor.align : dtypeBytes(tensor.dtype);
  }
  return probe;
}

/// Of many rows some, evenly spread.
static std::vector<const Row *> probedRows(llvm::ArrayRef<Row> rows) {
  constexpr size_t kRows = 8;
  std::vector<const Row *> some;
  for (size_t at = 0; at < rows.size(); at += std::max<size_t>(1, rows.size() / kRows))
    some.push_back(&rows[at]);
  return some;
}

std::vector<Binding> helion::aot::probesAround(llvm::ArrayRef<Row> rows) {
  // Some rows, each as it is and with other sizes; each of these dense and aligned, and not.
  static constexpr std::pair<int64_t, int64_t> sizes[] = {{1, 0}, {1, 1}, {16, 0}, {1 << 12, 1}, {1 << 20, 0}};
  std::vector<Binding> probes;
  for (const Row *row : probedRows(rows))
    for (auto [factor, more] : sizes)
      for (int64_t step : {1, 2})
        probes.push_back(resized(*row, factor, more, step));
  return probes;
}

std::vector<Binding> helion::aot::callsBeyond(llvm::ArrayRef<Row> rows, int64_t factor) {
  std::vector<Binding> calls;
  for (const Row *row : probedRows(rows))
    calls.push_back(resized(*row, factor, /*more=*/0, /*step=*/1));
  return calls;
}

/// How many of the calls the facts hold on.
static unsigned servedBy(const Candidate &candidate, llvm::ArrayRef<Binding> calls) {
  unsigned served = 0;
  for (const Binding &call : calls) {
    llvm::Expected<bool> legal = checkPredicate(candidate.manifest.facts, call);
    served += legal && *legal;
    if (!legal)
      llvm::consumeError(legal.takeError()); // Beyond 64 bits.
  }
  return served;
}

std::set<std::string> Pool::reaching() const {
  // Powers of 8 keep what the rows' sizes are multiples of.
  std::vector<Binding> calls;
  for (int64_t factor : {8, 64, 512})
    llvm::append_range(calls, callsBeyond(problem.rows, factor));
  return servingMost(calls);
}

std::set<std::string> Pool::universals() const { return servingMost(probesAround(problem.rows)); }

std::set<std::string> Pool::servingMost(llvm::ArrayRef<Binding> calls) const {
  std::set<std::string> best;
  unsigned most = 0;
  for (auto &[artifact, candidate] : candidates) {
    unsigned served = servedBy(candidate, calls);
    if (served > most)
      best.clear();
    most = std::max(most, served);
    if (served == most)
      best.insert(artifact);
  }
  return best;
}

llvm::Expected<bool> Pool::failedAnywhere(llvm::StringRef artifact) {
  for (const Row &row : problem.rows) {
    llvm::Expected<std::optional<CheckResult>> verdict = workbench.journal.findVerdict(artifact, row.id());
    if (!verdict)
      return verdict.takeError();
    if (*verdict && (*verdict)->verdict != CheckVerdict::Ok && (*verdict)->verdict != CheckVerdict::Illegal)
      return true;
  }
  return false;
}

/// What the model says of rows that no block holds, by artifact, as far as it was compiled.
llvm::Expected<std::map<std::string, unsigned>> Pool::placesOfModel() {
  std::map<std::string, unsigned> places;
  std::vector<std::string> texts = CandidateSource(problem.kernel, workbench.options.seed).longRows();
  for (auto [place, text] : llvm::enumerate(texts)) {
    llvm::Expected<bool> known = compiler.knows(text);
    if (!known)
      return known.takeError();
    if (!*known)
      continue;
    llvm::Expected<std::optional<std::string>> artifact = compiler.artifactOf(text);
    if (!artifact)
      return artifact.takeError();
    if (*artifact)
      places.try_emplace(**artifact, place);
  }
  return places;
}

llvm::Expected<Matrix> Pool::matrix(std::vector<unsigned> &kept) {
  std::vector<MatrixCandidate> columns;
  std::set<std::string> universal = universals(), reaches = reaching();
  llvm::Expected<std::map<std::string, unsigned>> modelled = placesOfModel();
  if (!modelled)
    return modelled.takeError();
  for (auto &[artifact, candidate] : candidates) {
    // What is wrong on one row may be wrong on shapes that nobody tried.
    llvm::Expected<bool> failed = failedAnywhere(artifact);
    if (!failed)
      return failed.takeError();
    if (*failed)
      continue;
    columns.push_back({artifact, candidate.manifest.resources.codeBytes, universal.count(artifact) != 0,
                       reaches.count(artifact) != 0});
    if (auto place = modelled->find(artifact); place != modelled->end())
      columns.back().modelled = place->second;
  }
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
