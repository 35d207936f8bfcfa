// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fit of the dispatcher.
#include "aot-runner/Select/DispatchFit.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace helion;
using namespace helion::aot;

/// The loss of a row that no member serves: larger than any sum of others.
static constexpr double kUnserved = 1e9;
/// The worst row decides `max_slowdown`, so what lies above the threshold outweighs what lies below it.
static constexpr double kAboveThreshold = 1e3;

namespace {
struct Loss {
  double loss;  // Time lost against the set's fastest on the row, in units of the pool's best; 0 within noise.
  double noise; // Half width of the interval, in the same units.
};

struct LeafChoice {
  unsigned variant;
  double loss;
};

struct Split {
  unsigned feature;
  int64_t limit;
  double loss; // Of both sides.
};

using Rows = std::vector<unsigned>;

/// Sums over rows, by variant: what decides a leaf.
struct Tally {
  explicit Tally(size_t variants) : loss(variants), gain(variants), variance(variants) {}
  std::vector<double> loss, gain, variance; // Gain over the fallback.
};

/// A place between two values of a feature.
struct Border {
  int64_t below, above;
  double loss; // Of the best leaves on both sides.
};

class Fit {
public:
  Fit(const Matrix &matrix, llvm::ArrayRef<Feature> features, const FitRequest &request);
  void grow(const Rows &rows, DispatchTree &tree);

private:
  void fillRow(unsigned row);
  double lossOf(double slowdown) const;
  const Loss &at(unsigned row, unsigned variant) const { return losses[row * request.members.size() + variant]; }
  void add(Tally &tally, unsigned row) const;
  LeafChoice bestLeaf(const Tally &tally) const;
  LeafChoice bestLeaf(const Rows &rows) const;
  std::vector<Border> borders(const Rows &rows, const Feature &feature) const;
  double lossBelow(const Rows &side) const;
  std::optional<Split> bestSplit(const Rows &rows, bool lookAhead) const;
  std::pair<Rows, Rows> divide(const Rows &rows, const Feature &feature, int64_t limit) const;

  const Matrix &matrix;
  llvm::ArrayRef<Feature> features;
  const FitRequest &request;
  std::vector<Loss> losses; // By row, then variant.
};
} // namespace

Fit::Fit(const Matrix &matrix, llvm::ArrayRef<Feature> features, const FitRequest &request)
    : matrix(matrix), features(features), request(request), losses(matrix.numRows() * request.members.size()) {
  for (unsigned row = 0; row < matrix.numRows(); ++row)
    fillRow(row);
}

double Fit::lossOf(double slowdown) const {
  switch (request.goal) {
  case Goal::MaxSlowdown:
    return slowdown - 1 + kAboveThreshold * std::max(0.0, slowdown - request.threshold);
  case Goal::GeomeanSlowdown:
    return std::log(slowdown);
  case Goal::AvgSlowdown:
    return slowdown - 1;
  }
  llvm_unreachable("all goals are handled");
}

void Fit::fillRow(unsigned row) {
  std::optional<unsigned> best = matrix.best(row);
  const Cell *fastest = nullptr;
  for (unsigned member : request.members)
    if (matrix.at(row, member).measured() && (!fastest || matrix.at(row, member).pick.median < fastest->pick.median))
      fastest = &matrix.at(row, member);
  auto cellOf = [&](unsigned variant) { return &matrix.at(row, request.members[variant]); };
  for (unsigned variant = 0; variant < request.members.size(); ++variant) {
    const Cell *cell = cellOf(variant)->measured() ? cellOf(variant) : cellOf(request.fallback);
    Loss &out = losses[row * request.members.size() + variant];
    out = {kUnserved, 0};
    if (!cell->measured())
      continue;
    double unit = matrix.at(row, *best).pick.median, weight = matrix.rows()[row].weight;
    out.noise = weight * (cell->pick.high - cell->pick.low) / 2 / unit;
    bool tie = cell->pick.low <= fastest->pick.high;
    out.loss = tie ? 0 : weight * (lossOf(cell->pick.median / unit) - lossOf(fastest->pick.median / unit));
  }
}

void Fit::add(Tally &tally, unsigned row) const {
  const Loss &stay = at(row, request.fallback);
  for (unsigned variant = 0; variant < tally.loss.size(); ++variant) {
    const Loss &leave = at(row, variant);
    tally.loss[variant] += leave.loss;
    tally.gain[variant] += stay.loss - leave.loss;
    tally.variance[variant] += stay.noise * stay.noise + leave.noise * leave.noise;
  }
}

LeafChoice Fit::bestLeaf(const Tally &tally) const {
  unsigned best = request.fallback;
  for (unsigned variant = 0; variant < tally.loss.size(); ++variant)
    if (tally.loss[variant] < tally.loss[best])
      best = variant;
  bool beatsNoise = tally.gain[best] > std::sqrt(tally.variance[best]);
  if (best != request.fallback && !beatsNoise)
    best = request.fallback;
  return {best, tally.loss[best]};
}

LeafChoice Fit::bestLeaf(const Rows &rows) const {
  Tally tally(request.members.size());
  for (unsigned row : rows)
    add(tally, row);
  return bestLeaf(tally);
}

std::pair<Rows, Rows> Fit::divide(const Rows &rows, const Feature &feature, int64_t limit) const {
  std::pair<Rows, Rows> sides;
  for (unsigned row : rows)
    (feature.values[row] <= limit ? sides.first : sides.second).push_back(row);
  return sides;
}

/// Between two observed values, in the middle of their ratio: sizes are spread over orders of magnitude.
static int64_t limitBetween(int64_t below, int64_t above) {
  if (below <= 0)
    return below + (above - below) / 2 == above ? below : below + (above - below) / 2;
  auto middle = static_cast<int64_t>(std::sqrt(static_cast<double>(below)) * std::sqrt(static_cast<double>(above)));
  return std::clamp(middle, below, above - 1);
}

/// All borders of a feature, in one walk up and one down its values.
std::vector<Border> Fit::borders(const Rows &rows, const Feature &feature) const {
  Rows sorted = rows;
  llvm::sort(sorted, [&](unsigned a, unsigned b) {
    return std::make_pair(feature.values[a], a) < std::make_pair(feature.values[b], b);
  });
  std::vector<double> above(sorted.size()); // Loss of the best leaf from a row on.
  Tally high(request.members.size()), low(request.members.size());
  for (size_t i = sorted.size(); i-- > 0;) {
    add(high, sorted[i]);
    above[i] = bestLeaf(high).loss;
  }
  std::vector<Border> found;
  for (size_t i = 0; i + 1 < sorted.size(); ++i) {
    add(low, sorted[i]);
    int64_t value = feature.values[sorted[i]], next = feature.values[sorted[i + 1]];
    if (value != next)
      found.push_back({value, next, bestLeaf(low).loss + above[i + 1]});
  }
  return found;
}

/// Of a side that may be split once more.
double Fit::lossBelow(const Rows &side) const {
  double loss = bestLeaf(side).loss;
  std::optional<Split> split = bestSplit(side, /*lookAhead=*/false);
  return split ? std::min(loss, split->loss) : loss;
}

std::optional<Split> Fit::bestSplit(const Rows &rows, bool lookAhead) const {
  // Looking ahead costs as much for each border as all borders cost without, so it looks at some, evenly spread: at
  // fewer where there are more rows.
  constexpr size_t kFewestLooks = 8, kMostLooks = 64, kRowsLookedAt = 1 << 16;
  const size_t most = std::clamp(kRowsLookedAt / std::max<size_t>(rows.size(), 1), kFewestLooks, kMostLooks);
  std::optional<Split> best;
  for (auto [index, feature] : llvm::enumerate(features)) {
    std::vector<Border> places = borders(rows, feature);
    size_t looks = lookAhead ? std::min(places.size(), most) : places.size();
    for (size_t look = 0; look < looks; ++look) {
      const Border &border = places[look * places.size() / looks];
      int64_t limit = limitBetween(border.below, border.above);
      double loss = border.loss;
      if (lookAhead) {
        auto [low, high] = divide(rows, feature, limit);
        loss = lossBelow(low) + lossBelow(high);
      }
      if (!best || loss < best->loss)
        best = Split{static_cast<unsigned>(index), limit, loss};
    }
  }
  return best;
}

void Fit::grow(const Rows &rows, DispatchTree &tree) {
  LeafChoice leaf = bestLeaf(rows);
  std::optional<Split> split;
  if (leaf.loss > 0)
    split = bestSplit(rows, /*lookAhead=*/false);
  if (split && split->loss >= leaf.loss)
    split = bestSplit(rows, /*lookAhead=*/true);
  if (!split || split->loss >= leaf.loss) {
    tree.addLeaf(leaf.variant);
    return;
  }
  const Feature &feature = features[split->feature];
  auto [low, high] = divide(rows, feature, split->limit);
  unsigned node = tree.addSplit(feature.expr, split->limit);
  tree.nodes[node].thenNode = tree.nodes.size();
  grow(low, tree);
  tree.nodes[node].elseNode = tree.nodes.size();
  grow(high, tree);
}

unsigned helion::aot::fallbackOf(const Matrix &matrix, llvm::ArrayRef<unsigned> members) {
  std::optional<unsigned> best;
  auto cost = [&](unsigned index) {
    std::pair<unsigned, double> cost{0, 0}; // Rows not measured, then the sum of slowdowns.
    for (unsigned row = 0; row < matrix.numRows(); ++row) {
      double slowdown = matrix.best(row) ? matrix.pickSlowdown(row, members[index]) : 1;
      std::isinf(slowdown) ? static_cast<void>(++cost.first) : static_cast<void>(cost.second += slowdown);
    }
    return cost;
  };
  for (unsigned index = 0; index < members.size(); ++index)
    if (matrix.candidates()[members[index]].universal && (!best || cost(index) < cost(*best)))
      best = index;
  assert(best && "a set holds a universal member");
  return *best;
}

DispatchTree helion::aot::fitDispatch(const Matrix &matrix, llvm::ArrayRef<Feature> features,
                                      const FitRequest &request) {
  DispatchTree tree;
  Rows all(matrix.numRows());
  std::iota(all.begin(), all.end(), 0);
  Fit(matrix, features, request).grow(all, tree);
  return tree;
}

llvm::Expected<unsigned> helion::aot::dispatched(const Matrix &matrix, unsigned row, const DispatchTree &tree,
                                                 const Binding &binding, const FitRequest &request) {
  llvm::Expected<unsigned> leaf = tree.leafFor(binding);
  if (!leaf)
    return leaf.takeError();
  std::vector<double> means;
  for (unsigned member : request.members) {
    double sum = 0;
    unsigned rows = 0;
    for (unsigned other = 0; other < matrix.numRows(); ++other)
      if (matrix.at(other, member).measured())
        sum += std::log(matrix.pickSlowdown(other, member)), ++rows;
    means.push_back(rows ? std::exp(sum / rows) : std::numeric_limits<double>::infinity());
  }
  for (unsigned variant : rankingAt(tree, *leaf, means, request.fallback, request.beyond))
    if (matrix.at(row, request.members[variant]).measured())
      return variant;
  return request.fallback;
}
