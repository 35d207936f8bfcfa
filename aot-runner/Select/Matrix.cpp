// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix of times, slowdowns against its best, and the goals' figures.
#include "aot-runner/Select/Matrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>

using namespace helion::aot;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

static constexpr std::pair<llvm::StringLiteral, Goal> goalNames[] = {
    {"max_slowdown", Goal::MaxSlowdown},
    {"geomean_slowdown", Goal::GeomeanSlowdown},
    {"avg_slowdown", Goal::AvgSlowdown},
};

std::optional<Goal> helion::aot::parseGoal(llvm::StringRef name) {
  for (auto &[text, goal] : goalNames)
    if (text == name)
      return goal;
  return std::nullopt;
}

llvm::StringRef helion::aot::goalName(Goal goal) { return goalNames[static_cast<unsigned>(goal)].first; }

std::string helion::aot::listOfGoals() {
  return llvm::join(llvm::map_range(goalNames, [](auto &entry) { return "`" + entry.first.str() + "`"; }), ", ");
}

Matrix::Matrix(std::vector<MatrixRow> rows, std::vector<MatrixCandidate> candidates)
    : rowList(std::move(rows)), candidateList(std::move(candidates)),
      cells(rowList.size() * candidateList.size(), Cell{{kNone, kNone, kNone}, {kNone, kNone, kNone}}) {}

std::optional<unsigned> Matrix::best(unsigned row) const {
  std::optional<unsigned> best;
  for (unsigned c = 0; c < numCandidates(); ++c)
    if (at(row, c).measured() && (!best || at(row, c).pick.median < at(row, *best).pick.median))
      best = c;
  return best;
}

double Matrix::pickSlowdown(unsigned row, unsigned candidate) const {
  const Cell &cell = at(row, candidate);
  return cell.measured() ? cell.pick.median / at(row, *best(row)).pick.median : kInfinity;
}

Interval Matrix::judgeSlowdown(unsigned row, unsigned candidate) const {
  const Cell &cell = at(row, candidate);
  if (!cell.measured())
    return {kInfinity, kInfinity, kInfinity};
  unsigned reference = *best(row);
  if (reference == candidate)
    return {1, 1, 1};
  const Interval &base = at(row, reference).judge;
  return {cell.judge.median / base.median, cell.judge.low / base.high, cell.judge.high / base.low};
}

double Matrix::value(Goal goal, llvm::ArrayRef<double> slowdowns) const {
  double worst = 0, sum = 0, weight = 0;
  for (auto [row, slowdown] : llvm::zip_equal(rowList, slowdowns)) {
    worst = std::max(worst, slowdown);
    weight += row.weight;
    sum += row.weight * (goal == Goal::GeomeanSlowdown ? std::log(slowdown) : slowdown);
  }
  if (goal == Goal::MaxSlowdown)
    return worst;
  return goal == Goal::GeomeanSlowdown ? std::exp(sum / weight) : sum / weight;
}

Matrix Matrix::subset(llvm::ArrayRef<unsigned> keep) const {
  std::vector<MatrixRow> kept;
  for (unsigned row : keep)
    kept.push_back(rowList[row]);
  Matrix result(std::move(kept), candidateList);
  for (auto [to, from] : llvm::enumerate(keep))
    for (unsigned c = 0; c < numCandidates(); ++c)
      result.set(to, c, at(from, c));
  return result;
}

Interval helion::aot::medianInterval(std::vector<double> times) {
  if (times.empty())
    return {kNone, kNone, kNone};
  llvm::sort(times);
  size_t n = times.size();
  Interval result{n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2, times.front(), times.back()};
  // The number of times below the true median is binomial(n, 1/2): drop `drop` on each side while both tails together
  // stay within 5 %.
  double tail = std::pow(0.5, n), term = tail;
  for (size_t drop = 1; drop < n / 2; ++drop) {
    term *= static_cast<double>(n - drop + 1) / drop;
    tail += term;
    if (2 * tail > 0.05)
      break;
    result.low = times[drop];
    result.high = times[n - 1 - drop];
  }
  return result;
}
