// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls, checks and times the package row by row.
#include "aot-runner/Phases/Evaluate.h"

#include "aot-runner/Measure/InputData.h"
#include "aot-runner/Package/CallModule.h"
#include "aot-runner/Phases/Build.h"
#include "aot-runner/Phases/Tuning.h"
#include "dialect/Target/ContentHash.h"
#include "passes/Config/Random.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace helion;
using namespace helion::aot;
namespace json = llvm::json;

char WrongPackage::ID = 0;

/// Not the draw that candidates were tuned with.
static constexpr unsigned kFreshDraw = 1;
/// Samples of each: so many, and more while a row is undecided.
static constexpr unsigned kRounds = 5, kMostRounds = 15;
static constexpr int64_t kDeadlineMs = 60000;
/// What the package's module is loaded as.
static constexpr llvm::StringLiteral kModule = "package";

namespace {
/// What the package says of a call.
struct Answer {
  std::string configId, reason, explanation;
  bool inCorpus = false, inRange = false;
  int64_t workspaceBytes = 0;
};

/// An artifact whose time was recorded beside the best's, and which can be timed now.
struct Anchor {
  std::string artifact;
  Interval recorded;
};

class Evaluator {
public:
  Evaluator(Workbench &bench, const Tuned &tuned, const TunedSignature &signature, Pool &pool,
            const std::string &module, bool heldOut)
      : bench(bench), tuned(tuned), signature(signature), pool(pool), module(module), heldOut(heldOut) {}

  llvm::Expected<EvaluatedRow> evaluate(unsigned row);

private:
  llvm::Expected<Subject> packageSubject(unsigned row, EvaluatedRow &result);
  llvm::Expected<Answer> ask(const Subject &subject);
  llvm::Error check(unsigned row, const Subject &subject, EvaluatedRow &result);
  llvm::Error time(unsigned row, const Subject &subject, EvaluatedRow &result);
  const TunedRow *recordedRow(unsigned row) const;
  llvm::Expected<std::optional<Anchor>> anchorOf(unsigned row, const TunedRow &recorded);
  llvm::Error refused(const Row &row, const llvm::Twine &why) const {
    return llvm::make_error<WrongPackage>((row.place + ": the linked package fails on this row: " + why).str());
  }

  Workbench &bench;
  const Tuned &tuned;
  const TunedSignature &signature;
  Pool &pool;
  const std::string &module;
  bool heldOut;
};
} // namespace

llvm::Expected<Answer> Evaluator::ask(const Subject &subject) {
  llvm::Expected<WorkerAnswer> answer = bench.bench->query(subject, moduleQuerySymbol(tuned.kernel), kDeadlineMs);
  if (!answer)
    return answer.takeError();
  if (answer->kind != WorkerAnswer::Kind::Ok)
    return refused(*subject.row, answer->message);
  llvm::StringRef text = answer->body.getString("text").value_or("");
  if (answer->body.getInteger("status") != 0)
    return refused(*subject.row, text.split('\n').second);
  const json::Array *list = answer->body.getArray("values");
  std::vector<int64_t> values;
  for (const json::Value &value : list ? *list : json::Array())
    values.push_back(value.getAsInteger().value_or(0));
  constexpr size_t kReason = 2, kInCorpus = 3, kInRange = 4, kWorkspace = 6;
  static constexpr llvm::StringLiteral reasons[] = {"tree", "fallback", "nearest"};
  if (values.size() <= kWorkspace || values[kReason] < 0 || values[kReason] >= int64_t(std::size(reasons)))
    return refused(*subject.row, "its answer lacks values");
  auto [id, explanation] = text.split('\n');
  return Answer{id.str(),
                reasons[values[kReason]].str(),
                explanation.str(),
                values[kInCorpus] != 0,
                values[kInRange] != 0,
                values[kWorkspace]};
}

/// The call with the package's own workspace.
llvm::Expected<Subject> Evaluator::packageSubject(unsigned row, EvaluatedRow &result) {
  const SignatureProblem &problem = pool.getProblem();
  const Row &call = problem.rows[row];
  const Manifest &manifest = problem.universalArtifact.manifest;
  llvm::Expected<ResolvedPlan> plan = resolve(manifest, pool.binding(row));
  if (!plan)
    return plan.takeError();
  llvm::erase_if(plan->buffers,
                 [](const ResolvedBuffer &buffer) { return buffer.role == ResolvedBuffer::Role::Workspace; });
  plan->steps.clear();
  Subject subject{kModule.str(), module, &call, std::move(*plan)};
  subject.draw = kFreshDraw;
  auto bindCall = [&] {
    subject.call =
        wireCall(moduleCallSymbol(tuned.kernel), setThreadsSymbol(tuned.kernel), manifest, call, subject.plan);
  };
  bindCall();
  llvm::Expected<Answer> answer = ask(subject);
  if (!answer)
    return answer.takeError();
  result.configId = answer->configId;
  result.reason = answer->reason;
  result.explanation = answer->explanation;
  result.inCorpus = answer->inCorpus;
  result.inRange = answer->inRange;
  if (int64_t bytes = answer->workspaceBytes) {
    // No argument has a name with a dot.
    subject.plan.buffers.push_back(
        {ResolvedBuffer::Role::Workspace, "package.workspace", Dtype::UI8, {bytes}, {1}, 0, bytes});
    bindCall();
  }
  return subject;
}

llvm::Error Evaluator::check(unsigned row, const Subject &subject, EvaluatedRow &result) {
  llvm::Expected<Reference> reference = pool.makeReference(*subject.row, kFreshDraw);
  if (!reference)
    return reference.takeError();
  llvm::Expected<CheckResult> verdict =
      CorrectnessGate(bench.journal, *bench.bench).checkAnew(subject, *reference, kDeadlineMs);
  if (!verdict)
    return verdict.takeError();
  result.check = *verdict;
  if (verdict->verdict == CheckVerdict::Ok)
    return llvm::Error::success();
  return refused(*subject.row, "config `" + result.configId + "`: " + name(verdict->verdict) +
                                   (verdict->message.empty() ? "" : ": " + verdict->message));
}

/// Adds the times of one answer.
static llvm::Error sample(Bench &bench, const Subject &subject, std::vector<double> &times) {
  llvm::Expected<std::optional<std::vector<double>>> sampled = takeSample(bench, subject, TimingOptions());
  if (!sampled)
    return sampled.takeError();
  if (!*sampled)
    return llvm::createStringError(subject.row->place + ": `" + subject.artifact + "` failed while it was timed");
  llvm::append_range(times, **sampled);
  return llvm::Error::success();
}

/// The time of the kernel behind a call.
static Interval withoutCall(const Interval &time, double callNs) {
  return {std::max(time.median - callNs, 0.0), std::max(time.low - callNs, 0.0), std::max(time.high - callNs, 0.0)};
}

/// What the call itself takes: beyond a microsecond the difference of two times is noise of long rows.
static double callNsOf(const Interval &package, const Interval &bare) {
  constexpr double kMostNs = 1000;
  return std::clamp(package.median - bare.median, 0.0, kMostNs);
}

const TunedRow *Evaluator::recordedRow(unsigned row) const {
  std::string id = pool.getProblem().rows[row].id();
  auto found = llvm::find_if(signature.rows, [&](const TunedRow &recorded) { return recorded.row.id() == id; });
  return found == signature.rows.end() ? nullptr : &*found;
}

/// The tuning's anchor; files of version 1 name none, but most have times of their universal variant.
llvm::Expected<std::optional<Anchor>> Evaluator::anchorOf(unsigned row, const TunedRow &recorded) {
  std::vector<Anchor> anchors;
  if (recorded.anchor)
    anchors.push_back({signature.anchor, *recorded.anchor});
  for (const TunedVariant &variant : signature.variants)
    if (auto time = recorded.variants.find(variant.id); variant.universal && time != recorded.variants.end())
      anchors.push_back({variant.artifact, time->second});
  for (Anchor &anchor : anchors) {
    llvm::Expected<std::optional<Subject>> found = pool.subjectOf(row, anchor.artifact, kFreshDraw);
    if (!found)
      return found.takeError();
    if (*found && anchor.recorded.low > 0)
      return std::move(anchor);
  }
  return std::nullopt;
}

/// Only ratios to an anchor cross sessions: what the best would take now.
static Interval scaledBest(const Interval &best, const Interval &anchor, const Interval &now) {
  if (best == anchor)
    return now;
  return {best.median * now.median / anchor.median, best.low * now.low / anchor.high,
          best.high * now.high / anchor.low};
}

llvm::Error Evaluator::time(unsigned row, const Subject &subject, EvaluatedRow &result) {
  std::optional<std::string> best = pool.bestOn(row);
  const TunedRow *recorded = best ? nullptr : recordedRow(row);
  std::optional<Anchor> anchor;
  if (recorded) {
    llvm::Expected<std::optional<Anchor>> found = anchorOf(row, *recorded);
    if (!found)
      return found.takeError();
    anchor = std::move(*found);
    result.lacksAnchor = !anchor;
  }
  auto universal = llvm::find_if(signature.variants, [](const TunedVariant &variant) { return variant.universal; });
  std::vector<Subject> subjects = {subject};
  std::map<std::string, std::vector<double>> times;
  std::string chosen;
  for (const TunedVariant &variant : signature.variants)
    if (contentHash(variant.config).substr(0, result.configId.size()) == result.configId)
      chosen = variant.artifact;
  std::string beside = anchor ? anchor->artifact : best.value_or("");
  for (const std::string &artifact : {beside, universal->artifact, chosen}) {
    llvm::Expected<std::optional<Subject>> other = pool.subjectOf(row, artifact, kFreshDraw);
    if (!other)
      return other.takeError();
    bool isNew = llvm::none_of(subjects, [&](const Subject &known) { return known.artifact == artifact; });
    if (*other && isNew)
      subjects.push_back(std::move(**other));
  }
  Random random(bench.options.seed + inputSeed(*subject.row, "evaluate"));
  auto kernelTime = [&] {
    Interval package = medianInterval(times[kModule.str()]);
    return times[chosen].empty() ? package : withoutCall(package, callNsOf(package, medianInterval(times[chosen])));
  };
  auto bestTime = [&]() -> std::optional<Interval> {
    if (anchor)
      return scaledBest(recorded->best, anchor->recorded, medianInterval(times[anchor->artifact]));
    return best ? std::optional(medianInterval(times[*best])) : std::nullopt;
  };
  auto isUndecided = [&] {
    std::optional<Interval> time = bestTime();
    return time && outcomeOf(slowdownOf(kernelTime(), *time), tuned.threshold) == Outcome::Undecided;
  };
  for (unsigned round = 0; round < kRounds || (round < kMostRounds && isUndecided()); ++round) {
    for (size_t left = subjects.size(); left > 1; --left)
      std::swap(subjects[left - 1], subjects[random.below(left)]);
    for (const Subject &next : subjects)
      if (llvm::Error error = sample(*bench.bench, next, times[next.artifact]))
        return error;
  }
  result.time = medianInterval(times[kModule.str()]);
  result.universal = medianInterval(times[universal->artifact]);
  if (!times[chosen].empty())
    result.bare = medianInterval(times[chosen]);
  result.best = bestTime();
  result.bestArtifact = best.value_or("");
  if (anchor)
    result.anchorRatio = medianInterval(times[anchor->artifact]).median / anchor->recorded.median;
  return llvm::Error::success();
}

llvm::Expected<EvaluatedRow> Evaluator::evaluate(unsigned row) {
  EvaluatedRow result;
  result.row = &pool.getProblem().rows[row];
  result.heldOut = heldOut;
  llvm::Expected<Subject> subject = packageSubject(row, result);
  if (!subject)
    return subject.takeError();
  if (llvm::Error error = check(row, *subject, result))
    return std::move(error);
  if (llvm::Error error = time(row, *subject, result))
    return std::move(error);
  return result;
}

static void judgeRows(const Tuned &tuned, Evaluation &result) {
  const EvaluatedRow *shortest = nullptr;
  for (const EvaluatedSignature &signature : result.signatures)
    for (const EvaluatedRow &row : signature.rows)
      if (row.bare && (!shortest || row.bare->median < shortest->bare->median))
        shortest = &row;
  if (shortest)
    result.callNs = callNsOf(shortest->time, *shortest->bare);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (EvaluatedSignature &signature : result.signatures)
    for (EvaluatedRow &row : signature.rows) {
      row.slowdown = {kUnknown, kUnknown, kUnknown};
      if (!row.best)
        continue;
      row.slowdown = slowdownOf(withoutCall(row.time, result.callNs), *row.best);
      row.outcome = outcomeOf(row.slowdown, tuned.threshold);
    }
}

/// Whether there is nothing to compare a row of the corpus with.
static bool lacksBest(const EvaluatedSignature &signature) {
  return llvm::any_of(signature.rows, [](const EvaluatedRow &row) { return !row.heldOut && !row.best; });
}

/// The figures over corpus rows and over held-out ones.
static llvm::Error summarise(const Tuned &tuned, Evaluation &result) {
  std::optional<Goal> goal = parseGoal(tuned.goal);
  if (!goal)
    return llvm::createStringError("unknown goal `" + tuned.goal + "`; known are " + listOfGoals());
  auto figure = [&](Goal wanted, bool heldOut) -> std::optional<Interval> {
    std::vector<MatrixRow> rows;
    std::vector<double> medians, lows, highs;
    for (const EvaluatedSignature &signature : result.signatures)
      for (const EvaluatedRow &row : signature.rows) {
        if (row.heldOut != heldOut || !row.best)
          continue;
        rows.push_back({row.row->weight, row.row->group});
        medians.push_back(row.slowdown.median);
        lows.push_back(row.slowdown.low);
        highs.push_back(row.slowdown.high);
      }
    if (rows.empty())
      return std::nullopt;
    Matrix shape(rows, {});
    return Interval{shape.value(wanted, medians), shape.value(wanted, lows), shape.value(wanted, highs)};
  };
  if (std::optional<Interval> corpus = figure(*goal, false)) {
    result.figure = *corpus;
    result.worst = *figure(Goal::MaxSlowdown, false);
    result.mean = *figure(Goal::GeomeanSlowdown, false);
    result.outcome = outcomeOf(result.figure, tuned.threshold);
    if (result.outcome == Outcome::Met && llvm::any_of(result.signatures, lacksBest))
      result.outcome = Outcome::Undecided;
  } else {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    result.figure = result.worst = result.mean = {kUnknown, kUnknown, kUnknown};
  }
  result.heldOutWorst = figure(Goal::MaxSlowdown, true);
  result.heldOutMean = figure(Goal::GeomeanSlowdown, true);
  return llvm::Error::success();
}

static llvm::Error provideAnchor(Pool &pool) {
  if (llvm::Error error =
          pool.getCompiler().compileAll({pool.getProblem().kernel.universalConfig()}, [] { return true; }, [] {}))
    return error;
  return pool.refresh();
}

llvm::Expected<Evaluation> helion::aot::evaluate(Workbench &bench, const Tuned &tuned,
                                                 llvm::ArrayRef<EvaluationPools> pools, const std::string &module) {
  Evaluation result;
  for (const EvaluationPools &each : pools) {
    EvaluatedSignature &out = result.signatures.emplace_back();
    out.signature = each.signature;
    for (Pool *pool : {each.corpus, each.heldOut}) {
      if (!pool)
        continue;
      bool heldOut = pool == each.heldOut;
      // What is best on rows that nobody tuned for is still to be found; recorded times need the anchor.
      if (llvm::Error error = heldOut ? measureContenders(bench, *pool) : provideAnchor(*pool))
        return std::move(error);
      Evaluator evaluator(bench, tuned, *each.signature, *pool, module, heldOut);
      bench.progress.begin("evaluating " + each.signature->name, pool->getProblem().rows.size());
      for (unsigned row = 0; row < pool->getProblem().rows.size(); ++row) {
        llvm::Expected<EvaluatedRow> evaluated = evaluator.evaluate(row);
        if (!evaluated)
          return evaluated.takeError();
        out.rows.push_back(std::move(*evaluated));
        bench.progress.step();
      }
    }
  }
  judgeRows(tuned, result);
  if (llvm::Error error = summarise(tuned, result))
    return std::move(error);
  return result;
}
