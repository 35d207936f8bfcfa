// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a pool of a wanted size is shared out between its sources (docs/design/0017). At least half is from random draws:
// what the seeds' models do not know is in it too.
#ifndef HELION_AOT_RUNNER_SEARCH_POOLSHARES_H
#define HELION_AOT_RUNNER_SEARCH_POOLSHARES_H

#include <algorithm>
#include <cstddef>

namespace helion::aot {

class PoolShares {
public:
  explicit PoolShares(unsigned wanted) : wanted(wanted) {}

  unsigned size() const { return wanted; }
  /// Of the model of rows: at most half of the pool. Of those, for rows that no block holds, at most an eighth.
  unsigned rowSeeds() const { return wanted / 2; }
  unsigned longRowSeeds() const { return wanted / 8; }
  /// Of the model of tiles beside so many seeds of rows: at most a quarter, and all seeds together at most half.
  unsigned tileSeeds(size_t rowSeeds) const {
    return std::min<size_t>(wanted / 4, this->rowSeeds() - std::min<size_t>(rowSeeds, this->rowSeeds()));
  }
  unsigned random() const { return (wanted + 1) / 2; }
  /// Of one generation of neighbours. None of a pool that is too small for one each: which they are follows from
  /// measured times, and such pools are for those who want the same one again.
  unsigned neighbours() const { return wanted / (2 * kGenerations); }
  /// Candidates that a pool has at most before it gets another generation, where its other sources gave `others`.
  size_t beforeNeighbours(size_t others) const { return others + wanted / 2; }

  static constexpr unsigned kGenerations = 4;

private:
  unsigned wanted;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SEARCH_POOLSHARES_H
