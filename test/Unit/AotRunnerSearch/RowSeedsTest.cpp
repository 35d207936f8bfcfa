// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds of rows: slices that just hold the row, threads for the stated elements each, and where the model says nothing.
#include "aot-runner/Search/CandidateSource.h"
#include "gtest/gtest.h"

using namespace helion;
using namespace helion::aot;
using llvm::StringRef;

namespace {

/// Sums of rows.
constexpr StringRef kRowSums = R"(
!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
!v = tensor<?x?xf32, #helion.dims<bi@i, rn@n>>
module attributes {helion.form = "kernel"} {
  helion.kernel @f(%x: !arg {helion.name = "x"}) -> memref<?xf32>
      attributes {helion.signature = {x = "f32[2]"}, helion.parameters = ["x"], helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %out = helion.empty(%m) {name = "out"} : memref<?xf32>
    helion.block @bi tile
    helion.block @rn slice
    helion.launch "f" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
        %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
        %v = helion.load %x[%i, %s] site "x.0" : !arg, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !v
        %r = helion.reduce addf %v dim 1 site "sum.0" : !v -> tensor<?xf32, #helion.dims<bi@i>>
        helion.store %r, %out[%i] site "out.0" : tensor<?xf32, #helion.dims<bi@i>>, memref<?xf32>, (!helion.tile<bi@i>)
      }
    }
    helion.return %out : memref<?xf32>
  }
})";

/// A launch that copies rows of x, and one that copies rows of y.
constexpr StringRef kTwoCopies = R"(
!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
module attributes {helion.form = "kernel"} {
  helion.kernel @f(%x: !arg {helion.name = "x"}, %y: !arg {helion.name = "y"}) -> (memref<?x?xf32>, memref<?x?xf32>)
      attributes {helion.signature = {x = "f32[2]", y = "f32[2]"}, helion.parameters = ["x", "y"], helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %p = memref.dim %y, %c0 : !arg
    %q = memref.dim %y, %c1 : !arg
    %outx = helion.empty(%m, %n) {name = "outx"} : memref<?x?xf32>
    %outy = helion.empty(%p, %q) {name = "outy"} : memref<?x?xf32>
    helion.block @bi tile
    helion.block @rn slice
    helion.block @bj tile
    helion.block @rq slice
    helion.launch "first" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
        %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
        %v = helion.load %x[%i, %s] site "x.0" : !arg, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> tensor<?x?xf32, #helion.dims<bi@i, rn@n>>
        helion.store %v, %outx[%i, %s] site "outx.0" : tensor<?x?xf32, #helion.dims<bi@i, rn@n>>, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<rn@n>)
      }
    }
    helion.launch "second" {
      helion.tile (%j: !helion.tile<bj@j>) = (%c0) to (%p) site "loop.j" {
        %s = helion.range %c0 to %q site "slice.q" : !helion.tile<rq@q>
        %v = helion.load %y[%j, %s] site "y.0" : !arg, (!helion.tile<bj@j>, !helion.tile<rq@q>) -> tensor<?x?xf32, #helion.dims<bj@j, rq@q>>
        helion.store %v, %outy[%j, %s] site "outy.0" : tensor<?x?xf32, #helion.dims<bj@j, rq@q>>, memref<?x?xf32>, (!helion.tile<bj@j>, !helion.tile<rq@q>)
      }
    }
    helion.return %outx, %outy : memref<?x?xf32>, memref<?x?xf32>
  }
})";

/// A tile of five slices.
constexpr StringRef kFiveSlices = R"(
!arg = memref<?x?x?x?x?xf32, strided<[?, ?, ?, ?, ?], offset: ?>>
module attributes {helion.form = "kernel"} {
  helion.kernel @f(%x: !arg {helion.name = "x"}) -> memref<?x?x?x?x?xf32>
      attributes {helion.signature = {x = "f32[5]"}, helion.parameters = ["x"], helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %n0 = memref.dim %x, %c0 : !arg
    %n1 = memref.dim %x, %c1 : !arg
    %n2 = memref.dim %x, %c2 : !arg
    %n3 = memref.dim %x, %c3 : !arg
    %n4 = memref.dim %x, %c4 : !arg
    %out = helion.empty(%n0, %n1, %n2, %n3, %n4) {name = "out"} : memref<?x?x?x?x?xf32>
    helion.block @bi tile
    helion.block @r0 slice
    helion.block @r1 slice
    helion.block @r2 slice
    helion.block @r3 slice
    helion.block @r4 slice
    helion.launch "f" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%c1) site "loop.i" {
        %a = helion.range %c0 to %n0 site "slice.0" : !helion.tile<r0@a>
        %b = helion.range %c0 to %n1 site "slice.1" : !helion.tile<r1@b>
        %c = helion.range %c0 to %n2 site "slice.2" : !helion.tile<r2@c>
        %d = helion.range %c0 to %n3 site "slice.3" : !helion.tile<r3@d>
        %e = helion.range %c0 to %n4 site "slice.4" : !helion.tile<r4@e>
        %v = helion.load %x[%a, %b, %c, %d, %e] site "x.0" : !arg, (!helion.tile<r0@a>, !helion.tile<r1@b>, !helion.tile<r2@c>, !helion.tile<r3@d>, !helion.tile<r4@e>) -> tensor<?x?x?x?x?xf32, #helion.dims<r0@a, r1@b, r2@c, r3@d, r4@e>>
        helion.store %v, %out[%a, %b, %c, %d, %e] site "out.0" : tensor<?x?x?x?x?xf32, #helion.dims<r0@a, r1@b, r2@c, r3@d, r4@e>>, memref<?x?x?x?x?xf32>, (!helion.tile<r0@a>, !helion.tile<r1@b>, !helion.tile<r2@c>, !helion.tile<r3@d>, !helion.tile<r4@e>)
      }
    }
    helion.return %out : memref<?x?x?x?x?xf32>
  }
})";

helion::Binding row(int64_t m, int64_t n) {
  helion::Binding binding;
  binding.tensors["x"] = TensorBinding{Dtype::F32, {m, n}, {n, 1}, 16};
  return binding;
}

class RowSeedsTest : public ::testing::Test {
protected:
  void load(StringRef target, StringRef text = kRowSums) {
    llvm::Expected<const Device *> device = parseDevice(target);
    ASSERT_TRUE(bool(device)) << llvm::toString(device.takeError());
    llvm::Expected<SearchKernel> made = SearchKernel::make(text.str(), "f.mlir", **device);
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    kernel.emplace(std::move(*made));
  }
  std::vector<std::string> seeds(std::vector<helion::Binding> rows, unsigned most = 100) {
    return CandidateSource(*kernel, 0).rowSeeds(rows, most);
  }
  int64_t value(const std::string &seed, StringRef knob, StringRef site) {
    llvm::Expected<Config> config = parseConfig(seed, kernel->getSpace());
    EXPECT_TRUE(bool(config)) << llvm::toString(config.takeError());
    return config ? *kernel->getSpace().valueOf(*config, knob, site).asInteger() : 0;
  }

  std::optional<SearchKernel> kernel;
};

TEST_F(RowSeedsTest, HoldTheRowWithTheStatedElements) {
  load("nvidia:sm_90a");
  for (int64_t n : {1, 8, 127, 128, 1000, 4096, 8193, 32768}) {
    std::vector<std::string> all = seeds({row(4096, n)});
    ASSERT_FALSE(all.empty()) << n;
    for (const std::string &seed : all) {
      int64_t held = value(seed, "block_sizes", "rn"), rows = value(seed, "block_sizes", "bi");
      EXPECT_GE(held, n) << seed;
      EXPECT_LT(held, std::max<int64_t>(2 * n, 9)) << seed;
      int64_t threads = 32 * value(seed, "num_warps", "f");
      EXPECT_GE(held * rows, std::min<int64_t>(8 * threads, held)) << seed;
      EXPECT_LE(held * rows, 128 * threads) << seed;
    }
  }
  // 8192 lanes over 32 for each thread.
  EXPECT_EQ(value(seeds({row(4096, 8192)}).front(), "num_warps", "f"), 8);
}

TEST_F(RowSeedsTest, RowsHaveTheLeastExtentThatThreadsShare) {
  load("nvidia:sm_90a");
  struct {
    int64_t n, held, warps; // The first seed has from 23 to 45 elements for each thread.
  } cases[] = {{768, 768, 1},   {1000, 1024, 1},    {3000, 3072, 4},
               {5120, 5120, 4}, {12544, 14336, 16}, {16384, 16384, 16}};
  for (auto [n, held, warps] : cases) {
    std::vector<std::string> all = seeds({row(4096, n)});
    ASSERT_FALSE(all.empty()) << n;
    EXPECT_EQ(value(all.front(), "block_sizes", "rn"), held) << n;
    EXPECT_EQ(value(all.front(), "num_warps", "f"), warps) << n;
    // No thread holds copies of another's: with the rows of a tile all share its even part.
    for (const std::string &seed : all) {
      int64_t extent = value(seed, "block_sizes", "rn"), rows = value(seed, "block_sizes", "bi");
      EXPECT_EQ((extent & -extent) * rows % (32 * value(seed, "num_warps", "f")), 0) << n << " " << seed;
    }
  }
  // 64 elements: 8 warps move vectors of 4 floats, thirteen times.
  std::vector<std::string> all = seeds({row(4096, 12544)});
  EXPECT_TRUE(llvm::any_of(all, [&](const std::string &seed) {
    return value(seed, "block_sizes", "rn") == 13312 && value(seed, "num_warps", "f") == 8;
  }));
}

TEST_F(RowSeedsTest, RowsThatFillAProcessorAreLoadedAhead) {
  load("nvidia:sm_90a");
  auto loadsAhead = [&](const std::string &seed) { return value(seed, "num_stages", "f") == 2; };
  EXPECT_TRUE(llvm::any_of(seeds({row(4096, 17000)}), loadsAhead));
  EXPECT_TRUE(llvm::none_of(seeds({row(4096, 8192)}), loadsAhead));
}

TEST_F(RowSeedsTest, AnEarlierLaunchPlacesASharedSlice) {
  std::string text = StringRef(kTwoCopies).str();
  for (size_t at; (at = text.find("rq@q")) != std::string::npos;)
    text.replace(at, 4, "rn@q");
  text.replace(text.find("helion.block @rq slice"), strlen("helion.block @rq slice"), "");
  load("nvidia:sm_90a", text);
  helion::Binding both = row(64, 5000);
  both.tensors["y"] = TensorBinding{Dtype::F32, {64, 5000}, {5000, 1}, 16};
  std::vector<std::string> all = seeds({both});
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(value(all.front(), "block_sizes", "rn"), 5120);
}

TEST_F(RowSeedsTest, TilesEndWhereTheRowDoes) {
  load("nvidia:sm_90a");
  for (const std::string &seed : seeds({row(2, 16)}))
    EXPECT_LE(value(seed, "block_sizes", "bi"), 2) << seed;
}

TEST_F(RowSeedsTest, TheFirstOfEachRowComeFirst) {
  load("nvidia:sm_90a");
  std::vector<std::string> two = seeds({row(64, 1024), row(64, 8192)}, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(value(two[0], "block_sizes", "rn"), 1024);
  EXPECT_EQ(value(two[1], "block_sizes", "rn"), 8192);
  EXPECT_EQ(seeds({row(64, 1024), row(64, 1024)}), seeds({row(64, 1024)}));
}

TEST_F(RowSeedsTest, EachLaunchHoldsItsOwnSlices) {
  load("nvidia:sm_90a", kTwoCopies);
  helion::Binding both = row(64, 128);
  both.tensors["y"] = TensorBinding{Dtype::F32, {64, 8192}, {8192, 1}, 16};
  std::vector<std::string> all = seeds({both});
  ASSERT_FALSE(all.empty());
  // 32 elements for each thread: one warp holds 8 rows of 128, 8 warps one of 8192.
  EXPECT_EQ(value(all.front(), "block_sizes", "rn"), 128);
  EXPECT_EQ(value(all.front(), "num_warps", "first"), 1);
  EXPECT_EQ(value(all.front(), "block_sizes", "bi"), 8);
  EXPECT_EQ(value(all.front(), "block_sizes", "rq"), 8192);
  EXPECT_EQ(value(all.front(), "num_warps", "second"), 8);
  EXPECT_EQ(value(all.front(), "block_sizes", "bj"), 1);
}

TEST_F(RowSeedsTest, SlicesWhoseProductIsBeyond64BitsHaveNone) {
  load("nvidia:sm_90a", kFiveSlices);
  helion::Binding huge;
  huge.tensors["x"] = TensorBinding{Dtype::F32, std::vector<int64_t>(5, 20000), std::vector<int64_t>(5, 1), 16};
  EXPECT_TRUE(seeds({huge}).empty());
}

TEST_F(RowSeedsTest, LongRowsAreWalkedByManyThreads) {
  load("nvidia:sm_90a");
  std::vector<std::string> all = CandidateSource(*kernel, 0).longRows();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(value(all.front(), "num_warps", "f"), 32);
  EXPECT_EQ(value(all.front(), "reduction_loops", "slice.n"), 8192);
  for (const std::string &seed : all) {
    EXPECT_EQ(value(seed, "block_sizes", "bi"), 1) << seed;
    // Legal on any dense row whose size is a multiple of 16 bytes.
    llvm::Expected<Artifact> artifact = kernel->compile(seed);
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    for (int64_t n : {64, 32768, 1 << 24})
      EXPECT_TRUE(llvm::cantFail(checkPredicate(artifact->manifest.facts, row(16, n)))) << seed << " " << n;
  }
  load("nvidia:sm_90a", kTwoCopies);
  ASSERT_FALSE(CandidateSource(*kernel, 0).longRows().empty());
  std::string first = CandidateSource(*kernel, 0).longRows().front();
  EXPECT_EQ(value(first, "reduction_loops", "slice.n"), 8192);
  EXPECT_EQ(value(first, "reduction_loops", "slice.q"), 8192);
  load("cpu:x86-64-v3");
  EXPECT_TRUE(CandidateSource(*kernel, 0).longRows().empty());
}

TEST_F(RowSeedsTest, SaysNothingBeyondItsModel) {
  load("nvidia:sm_90a");
  EXPECT_TRUE(seeds({row(4, 40000)}).empty()); // No block holds it.
  load("cpu:x86-64-v3");
  EXPECT_TRUE(seeds({row(4, 64)}).empty()); // No threads to choose.
}

} // namespace
