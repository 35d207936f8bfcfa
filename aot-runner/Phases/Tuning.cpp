// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collect and measure.
#include "aot-runner/Phases/Tuning.h"

#include "aot-runner/Search/CandidateSource.h"
#include "aot-runner/Search/PoolShares.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace helion;
using namespace helion::aot;

/// Compiles per wanted artifact before a space counts as used up: configs share artifacts, or are rejected.
static constexpr unsigned kDrawsPerArtifact = 6;
/// Steps away from winners, of each in the first generation; later ones take more.
static constexpr unsigned kWinnersPerRow = 2, kNeighbours = 2;
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
/// What collect fills, and what its sources gave but the neighbours. The same configs are asked for again by a run that
/// goes on, so it is known how many neighbours the pool has by then.
struct Collection {
  Workbench &bench;
  Pool &pool;
  std::set<std::string> artifacts = {};

  llvm::Error add(const std::vector<std::string> &configs) {
    if (llvm::Error error = compilePool(bench, pool, configs))
      return error;
    bool all = false;
    llvm::Expected<std::set<std::string>> compiled = compiledOf(pool.getCompiler(), configs, all);
    if (!compiled)
      return compiled.takeError();
    artifacts.insert(compiled->begin(), compiled->end());
    return llvm::Error::success();
  }
};

/// The random part of a pool. Draws follow from the seed alone, so a run that goes on draws the same configs again.
struct RandomDraws {
  CandidateSource source;
  std::set<std::string> artifacts = {};
  unsigned draws = 0;
};
} // namespace

/// Until the pool has its size, and half of that is from random draws.
static llvm::Error drawMore(Collection &collection, RandomDraws &random) {
  constexpr size_t kLeast = 8;
  const PoolShares shares(collection.bench.options.pool);
  size_t wanted = shares.size();
  auto isMissing = [&] { return collection.artifacts.size() < wanted || random.artifacts.size() < shares.random(); };
  while (isMissing() && random.draws < wanted * kDrawsPerArtifact) {
    // What is missing at once, so that the slowest of few keeps no core waiting; the same ones for any number of cores.
    size_t missing = wanted - std::min(wanted, collection.artifacts.size());
    std::vector<std::string> configs = random.source.draw(std::max(kLeast, missing));
    if (configs.empty())
      break;
    random.draws += configs.size();
    if (llvm::Error error = collection.add(configs))
      return error;
    bool all = false;
    llvm::Expected<std::set<std::string>> artifacts = compiledOf(collection.pool.getCompiler(), configs, all);
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
static llvm::Error coverRows(Collection &collection, CandidateSource &source) {
  const Pool &pool = collection.pool;
  constexpr size_t kMost = 10, kShare = 6;
  size_t wanted = std::min<size_t>(kMost, collection.bench.options.pool / kShare);
  for (const Choice *strategy : source.strategies())
    for (bool isNumber : {false, true})
      for (unsigned row = 0; row < pool.getProblem().rows.size(); ++row) {
        llvm::Expected<std::vector<Config>> there = candidatesOn(pool, row, *strategy, isNumber);
        if (!there)
          return there.takeError();
        if (there->empty() || there->size() >= wanted)
          continue;
        std::vector<std::string> more = source.alike(there->front(), *strategy, wanted - there->size());
        if (llvm::Error error = collection.add(more))
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

/// One step away from the winners of the rows, measured; again from what is the best then. Counted from what the pool
/// has of other sources, so that a run that goes on adds no more than one that was not interrupted.
static llvm::Error addGenerations(Collection &collection, CandidateSource &source) {
  Workbench &bench = collection.bench;
  Pool &pool = collection.pool;
  const size_t others = collection.artifacts.size();
  const PoolShares shares(bench.options.pool);
  if (!shares.neighbours())
    return llvm::Error::success();
  for (unsigned generation = 0; generation < PoolShares::kGenerations; ++generation) {
    if (pool.getCandidates().size() >= shares.beforeNeighbours(others))
      break;
    std::vector<std::string> fresh;
    for (std::string &config : source.neighbours(winnersOf(pool), kNeighbours * (generation + 1))) {
      llvm::Expected<bool> known = pool.getCompiler().knows(config);
      if (!known)
        return known.takeError();
      if (!*known && fresh.size() < shares.neighbours())
        fresh.push_back(std::move(config));
    }
    if (llvm::Error error = compilePool(bench, pool, fresh))
      return error;
    if (llvm::Error error = pool.measureOnce())
      return error;
  }
  return llvm::Error::success();
}

/// What simple models of the target and of the rows say.
static llvm::Error addSeeds(Collection &collection, CandidateSource &source) {
  const PoolShares shares(collection.bench.options.pool);
  std::vector<helion::Binding> rows;
  for (const Row &row : collection.pool.getProblem().rows)
    rows.push_back(deviceBinding(row, /*cores=*/1));
  std::vector<std::string> seeds = source.longRows();
  seeds.resize(std::min<size_t>(seeds.size(), shares.longRowSeeds()));
  for (std::string &seed : source.rowSeeds(rows, shares.rowSeeds() - seeds.size()))
    seeds.push_back(std::move(seed));
  for (std::string &seed : source.seeds(shares.tileSeeds(seeds.size())))
    seeds.push_back(std::move(seed));
  return collection.add(seeds);
}

llvm::Error helion::aot::collect(Workbench &bench, Pool &pool) {
  const SearchKernel &kernel = pool.getProblem().kernel;
  Collection collection{bench, pool};
  RandomDraws random{CandidateSource(kernel, bench.options.seed)};
  CandidateSource directed(kernel, bench.options.seed);
  if (llvm::Error error = collection.add(directed.general()))
    return error;
  if (auto whole = directed.all(bench.options.pool * kDrawsPerArtifact)) {
    if (llvm::Error error = collection.add(*whole))
      return error;
    return pool.measureOnce();
  }
  if (llvm::Error error = addSeeds(collection, directed))
    return error;
  if (llvm::Error error = drawMore(collection, random))
    return error;
  if (llvm::Error error = coverRows(collection, directed))
    return error;
  if (llvm::Error error = pool.measureOnce())
    return error;
  return addGenerations(collection, directed);
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
