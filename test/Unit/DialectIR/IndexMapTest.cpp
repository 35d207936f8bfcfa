// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation of index maps against brute-force enumeration, on random maps from fixed seeds.
#include "RandomMap.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace helion;
using namespace helion_test;

namespace {
constexpr unsigned kRounds = 400;
constexpr int64_t kMaxPoints = 6000;

/// Calls `check` with maps that are small enough to enumerate.
void forRandomMaps(unsigned seed, bool bijective, const std::function<void(RandomMaps &, const Terms &)> &check) {
  RandomMaps maps(seed);
  unsigned done = 0;
  while (done != kRounds) {
    MapShape shape{1 + maps.below(3), 1 + maps.below(3), maps.below(6), maps.below(4), bijective};
    Terms terms = maps.draw(shape);
    if (volume(terms.ins) > kMaxPoints || volume(terms.outs) > kMaxPoints)
      continue;
    check(maps, terms);
    ++done;
    if (::testing::Test::HasFatalFailure())
      return;
  }
}

IndexMap canonical(const Terms &terms) {
  IndexMap map = terms.write();
  EXPECT_TRUE(map.isWellFormed());
  map.canonicalize();
  return map;
}

TEST(IndexMap, CanonicalFormKeepsTheFunction) {
  for (bool bijective : {true, false})
    forRandomMaps(11, bijective, [](RandomMaps &, const Terms &terms) {
      IndexMap map = canonical(terms);
      ASSERT_TRUE(map.isWellFormed());
      for (const auto &[x, y] : terms.table())
        ASSERT_EQ(plain(map.apply(x)), y);
    });
}

TEST(IndexMap, DifferentTextsOfOneFunctionAreEqual) {
  unsigned rewritten = 0;
  for (bool bijective : {true, false})
    forRandomMaps(12, bijective, [&](RandomMaps &maps, const Terms &terms) {
      Terms other = maps.rewrite(terms);
      ASSERT_EQ(other.table(), terms.table());
      rewritten += other.digits.size() != terms.digits.size();
      ASSERT_TRUE(canonical(other) == canonical(terms));
    });
  EXPECT_GT(rewritten, kRounds / 2);
}

TEST(IndexMap, EqualExactlyIfTheSameFunction) {
  // Every way to cut 24 values into digits on both sides.
  std::vector<std::vector<int64_t>> factors = {{2, 2, 2, 3}, {4, 2, 3}, {4, 6},    {2, 12},
                                               {8, 3},       {24},      {2, 2, 6}, {2, 4, 3}};
  std::vector<std::pair<Table, IndexMap>> seen;
  for (std::vector<int64_t> counts : factors) {
    std::vector<unsigned> order(counts.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      Terms terms;
      terms.ins = terms.outs = {24};
      std::vector<int64_t> outStride(counts.size());
      int64_t stride = 1;
      for (unsigned digit : order) {
        outStride[digit] = stride;
        stride *= counts[digit];
      }
      stride = 1;
      for (size_t digit = 0; digit != counts.size(); ++digit) {
        terms.digits.push_back({0, 0, stride, outStride[digit], counts[digit]});
        stride *= counts[digit];
      }
      seen.push_back({terms.table(), canonical(terms)});
    } while (std::next_permutation(order.begin(), order.end()));
  }
  ASSERT_GT(seen.size(), 40u);
  for (const auto &[tableA, mapA] : seen)
    for (const auto &[tableB, mapB] : seen)
      ASSERT_EQ(tableA == tableB, mapA == mapB);
}

TEST(IndexMap, OwnersAreAllPointsThatMapThere) {
  for (bool bijective : {true, false})
    forRandomMaps(13, bijective, [&](RandomMaps &, const Terms &terms) {
      IndexMap map = canonical(terms);
      std::map<std::vector<int64_t>, std::set<std::vector<int64_t>>> owners;
      for (const auto &[x, y] : terms.table())
        owners[y].insert(x);
      bool surjective = true, injective = true;
      forEachPoint(terms.outs, [&](const std::vector<int64_t> &y) {
        llvm::SmallVector<Point> found = map.preimage(y);
        std::set<std::vector<int64_t>> points;
        for (const Point &point : found)
          points.insert(plain(point));
        ASSERT_EQ(points.size(), found.size());
        ASSERT_EQ(points, owners[y]);
        surjective &= !points.empty();
        injective &= points.size() < 2;
      });
      ASSERT_EQ(map.isSurjective(), surjective);
      ASSERT_EQ(map.isInjective(), injective);
      EXPECT_TRUE(!bijective || (surjective && injective));
    });
}

TEST(IndexMap, InverseGoesBackToAnOwner) {
  unsigned inverted = 0;
  for (bool bijective : {true, false})
    forRandomMaps(14, bijective, [&](RandomMaps &, const Terms &terms) {
      IndexMap map = canonical(terms);
      std::optional<IndexMap> back = map.inverse();
      ASSERT_EQ(back.has_value(), map.isSurjective());
      if (!back)
        return;
      ++inverted;
      forEachPoint(terms.outs, [&](const std::vector<int64_t> &y) {
        std::vector<int64_t> owner = plain(back->apply(y));
        for (size_t in = 0; in != owner.size(); ++in)
          ASSERT_LT(owner[in], terms.ins[in]);
        ASSERT_EQ(terms.apply(owner), y);
      });
      if (map.isInjective())
        ASSERT_TRUE(*back->inverse() == map);
    });
  EXPECT_GT(inverted, kRounds);
}

TEST(IndexMap, ComposeIsOneAfterTheOther) {
  unsigned composed = 0;
  auto compare = [&](const Terms &first, const IndexMap &second) {
    std::optional<IndexMap> both = IndexMap::compose(canonical(first), second);
    if (!both)
      return false;
    ++composed;
    for (const auto &[x, y] : first.table())
      EXPECT_EQ(plain(both->apply(x)), plain(second.apply(y)));
    return true;
  };
  for (bool bijective : {true, false})
    forRandomMaps(15, bijective, [&](RandomMaps &maps, const Terms &terms) {
      // A second map whose inputs are cut as the outputs of the first: the same chains with other outputs behind them.
      IndexMap map = canonical(terms);
      if (std::optional<IndexMap> back = map.inverse())
        ASSERT_TRUE(compare(terms, *back));
      MapShape shape{unsigned(terms.outs.size()), 1 + maps.below(3), maps.below(5), maps.below(3), bijective};
      Terms second = maps.draw(shape);
      for (unsigned in = 0; in != terms.outs.size(); ++in)
        second.ins[in] = terms.outs[in];
      IndexMap other = second.write();
      other.canonicalize();
      if (other.isWellFormed())
        compare(terms, other);
    });
  EXPECT_GT(composed, kRounds);
}

TEST(IndexMap, ComposeRefusesOnlyWhatDoesNotLineUp) {
  // 48 = 16 x 3 on one side, 2 x 3 x 8 with the last two swapped on the other: no common digits.
  Terms first, second;
  first.ins = first.outs = second.ins = second.outs = {48};
  first.digits = {{0, 0, 1, 3, 16}, {0, 0, 16, 1, 3}};
  second.digits = {{0, 0, 1, 24, 2}, {0, 0, 2, 1, 24}};
  EXPECT_FALSE(IndexMap::compose(canonical(first), canonical(second)));
  second.digits = {{0, 0, 1, 16, 3}, {0, 0, 3, 1, 16}};
  std::optional<IndexMap> both = IndexMap::compose(canonical(first), canonical(second));
  ASSERT_TRUE(both);
  for (int64_t x = 0; x != 48; ++x)
    EXPECT_EQ(plain(both->apply({x})), second.apply(first.apply({x})));
  EXPECT_FALSE(IndexMap::compose(IndexMap({4}, {4}), IndexMap({8}, {4})));
  // Two inputs share a bit that the second map reads as part of a digit: their XOR is no digit.
  IndexMap shared({2, 2}, {6}), third({6}, {6});
  shared.addBasis(0, 0, {2});
  shared.addBasis(1, 0, {2});
  third.addDigit({0, 0, 1, 2, 3});
  third.addDigit({0, 0, 3, 1, 2});
  shared.canonicalize();
  third.canonicalize();
  EXPECT_FALSE(IndexMap::compose(shared, third));
}

/// The quotient by enumeration: none unless the map is the tile in the low digits and a function of the high ones above
/// it.
std::optional<Table> divideByTable(const Terms &terms, const IndexMap &tile) {
  Table quotient;
  for (const auto &[x, y] : terms.table()) {
    std::vector<int64_t> high(x), low(x);
    for (size_t in = 0; in != x.size(); ++in) {
      high[in] = x[in] / tile.ins()[in];
      low[in] = x[in] % tile.ins()[in];
    }
    std::vector<int64_t> inside = plain(tile.apply(low)), above(y);
    for (size_t out = 0; out != y.size(); ++out) {
      if (y[out] % tile.outs()[out] != inside[out])
        return std::nullopt;
      above[out] = y[out] / tile.outs()[out];
    }
    auto [it, inserted] = quotient.try_emplace(high, above);
    if (!inserted && it->second != above)
      return std::nullopt;
  }
  return quotient;
}

TEST(IndexMap, DivideUndoesProduct) {
  forRandomMaps(16, false, [&](RandomMaps &maps, const Terms &terms) {
    MapShape shape{unsigned(terms.ins.size()), unsigned(terms.outs.size()), maps.below(4), 0, maps.oneIn(2)};
    IndexMap tile = canonical(maps.draw(shape)), rest = canonical(terms);
    std::optional<IndexMap> whole = IndexMap::product(tile, rest);
    ASSERT_TRUE(whole);
    forEachPoint(whole->ins(), [&](const std::vector<int64_t> &x) {
      Point low, high, expected;
      for (auto [value, size] : llvm::zip(x, tile.ins())) {
        low.push_back(value % size);
        high.push_back(value / size);
      }
      for (auto [inside, above, size] : llvm::zip(tile.apply(low), rest.apply(high), tile.outs()))
        expected.push_back(inside + size * above);
      ASSERT_EQ(plain(whole->apply(x)), plain(expected));
    });
    std::optional<IndexMap> again = whole->divideLeft(tile);
    ASSERT_TRUE(again);
    ASSERT_TRUE(*again == rest);
  });
}

TEST(IndexMap, DigitInsideTheTileHasNoQuotient) {
  // Values 0, 1, 2 of a range of 6; a tile of one value in a range of 2 would leave halves.
  IndexMap map({3}, {6}), tile({1}, {2});
  map.addDigit({0, 0, 1, 1, 3});
  EXPECT_FALSE(map.divideLeft(tile));
  IndexMap raised({3}, {6});
  raised.addDigit({0, 0, 1, 2, 3});
  EXPECT_TRUE(raised.divideLeft(tile));
}

TEST(IndexMap, DivideFindsEveryQuotient) {
  unsigned divided = 0;
  for (bool bijective : {true, false})
    forRandomMaps(17, bijective, [&](RandomMaps &maps, const Terms &terms) {
      // The identity on some low bits is what vector widths ask for; random tiles nearly never divide.
      IndexMap tile(Point(terms.ins.size(), 1), Point(terms.outs.size(), 1));
      unsigned in = maps.below(terms.ins.size()), out = maps.below(terms.outs.size());
      for (unsigned bit = 0, e = maps.below(3); bit != e; ++bit) {
        Point value(terms.outs.size(), 0);
        value[out] = int64_t(1) << bit;
        tile.addBasis(in, bit, value);
        tile.setInSize(in, int64_t(2) << bit);
        tile.setOutSize(out, int64_t(2) << bit);
      }
      if (terms.ins[in] % tile.ins()[in] || terms.outs[out] % tile.outs()[out]) {
        ASSERT_FALSE(canonical(terms).divideLeft(tile));
        return;
      }
      std::optional<Table> expected = divideByTable(terms, tile);
      std::optional<IndexMap> rest = canonical(terms).divideLeft(tile);
      ASSERT_EQ(rest.has_value(), expected.has_value());
      if (!rest)
        return;
      divided += tile.ins()[in] > 1;
      for (const auto &[x, y] : *expected)
        ASSERT_EQ(plain(rest->apply(x)), y);
    });
  EXPECT_GT(divided, 30u);
}
} // namespace
