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

helion::Binding row(int64_t m, int64_t n) {
  helion::Binding binding;
  binding.tensors["x"] = TensorBinding{Dtype::F32, {m, n}, {n, 1}, 16};
  return binding;
}

class RowSeedsTest : public ::testing::Test {
protected:
  void load(StringRef target) {
    llvm::Expected<const Device *> device = parseDevice(target);
    ASSERT_TRUE(bool(device)) << llvm::toString(device.takeError());
    llvm::Expected<SearchKernel> made = SearchKernel::make(kRowSums.str(), "f.mlir", **device);
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
      EXPECT_LE(held * rows, 64 * threads) << seed;
    }
  }
  // 8192 lanes over 32 for each thread.
  EXPECT_EQ(value(seeds({row(4096, 8192)}).front(), "num_warps", "f"), 8);
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

TEST_F(RowSeedsTest, SaysNothingBeyondItsModel) {
  load("nvidia:sm_90a");
  EXPECT_TRUE(seeds({row(4, 40000)}).empty()); // No block holds it.
  load("cpu:x86-64-v3");
  EXPECT_TRUE(seeds({row(4, 64)}).empty()); // No threads to choose.
}

} // namespace
