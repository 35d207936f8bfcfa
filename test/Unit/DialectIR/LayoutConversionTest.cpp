// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion plans are carried out on numbers, bank use is counted a second way.
#include "dialect/IR/LayoutConversion.h"
#include "RandomMap.h"
#include "dialect/IR/LayoutBuilders.h"
#include "gtest/gtest.h"
#include <set>

using namespace helion;
using namespace helion_test;
using Kind = ConversionPlan::Kind;

namespace {
Layout must(llvm::Expected<Layout> layout) {
  if (!layout) {
    ADD_FAILURE() << llvm::toString(layout.takeError());
    std::abort();
  }
  return *layout;
}

/// The element that a place holds; coordinates that the layout does not know are replicated.
std::vector<int64_t> elementAt(const Layout &layout, int64_t reg, int64_t lane, int64_t warp) {
  Point point(kNumSpaces, 0);
  point[0] = reg;
  point[1] = lane % layout.size(LayoutSpace::Lane);
  point[2] = warp % layout.size(LayoutSpace::Warp);
  return plain(layout.indexAt(point));
}

/// Carries the plan out in every warp and compares what each register of the result then holds.
void carryOut(const ConversionPlan &plan, const Layout &from, const Layout &to, int64_t lanes) {
  int64_t warps = std::max(from.size(LayoutSpace::Warp), to.size(LayoutSpace::Warp)),
          registers = to.size(LayoutSpace::Reg);
  for (int64_t warp = 0; warp != warps; ++warp) {
    std::vector<std::vector<std::vector<int64_t>>> held(lanes, std::vector<std::vector<int64_t>>(registers));
    for (int64_t lane = 0; lane != lanes; ++lane)
      for (int64_t reg = 0; reg != registers; ++reg)
        if (plan.kept[lane][reg] >= 0)
          held[lane][reg] = elementAt(from, plan.kept[lane][reg], lane, warp);
    for (const ShuffleRound &round : plan.rounds)
      for (int64_t lane = 0; lane != lanes; ++lane)
        if (round.target[lane] >= 0)
          held[lane][round.target[lane]] = elementAt(from, round.offered[round.lane[lane]], round.lane[lane], warp);
    for (int64_t lane = 0; lane != lanes; ++lane)
      for (int64_t reg = 0; reg != registers; ++reg)
        ASSERT_EQ(held[lane][reg], elementAt(to, reg, lane, warp)) << from.str() << " " << to.str();
  }
}

ConversionPlan planned(const Layout &from, const Layout &to, int64_t lanes = 32) {
  ConversionPlan plan = planConversion(from, to, lanes);
  if (plan.kind != Kind::Shared)
    carryOut(plan, from, to, lanes);
  return plan;
}

/// By search: every result register has a source register that holds the same in all threads.
bool sameRegistersEverywhere(const Layout &from, const Layout &to, int64_t lanes) {
  int64_t warps = std::max(from.size(LayoutSpace::Warp), to.size(LayoutSpace::Warp));
  auto agrees = [&](int64_t source, int64_t target) {
    for (int64_t thread = 0; thread != lanes * warps; ++thread)
      if (elementAt(from, source, thread % lanes, thread / lanes) !=
          elementAt(to, target, thread % lanes, thread / lanes))
        return false;
    return true;
  };
  for (int64_t target = 0; target != to.size(LayoutSpace::Reg); ++target) {
    bool found = false;
    for (int64_t source = 0; source != from.size(LayoutSpace::Reg) && !found; ++source)
      found = agrees(source, target);
    if (!found)
      return false;
  }
  return true;
}

TEST(LayoutConversion, KnownPairs) {
  for (int64_t n : {128, 176, 192}) {
    Layout acc = must(fragmentLayout(Fragment::Warps64x8C, {64, n})),
           operand = must(fragmentLayout(Fragment::Warps64x16A, {64, n}));
    EXPECT_EQ(planned(acc, operand).kind, Kind::Registers);
    // A row of 8 per thread, of the same 16 rows per warp: the four lanes of a row exchange.
    Layout rows = must(blockedLayout({64, n}, {{1, 4}, {8, 4}, {4, 1}, {1, 0}}));
    EXPECT_EQ(planned(acc, must(blockedLayout({64, n}, {{1, 8}, {16, 2}, {4, 1}, {1, 0}}))).kind, Kind::Shuffle);
    // Rows in another order over the warps have to leave them.
    EXPECT_EQ(planned(acc, rows).kind, Kind::Shared);
    EXPECT_EQ(planned(rows, acc).kind, Kind::Shared);
  }
  // From everywhere to one lane each: replicated sources are read where they are.
  Layout all = must(blockedLayout({4, 8}, {{4, 8}, {1, 1}, {1, 1}, {1, 0}})),
         spread = must(blockedLayout({4, 8}, {{1, 1}, {4, 8}, {1, 1}, {1, 0}}));
  ConversionPlan narrow = planned(all, spread);
  EXPECT_EQ(narrow.kind, Kind::Shuffle);
  EXPECT_TRUE(narrow.rounds.empty());
  EXPECT_EQ(planned(spread, all).rounds.size(), 31u);
  EXPECT_EQ(planned(all, must(sharedLayout({4, 8}, 1, 2, 0))).kind, Kind::Shared);
}

TEST(LayoutConversion, WavesOf64AndSubgroupsOf8) {
  Layout acc = must(fragmentLayout(Fragment::Wave32x32C, {32, 96})),
         operand = must(fragmentLayout(Fragment::Wave32x8A, {32, 96}));
  EXPECT_EQ(planned(acc, operand, 64).kind, Kind::Shuffle);
  Layout rows = must(blockedLayout({8, 24}, {{1, 3}, {1, 8}, {2, 1}, {1, 0}})),
         strided = must(blockedLayout({8, 24}, {{1, 1}, {1, 8}, {2, 1}, {1, 0}}));
  EXPECT_EQ(planned(rows, strided, 8).kind, Kind::Shuffle);
  EXPECT_EQ(planned(rows, rows, 8).kind, Kind::Registers);
}

TEST(LayoutConversion, RandomPairs) {
  RandomMaps maps(31);
  unsigned kinds[3] = {0, 0, 0};
  for (unsigned round = 0; round != 2000;) {
    // The same tile over registers, 8 lanes and 2 warps in two ways.
    auto draw = [&]() -> std::optional<Layout> {
      Terms terms = maps.draw({3, 1 + maps.below(2), 3 + maps.below(4), maps.below(3), maps.oneIn(2)});
      terms.ins.resize(kNumSpaces, 1);
      llvm::Expected<Layout> layout = Layout::build(terms.write());
      if (layout && layout->size(LayoutSpace::Lane) <= 8 && layout->size(LayoutSpace::Reg) <= 16 &&
          8 % layout->size(LayoutSpace::Lane) == 0)
        return *layout;
      llvm::consumeError(layout.takeError());
      return std::nullopt;
    };
    std::optional<Layout> from = draw();
    if (!from)
      continue;
    ++round;
    for (unsigned attempt = 0; attempt != 20; ++attempt) {
      std::optional<Layout> to = maps.oneIn(10) ? from : draw();
      if (!to || to->shape() != from->shape())
        continue;
      Kind kind = planned(*from, *to, 8).kind;
      ++kinds[unsigned(kind)];
      ASSERT_EQ(kind == Kind::Registers, sameRegistersEverywhere(*from, *to, 8));
      if (kind == Kind::Shared)
        ASSERT_GT(std::max(from->size(LayoutSpace::Warp), to->size(LayoutSpace::Warp)), 1);
    }
  }
  for (unsigned count : kinds)
    EXPECT_GT(count, 15u);
}

/// Bank turns counted from the owners of each element: word by word, instruction by instruction.
int64_t turnsByOwners(const Layout &registers, const Layout &shared, int64_t elementBytes, int64_t vectorBytes) {
  int64_t width = vectorBytes / elementBytes, turns = 0,
          together = std::min<int64_t>(32, 128 / std::max<int64_t>(vectorBytes, 4));
  for (int64_t reg = 0; reg < registers.size(LayoutSpace::Reg); reg += width)
    for (int64_t first = 0; first < 32; first += together) {
      std::map<int64_t, std::set<int64_t>> banks;
      for (int64_t lane = first; lane != first + together; ++lane)
        for (int64_t part = 0; part != width; ++part) {
          std::vector<int64_t> element = elementAt(registers, reg + part, lane, 0);
          int64_t address = shared.owners(element).front()[unsigned(LayoutSpace::Offset)] * elementBytes;
          banks[address / 4 % 32].insert(address / 4);
        }
      size_t worst = 0;
      for (const auto &[bank, words] : banks)
        worst = std::max(worst, words.size());
      turns += worst;
    }
  return turns;
}

TEST(LayoutConversion, BankUseIsThatOfTheOwners) {
  for (int64_t n : {64, 128, 192})
    for (unsigned swizzle : {0u, 32u, 64u, 128u})
      for (unsigned contiguous : {0u, 1u})
        for (int64_t bytes : {2, 4}) {
          Layout shared = must(sharedLayout({64, n}, contiguous, bytes, swizzle));
          for (const Layout &registers : {must(fragmentLayout(Fragment::Warps64x8C, {64, n})),
                                          must(blockedLayout({64, n}, {{1, 8}, {16, 2}, {4, 1}, {1, 0}})),
                                          must(blockedLayout({64, n}, {{1, 1}, {1, 32}, {4, 1}, {1, 0}}))}) {
            std::optional<BankUse> use = countBankUse(registers, shared, bytes);
            ASSERT_TRUE(use);
            EXPECT_EQ(use->wavefronts, turnsByOwners(registers, shared, bytes, use->vectorBytes)) << shared.str();
            EXPECT_GE(use->wavefronts, use->minimum);
            EXPECT_EQ(use->accesses * use->vectorBytes, registers.size(LayoutSpace::Reg) * bytes);
          }
        }
  EXPECT_FALSE(
      countBankUse(must(fragmentLayout(Fragment::Warp16x8C, {16, 8})), must(sharedLayout({8, 16}, 1, 2, 0)), 2));
}

TEST(LayoutConversion, ChosenSwizzleHasNoConflicts) {
  for (int64_t n : {64, 128, 192, 256}) {
    Layout acc = must(fragmentLayout(Fragment::Warps64x8C, {64, n})),
           rows = must(blockedLayout({64, n}, {{1, 8}, {4, 8}, {4, 1}, {1, 0}}));
    std::optional<SharedChoice> choice = chooseSharedLayout(acc, rows, 2);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->wavefronts, choice->minimum) << n << " " << choice->layout.str();
    // Plain rows would be slower, so the choice means something.
    BankUse plainRows = *countBankUse(acc, must(sharedLayout({64, n}, 1, 2, 0)), 2);
    EXPECT_GT(plainRows.wavefronts, plainRows.minimum);
  }
  EXPECT_FALSE(chooseSharedLayout(must(fragmentLayout(Fragment::Warp16x8C, {16, 8})),
                                  must(fragmentLayout(Fragment::Warp16x8C, {16, 16})), 2));
}

TEST(BankUse, RefusesElementsOfNoBytes) {
  Layout registers = must(blockedLayout({8, 32}, {{1, 1}, {1, 32}, {1, 1}, {1, 0}}));
  Layout shared = must(sharedLayout({8, 32}, 1, 4, 0));
  EXPECT_TRUE(countBankUse(registers, shared, 4));
  EXPECT_FALSE(countBankUse(registers, shared, 0));
  EXPECT_FALSE(chooseSharedLayout(registers, registers, 0));
  EXPECT_FALSE(sharedFormOf(shared, 0));
}
} // namespace
