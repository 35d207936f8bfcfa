// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares of pools of all sizes.
#include "aot-runner/Search/PoolShares.h"
#include "gtest/gtest.h"

using namespace helion::aot;

namespace {

TEST(PoolShares, SeedsAreHalfAtMost) {
  for (unsigned wanted = 1; wanted != 200; ++wanted) {
    PoolShares shares(wanted);
    for (unsigned rows = 0; rows <= shares.rowSeeds(); ++rows)
      EXPECT_LE(2 * (rows + shares.tileSeeds(rows)), wanted) << wanted << " " << rows;
    EXPECT_GE(2 * shares.random(), wanted);
    EXPECT_LE(shares.random() + shares.rowSeeds(), wanted);
  }
  EXPECT_EQ(PoolShares(64).tileSeeds(0), 16u);
  EXPECT_EQ(PoolShares(64).tileSeeds(24), 8u);
  EXPECT_EQ(PoolShares(64).tileSeeds(32), 0u);
}

TEST(PoolShares, NeighboursAreHalfOfWhatIsWantedWhateverThePoolHas) {
  PoolShares shares(64);
  // General configs and strategies that rows lack come beside what is wanted; the generations are as many.
  for (size_t others : {64, 80, 120}) {
    size_t size = others;
    for (unsigned generation = 0; generation != PoolShares::kGenerations && size < shares.beforeNeighbours(others);
         ++generation)
      size += shares.neighbours();
    EXPECT_EQ(size, others + 32);
  }
}

TEST(PoolShares, SmallPoolsHaveNoNeighbours) {
  EXPECT_EQ(PoolShares(2 * PoolShares::kGenerations - 1).neighbours(), 0u);
  EXPECT_EQ(PoolShares(2 * PoolShares::kGenerations).neighbours(), 1u);
}

} // namespace
