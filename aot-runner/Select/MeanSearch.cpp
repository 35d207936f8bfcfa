// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least sum. Candidates are taken or passed over in the order of their own sums. Two bounds: no row gets better
// than with all that are left, and several members gain at most the sum of what each gains alone, because a set's cost
// has diminishing returns.
#include "aot-runner/Select/SetSearch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <limits>
#include <numeric>

using namespace helion::aot;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

using RowCosts = std::vector<double>;

static double sumOf(const RowCosts &costs) { return std::accumulate(costs.begin(), costs.end(), 0.0); }

static RowCosts leastOf(const RowCosts &a, const RowCosts &b) {
  RowCosts least(a.size());
  for (size_t r = 0; r < a.size(); ++r)
    least[r] = std::min(a[r], b[r]);
  return least;
}

static RowCosts costsOf(const SetProblem &problem, llvm::ArrayRef<unsigned> members) {
  RowCosts costs(problem.numRows(), kInfinity);
  for (unsigned c : members)
    costs = leastOf(costs, problem.costs[c]);
  return costs;
}

/// By sum, then by how many rows are not served, so that infinite sums have an order too.
static std::pair<size_t, double> rank(const RowCosts &costs) {
  double sum = 0;
  size_t unserved = 0;
  for (double cost : costs)
    cost == kInfinity ? static_cast<void>(++unserved) : static_cast<void>(sum += cost);
  return {unserved, sum};
}

/// Lowers the rank by one swap; false where no swap does.
static bool swapOne(const SetProblem &problem, std::vector<unsigned> &members) {
  auto now = rank(costsOf(problem, members));
  for (unsigned &slot : members) {
    unsigned old = slot;
    for (unsigned c = 0; c < problem.numCandidates(); ++c) {
      slot = c;
      bool universal = llvm::any_of(members, [&](unsigned m) { return problem.universal[m]; });
      if (universal && rank(costsOf(problem, members)) < now)
        return true;
    }
    slot = old;
  }
  return false;
}

std::vector<unsigned> helion::aot::greedySet(const SetProblem &problem) {
  std::vector<unsigned> members;
  bool haveUniversal = false;
  while (members.size() < problem.size) {
    RowCosts now = costsOf(problem, members);
    std::optional<unsigned> best;
    auto bestRank = rank(now);
    bool last = members.size() + 1 == problem.size && !haveUniversal;
    for (unsigned c = 0; c < problem.numCandidates(); ++c) {
      auto next = rank(leastOf(now, problem.costs[c]));
      if ((!last || problem.universal[c]) && (next < bestRank || (last && !best)))
        best = c, bestRank = next;
    }
    if (!best && !haveUniversal)
      for (unsigned c = 0; c < problem.numCandidates() && !best; ++c)
        if (problem.universal[c])
          best = c;
    if (!best)
      break;
    members.push_back(*best);
    haveUniversal |= problem.universal[*best];
  }
  constexpr unsigned kMaxSwaps = 100;
  for (unsigned swaps = 0; haveUniversal && swaps < kMaxSwaps && swapOne(problem, members);)
    ++swaps;
  return haveUniversal && rank(costsOf(problem, members)).first == 0 ? members : std::vector<unsigned>();
}

namespace {
class MeanSearch {
public:
  explicit MeanSearch(const SetProblem &problem);
  SetSolution run();

private:
  void descend(unsigned next, unsigned left, const RowCosts &costs, bool haveUniversal);
  /// No set that adds `left` of the candidates from `next` on has a lower sum.
  double bound(unsigned next, unsigned left, const RowCosts &costs) const;

  const SetProblem &problem;
  std::vector<unsigned> order;
  std::vector<RowCosts> rest; // By place in the order: the least cost with all candidates from there on.
  std::vector<unsigned> chosen;
  SetSolution best;
  double openBound = kInfinity; // Least bound of what the limit of nodes left out.
};
} // namespace

MeanSearch::MeanSearch(const SetProblem &problem)
    : problem(problem), order(problem.numCandidates()),
      rest(problem.numCandidates() + 1, RowCosts(problem.numRows(), kInfinity)) {
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](unsigned c) { return std::make_pair(rank(problem.costs[c]), c); };
  llvm::sort(order, [&](unsigned a, unsigned b) { return key(a) < key(b); });
  for (unsigned place = order.size(); place-- > 0;)
    rest[place] = leastOf(rest[place + 1], problem.costs[order[place]]);
}

double MeanSearch::bound(unsigned next, unsigned left, const RowCosts &costs) const {
  double all = sumOf(leastOf(costs, rest[next]));
  if (rank(costs).first)
    return all; // Gains from infinity say nothing.
  std::vector<double> gains;
  for (unsigned place = next; place < order.size(); ++place) {
    double gain = 0;
    for (unsigned r = 0; r < costs.size(); ++r)
      gain += std::max(0.0, costs[r] - problem.costs[order[place]][r]);
    gains.push_back(gain);
  }
  size_t count = std::min<size_t>(left, gains.size());
  std::partial_sort(gains.begin(), gains.begin() + count, gains.end(), std::greater<>());
  return std::max(all, sumOf(costs) - std::accumulate(gains.begin(), gains.begin() + count, 0.0));
}

void MeanSearch::descend(unsigned next, unsigned left, const RowCosts &costs, bool haveUniversal) {
  double sum = chosen.empty() ? kInfinity : sumOf(costs);
  if (haveUniversal && sum < best.cost) {
    best.cost = sum;
    best.members = chosen;
  }
  for (unsigned place = next; left && place < order.size(); ++place) {
    double lowest = bound(place, left, costs);
    // The margin keeps rounding from reopening what is equal.
    if (lowest >= best.cost - 1e-12 * std::abs(best.cost))
      return;
    if (++best.nodes > problem.nodeLimit) {
      openBound = std::min(openBound, lowest);
      return;
    }
    unsigned c = order[place];
    if (left == 1 && !haveUniversal && !problem.universal[c])
      continue;
    chosen.push_back(c);
    descend(place + 1, left - 1, leastOf(costs, problem.costs[c]), haveUniversal || problem.universal[c]);
    chosen.pop_back();
  }
}

SetSolution MeanSearch::run() {
  best.members = greedySet(problem);
  best.cost = best.members.empty() ? kInfinity : sumOf(costsOf(problem, best.members));
  descend(0, problem.size, RowCosts(problem.numRows(), kInfinity), /*haveUniversal=*/false);
  best.lowerBound = std::min(best.cost, openBound);
  return best;
}

SetSolution helion::aot::leastSum(const SetProblem &problem) { return MeanSearch(problem).run(); }
