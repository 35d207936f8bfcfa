// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts: texts, fragments against the formulas of their manuals, shape changes and conversions against enumeration,
// with the widths 192 and 176 that are no powers of two.
#include "RandomMap.h"
#include "dialect/IR/LayoutBuilders.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace helion;
using namespace helion_test;
using llvm::ArrayRef;

namespace {
using Index = std::vector<int64_t>;

Layout must(llvm::Expected<Layout> layout) {
  if (!layout) {
    ADD_FAILURE() << llvm::toString(layout.takeError());
    std::abort();
  }
  return *layout;
}

std::string errorOf(const LayoutText &text) {
  llvm::Expected<Layout> layout = Layout::build(text);
  return layout ? layout->str() : llvm::toString(layout.takeError());
}

Point at(int64_t reg, int64_t lane, int64_t warp = 0, int64_t group = 0) {
  Point point(kNumSpaces, 0);
  point[0] = reg, point[1] = lane, point[2] = warp, point[3] = group;
  return point;
}

Index indexAt(const Layout &layout, int64_t reg, int64_t lane, int64_t warp = 0, int64_t group = 0) {
  return plain(layout.indexAt(at(reg, lane, warp, group)));
}

/// Where each thread position (everything but registers) holds what, along the kept dims.
std::set<std::pair<Index, Index>> holders(const Layout &layout, ArrayRef<int64_t> sizes,
                                          const std::function<std::optional<Index>(const Point &)> &change) {
  std::set<std::pair<Index, Index>> result;
  forEachPoint(sizes, [&](const Index &x) {
    Index thread(x.begin() + 1, x.end());
    if (std::optional<Index> index = change(layout.indexAt(x)))
      result.insert({thread, *index});
  });
  return result;
}

Index identity(const Point &index) { return plain(index); }

/// The layouts that the property tests run over.
std::vector<Layout> samples() {
  std::vector<Layout> list;
  for (int64_t n : {8, 64, 128, 176, 192, 256})
    list.push_back(must(fragmentLayout(Fragment::Warps64x8C, {64, n})));
  for (int64_t groups : {2, 3})
    list.push_back(must(fragmentLayout(Fragment::Warps64x8C, {64 * groups, 192}, {{LayoutSpace::Group, 0, groups}})));
  list.push_back(
      must(fragmentLayout(Fragment::Warp16x8C, {64, 48}, {{LayoutSpace::Warp, 0, 2}, {LayoutSpace::Warp, 1, 3}})));
  list.push_back(must(fragmentLayout(Fragment::Warp16x16A, {64, 48}, {{LayoutSpace::Warp, 0, 2}})));
  list.push_back(must(fragmentLayout(Fragment::Wave32x32C, {64, 96}, {{LayoutSpace::Warp, 1, 3}})));
  list.push_back(must(blockedLayout({24, 96}, {{1, 4}, {4, 8}, {2, 1}, {1, 0}})));
  list.push_back(must(blockedLayout({2, 176}, {{1, 8}, {4, 2}, {2, 1}, {1, 0}})));
  for (unsigned swizzle : {0u, 32u, 64u, 128u})
    list.push_back(must(sharedLayout({24, 192}, 1, 2, swizzle)));
  return list;
}

TEST(Layout, TextBuildsTheSameLayout) {
  for (const Layout &layout : samples())
    EXPECT_TRUE(must(Layout::build(layout.text())) == layout) << layout.str();
  for (bool bijective : {true, false}) {
    RandomMaps maps(21);
    unsigned built = 0;
    while (built < 200) {
      Terms terms = maps.draw({4, 1 + maps.below(3), maps.below(6), maps.below(5), bijective});
      terms.ins.resize(kNumSpaces, 1);
      if (volume(terms.ins) > 1000)
        continue;
      llvm::Expected<Layout> layout = Layout::build(terms.write());
      if (!layout) {
        llvm::consumeError(layout.takeError());
        continue;
      }
      ++built;
      ASSERT_TRUE(must(Layout::build(layout->text())) == *layout) << layout->str();
      // Registers may have other numbers; what each thread holds is the same.
      std::set<std::pair<Index, Index>> written;
      for (const auto &[x, y] : terms.table())
        written.insert({Index(x.begin() + 1, x.end()), y});
      Point sizes(terms.ins.begin(), terms.ins.end());
      sizes[0] = layout->size(LayoutSpace::Reg);
      ASSERT_EQ(holders(*layout, sizes, identity), written);
    }
  }
}

TEST(Layout, CanonicalText) {
  LayoutText text = fragmentText(Fragment::Warps64x8C);
  text.repeats = {{LayoutSpace::Reg, 1, 24}, {LayoutSpace::Group, 0, 3}};
  EXPECT_EQ(
      must(Layout::build(text)).str(),
      "<[64, 64], reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
      "warp = [[16, 0], [32, 0]], repeat = [reg 1 x 3, group 0 x 3]>");
  text.repeats = {{LayoutSpace::Reg, 1, 2}, {LayoutSpace::Reg, 1, 12}, {LayoutSpace::Group, 0, 3}};
  EXPECT_EQ(must(Layout::build(text)).size(LayoutSpace::Reg), 96);
  // A digit that does not continue its space or its dim says where it stands.
  LayoutText apart;
  apart.atom = {1, 1};
  apart.repeats = {{LayoutSpace::Reg, 0, 3, -1, 5}, {LayoutSpace::Reg, 0, 5, -1, 1}, {LayoutSpace::Lane, 1, 3, 7}};
  EXPECT_EQ(must(Layout::build(apart)).str(),
            "<[1, 1], repeat = [lane 1 x 3 from 7, reg 0 x 3 step 5, reg 0 x 5 step 1]>");
}

TEST(Layout, Errors) {
  LayoutText text = fragmentText(Fragment::Warp16x8C);
  text.atom = {16, 24};
  EXPECT_EQ(errorOf(text), "extent `24` of the atom is no power of two");
  text.atom = {16, 4};
  EXPECT_EQ(errorOf(text), "component `4` of a basis of `lane` is outside the atom's extent `4`");
  text.atom = {16, 32};
  EXPECT_EQ(errorOf(text), "some index of the tile has no owner");
  text.atom = {16};
  EXPECT_EQ(errorOf(text), "a basis of `reg` has 2 components for 1 dims");
  text.atom = {16, 8};
  text.repeats = {{LayoutSpace::Reg, 2, 3}};
  EXPECT_EQ(errorOf(text), "a repeat names dim `2` of a tile of rank 2");
  text.repeats = {{LayoutSpace::Reg, 1, 0}};
  EXPECT_EQ(errorOf(text), "count `0` of a repeat is below 1");
  text.repeats = {{LayoutSpace::Reg, 1, 3, 0}};
  EXPECT_EQ(errorOf(text), "`from` and `step` of a repeat are at least 1");
  text.repeats = {{LayoutSpace::Reg, 1, 3, 2}};
  EXPECT_EQ(errorOf(text), "digits of a space or dim overlap");
  text.repeats = {{LayoutSpace::Reg, 1, 3, -1, 24}};
  EXPECT_EQ(errorOf(text), "some index of the tile has no owner");
}

// PTX ISA 8.x: "Matrix fragments for mma.m16n8k16", "mma.m16n8k8", "mma.m16n8k32", "Register fragments for
// wgmma.mma_async.m64nNk16", "Swizzling modes" of tensor copies. AMD CDNA3 ISA: "Matrix fused multiply-add", layouts of
// 32x32x8 and 16x16x16 in 16 bits.
TEST(Layout, FragmentsFollowTheManuals) {
  Layout a = must(fragmentLayout(Fragment::Warp16x16A, {16, 16})),
         b = must(fragmentLayout(Fragment::Warp16x8B, {16, 8}));
  Layout c = must(fragmentLayout(Fragment::Warp16x8C, {16, 8}));
  for (int64_t lane = 0; lane != 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i != 8; ++i) {
      int64_t row = group + ((i < 2 || (i >= 4 && i < 6)) ? 0 : 8), col = inGroup * 2 + (i & 1) + (i < 4 ? 0 : 8);
      EXPECT_EQ(indexAt(a, i, lane), Index({row, col}));
    }
    for (int64_t i = 0; i != 4; ++i) {
      EXPECT_EQ(indexAt(b, i, lane), Index({inGroup * 2 + (i & 1) + (i < 2 ? 0 : 8), group}));
      EXPECT_EQ(indexAt(c, i, lane), Index({group + (i < 2 ? 0 : 8), inGroup * 2 + (i & 1)}));
    }
  }
  Layout wave32 = must(fragmentLayout(Fragment::Wave32x32C, {32, 32})),
         wave32a = must(fragmentLayout(Fragment::Wave32x8A, {32, 8}));
  Layout wave16 = must(fragmentLayout(Fragment::Wave16x16C, {16, 16})),
         wave16a = must(fragmentLayout(Fragment::Wave16x16A, {16, 16}));
  for (int64_t lane = 0; lane != 64; ++lane) {
    for (int64_t i = 0; i != 16; ++i)
      EXPECT_EQ(indexAt(wave32, i, lane), Index({8 * (i / 4) + 4 * (lane / 32) + i % 4, lane % 32}));
    for (int64_t i = 0; i != 4; ++i) {
      EXPECT_EQ(indexAt(wave32a, i, lane), Index({lane % 32, 4 * (lane / 32) + i}));
      EXPECT_EQ(indexAt(wave16, i, lane), Index({4 * (lane / 16) + i, lane % 16}));
      EXPECT_EQ(indexAt(wave16a, i, lane), Index({lane % 16, 4 * (lane / 16) + i}));
    }
  }
}

TEST(Layout, FragmentsOfOtherTypesFollowTheManuals) {
  Layout a8 = must(fragmentLayout(Fragment::Warp16x8A, {16, 8})), b8 = must(fragmentLayout(Fragment::Warp8x8B, {8, 8}));
  Layout a32 = must(fragmentLayout(Fragment::Warp16x32A, {16, 32})),
         b32 = must(fragmentLayout(Fragment::Warp32x8B, {32, 8}));
  for (int64_t lane = 0; lane != 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i != 4; ++i)
      EXPECT_EQ(indexAt(a8, i, lane), Index({i == 0 || i == 2 ? group : group + 8, i < 2 ? inGroup : inGroup + 4}));
    for (int64_t i = 0; i != 2; ++i)
      EXPECT_EQ(indexAt(b8, i, lane), Index({i == 0 ? inGroup : inGroup + 4, group}));
    for (int64_t i = 0; i != 16; ++i) {
      int64_t row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
      EXPECT_EQ(indexAt(a32, i, lane), Index({row, inGroup * 4 + (i & 3) + (i < 8 ? 0 : 16)}));
    }
    for (int64_t i = 0; i != 8; ++i)
      EXPECT_EQ(indexAt(b32, i, lane), Index({inGroup * 4 + (i & 3) + (i < 4 ? 0 : 16), group}));
  }
}

TEST(Layout, AccumulatorIsTheRegisterOperand) {
  for (int64_t n : {128, 176, 192, 256}) {
    Layout acc = must(fragmentLayout(Fragment::Warps64x8C, {128, n}, {{LayoutSpace::Group, 0, 2}}));
    for (int64_t thread = 0; thread != 128; ++thread)
      for (int64_t i = 0; i != n / 2; ++i) {
        int64_t row = 16 * (thread / 32) + thread % 32 / 4 + i % 4 / 2 * 8,
                col = 8 * (i / 4) + thread % 4 * 2 + (i & 1);
        ASSERT_EQ(indexAt(acc, i, thread % 32, thread / 32, 1), Index({64 + row, col}));
      }
    // The probabilities of attention go from one product to the next without a move.
    EXPECT_TRUE(acc == must(fragmentLayout(Fragment::Warps64x16A, {128, n}, {{LayoutSpace::Group, 0, 2}})));
    EXPECT_TRUE(must(fragmentLayout(Fragment::Warp16x8C, {16, n})) ==
                must(fragmentLayout(Fragment::Warp16x16A, {16, n})));
  }
}

TEST(Layout, SubgroupOfEight) {
  Layout layout = must(blockedLayout({6, 64}, {{1, 4}, {1, 8}, {2, 1}, {1, 0}}));
  for (int64_t reg = 0; reg != 24; ++reg)
    for (int64_t lane = 0; lane != 8; ++lane)
      for (int64_t warp = 0; warp != 2; ++warp)
        ASSERT_EQ(indexAt(layout, reg, lane, warp),
                  Index({warp + 2 * (reg / 8), reg % 4 + 4 * lane + 32 * (reg / 4 % 2)}));
  // Too few rows for the second subgroup: it holds the same values.
  Layout narrow = must(blockedLayout({1, 32}, {{1, 4}, {1, 8}, {2, 1}, {1, 0}}));
  EXPECT_EQ(narrow.size(LayoutSpace::Warp), 1);
  EXPECT_EQ(errorOf({{1, 1}, {}, {{LayoutSpace::Lane, 0, 8}}}), "<[8, 1], lane = [[1, 0], [2, 0], [4, 0]]>");
  llvm::Expected<Layout> odd = blockedLayout({6, 20}, {{1, 4}, {1, 8}, {2, 1}, {1, 0}});
  EXPECT_EQ(llvm::toString(odd.takeError()), "extent `20` is no multiple of `8` in `lane`");
  llvm::Expected<Layout> ragged = fragmentLayout(Fragment::Warp16x8C, {16, 20});
  EXPECT_EQ(llvm::toString(ragged.takeError()), "extent `20` is no multiple of the fragment's `8`");
}

TEST(Layout, SwizzleIsTheXorOfAddressBits) {
  for (unsigned bytes : {1u, 2u, 4u})
    for (unsigned contiguous : {0u, 1u})
      for (unsigned swizzle : {0u, 32u, 64u, 128u}) {
        Point shape(2, 24);
        shape[contiguous] = 384 / bytes;
        Layout layout = must(sharedLayout(shape, contiguous, bytes, swizzle));
        std::optional<SharedForm> form = sharedFormOf(layout, bytes);
        ASSERT_TRUE(form);
        EXPECT_EQ(form->contiguous, contiguous);
        EXPECT_EQ(form->swizzleBytes, swizzle);
        int64_t width = swizzle ? swizzle : 384, box = width * 24;
        for (int64_t offset = 0; offset != 24 * 384 / bytes; ++offset) {
          int64_t address = offset * bytes, mask = swizzle ? swizzle / 16 - 1 : 0;
          address ^= (address >> 7 & mask) << 4;
          Point point(kNumSpaces, 0);
          point[unsigned(LayoutSpace::Offset)] = offset;
          int64_t along = address % width / bytes + address / box * (width / bytes), line = address % box / width;
          Point index = layout.indexAt(point);
          ASSERT_EQ(index[contiguous], along);
          ASSERT_EQ(index[1 - contiguous], line);
        }
      }
  llvm::Expected<Layout> ragged = sharedLayout({20, 64}, 1, 2, 128);
  EXPECT_EQ(llvm::toString(ragged.takeError()),
            "a tile of `20` lines of `64` elements is no multiple of a box of `8` lines of `128` bytes");
}

TEST(Layout, RemovedAndMovedDims) {
  for (const Layout &layout : samples()) {
    ArrayRef<int64_t> sizes = layout.map().ins();
    auto same = [&](const Layout &other, const std::function<std::optional<Index>(const Point &)> &change) {
      Point wide(sizes);
      wide[0] = other.size(LayoutSpace::Reg);
      EXPECT_EQ(holders(layout, sizes, change), holders(other, wide, identity)) << layout.str() << " " << other.str();
    };
    for (unsigned dim : {0u, 1u}) {
      same(layout.withoutDim(dim), [&](const Point &index) { return Index({index[1 - dim]}); });
      same(layout.withDimCollapsed(dim), [&](const Point &index) {
        Index changed = plain(index);
        changed[dim] = 0;
        return changed;
      });
      EXPECT_FALSE(layout.withoutDim(dim).map().ins()[0] > layout.withoutDim(dim).shape()[0]);
    }
    same(layout.permuted({1, 0}), [](const Point &index) { return Index({index[1], index[0]}); });
  }
}

TEST(Layout, CombinedInThread) {
  for (int64_t n : {128, 176, 192}) {
    Layout acc = must(fragmentLayout(Fragment::Warps64x8C, {128, n}, {{LayoutSpace::Group, 0, 2}}));
    std::optional<Layout> partial = acc.combinedInThread(1);
    ASSERT_TRUE(partial);
    EXPECT_EQ(plain(partial->shape()), Index({128, 4}));
    EXPECT_EQ(partial->size(LayoutSpace::Reg), 2);
    for (int64_t lane = 0; lane != 32; ++lane)
      for (int64_t reg = 0; reg != 2; ++reg)
        EXPECT_EQ(indexAt(*partial, reg, lane, 3, 1), Index({64 + 48 + lane / 4 + 8 * reg, lane % 4}));
  }
  // Lanes along 3 x 8 neighbours: what is left counts thread positions in the order of the dim.
  LayoutText text;
  text.atom = {1};
  text.repeats = {
      {LayoutSpace::Reg, 0, 3}, {LayoutSpace::Lane, 0, 4}, {LayoutSpace::Reg, 0, 5}, {LayoutSpace::Warp, 0, 3}};
  Layout line = must(Layout::build(text));
  std::optional<Layout> partial = line.combinedInThread(0);
  ASSERT_TRUE(partial);
  EXPECT_EQ(partial->str(), "<[4], lane = [[1], [2]], repeat = [warp 0 x 3]>");
  // A register and a lane that meet in one bit cannot be told apart.
  text.atom = {4};
  text.repeats.clear();
  text.bases[0] = {{1}};
  text.bases[1] = {{3}};
  EXPECT_FALSE(must(Layout::build(text)).combinedInThread(0));
}

TEST(Layout, Subtile) {
  unsigned found = 0;
  for (const Layout &layout : samples())
    for (int64_t rows : {8, 24, 64})
      for (int64_t columns : {8, 16, 32, 48, 64, 96, 128}) {
        if (layout.shape()[0] % rows || layout.shape()[1] % columns)
          continue;
        std::optional<Layout> part = layout.subtile({rows, columns});
        if (!part)
          continue;
        ++found;
        // Each block: the threads hold of it what the subtile says, whatever registers that takes.
        for (int64_t row = 0; row != layout.shape()[0]; row += rows)
          for (int64_t column = 0; column != layout.shape()[1]; column += columns) {
            auto inside = [&](const Point &index) -> std::optional<Index> {
              Index local = {index[0] - row, index[1] - column};
              bool in = local[0] >= 0 && local[0] < rows && local[1] >= 0 && local[1] < columns;
              return in ? std::optional<Index>(local) : std::nullopt;
            };
            Point wide(layout.map().ins());
            wide[0] = part->size(LayoutSpace::Reg);
            ASSERT_EQ(holders(layout, layout.map().ins(), inside), holders(*part, wide, identity)) << layout.str();
          }
      }
  EXPECT_GT(found, 20u);
  Layout acc = must(fragmentLayout(Fragment::Warps64x8C, {128, 256}, {{LayoutSpace::Group, 0, 2}}));
  EXPECT_TRUE(*acc.subtile({128, 128}) ==
              must(fragmentLayout(Fragment::Warps64x8C, {128, 128}, {{LayoutSpace::Group, 0, 2}})));
  EXPECT_FALSE(acc.subtile({64, 256})); // the other half lives in another group
  EXPECT_FALSE(acc.subtile({128, 24}));
  EXPECT_TRUE(acc.sameOverGroup(must(fragmentLayout(Fragment::Warps64x16A, {128, 256}, {{LayoutSpace::Group, 0, 2}}))));
  EXPECT_FALSE(acc.sameOverGroup(must(fragmentLayout(Fragment::Warps64x16A, {128, 256}))));
}

/// Register tiles of any width meet shared memory and each other: the map between them exists and is right.
TEST(Layout, ConversionsLineUp) {
  for (int64_t n : {64, 128, 176, 192, 256}) {
    Layout acc = must(fragmentLayout(Fragment::Warps64x8C, {64, n}));
    Layout blocked = must(blockedLayout({64, n}, {{1, 8}, {16, 2}, {4, 1}, {1, 0}}));
    std::vector<Layout> targets = {blocked, must(sharedLayout({64, n}, 1, 2, n % 64 ? 32 : 128)),
                                   must(sharedLayout({64, n}, 0, 2, 128)), must(sharedLayout({64, n}, 1, 2, 0)),
                                   must(fragmentLayout(Fragment::Warp16x8B, {64, n}, {{LayoutSpace::Warp, 0, 4}}))};
    for (const Layout &from : {acc, blocked})
      for (const Layout &to : targets) {
        std::optional<IndexMap> move = IndexMap::compose(from.map(), *to.map().inverse());
        ASSERT_TRUE(move) << n << " " << to.str();
        forEachPoint(from.map().ins(), [&](const Index &x) { ASSERT_EQ(to.indexAt(move->apply(x)), from.indexAt(x)); });
      }
  }
}

TEST(Layout, DivideFindsVectorsAndTiles) {
  // Eight consecutive 16-bit elements of a thread are one 16-byte vector of plain and of swizzled memory.
  Layout blocked = must(blockedLayout({64, 192}, {{1, 8}, {16, 2}, {4, 1}, {1, 0}}));
  auto width = [&](const Layout &registers, const Layout &shared) {
    IndexMap move = *IndexMap::compose(registers.map(), *shared.map().inverse());
    int64_t best = 1;
    IndexMap tile(Point(kNumSpaces, 1), Point(kNumSpaces, 1));
    unsigned reg = unsigned(LayoutSpace::Reg), offset = unsigned(LayoutSpace::Offset);
    for (unsigned bit = 0; bit != 6; ++bit) {
      Point value(kNumSpaces, 0);
      value[offset] = int64_t(1) << bit;
      tile.addBasis(reg, bit, value);
      tile.setInSize(reg, int64_t(2) << bit);
      tile.setOutSize(offset, int64_t(2) << bit);
      if (!move.divideLeft(tile))
        break;
      best *= 2;
    }
    return best;
  };
  EXPECT_EQ(width(blocked, must(sharedLayout({64, 192}, 1, 2, 128))), 8);
  EXPECT_EQ(width(blocked, must(sharedLayout({64, 192}, 1, 2, 0))), 8);
  EXPECT_EQ(width(blocked, must(sharedLayout({64, 192}, 0, 2, 128))), 1);
  EXPECT_EQ(width(must(fragmentLayout(Fragment::Warps64x8C, {64, 192})), must(sharedLayout({64, 192}, 1, 2, 128))), 2);
}
} // namespace
