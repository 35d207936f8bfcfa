// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the phases, and their ends.
#include "aot-runner/Phases/RunPhases.h"

#include "aot-runner/Package/WritePackage.h"
#include "aot-runner/Phases/Evaluate.h"
#include "aot-runner/Phases/Preflight.h"
#include "aot-runner/Phases/Report.h"
#include "aot-runner/Phases/Station.h"
#include "aot-runner/Phases/Tuning.h"
#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace helion;
using namespace helion::aot;
using Phase = Options::Phase;

namespace {
/// One call of helion-aot.
class Run {
public:
  Run(const Options &options, const std::atomic<bool> &stop, llvm::raw_ostream &out, llvm::raw_fd_ostream &err)
      : options(options), out(out), progress(err), budget(stop) {
    auto seconds = [](double s) {
      return std::chrono::duration_cast<Budget::Clock::duration>(std::chrono::duration<double>(s));
    };
    if (options.budgetSeconds > 0)
      budget.end = Budget::Clock::now() + seconds(options.budgetSeconds);
    if (options.gpuSeconds > 0)
      budget.deviceSeconds = options.gpuSeconds;
  }
  llvm::Expected<ExitCode> run();

private:
  llvm::Expected<ExitCode> tune(const Problem &problem);
  llvm::Expected<ExitCode> tuneIn(const Problem &problem, WorkerClient *client);
  llvm::Expected<std::optional<ExitCode>> learnInBudget(Workbench &bench, llvm::ArrayRef<std::unique_ptr<Pool>> pools);
  llvm::Error learn(Workbench &bench, llvm::ArrayRef<std::unique_ptr<Pool>> pools);
  llvm::Error select(llvm::ArrayRef<std::unique_ptr<Pool>> pools, bool endedEarly);
  /// `evaluate` sees the package before it is put in place, and may refuse it.
  llvm::Expected<ExitCode> package(FindObject find, llvm::function_ref<llvm::Error(const PackageSpec &)> evaluate);
  llvm::Error checkSize() const;
  /// What cannot be compiled for another target is said before anything is measured.
  llvm::Error addFurther(llvm::StringRef kernel, llvm::StringRef signature);
  llvm::Expected<ExitCode> buildFromTuned();
  llvm::Expected<ExitCode> evaluate(const Problem &problem);
  llvm::Error runPackage(const Problem &problem);
  llvm::Error evaluatePackage(Workbench &bench, const Problem &problem, llvm::ArrayRef<std::unique_ptr<Pool>> pools,
                              llvm::StringRef folder);
  void describePool(const Pool &pool, const PoolShare &share);
  bool mayRun(const std::optional<ExitCode> &early);
  llvm::Error inBudget(llvm::Error error, std::optional<ExitCode> &early);
  std::vector<std::unique_ptr<Pool>> poolsOf(Workbench &bench, const Problem &problem) const;
  std::string inRunDir(llvm::StringRef name) const;
  std::string workerLog() const;
  llvm::Expected<ExitCode> dryRun(const Problem &problem);
  llvm::Error checkWorker(const Problem &problem) const;
  int64_t helloMs() const {
    return options.answerSeconds > 0 ? static_cast<int64_t>(options.answerSeconds * 1000) : WorkerClient::kHelloMs;
  }
  /// Of what is known best: recorded times by themselves cannot overrule a package that was run and is too slow.
  Outcome outcome() const;
  ExitCode verdict() const { return outcome() == Outcome::Met ? ExitCode::Met : ExitCode::Missed; }
  ExitCode report(ExitCode exit);

  const Options &options;
  llvm::raw_ostream &out;
  Progress progress;
  Budget budget;
  Tuned tuned;
  Replay replayed;
  Problem heldOut; // The same signatures, other rows.
  FurtherArtifacts further;
  std::optional<Evaluation> evaluation;
  Outcomes outcomes;
};
} // namespace

Outcome Run::outcome() const {
  bool isEvaluations = evaluation && (options.phase == Phase::Evaluate || evaluation->outcome == Outcome::Missed);
  return isEvaluations ? evaluation->outcome : replayed.outcome;
}

ExitCode Run::report(ExitCode exit) {
  progress.end();
  outcomes.outcome = outcome();
  if (options.json)
    out << llvm::formatv("{0}\n", reportJson(outcomes, exit));
  else
    printReport(out, outcomes);
  return exit;
}

//===-- Before anything is written -------------------------------------------------------------------------------===//

llvm::Error Run::checkWorker(const Problem &problem) const {
  WorkerClient probe(options.worker, "/dev/null", budget.stop, helloMs(), workerTarget(options));
  llvm::Error error = probe.restart();
  if (!error)
    return checkMemory(problem, probe.device());
  if (llvm::Error ended = budget.check())
    return llvm::consumeError(std::move(error)), std::move(ended);
  return llvm::make_error<EndedEarly>(EndedEarly::Why::NoWorker, llvm::toString(std::move(error)));
}

llvm::Expected<ExitCode> Run::dryRun(const Problem &problem) {
  // One sample, its gate and warm-up, at a guess of 10 ms; contenders and finalists about as much again.
  constexpr double kSecondsPerCell = 0.1;
  for (const SignatureProblem &signature : problem.signatures) {
    Space::Size size = signature.kernel.getSpace().size();
    std::string count = size.exact ? std::to_string(*size.exact) : llvm::formatv("about {0:E1}", size.estimate).str();
    double cells = static_cast<double>(options.pool) * signature.rows.size();
    outcomes.remarks.push_back(
        llvm::formatv("{0}({1}): {2} configs, {3} candidates on {4} rows, about {5:F0} s on the device", problem.kernel,
                      signature.name, count, options.pool, signature.rows.size(), cells * kSecondsPerCell));
  }
  return report(ExitCode::Met);
}

//===-- Collect, measure, build ----------------------------------------------------------------------------------===//

llvm::Error Run::learn(Workbench &bench, llvm::ArrayRef<std::unique_ptr<Pool>> pools) {
  for (const std::unique_ptr<Pool> &pool : pools)
    if (options.does(Phase::Collect))
      if (llvm::Error error = collect(bench, *pool))
        return error;
  for (const std::unique_ptr<Pool> &pool : pools)
    if (options.does(Phase::Measure))
      if (llvm::Error error = measure(bench, *pool))
        return error;
  return llvm::Error::success();
}

/// A spent budget gives the exit code that says so.
llvm::Expected<std::optional<ExitCode>> Run::learnInBudget(Workbench &bench,
                                                           llvm::ArrayRef<std::unique_ptr<Pool>> pools) {
  std::optional<ExitCode> early;
  if (llvm::Error error = inBudget(learn(bench, pools), early))
    return std::move(error);
  return early;
}

llvm::Expected<ExitCode> Run::tune(const Problem &problem) {
  // A phase that only reads makes no directory.
  if (!options.does(Phase::Collect) && !RunDir::exists(options.runDir))
    return llvm::createStringError("run directory `" + options.runDir + "` holds nothing; run `--phase collect` first");
  if (!options.does(Phase::Collect) && !options.does(Phase::Measure))
    return tuneIn(problem, nullptr);
  if (llvm::Error error = checkWorker(problem))
    return std::move(error);
  WorkerClient client(options.worker, workerLog(), budget.stop, helloMs(), workerTarget(options));
  return tuneIn(problem, &client);
}

std::vector<std::unique_ptr<Pool>> Run::poolsOf(Workbench &bench, const Problem &problem) const {
  std::vector<std::unique_ptr<Pool>> pools;
  for (const SignatureProblem &signature : problem.signatures)
    pools.push_back(std::make_unique<Pool>(bench, signature));
  return pools;
}

/// Of the journal; the universal config was compiled before anything else.
static llvm::Expected<helion::Artifact> storedArtifact(llvm::ArrayRef<std::unique_ptr<Pool>> pools,
                                                       const TunedSignature &signature, const TunedVariant &variant) {
  for (const std::unique_ptr<Pool> &pool : pools) {
    const SignatureProblem &problem = pool->getProblem();
    if (problem.name != signature.name)
      continue;
    if (problem.universalArtifact.manifest.artifactHash() == variant.artifact)
      return problem.universalArtifact;
    return pool->getCompiler().artifact(variant.artifact, variant.config);
  }
  return llvm::createStringError("no candidates of signature `" + signature.name + "`");
}

llvm::Expected<ExitCode> Run::tuneIn(const Problem &problem, WorkerClient *client) {
  llvm::Expected<std::unique_ptr<Station>> station = Station::open(options, budget, progress, client);
  if (!station)
    return station.takeError();
  Workbench &bench = (*station)->workbench();
  std::vector<std::unique_ptr<Pool>> pools = poolsOf(bench, problem);
  llvm::Expected<std::optional<ExitCode>> early = learnInBudget(bench, pools);
  if (!early)
    return early.takeError();
  if (!options.does(Phase::Build))
    return report(early->value_or(ExitCode::Met));
  tuned.deviceClass = (*station)->deviceClass();
  tuned.protocol = (*station)->protocol();
  if (llvm::Error error = select(pools, early->has_value()))
    return std::move(error);
  auto find = [&](const TunedSignature &signature, const TunedVariant &variant) {
    return storedArtifact(pools, signature, variant);
  };
  auto evaluateStaged = [&](const PackageSpec &spec) -> llvm::Error {
    if (!options.does(Phase::Evaluate) || !mayRun(*early))
      return llvm::Error::success();
    std::string staged = inRunDir("package");
    if (llvm::Error error = writePackage(spec, staged))
      return error;
    return inBudget(evaluatePackage(bench, problem, pools, staged), *early);
  };
  llvm::Expected<ExitCode> built = package(find, evaluateStaged);
  if (!built)
    return built;
  return report(early->value_or(*built));
}

llvm::Error Run::select(llvm::ArrayRef<std::unique_ptr<Pool>> pools, bool endedEarly) {
  tuned.kernel = pools.front()->getProblem().kernel.getName();
  tuned.target = options.device->name();
  tuned.goal = goalName(options.goal).str();
  tuned.threshold = options.threshold;
  std::vector<std::string> hashes;
  SelectionNotes &notes = outcomes.notes;
  for (const std::unique_ptr<Pool> &pool : pools) {
    // A budget that ends too early for a choice leaves a package of what runs everywhere.
    llvm::Expected<SelectedSignature> selected = selectSignature(options, *pool, /*mayBeUnmeasured=*/endedEarly);
    if (!selected)
      return selected.takeError();
    // Of several signatures: the worst, and what all of them need together.
    const SelectionNotes &own = selected->notes;
    auto sum = [&](std::optional<int64_t> &total, std::optional<int64_t> more) {
      bool first = tuned.signatures.empty();
      total = (first || total) && more ? std::optional(total.value_or(0) + *more) : std::nullopt;
    };
    sum(notes.setMinimum, own.setMinimum);
    sum(notes.treeMinimum, own.treeMinimum);
    if (own.heldOut)
      notes.heldOut = std::max(notes.heldOut.value_or(0), *own.heldOut);
    notes.minimumProved &= own.minimumProved;
    const SignatureProblem &problem = pool->getProblem();
    if (own.unmeasured == problem.rows.size())
      outcomes.remarks.push_back("no row of `" + problem.name + "` was measured; it gets a universal config");
    else if (own.unmeasured)
      outcomes.remarks.push_back(llvm::formatv("{0} rows of `{1}` were not measured", own.unmeasured, problem.name));
    tuned.unmeasured += own.unmeasured;
    llvm::Expected<PoolShare> share = poolShare(options, *pool);
    if (!share)
      return share.takeError();
    unsigned size = pool->getCandidates().size();
    bool isSmallest = tuned.signatures.empty() || size < tuned.poolSize;
    if (isSmallest) {
      tuned.poolSize = size;
      tuned.poolRandom = share->random;
    }
    tuned.poolWhole = share->whole && (tuned.signatures.empty() || tuned.poolWhole);
    describePool(*pool, *share);
    hashes.push_back(selected->tuned.kernelHash);
    tuned.signatures.push_back(std::move(selected->tuned));
  }
  std::vector<llvm::StringRef> parts(hashes.begin(), hashes.end());
  tuned.kernelHash = contentHash(parts);
  return llvm::Error::success();
}

/// Of the code that the package would hold, each artifact once.
llvm::Error Run::checkSize() const {
  std::map<std::string, uint64_t> bytes;
  for (const TunedSignature &signature : tuned.signatures)
    for (const TunedVariant &variant : signature.variants)
      bytes[variant.artifact] = variant.resources.codeBytes;
  uint64_t total = 0;
  for (auto &[artifact, size] : bytes)
    total += size;
  if (options.maxBytes == 0 || total <= options.maxBytes)
    return llvm::Error::success();
  return llvm::make_error<EndedEarly>(
      EndedEarly::Why::Limit, llvm::formatv("the package's code takes {0} bytes, `--max-bytes` allows {1}; allow more, "
                                            "or fewer configs by `--max-configs`",
                                            total, options.maxBytes));
}

/// Slowdowns are against a pool, so the report says where it falls short of 64 artifacts.
void Run::describePool(const Pool &pool, const PoolShare &share) {
  constexpr size_t kFewest = 64;
  size_t size = pool.getCandidates().size();
  if (size >= kFewest)
    return;
  const char *why = share.whole              ? "every legal config was tried"
                    : options.pool < kFewest ? "`--pool` asks for no more"
                                             : "random configs gave no more, or the budget was spent";
  outcomes.remarks.push_back(
      llvm::formatv("the pool of `{0}` has {1} distinct artifacts: {2}", pool.getProblem().name, size, why));
}

llvm::Expected<ExitCode> Run::package(FindObject find, llvm::function_ref<llvm::Error(const PackageSpec &)> evaluate) {
  llvm::Expected<Replay> result = replay(tuned);
  if (!result)
    return result.takeError();
  replayed = std::move(*result);
  outcomes.tuned = &tuned;
  outcomes.replayed = &replayed;
  if (llvm::Error error = checkSize())
    return std::move(error);
  llvm::Expected<PackageSpec> spec = packageSpec(options, tuned, replayed, outcomes.notes, find, further);
  if (!spec)
    return spec.takeError();
  bool refused = options.strict && verdict() != ExitCode::Met;
  if (!refused)
    if (llvm::Error error = evaluate(*spec))
      return std::move(error);
  if (options.strict && verdict() != ExitCode::Met) {
    outcomes.remarks.push_back(llvm::formatv("the goal is {0}, so `--strict` writes no package", name(outcome())));
    return verdict();
  }
  spec->figures.outcome = outcome();
  // From here on it takes an instant, and is done whole.
  if (budget.stop)
    return budget.check();
  if (llvm::Error error = writePackage(*spec, options.output))
    return std::move(error);
  outcomes.output = options.output;
  return verdict();
}

//===-- Evaluate -------------------------------------------------------------------------------------------------===//

std::string Run::inRunDir(llvm::StringRef name) const {
  llvm::SmallString<128> path(options.runDir);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

std::string Run::workerLog() const {
  llvm::SmallString<128> log(options.runDir);
  llvm::sys::path::append(log, "logs", "worker.log");
  return log.str().str();
}

/// Whether the package can be run; else the report says why it was replayed.
bool Run::mayRun(const std::optional<ExitCode> &early) {
  const char *why = nullptr;
  if (early)
    why = "the budget is spent";
  else if (!options.tools.complete())
    why = "there is no C++ compiler with CMake, or `--cxx none` was given";
  if (why)
    outcomes.replayedBecause = why;
  return !why;
}

/// A spent budget leaves what there is and says so.
llvm::Error Run::inBudget(llvm::Error error, std::optional<ExitCode> &early) {
  return llvm::handleErrors(std::move(error), [&](std::unique_ptr<EndedEarly> ended) -> llvm::Error {
    if (ended->why != EndedEarly::Why::Budget)
      return llvm::Error(std::move(ended));
    early = ExitCode::BudgetEnded;
    outcomes.remarks.push_back(ended->message);
    return llvm::Error::success();
  });
}

llvm::Error Run::evaluatePackage(Workbench &bench, const Problem &problem, llvm::ArrayRef<std::unique_ptr<Pool>> pools,
                                 llvm::StringRef folder) {
  progress.begin("building the package", 1);
  std::vector<const Manifest *> manifests;
  for (const SignatureProblem &signature : problem.signatures)
    manifests.push_back(&signature.universalArtifact.manifest);
  llvm::Expected<std::string> module = buildCallModule(folder, tuned.kernel, manifests, inRunDir("evaluate"),
                                                       options.tools, options.jobs, [&] { return budget.check(); });
  if (!module)
    return module.takeError();
  std::vector<std::unique_ptr<Pool>> heldOutPools = poolsOf(bench, heldOut);
  std::vector<EvaluationPools> joined;
  for (const TunedSignature &signature : tuned.signatures)
    for (auto [pool, other] : llvm::zip_equal(pools, heldOutPools))
      if (pool->getProblem().name == signature.name)
        joined.push_back({&signature, pool.get(), other->getProblem().rows.empty() ? nullptr : other.get()});
  llvm::Expected<Evaluation> result = helion::aot::evaluate(bench, tuned, joined, *module);
  if (!result)
    return result.takeError();
  evaluation = std::move(*result);
  outcomes.evaluation = &*evaluation;
  return llvm::Error::success();
}

//===-- Build from a tuned file, evaluate ------------------------------------------------------------------------===//

llvm::Error Run::addFurther(llvm::StringRef kernel, llvm::StringRef signature) {
  llvm::Expected<std::vector<helion::Artifact>> compiled = compileFurther(options, kernel, signature);
  if (!compiled)
    return compiled.takeError();
  further[signature.str()] = std::move(*compiled);
  return llvm::Error::success();
}

llvm::Expected<ExitCode> Run::buildFromTuned() {
  llvm::Expected<Tuned> loaded = Tuned::load(options.from);
  if (!loaded)
    return loaded.takeError();
  tuned = std::move(*loaded);
  if (tuned.target != options.device->name())
    return llvm::createStringError(options.from + ": tuned for `" + tuned.target + "`, not for `" +
                                   options.device->name() + "`; give `--target " + tuned.target + "`");
  std::map<std::string, SignatureProblem> signatures;
  for (const TunedSignature &signature : tuned.signatures) {
    llvm::Expected<SignatureProblem> problem = loadSignature(options, tuned.kernel, signature.name);
    if (!problem)
      return problem.takeError();
    if (problem->kernel.getHash() != signature.kernelHash)
      return llvm::createStringError(options.from + ": `" + options.kernelFile +
                                     "` is not the kernel that was tuned; tune again");
    signatures.emplace(signature.name, std::move(*problem));
    if (llvm::Error error = addFurther(tuned.kernel, signature.name))
      return std::move(error);
  }
  llvm::Expected<ExitCode> built = package(
      [&](const TunedSignature &signature, const TunedVariant &variant) -> llvm::Expected<helion::Artifact> {
        llvm::Expected<helion::Artifact> artifact =
            compileIsolated(signatures.at(signature.name).kernel, variant.config,
                            {1, options.compileSeconds, "", options.compileMebibytes});
        if (artifact && artifact->manifest.artifactHash() != variant.artifact)
          return llvm::createStringError(options.from + ": config `" + variant.config +
                                         "` gives another artifact than the one measured; tune again");
        return artifact;
      },
      [](const PackageSpec &) { return llvm::Error::success(); });
  return built ? llvm::Expected<ExitCode>(report(*built)) : std::move(built);
}

/// Runs the package where it can be run; a device that is not there is no error.
llvm::Error Run::runPackage(const Problem &problem) {
  if (!mayRun(std::nullopt))
    return llvm::Error::success();
  if (llvm::Error error = checkWorker(problem)) {
    return llvm::handleErrors(std::move(error), [&](std::unique_ptr<EndedEarly> ended) -> llvm::Error {
      if (ended->why != EndedEarly::Why::NoWorker)
        return llvm::Error(std::move(ended));
      outcomes.replayedBecause = ended->message;
      return llvm::Error::success();
    });
  }
  WorkerClient client(options.worker, workerLog(), budget.stop, helloMs(), workerTarget(options));
  llvm::Expected<std::unique_ptr<Station>> station = Station::open(options, budget, progress, &client);
  if (!station)
    return station.takeError();
  Workbench &bench = (*station)->workbench();
  std::vector<std::unique_ptr<Pool>> pools = poolsOf(bench, problem);
  return llvm::handleErrors(evaluatePackage(bench, problem, pools, options.output),
                            [&](std::unique_ptr<WrongPackage> wrong) -> llvm::Error {
                              llvm::Error error(std::move(wrong));
                              return llvm::joinErrors(std::move(error), withdrawClaim(options.output, tuned.kernel));
                            });
}

/// Rows are judged by the kernel at hand, so it must be the one that the package was made of.
static llvm::Error checkTuned(const Tuned &tuned, const Problem &problem, const Options &options,
                              llvm::StringRef file) {
  for (const SignatureProblem &signature : problem.signatures) {
    auto found = llvm::find_if(tuned.signatures, [&](const auto &known) { return known.name == signature.name; });
    if (found == tuned.signatures.end())
      return llvm::createStringError(signature.rows.front().place + ": the package has no signature `" +
                                     signature.name + "`; tune with this row");
    if (found->kernelHash != signature.kernel.getHash())
      return llvm::createStringError(file + ": `" + options.kernelFile +
                                     "` is not the kernel that was tuned; tune again");
  }
  return llvm::Error::success();
}

llvm::Expected<ExitCode> Run::evaluate(const Problem &problem) {
  llvm::SmallString<128> file(options.output);
  llvm::sys::path::append(file, problem.kernel + ".tuned.jsonl");
  llvm::Expected<Tuned> loaded = Tuned::load(file.str().str());
  if (!loaded)
    return loaded.takeError();
  tuned = std::move(*loaded);
  if (llvm::Error error = checkTuned(tuned, problem, options, file))
    return std::move(error);
  llvm::Expected<Replay> result = replay(tuned);
  if (!result)
    return result.takeError();
  replayed = std::move(*result);
  outcomes.tuned = &tuned;
  outcomes.replayed = &replayed;
  std::optional<ExitCode> early;
  if (llvm::Error error = inBudget(runPackage(problem), early))
    return std::move(error);
  return report(early.value_or(verdict()));
}

llvm::Expected<ExitCode> Run::run() {
  if (!options.dryRun && options.phase != Phase::Evaluate)
    if (llvm::Error error = checkFolders(options))
      return std::move(error);
  if (!options.from.empty())
    return buildFromTuned();
  llvm::Expected<Problem> problem = loadProblem(options);
  if (!problem)
    return problem.takeError();
  llvm::Expected<Problem> others = loadHeldOut(options, *problem);
  if (!others)
    return others.takeError();
  heldOut = std::move(*others);
  if (budget.stop)
    return budget.check();
  if (options.phase == Phase::Evaluate)
    return evaluate(*problem);
  for (const SignatureProblem &signature : problem->signatures)
    if (options.does(Phase::Build))
      if (llvm::Error error = addFurther(problem->kernel, signature.name))
        return std::move(error);
  return options.dryRun ? dryRun(*problem) : tune(*problem);
}

ExitCode helion::aot::runPhases(const Options &options, const std::atomic<bool> &stop, llvm::raw_ostream &out,
                                llvm::raw_fd_ostream &err) {
  ExitCode exit = ExitCode::BadInput;
  llvm::Expected<ExitCode> result = Run(options, stop, out, err).run();
  if (result)
    return *result;
  llvm::handleAllErrors(
      result.takeError(),
      [&](const EndedEarly &ended) {
        static constexpr ExitCode exits[] = {ExitCode::Interrupted, ExitCode::BudgetEnded, ExitCode::NoWorker,
                                             ExitCode::LimitBroken};
        exit = exits[static_cast<unsigned>(ended.why)];
        err << "helion-aot: " << ended.message << "\n";
      },
      [&](const llvm::ErrorInfoBase &error) { err << "helion-aot: " << error.message() << "\n"; });
  return exit;
}
