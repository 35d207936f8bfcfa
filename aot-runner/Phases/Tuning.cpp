// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collect and measure.
#include "aot-runner/Phases/Tuning.h"

#include "aot-runner/Search/CandidateSource.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace helion;
using namespace helion::aot;

/// Compiles per wanted artifact before a space counts as used up: configs share artifacts, or are rejected.
static constexpr unsigned kDrawsPerArtifact = 6;
/// Steps away from winners: rounds, each with more neighbours of each of them.
static constexpr unsigned kWinnersPerRow = 2, kNeighbours = 2, kGenerations = 4;
/// Contenders of a row, and the samples each gets; then the samples that finalists may get.
static constexpr unsigned kContenders = 10, kContenderRounds = 3, kFirstFinal = 4, kLastFinal = 9;

SetRequest helion::aot::setRequest(const Options &options) {
  SetRequest request;
  request.goal = options.goal;
  request.threshold = options.threshold;
  request.maxConfigs = options.maxConfigs;
  return request;
}

static llvm::Error compilePool(Workbench &bench, Pool &pool, const std::vector<std::string> &configs) {
  bench.progress.begin("compiling " + pool.getProblem().name, configs.size());
  Budget &budget = bench.bench->getBudget();
  auto goOn = [&] {
    llvm::Error ended = budget.check();
    bool goes = !ended;
    llvm::consumeError(std::move(ended));
    return goes;
  };
  if (llvm::Error error = pool.getCompiler().compileAll(configs, goOn, [&] { bench.progress.step(); }))
    return error;
  if (llvm::Error error = pool.refresh())
    return error;
  return budget.check();
}

/// The artifacts of configs, each once, up to the first that was never compiled; `all` says whether there is none.
static llvm::Expected<std::set<std::string>> compiledOf(CandidateCompiler &compiler,
                                                        llvm::ArrayRef<std::string> configs, bool &all) {
  std::set<std::string> artifacts;
  all = true;
  for (const std::string &config : configs) {
    llvm::Expected<bool> known = compiler.knows(config);
    if (!known)
      return known.takeError();
    if (!*known) {
      all = false;
      break;
    }
    llvm::Expected<std::optional<std::string>> artifact = compiler.artifactOf(config);
    if (!artifact)
      return artifact.takeError();
    if (*artifact)
      artifacts.insert(**artifact);
  }
  return artifacts;
}

llvm::Expected<PoolShare> helion::aot::poolShare(const Options &options, Pool &pool) {
  // The draws of the run that filled the pool, as far as it went.
  CandidateSource source(pool.getProblem().kernel, options.seed);
  unsigned most = options.pool * kDrawsPerArtifact;
  auto whole = source.all(most);
  bool all = false;
  llvm::Expected<std::set<std::string>> artifacts =
      compiledOf(pool.getCompiler(), whole ? *whole : source.draw(most), all);
  if (!artifacts)
    return artifacts.takeError();
  return PoolShare{static_cast<unsigned>(artifacts->size()), whole && all};
}

namespace {
/// The random part of a pool. Draws follow from the seed alone, so a run that goes on draws the same configs again.
struct RandomDraws {
  CandidateSource source;
  std::set<std::string> artifacts = {};
  unsigned draws = 0;
};
} // namespace

/// Until the pool has its size, and half of that is from random draws.
static llvm::Error drawMore(Workbench &bench, Pool &pool, RandomDraws &random) {
  constexpr size_t kLeast = 8;
  size_t wanted = bench.options.pool;
  auto isMissing = [&] {
    size_t size = pool.getCandidates().size();
    return size < wanted || 2 * random.artifacts.size() < wanted;
  };
  while (isMissing() && random.draws < wanted * kDrawsPerArtifact) {
    // What is missing at once, so that the slowest of few keeps no core waiting; the same ones for any number of cores.
    size_t missing = wanted - std::min(wanted, pool.getCandidates().size());
    std::vector<std::string> configs = random.source.draw(std::max(kLeast, missing));
    if (configs.empty())
      break;
    random.draws += configs.size();
    if (llvm::Error error = compilePool(bench, pool, configs))
      return error;
    bool all = false;
    llvm::Expected<std::set<std::string>> artifacts = compiledOf(pool.getCompiler(), configs, all);
    if (!artifacts)
      return artifacts.takeError();
    random.artifacts.insert(artifacts->begin(), artifacts->end());
  }
  return llvm::Error::success();
}

/// Configs of the candidates that are legal on a row and on one side of a strategy.
static llvm::Expected<std::vector<Config>> candidatesOn(const Pool &pool, unsigned row, const Choice &strategy,
                                                        bool isNumber) {
  const Space &space = pool.getProblem().kernel.getSpace();
  std::vector<Config> configs;
  for (auto &[artifact, candidate] : pool.getCandidates()) {
    llvm::Expected<Config> config = parseConfig(candidate.config, space);
    if (!config) {
      llvm::consumeError(config.takeError()); // Of an older space.
      continue;
    }
    bool isOnSide = (space.valueOf(*config, strategy.knob->name, strategy.site).asInteger() != nullptr) == isNumber;
    llvm::Expected<bool> legal = checkPredicate(candidate.manifest.facts, pool.binding(row));
    if (!legal)
      return legal.takeError();
    if (isOnSide && *legal)
      configs.push_back(std::move(*config));
  }
  return configs;
}

/// More candidates for rows where one side of a strategy has few legal ones, such as whole slices on the longest rows.
static llvm::Error coverRows(Workbench &bench, Pool &pool, CandidateSource &source) {
  constexpr size_t kMost = 10, kShare = 6;
  size_t wanted = std::min<size_t>(kMost, bench.options.pool / kShare);
  for (const Choice *strategy : source.strategies())
    for (bool isNumber : {false, true})
      for (unsigned row = 0; row < pool.getProblem().rows.size(); ++row) {
        llvm::Expected<std::vector<Config>> there = candidatesOn(pool, row, *strategy, isNumber);
        if (!there)
          return there.takeError();
        if (there->empty() || there->size() >= wanted)
          continue;
        std::vector<std::string> more = source.alike(there->front(), *strategy, wanted - there->size());
        if (llvm::Error error = compilePool(bench, pool, more))
          return error;
      }
  return llvm::Error::success();
}

/// The best candidates of the rows, the best of each first.
static std::vector<std::string> winnersOf(const Pool &pool) {
  std::vector<std::string> winners;
  for (size_t place = 0; place < kWinnersPerRow; ++place)
    for (unsigned row = 0; row < pool.getProblem().rows.size(); ++row) {
      auto order = pool.ranked(row);
      if (place >= order.size())
        continue;
      const std::string &config = pool.getCandidates().at(order[place].second).config;
      if (!llvm::is_contained(winners, config))
        winners.push_back(config);
    }
  return winners;
}

/// One step away from the winners of the rows, measured; again from what is the best then. A run that goes on has some
/// of them already; they make the pool larger by a half at most.
static llvm::Error addGenerations(Workbench &bench, Pool &pool, CandidateSource &source) {
  const size_t limit = bench.options.pool + bench.options.pool / 2;
  const size_t share = std::max<size_t>(bench.options.pool / (2 * kGenerations), 1);
  for (unsigned generation = 0; generation < kGenerations; ++generation) {
    if (pool.getCandidates().size() >= limit)
      break;
    std::vector<std::string> fresh;
    for (std::string &config : source.neighbours(winnersOf(pool), kNeighbours * (generation + 1))) {
      llvm::Expected<bool> known = pool.getCompiler().knows(config);
      if (!known)
        return known.takeError();
      if (!*known && fresh.size() < share)
        fresh.push_back(std::move(config));
    }
    if (llvm::Error error = compilePool(bench, pool, fresh))
      return error;
    if (llvm::Error error = pool.measureOnce())
      return error;
  }
  return llvm::Error::success();
}

/// What simple models of the target and of the rows say: at most half of the pool.
static llvm::Error addSeeds(Workbench &bench, Pool &pool, CandidateSource &source) {
  std::vector<helion::Binding> rows;
  for (const Row &row : pool.getProblem().rows)
    rows.push_back(deviceBinding(row, /*cores=*/1));
  std::vector<std::string> seeds = source.rowSeeds(rows, bench.options.pool / 2);
  unsigned tiles = bench.options.pool / (seeds.empty() ? 4 : 8);
  for (std::string &seed : source.seeds(tiles))
    seeds.push_back(std::move(seed));
  return compilePool(bench, pool, seeds);
}

llvm::Error helion::aot::collect(Workbench &bench, Pool &pool) {
  const SearchKernel &kernel = pool.getProblem().kernel;
  RandomDraws random{CandidateSource(kernel, bench.options.seed)};
  CandidateSource directed(kernel, bench.options.seed);
  if (llvm::Error error = compilePool(bench, pool, directed.general()))
    return error;
  if (auto whole = directed.all(bench.options.pool * kDrawsPerArtifact)) {
    if (llvm::Error error = compilePool(bench, pool, *whole))
      return error;
    return pool.measureOnce();
  }
  if (llvm::Error error = addSeeds(bench, pool, directed))
    return error;
  if (llvm::Error error = drawMore(bench, pool, random))
    return error;
  if (llvm::Error error = coverRows(bench, pool, directed))
    return error;
  if (llvm::Error error = pool.measureOnce())
    return error;
  return addGenerations(bench, pool, directed);
}

/// Those that may be the best, or within the threshold of it, and are not known well enough to tell.
static std::vector<std::string> contenders(const Pool &pool, unsigned row, double threshold) {
  std::vector<std::string> names;
  auto order = pool.ranked(row);
  if (order.empty())
    return names;
  Interval best = pool.time(row, order.front().second);
  for (auto &[median, artifact] : llvm::ArrayRef(order).take_front(kContenders)) {
    Interval time = pool.time(row, artifact);
    bool mayCount = time.low <= threshold * best.high;
    if (mayCount)
      names.push_back(artifact);
  }
  return names;
}

/// One more sample for what decides: on undecided rows, or on all in the first round.
static llvm::Expected<bool> settle(Workbench &bench, Pool &pool, unsigned round) {
  std::vector<unsigned> kept;
  llvm::Expected<Matrix> matrix = pool.matrix(kept);
  if (!matrix)
    return matrix.takeError();
  std::vector<helion::Binding> rows;
  for (unsigned row : kept)
    rows.push_back(pool.getProblem().rows[row].binding());
  llvm::Expected<Selection> selection = select(*matrix, rows, setRequest(bench.options));
  if (!selection)
    return selection.takeError();
  bool again = false;
  for (unsigned row = 0; row < kept.size(); ++row) {
    const RowVerdict &verdict = selection->verdict.rows[row];
    if (round > kFirstFinal && verdict.outcome != Outcome::Undecided)
      continue;
    std::vector<std::string> finalists = {matrix->candidates()[*matrix->best(row)].artifact};
    for (unsigned member : selection->fit.members)
      if (member != *matrix->best(row) && matrix->at(row, member).measured() &&
          (round == kFirstFinal || member == selection->fit.members[verdict.variant]))
        finalists.push_back(matrix->candidates()[member].artifact);
    again = true;
    if (llvm::Error error = pool.measureMore(kept[row], finalists, round))
      return std::move(error);
  }
  return again;
}

llvm::Error helion::aot::measureContenders(Workbench &bench, Pool &pool) {
  if (llvm::Error error = pool.refreshSome())
    return error;
  if (llvm::Error error = pool.measureOnce())
    return error;
  unsigned numRows = pool.getProblem().rows.size();
  bench.progress.begin("contenders", numRows);
  for (unsigned row = 0; row < numRows; ++row) {
    if (llvm::Error error = pool.measureMore(row, contenders(pool, row, bench.options.threshold), kContenderRounds))
      return error;
    bench.progress.step();
  }
  return llvm::Error::success();
}

llvm::Error helion::aot::measure(Workbench &bench, Pool &pool) {
  if (llvm::Error error = measureContenders(bench, pool))
    return error;
  bench.progress.begin("finalists", kLastFinal - kFirstFinal);
  for (unsigned round = kFirstFinal; round < kLastFinal; ++round) {
    llvm::Expected<bool> again = settle(bench, pool, round);
    if (!again)
      return again.takeError();
    if (!*again)
      break;
    bench.progress.step();
  }
  return llvm::Error::success();
}
