// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Config texts: what is printed reads back, whatever the config; bounds that depend on the target; random numbers.
// Errors of the parser are in test/passes/Config/print-config-invalid.test.
#include "passes/Config/Config.h"
#include "passes/Config/Random.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace helion;

namespace {

constexpr SpanRow tileSpans[] = {{"1", "min(6, dev.registers)", "1", "dev.registers floordiv 2"},
                                 {"dev.lanes", "4 * dev.lanes", "dev.lanes", "dev.lanes"}};
constexpr KnobRow targetKnobs[] = {{"tiles",
                                    "choose-target",
                                    SiteKind::Dot,
                                    ValueKind::List,
                                    tileSpans,
                                    {},
                                    {},
                                    {},
                                    {},
                                    {},
                                    {},
                                    false,
                                    "",
                                    "",
                                    "",
                                    "",
                                    "",
                                    "",
                                    {"", "", false, {}},
                                    "a list of two"}};
constexpr ChoicePassRow targetPasses[] = {{"choose-target", 25, ""}};

KnobTable makeTable() {
  return KnobTable({neutralKnobRows(), {targetPasses, targetKnobs, {}}},
                   [](StringRef name) { return std::optional<int64_t>(name == "lanes" ? 8 : 16); });
}

template <typename T> const T &pick(ArrayRef<T> values, Random &random) { return values[random.below(values.size())]; }

/// Any value that the knob allows, also beyond what a search would try.
ConfigValue randomValue(const Knob &knob, Random &random) {
  auto element = [&](const Span &span) -> int64_t {
    if (span.step == 0)
      return pick<int64_t>(span.all(), random);
    return span.low + span.step * random.below((span.high - span.low) / span.step + 1);
  };
  if (knob.kind == ValueKind::Flag)
    return ConfigValue::flag(random.below(2));
  if (!knob.words.empty() && (knob.kind == ValueKind::Word || random.below(2)))
    return ConfigValue::word(pick<StringRef>(knob.words, random));
  if (knob.kind == ValueKind::Integer)
    return element(knob.spans[0]);
  std::vector<int64_t> list;
  for (const Span &span : knob.spans)
    list.push_back(element(span));
  for (size_t dims = knob.kind == ValueKind::Permutation ? 2 + random.below(4) : 0; list.size() < dims;)
    list.insert(list.begin() + random.below(list.size() + 1), list.size());
  return list;
}

Config randomConfig(const KnobTable &table, Random &random) {
  static const std::vector<StringRef> sites = {"x.0", "loop.ij", "loop.k", "bm", "x.0+y.0", "f", "f.sum0", "a_b-c"};
  Config config(table);
  for (uint64_t count = random.below(12); count != 0; --count) {
    const Knob &knob = pick(table.knobs(), random);
    config.set(knob.name, pick<StringRef>(sites, random), randomValue(knob, random));
  }
  return config;
}

TEST(Config, PrintedTextReadsBack) {
  KnobTable table = makeTable();
  Random random(1);
  std::map<std::string, Config> byText;
  for (unsigned count = 0; count != 100000; ++count) {
    Config config = randomConfig(table, random);
    std::string text = config.print();
    Expected<Config> read = Config::parse(text, table);
    ASSERT_TRUE(bool(read)) << text << "\n" << toString(read.takeError());
    ASSERT_EQ(*read, config) << text;
    ASSERT_EQ(read->print(), text);
    // Equal texts are equal configs.
    ASSERT_EQ(byText.emplace(text, config).first->second, config) << text;
  }
  EXPECT_GT(byText.size(), 80000u);
}

TEST(Config, TextIsCanonical) {
  KnobTable table = makeTable();
  Config config(table);
  EXPECT_EQ(config.print(),
            "helion-config{v=1},helion-roll-reductions,helion-order-loops,choose-target,helion-bind-blocks,"
            "helion-flatten-loops,helion-map-programs,helion-unroll-loops,helion-choose-access,helion-set-warps");
  config.set("pid_type", "f", ConfigValue::word("persistent_blocked"));
  config.set("num_sm_multiplier", "f", 4);
  config.set("flatten_loops", "b", ConfigValue::flag(true));
  config.set("flatten_loops", "a", ConfigValue::flag(true));
  config.set("tiles", "dot.0", std::vector<int64_t>{2, 32});
  EXPECT_EQ(config.print(),
            "helion-config{v=1},helion-roll-reductions,helion-order-loops,choose-target{tiles=dot.0=[2,32]},"
            "helion-bind-blocks,helion-flatten-loops{flatten_loops=a,b},"
            "helion-map-programs{num_sm_multiplier=f=4 pid_type=f=persistent_blocked},helion-unroll-loops,"
            "helion-choose-access,helion-set-warps");
  // A config with defaults spelled out, keys and sites in another order, is the same config.
  std::string spelled = "helion-config{v=1},helion-roll-reductions{reduction_loops=slice.n=none},helion-order-loops,"
                        "choose-target{tiles=dot.1=[6,8],dot.0=[2,32]},helion-bind-blocks,helion-flatten-loops{flatten_"
                        "loops=b,a},helion-map-programs{pid_type=f=persistent_blocked,g=flat num_sm_multiplier=f=4},"
                        "helion-unroll-loops,helion-choose-access,helion-set-warps";
  Expected<Config> read = Config::parse(spelled, table);
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_NE(*read, config); // [6,8] is no default: 16 / 2 = 8 rows lie outside 1..6.
  read->erase("tiles", "dot.1");
  EXPECT_EQ(*read, config);
  EXPECT_EQ(read->id(), config.id());
}

TEST(Knob, OddTimesPowersOfTwo) {
  Span span{8, 48, 0, {}, 5};
  EXPECT_EQ(span.all(), (std::vector<int64_t>{8, 10, 12, 16, 20, 24, 32, 40, 48}));
  EXPECT_EQ(span.str(), "8..48 (powers of two times odd numbers up to 5)");
  std::vector<int64_t> all = span.all();
  for (int64_t value = -8; value != 64; ++value)
    EXPECT_EQ(span.contains(value), is_contained(all, value)) << value;
  EXPECT_EQ((Span{1, 8, 0, {}}.all()), (std::vector<int64_t>{1, 2, 4, 8}));
}

TEST(Config, IdNamesTheText) {
  KnobTable table = makeTable();
  Random random(2);
  std::map<std::string, std::string> texts;
  for (unsigned count = 0; count != 1000; ++count) {
    Config config = randomConfig(table, random);
    std::string id = config.id();
    EXPECT_EQ(id.size(), 8u);
    EXPECT_EQ(texts.emplace(id, config.print()).first->second, config.print());
  }
  // Frozen: manifests and journals hold ids.
  EXPECT_EQ(Config(neutralKnobs()).id(), "ac4341de");
}

TEST(Knob, BoundsAreFactsOfTheTarget) {
  KnobTable table = makeTable();
  const Knob &tiles = table.find("tiles")[0];
  EXPECT_EQ(tiles.allowed(), "a list `[1..6, 8..32 in steps of 8]`");
  for (auto [value, allowed] : {std::pair(std::vector<int64_t>{6, 32}, true),
                                {{7, 32}, false},
                                {{0, 8}, false},
                                {{1, 12}, false},
                                {{1, 40}, false},
                                {{1}, false},
                                {{1, 8, 8}, false}})
    EXPECT_EQ(tiles.allows(value), allowed) << ConfigValue(value).str();
  EXPECT_FALSE(tiles.allows(6));
  EXPECT_EQ(tiles.spans[1].all(), (std::vector<int64_t>{8, 16, 24, 32}));
}

TEST(Random, IsTheSameEverywhere) {
  Random random(0);
  // Reference values of SplitMix64 for seed 0.
  EXPECT_EQ(random.next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4u);
  std::vector<unsigned> counts(7);
  for (unsigned count = 0; count != 70000; ++count)
    ++counts[random.below(counts.size())];
  for (unsigned count : counts)
    EXPECT_NEAR(count, 10000, 500);
}

} // namespace
