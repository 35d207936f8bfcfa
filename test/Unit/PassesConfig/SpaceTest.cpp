// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving in the space of a kernel: enumeration against a count by brute force, random configs and neighbours that are
// legal, and the default extents of blocks.
#include "passes/Config/Space.h"
#include "mlir/Parser/Parser.h"
#include "passes/Config/BlockDefaults.h"
#include "gtest/gtest.h"
#include <set>

using namespace helion;
using llvm::StringRef;

namespace {

/// Two dims of the grid, one slice; `blocks` declares bi, bj and rn.
std::string kernelText(StringRef blocks, StringRef row = "rn@n") {
  return R"(
!arg = memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
!v = tensor<?x?x?xf32, #helion.dims<bi@i, bj@j, rn@n>>
module attributes {helion.form = "kernel"} {
  helion.kernel @f(%x: !arg {helion.name = "x"}) -> memref<?x?xf32>
      attributes {helion.signature = {x = "f32[3]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %k = memref.dim %x, %c2 : !arg
    %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xf32>
)" + blocks.str() +
         R"(
    helion.launch "f" {
      helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
        %s = helion.range %c0 to %k site "slice.n" : !helion.tile<rn@n>
        %v = helion.load %x[%i, %j, %s] site "x.0" : !arg, (!helion.tile<bi@i>, !helion.tile<bj@j>, !helion.tile<rn@n>) -> !v
        %r = helion.reduce addf %v dim 2 site "sum.0" : !v -> tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
        helion.store %r, %out[%i, %j] site "out.0" : tensor<?x?xf32, #helion.dims<bi@i, bj@j>>, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
      }
    }
    helion.return %out : memref<?x?xf32>
  }
})";
}

class SpaceTest : public ::testing::Test {
protected:
  KernelOp parse(StringRef blocks) {
    context.loadDialect<HelionDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(kernelText(blocks), &context);
    return module ? *module->getOps<KernelOp>().begin() : KernelOp();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

constexpr StringRef kSmallBlocks = "helion.block @bi tile {max = 4}\n helion.block @bj tile {max = @bi}\n"
                                   "helion.block @rn slice {max = 16}";

TEST_F(SpaceTest, EnumerationIsTheSetOfLegalConfigs) {
  KernelOp kernel = parse(kSmallBlocks);
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  std::vector<Config> all = space.enumerate(UINT64_MAX);
  // Pairs bj <= bi <= 4: 6. Slice whole: 8, 16; rolled: 14 chunks. Orders 2. Groupings and kinds as for any grid of two
  // dims: 8 * (1 + 2 * 8) + 1.
  EXPECT_EQ(all.size(), 6u * (2 + 14) * 2 * 137);
  EXPECT_EQ(space.size().exact, int64_t(all.size()));
  EXPECT_EQ(space.size().estimate, double(all.size()));
  std::set<std::string> texts;
  for (const Config &config : all) {
    llvm::Error error = space.validate(config);
    EXPECT_FALSE(bool(error)) << config.print() << llvm::toString(std::move(error));
    EXPECT_TRUE(texts.insert(config.print()).second);
  }
  EXPECT_EQ(texts.count(space.defaultConfig().print()), 1u);
  std::vector<Config> some = space.enumerate(10);
  ASSERT_EQ(some.size(), 10u);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
  EXPECT_TRUE(space.enumerate(0).empty());

  // Random configs and neighbours are among them.
  Random random(3);
  for (unsigned count = 0; count != 1000; ++count) {
    Config config = space.randomConfig(random);
    EXPECT_EQ(texts.count(config.print()), 1u) << config.print();
    std::vector<Config> near = space.neighbours(config);
    EXPECT_GE(near.size(), 3u);
    for (const Config &other : near) {
      EXPECT_EQ(texts.count(other.print()), 1u) << other.print();
      EXPECT_NE(other, config);
    }
  }
}

TEST_F(SpaceTest, EveryValueIsDrawn) {
  KernelOp kernel = parse("helion.block @bi tile\n helion.block @bj tile\n helion.block @rn slice");
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  std::set<std::pair<const Choice *, std::string>> drawn;
  Random random(4);
  for (unsigned count = 0; count != 4000; ++count) {
    Config config = space.randomConfig(random);
    for (const Choice &choice : space.choices())
      drawn.insert({&choice, space.valueOf(config, choice.knob->name, choice.site).str()});
  }
  size_t values = 0;
  for (const Choice &choice : space.choices())
    values += choice.values.size();
  EXPECT_EQ(drawn.size(), values);
  // The same seed, the same configs.
  Random again(4), other(5);
  Random first(4);
  EXPECT_EQ(space.randomConfig(first), space.randomConfig(again));
  EXPECT_NE(space.randomConfig(first), space.randomConfig(other));
}

TEST_F(SpaceTest, ValuesThatNoConfigHasAreNotTried) {
  KernelOp kernel =
      parse("helion.block @bi tile {min = 32}\n helion.block @bj tile {min = 16}\n helion.block @rn slice");
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  for (const Choice &choice : space.choices()) {
    int64_t largest = 0;
    for (const ConfigValue &value : choice.values)
      largest = std::max(largest, value.asInteger() ? *value.asInteger() : 0);
    // A tile has at most 2^20 lanes: beside 32 x 16 of the other two 2048 are left for the slice.
    if (choice.site == "rn" || choice.site == "slice.n")
      EXPECT_EQ(largest, 2048);
  }
  Config largest(space.knobs());
  largest.set("block_sizes", "bi", ConfigValue(32));
  largest.set("block_sizes", "bj", ConfigValue(16));
  largest.set("block_sizes", "rn", ConfigValue(2048));
  EXPECT_FALSE(bool(space.validate(largest)));
}

/// The places of the values that a choice has in some of the configs, in order.
std::vector<size_t> placesOf(const Space &space, const Choice &choice, llvm::ArrayRef<Config> configs) {
  std::set<size_t> places;
  for (const Config &config : configs) {
    const ConfigValue &value = space.valueOf(config, choice.knob->name, choice.site);
    places.insert(llvm::find(choice.values, value) - choice.values.begin());
  }
  return std::vector<size_t>(places.begin(), places.end());
}

TEST_F(SpaceTest, FewConfigsCoverEveryValue) {
  KernelOp kernel = parse(kSmallBlocks);
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  std::vector<Config> all = space.enumerate(UINT64_MAX);
  std::set<Config> legal(all.begin(), all.end());
  for (uint64_t seed = 0; seed != 20; ++seed) {
    Random random(seed);
    std::vector<Config> configs = space.coveringConfigs(20, random);
    ASSERT_EQ(configs.size(), 20u);
    EXPECT_EQ(std::set<Config>(configs.begin(), configs.end()).size(), 20u);
    // 14 chunks and 2 extents of the slice exclude each other; 20 configs have place for both.
    for (const Choice &choice : space.choices())
      EXPECT_EQ(placesOf(space, choice, configs), placesOf(space, choice, all))
          << choice.knob->name.str() << " seed " << seed;
    for (const Config &config : configs) {
      EXPECT_TRUE(legal.count(config)) << config.print();
      // A multiplier stands only beside what it multiplies.
      if (config.find("num_sm_multiplier", "f")) {
        EXPECT_TRUE(llvm::StringRef(space.valueOf(config, "pid_type", "f").str()).starts_with("persistent"));
      }
    }
    Random again(seed);
    EXPECT_EQ(space.coveringConfigs(20, again), configs);
  }
}

TEST_F(SpaceTest, ValuesThatAreTooManyAreSpread) {
  KernelOp kernel = parse("helion.block @bi tile\n helion.block @bj tile\n helion.block @rn slice");
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  for (uint64_t seed = 0; seed != 20; ++seed) {
    Random random(seed), other(seed + 1);
    std::vector<Config> few = space.coveringConfigs(8, random);
    for (const Choice &choice : space.choices()) {
      if (choice.values.size() < 8 || choice.knob->name == "num_sm_multiplier")
        continue;
      // Ends first, then what lies in the middle of the largest gap; half of the draws roll the slice and have no
      // extent.
      std::vector<size_t> places = placesOf(space, choice, few);
      size_t before = 0, gap = 0;
      for (size_t place : places) {
        gap = std::max(gap, place - before);
        before = place;
      }
      EXPECT_LE(std::max(gap, choice.values.size() - 1 - before), choice.values.size() / 2)
          << choice.knob->name.str() << " seed " << seed;
    }
    EXPECT_NE(space.coveringConfigs(8, other), few);
    for (const Config &config : space.coveringConfigs(40, random)) {
      llvm::Error error = space.validate(config);
      EXPECT_FALSE(bool(error)) << config.print() << llvm::toString(std::move(error));
    }
  }
  // Enough for all: 38 extents of the slice with 15 ways to walk it.
  Random random(9);
  std::vector<Config> many = space.coveringConfigs(80, random);
  for (const Choice &choice : space.choices())
    EXPECT_EQ(placesOf(space, choice, many).size(), choice.values.size()) << choice.knob->name.str();
}

TEST_F(SpaceTest, AShortListDoesNotStarve) {
  // 8 groupings and 4 kinds of program id; `xyz` has no grouping.
  KernelOp kernel = parse("helion.block @bi tile\n helion.block @bj tile\n helion.block @rn slice");
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  for (uint64_t seed = 0; seed != 20; ++seed) {
    Random random(seed);
    std::vector<Config> configs = space.coveringConfigs(8, random);
    for (const Choice &choice : space.choices())
      if (choice.values.size() <= 4)
        EXPECT_EQ(placesOf(space, choice, configs).size(), choice.values.size())
            << choice.knob->name.str() << " seed " << seed;
  }
}

TEST_F(SpaceTest, ASmallSpaceRepeats) {
  KernelOp kernel =
      parse("helion.block @bi tile {max = 1}\n helion.block @bj tile {max = 1}\n helion.block @rn fixed {value = 8}");
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  Random random(1);
  std::vector<Config> configs = space.coveringConfigs(4, random);
  EXPECT_EQ(configs.size(), 4u);
  EXPECT_TRUE(space.coveringConfigs(0, random).empty());
}

TEST_F(SpaceTest, NeighboursAreOneStepAway) {
  KernelOp kernel = parse("helion.block @bi tile\n helion.block @bj tile\n helion.block @rn slice");
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  std::set<std::string> near;
  for (const Config &config : space.neighbours(space.defaultConfig()))
    for (const auto &[key, value] : config.values())
      near.insert(key.first + " " + key.second + "=" + value.str());
  std::set<std::string> expected = {"block_sizes bi=16",
                                    "block_sizes bi=64",
                                    "block_sizes bj=16",
                                    "block_sizes bj=64",
                                    "block_sizes rn=896",
                                    "l2_groupings loop.ij=2",
                                    "loop_orders loop.ij=[1,0]",
                                    "pid_type f=xyz",
                                    "pid_type f=persistent_blocked",
                                    "pid_type f=persistent_interleaved"};
  // 32 * 32 * 1024 lanes are the most, so rn = 1280 and chunks above 1024 are not legal.
  for (const char *chunk : {"8", "16", "32", "64", "128", "256", "512", "1024"})
    expected.insert(std::string("reduction_loops slice.n=") + chunk);
  expected.erase("block_sizes bi=64");
  expected.erase("block_sizes bj=64");
  EXPECT_EQ(near, expected);
}

TEST_F(SpaceTest, UniversalRollsWhatTheDefaultKeepsWhole) {
  KernelOp kernel = parse("helion.block @bi tile\n helion.block @bj tile\n helion.block @rn slice");
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  Config universal = space.universalConfig();
  EXPECT_FALSE(bool(space.validate(universal)));
  unsigned rolled = 0;
  for (const Choice &choice : space.choices()) {
    const ConfigValue &value = space.valueOf(universal, choice.knob->name, choice.site);
    if (choice.knob->name != "reduction_loops")
      EXPECT_EQ(value, choice.preset);
    else if (++rolled; value.asInteger() == nullptr)
      ADD_FAILURE() << choice.site << " stays whole";
  }
  EXPECT_GT(rolled, 0u);
}

constexpr SpanRow listSpans[] = {{"1", "3", "1", ""}, {"8", "24", "8", ""}};
constexpr llvm::StringLiteral listWords[] = {llvm::StringLiteral("auto")};
constexpr KnobRow listKnobs[] = {{"tiles",
                                  "choose-target",
                                  SiteKind::Store,
                                  ValueKind::List,
                                  listSpans,
                                  listWords,
                                  {},
                                  {},
                                  {},
                                  {},
                                  {},
                                  false,
                                  "auto",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  {"", "", false, {}},
                                  "a list of two, or what the target picks"}};
constexpr ChoicePassRow listPasses[] = {{"choose-target", 70, ""}};

TEST_F(SpaceTest, AWordThatStandsForAListIsANeighbour) {
  KernelOp kernel = parse(kSmallBlocks);
  ASSERT_TRUE(kernel);
  KnobTable table({neutralKnobRows(), {listPasses, listKnobs, {}}}, [](StringRef) { return std::nullopt; });
  Space space(kernel, table);
  EXPECT_EQ(table.find("tiles")[0].allowed(), "a list `[1..3, 8..24 in steps of 8]` or `auto`");
  EXPECT_EQ(space.size().exact, 6 * (2 + 14) * 2 * 137 * 10);
  auto tilesBeside = [&](const Config &config) {
    std::set<std::string> tiles;
    for (const Config &near : space.neighbours(config))
      tiles.insert(space.valueOf(near, "tiles", "out.0").str());
    tiles.erase(space.valueOf(config, "tiles", "out.0").str());
    return tiles;
  };
  Config config = space.defaultConfig();
  EXPECT_EQ(tilesBeside(config), (std::set<std::string>{"[2,16]"}));
  config.set("tiles", "out.0", std::vector<int64_t>{2, 16});
  EXPECT_EQ(tilesBeside(config), (std::set<std::string>{"auto", "[1,16]", "[3,16]", "[2,8]", "[2,24]"}));
  config.set("tiles", "out.0", ConfigValue::word("auto"));
  EXPECT_EQ(config, space.defaultConfig());
}

constexpr StringRef kProduct = R"(
!x = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!acc = tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
module attributes {helion.form = "kernel"} {
  helion.kernel @f(%x: !x {helion.name = "x"}, %y: !x {helion.name = "y"}) -> memref<?x?xbf16>
      attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.facts = []} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !x
    %k = memref.dim %x, %c1 : !x
    %n = memref.dim %y, %c1 : !x
    %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xbf16>
    helion.block @bi tile
    helion.block @bj tile
    helion.block @bk tile
    helion.launch "f" {
      helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
        %none = helion.splat %zero : f32 -> !acc
        %sum = helion.tile (%l: !helion.tile<bk@k>) = (%c0) to (%k) iter_args(%acc = %none) -> (!acc) site "loop.k" {
          %a = helion.load %x[%i, %l] site "x.0" : !x, (!helion.tile<bi@i>, !helion.tile<bk@k>) -> tensor<?x?xbf16, #helion.dims<bi@i, bk@k>>
          %b = helion.load %y[%l, %j] site "y.0" : !x, (!helion.tile<bk@k>, !helion.tile<bj@j>) -> tensor<?x?xbf16, #helion.dims<bk@k, bj@j>>
          %next = helion.dot %a, %b, %acc site "dot.0" : tensor<?x?xbf16, #helion.dims<bi@i, bk@k>>, tensor<?x?xbf16, #helion.dims<bk@k, bj@j>>, !acc
          helion.yield %next : !acc
        }
        %r = arith.truncf %sum : !acc to tensor<?x?xbf16, #helion.dims<bi@i, bj@j>>
        helion.store %r, %out[%i, %j] site "out.0" : tensor<?x?xbf16, #helion.dims<bi@i, bj@j>>, memref<?x?xbf16>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
      }
    }
    helion.return %out : memref<?x?xbf16>
  }
})";

/// A target with lanes and shared memory, and no matrix instruction.
KnobTable lanesWithoutMatrices(int64_t sharedBytes) {
  return KnobTable({neutralKnobRows()}, [=](StringRef name) -> std::optional<int64_t> {
    if (name == "shared_bytes")
      return sharedBytes;
    return name == "lanes" ? 32 : name == "max_threads" ? 1024 : name == "thread_elements" ? 256 : 1 << 20;
  });
}

TEST_F(SpaceTest, WithoutMatrixInstructionsOperandsHavePaddedRows) {
  context.loadDialect<HelionDialect>();
  module = mlir::parseSourceString<mlir::ModuleOp>(kProduct, &context);
  ASSERT_TRUE(module);
  // Both operands have 64 steps of 64 elements of 2 bytes, and 16 bytes after each step.
  const int64_t bytes = 2 * 64 * (64 * 2 + 16);
  for (int64_t most : {bytes - 1, bytes}) {
    Space space(*module->getOps<KernelOp>().begin(), lanesWithoutMatrices(most));
    Config config = space.defaultConfig();
    for (const char *block : {"bi", "bj", "bk"})
      config.set("block_sizes", block, 64);
    llvm::Error error = space.validate(config);
    EXPECT_EQ(bool(error), most < bytes) << most;
    llvm::consumeError(std::move(error));
  }
}

TEST_F(SpaceTest, CanonicalDropsTheKernelsDefaults) {
  KernelOp kernel = parse("helion.block @bi tile\n helion.block @bj tile\n helion.block @rn slice");
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  Config config = space.defaultConfig();
  config.set("block_sizes", "bi", 32);
  config.set("block_sizes", "rn", 1024);
  config.set("loop_orders", "loop.ij", std::vector<int64_t>{0, 1});
  EXPECT_NE(config, space.defaultConfig());
  EXPECT_EQ(space.canonical(config), space.defaultConfig());
  // What no search tries is legal too.
  config.set("block_sizes", "bi", 24);
  config.set("l2_groupings", "loop.ij", 5);
  EXPECT_FALSE(bool(space.validate(config)));
  EXPECT_EQ(space.valueOf(config, "block_sizes", "bi"), ConfigValue(24));
  // A rolled slice leaves its block without meaning.
  config.set("reduction_loops", "slice.n", 64);
  config.set("block_sizes", "rn", 512);
  llvm::Error error = space.validate(config);
  EXPECT_EQ(llvm::toString(std::move(error)), "`block_sizes` of `rn` needs `reduction_loops` to be `none`");
  EXPECT_FALSE(bool(space.validate(space.withoutMeaningless(config))));
}

TEST_F(SpaceTest, SlicesAreOddTimesPowersOfTwo) {
  KernelOp kernel = parse("helion.block @bi tile {max = 1}\n helion.block @bj tile {max = 1}\n"
                          "helion.block @rn slice {multiple = 48, max = 16384}");
  ASSERT_TRUE(kernel);
  Space space(kernel, neutralKnobs());
  Random random(11);
  auto choice = llvm::find_if(space.choices(), [](const Choice &other) { return other.site == "rn"; });
  ASSERT_NE(choice, space.choices().end());
  std::set<int64_t> tried;
  for (const ConfigValue &value : choice->values)
    tried.insert(*value.asInteger());
  // Multiples among the samples, samples times 48, the default.
  EXPECT_TRUE(tried.count(384) && tried.count(768) && tried.count(12288) && tried.count(1008));
  EXPECT_FALSE(tried.count(256) || tried.count(24576));
  for (int64_t extent : {48, 1008, 5232, 13344, 16368, 16384 + 48}) {
    Config config = space.defaultConfig();
    config.set("block_sizes", "rn", extent);
    llvm::Error error = space.validate(config);
    // 16368 = 16 * 1023, 5232 = 16 * 327, 13344 = 32 * 417: too much of them is odd.
    EXPECT_EQ(!error, extent <= 1008) << extent;
    if (!error) {
      EXPECT_EQ(llvm::cantFail(parseConfig(config.print(), space)), space.canonical(config));
    } else {
      EXPECT_NE(llvm::toString(std::move(error)).find("powers of two times odd numbers up to 63"), std::string::npos);
    }
  }
}

TEST_F(SpaceTest, DefaultExtents) {
  struct {
    StringRef blocks;
    int64_t bi, bj, rn;
  } cases[] = {
      {"helion.block @bi tile\n helion.block @bj tile\n helion.block @rn slice", 32, 32, 1024},
      {"helion.block @bi tile\n helion.block @bj registered\n helion.block @rn tile", 16, 16, 16},
      {"helion.block @bi tile {max = 24}\n helion.block @bj tile {max = @bi}\n helion.block @rn slice", 24, 24, 1024},
      {"helion.block @bi tile {min = 48}\n helion.block @bj tile {multiple = 12}\n helion.block @rn slice {max = 256}",
       48, 24, 256},
      {"helion.block @bi fixed {value = 7}\n helion.block @bj tile {max = @bi}\n helion.block @rn slice", 7, 7, 1024},
  };
  for (const auto &test : cases) {
    KernelOp kernel = parse(test.blocks);
    ASSERT_TRUE(kernel) << test.blocks.str();
    auto extent = [&](StringRef name) { return defaultExtent(kernel.lookupSymbol<BlockOp>(name)); };
    EXPECT_EQ(extent("bi"), test.bi) << test.blocks.str();
    EXPECT_EQ(extent("bj"), test.bj) << test.blocks.str();
    EXPECT_EQ(extent("rn"), test.rn) << test.blocks.str();
  }
}

} // namespace
