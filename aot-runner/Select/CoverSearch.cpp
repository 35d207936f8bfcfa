// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least maximum: a binary search over the costs that occur, each step asking whether `size` candidates cover all
// rows at that cost. A cover is searched on the row with the fewest candidates left.
#include "aot-runner/Select/SetSearch.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <optional>

using namespace helion::aot;

namespace {
enum class Found { Yes, No, Unknown };

class CoverSearch {
public:
  CoverSearch(const SetProblem &problem, uint64_t &nodes) : problem(problem), nodes(nodes) {}

  Found find(double limit);
  std::vector<unsigned> chosen;

private:
  Found descend(const llvm::BitVector &uncovered, const llvm::BitVector &usable, unsigned left, bool haveUniversal);
  Found addUniversal(const llvm::BitVector &usable, unsigned left);
  /// The uncovered row with the fewest usable candidates.
  unsigned hardestRow(const llvm::BitVector &uncovered, const llvm::BitVector &usable) const;
  unsigned largestGain(const llvm::BitVector &uncovered, const llvm::BitVector &usable) const;
  unsigned gain(unsigned candidate, llvm::BitVector uncovered) const {
    return (uncovered &= covers[candidate]).count();
  }

  const SetProblem &problem;
  uint64_t &nodes;
  std::vector<llvm::BitVector> covers; // Rows of each candidate.
};
} // namespace

Found CoverSearch::find(double limit) {
  chosen.clear();
  covers.assign(problem.numCandidates(), llvm::BitVector(problem.numRows()));
  for (unsigned c = 0; c < problem.numCandidates(); ++c)
    for (unsigned r = 0; r < problem.numRows(); ++r)
      covers[c][r] = problem.costs[c][r] <= limit;
  return descend(llvm::BitVector(problem.numRows(), true), llvm::BitVector(problem.numCandidates(), true), problem.size,
                 /*haveUniversal=*/false);
}

Found CoverSearch::addUniversal(const llvm::BitVector &usable, unsigned left) {
  for (unsigned c : usable.set_bits())
    if (left && problem.universal[c]) {
      chosen.push_back(c);
      return Found::Yes;
    }
  return Found::No;
}

unsigned CoverSearch::hardestRow(const llvm::BitVector &uncovered, const llvm::BitVector &usable) const {
  unsigned hardest = 0, fewest = ~0u;
  for (unsigned r : uncovered.set_bits()) {
    unsigned count = llvm::count_if(usable.set_bits(), [&](unsigned c) { return covers[c][r]; });
    if (count < fewest)
      hardest = r, fewest = count;
  }
  return hardest;
}

unsigned CoverSearch::largestGain(const llvm::BitVector &uncovered, const llvm::BitVector &usable) const {
  unsigned most = 0;
  for (unsigned c : usable.set_bits())
    most = std::max(most, gain(c, uncovered));
  return most;
}

Found CoverSearch::descend(const llvm::BitVector &uncovered, const llvm::BitVector &usable, unsigned left,
                           bool haveUniversal) {
  if (uncovered.none())
    return haveUniversal ? Found::Yes : addUniversal(usable, left);
  if (++nodes > problem.nodeLimit)
    return Found::Unknown;
  if (uncovered.count() > static_cast<uint64_t>(left) * largestGain(uncovered, usable))
    return Found::No;
  unsigned row = hardestRow(uncovered, usable);
  std::vector<unsigned> options;
  for (unsigned c : usable.set_bits())
    if (covers[c][row] && (haveUniversal || left > 1 || problem.universal[c]))
      options.push_back(c);
  auto key = [&](unsigned c) { return std::make_pair(problem.numRows() - gain(c, uncovered), c); };
  llvm::sort(options, [&](unsigned a, unsigned b) { return key(a) < key(b); });
  llvm::BitVector rest = usable;
  for (unsigned c : options) {
    llvm::BitVector after = uncovered;
    after.reset(covers[c]);
    rest.reset(c); // Later options need not think of it: this branch tries all sets that hold it.
    chosen.push_back(c);
    Found found = descend(after, rest, left - 1, haveUniversal || problem.universal[c]);
    if (found != Found::No)
      return found;
    chosen.pop_back();
  }
  return Found::No;
}

static double maximumOf(const SetProblem &problem, llvm::ArrayRef<unsigned> members) {
  double worst = members.empty() ? std::numeric_limits<double>::infinity() : 0;
  for (unsigned r = 0; r < problem.numRows(); ++r) {
    double least = std::numeric_limits<double>::infinity();
    for (unsigned c : members)
      least = std::min(least, problem.costs[c][r]);
    worst = std::max(worst, least);
  }
  return worst;
}

SetSolution helion::aot::leastMaximum(const SetProblem &problem) {
  SetSolution best{greedySet(problem), 0, 0};
  best.cost = maximumOf(problem, best.members);
  std::vector<double> levels;
  for (const std::vector<double> &costs : problem.costs)
    llvm::append_range(levels, llvm::make_filter_range(costs, [&](double cost) { return cost < best.cost; }));
  llvm::sort(levels);
  levels.erase(llvm::unique(levels), levels.end());

  // Levels below `low` are proved too low; the level at `high`, or the greedy set, is reached.
  size_t low = 0, high = levels.size();
  CoverSearch search(problem, best.nodes);
  std::optional<size_t> firstUnknown;
  while (low < high) {
    size_t middle = (low + high) / 2;
    Found found = search.find(levels[middle]);
    if (found == Found::Yes) {
      best.members = search.chosen;
      best.cost = levels[middle];
      high = middle;
      continue;
    }
    if (found == Found::Unknown && !firstUnknown)
      firstUnknown = low; // Nothing is proved from here on.
    low = middle + 1;
    if (best.nodes > problem.nodeLimit)
      break;
  }
  bool proved = !firstUnknown && low >= high;
  best.lowerBound = proved ? best.cost : levels[firstUnknown.value_or(std::min(low, levels.size() - 1))];
  return best;
}
