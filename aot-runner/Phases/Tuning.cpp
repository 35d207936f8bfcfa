// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collect and measure.
#include "aot-runner/Phases/Tuning.h"

#include "aot-runner/Search/CandidateSource.h"
#include "llvm/ADT/STLExtras.h"

using namespace helion::aot;

/// Compiles per wanted artifact before a space counts as used up: configs share artifacts, or are rejected.
static constexpr unsigned kDrawsPerArtifact = 6;
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

static llvm::Error fillPool(Workbench &bench, Pool &pool, CandidateSource &source) {
  unsigned wanted = bench.options.pool;
  if (auto whole = source.all(wanted * kDrawsPerArtifact))
    return compilePool(bench, pool, *whole);
  if (llvm::Error error = compilePool(bench, pool, source.seeds(wanted / 4)))
    return error;
  for (unsigned draws = 0; pool.getCandidates().size() < wanted && draws < wanted * kDrawsPerArtifact;) {
    constexpr unsigned kFewest = 8;
    std::vector<std::string> configs = source.draw(std::max<unsigned>(kFewest, wanted - pool.getCandidates().size()));
    if (configs.empty())
      break;
    draws += configs.size();
    if (llvm::Error error = compilePool(bench, pool, configs))
      return error;
  }
  return llvm::Error::success();
}

/// Artifacts by time on a row, the fastest first.
static std::vector<std::pair<double, std::string>> ranked(const Pool &pool, unsigned row) {
  std::vector<std::pair<double, std::string>> order;
  for (auto &[artifact, candidate] : pool.getCandidates())
    if (Interval time = pool.time(row, artifact); time.median == time.median)
      order.push_back({time.median, artifact});
  llvm::sort(order);
  return order;
}

llvm::Error helion::aot::collect(Workbench &bench, Pool &pool) {
  CandidateSource source(pool.getProblem().kernel, bench.options.seed);
  if (llvm::Error error = fillPool(bench, pool, source))
    return error;
  if (llvm::Error error = pool.measureOnce())
    return error;
  std::vector<std::string> winners;
  for (unsigned row = 0; row < pool.getProblem().rows.size(); ++row) {
    auto order = ranked(pool, row);
    for (size_t place = 0; place < std::min<size_t>(kWinnersPerRow, order.size()); ++place) {
      const std::string &config = pool.getCandidates().at(order[place].second).config;
      if (!llvm::is_contained(winners, config))
        winners.push_back(config);
    }
  }
  // A run that goes on has some of them already; the pool grows by a quarter at most.
  if (pool.getCandidates().size() >= bench.options.pool + bench.options.pool / 4)
    return llvm::Error::success();
  if (llvm::Error error = compilePool(bench, pool, source.neighbours(winners, kNeighbours)))
    return error;
  return pool.measureOnce();
}

/// Those that may be the best, or within the threshold of it, and are not known well enough to tell.
static std::vector<std::string> contenders(const Pool &pool, unsigned row, double threshold) {
  std::vector<std::string> names;
  auto order = ranked(pool, row);
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

llvm::Error helion::aot::measure(Workbench &bench, Pool &pool) {
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
