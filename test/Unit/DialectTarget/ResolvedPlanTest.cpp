// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch plans as numbers: spans of buffers, words, skipped launches, and calls that do not fit.
#include "dialect/Target/ResolvedPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace llvm;
using namespace helion;

namespace {

SizeExpr expr(StringRef text) { return cantFail(SizeExpr::parse(text)); }

Manifest makeManifest() {
  Manifest manifest;
  manifest.arguments = {{"x", Argument::Kind::Tensor, Dtype::BF16, 2, false, {}},
                        {"eps", Argument::Kind::Scalar, Dtype::F32, 0, false, {}},
                        {"bias", Argument::Kind::None, Dtype::F32, 0, false, {}},
                        {"n", Argument::Kind::Fixed, Dtype::I64, 0, false, Scalar::ofInteger(6)}};
  manifest.facts = {cantFail(Pred::parse("x.stride(1) == 1")), cantFail(Pred::parse("x.align % 16 == 0"))};
  LaunchPlan &plan = manifest.plan;
  plan.checks = {{cantFail(Pred::parse("x.size(1) == n")), "x.size(1) == n"}};
  plan.outputs = {{"out", Dtype::F32, {expr("x.size(0)"), expr("n")}}};
  plan.workspace = {{"tmp", Dtype::F64, expr("x.size(0) ceildiv 4 * dev.cores")}};
  plan.steps = {PlanFill{"out", expr("x.size(0) * n"), Scalar::ofReal(1, Dtype::F32)},
                PlanLaunch{"k_0",
                           {expr("x.size(0) ceildiv 4"), expr("1"), expr("1")},
                           {{PlanArgument::Kind::Pointer, "x", expr("x.stride(0)"), Dtype::F32},
                            {PlanArgument::Kind::Pointer, "tmp", expr("1"), Dtype::F32},
                            {PlanArgument::Kind::Index, "", expr("x.size(0) - 100"), Dtype::F32},
                            {PlanArgument::Kind::Scalar, "eps", SizeExpr(), Dtype::F32},
                            {PlanArgument::Kind::Scalar, "n", SizeExpr(), Dtype::I32}}}};
  manifest.resources.scratchBytes = 128;
  return manifest;
}

Binding makeBinding(int64_t rows, int64_t stride) {
  Binding binding;
  binding.tensors["x"] = {Dtype::BF16, {rows, 6}, {stride, 1}, 16};
  binding.scalars["eps"] = Scalar::ofReal(0.5);
  binding.device["cores"] = 3;
  return binding;
}

std::string resolveError(const Manifest &manifest, const Binding &binding) {
  Expected<ResolvedPlan> plan = resolve(manifest, binding);
  return plan ? "ok" : toString(plan.takeError());
}

TEST(ResolvedPlan, Numbers) {
  ResolvedPlan plan = cantFail(resolve(makeManifest(), makeBinding(9, -8)));
  ASSERT_EQ(plan.buffers.size(), 3u);
  EXPECT_EQ(plan.buffers[0].beginByte, -8 * 8 * 2);
  EXPECT_EQ(plan.buffers[0].endByte, 6 * 2);
  EXPECT_EQ(plan.buffers[1].sizes, (std::vector<int64_t>{9, 6}));
  EXPECT_EQ(plan.buffers[1].strides, (std::vector<int64_t>{6, 1}));
  EXPECT_EQ(plan.buffers[1].endByte, 9 * 6 * 4);
  EXPECT_EQ(plan.buffers[2].endByte, 3 * 3 * 8);
  EXPECT_EQ(plan.scratchBytes, 128);
  ASSERT_EQ(plan.steps.size(), 2u);
  const ResolvedFill &fill = std::get<ResolvedFill>(plan.steps[0]);
  EXPECT_EQ(fill.buffer, 1u);
  EXPECT_EQ(fill.bytes, 9 * 6 * 4);
  EXPECT_EQ(fill.pattern, std::string("\0\0\x80\x3f", 4));
  const ResolvedLaunch &launch = std::get<ResolvedLaunch>(plan.steps[1]);
  EXPECT_EQ(launch.grid[0], 3);
  ASSERT_EQ(launch.words.size(), 5u);
  EXPECT_EQ(launch.words[0].buffer, 0u);
  EXPECT_EQ(launch.words[0].byteOffset, -16);
  EXPECT_EQ(launch.words[1].buffer, 2u);
  EXPECT_EQ(launch.words[1].byteOffset, 8);
  EXPECT_EQ(launch.words[2].bits, uint64_t(-91));
  EXPECT_EQ(launch.words[3].bits, 0x3f000000u);
  EXPECT_EQ(launch.words[4].bits, 6u);
}

TEST(ResolvedPlan, BlocksOfAGpu) {
  Manifest manifest = makeManifest();
  std::get<PlanLaunch>(manifest.plan.steps[1]).block = {128, 4096};
  ResolvedPlan plan = cantFail(resolve(manifest, makeBinding(9, 8)));
  const ResolvedLaunch &launch = std::get<ResolvedLaunch>(plan.steps[1]);
  ASSERT_TRUE(launch.block);
  EXPECT_EQ(launch.block->threads, 128);
  EXPECT_EQ(launch.block->sharedBytes, 4096);
}

Manifest makeManifestWithMap() {
  Manifest manifest = makeManifest();
  manifest.target = "nvidia:sm_90a";
  PlanLaunch &launch = std::get<PlanLaunch>(manifest.plan.steps[1]);
  launch.block = {128, 4096};
  // A dtype of its own: the offset and strides count in it.
  PlanMap map{{expr("n"), expr("x.size(0) - 1")}, {expr("x.stride(0)")}, {8, 16}, 32};
  launch.arguments.push_back({PlanArgument::Kind::Map, "x", expr("x.stride(0)"), Dtype::F32, map});
  return manifest;
}

TEST(ResolvedPlan, Map) {
  ResolvedPlan plan = cantFail(resolve(makeManifestWithMap(), makeBinding(9, 8)));
  const ResolvedWord &word = std::get<ResolvedLaunch>(plan.steps[1]).words.back();
  EXPECT_EQ(word.buffer, 0u);
  EXPECT_EQ(word.byteOffset, 32);
  ASSERT_TRUE(word.map);
  EXPECT_EQ(word.map->dtype, Dtype::F32);
  EXPECT_EQ(word.map->sizes, (std::vector<int64_t>{6, 8}));
  EXPECT_EQ(word.map->byteStrides, (std::vector<int64_t>{32}));
  EXPECT_EQ(word.map->box, (std::vector<int64_t>{8, 16}));
  EXPECT_EQ(word.map->swizzle, 32);
}

TEST(ResolvedPlan, MapsThatDoNotFit) {
  Manifest manifest = makeManifestWithMap();
  PlanMap &map = std::get<PlanLaunch>(manifest.plan.steps[1]).arguments.back().map;
  map.sizes[1] = expr("x.size(0) - 10");
  EXPECT_EQ(resolveError(manifest, makeBinding(9, 8)),
            "size of a map `x.size(0) - 10` is `-1`; it may not be negative");
  map.sizes[1] = expr("x.size(0)");
  map.strides[0] = expr("4611686018427387904");
  EXPECT_EQ(resolveError(manifest, makeBinding(9, 8)),
            "stride `4611686018427387904` of `x` has more bytes than 64 bits can count");
  // Nothing runs, so nothing is asked of the map.
  EXPECT_EQ(resolveError(manifest, makeBinding(0, 8)), "ok");
  // A writer's mistake, not read from a text.
  map = {{expr("1")}, {}, {4, 4}, 0};
  EXPECT_EQ(resolveError(manifest, makeBinding(9, 8)), "map of `x` has a box of `2` dims for `1` sizes");
}

TEST(ResolvedPlan, EmptyWorkIsLeftOut) {
  ResolvedPlan plan = cantFail(resolve(makeManifest(), makeBinding(0, 6)));
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_EQ(plan.buffers[1].endByte, 0);
}

TEST(ResolvedPlan, CallsThatDoNotFit) {
  Manifest manifest = makeManifest();
  Binding binding = makeBinding(9, 8);
  EXPECT_EQ(resolveError(manifest, binding), "ok");
  binding.tensors["x"].sizes[1] = 5;
  EXPECT_EQ(resolveError(manifest, binding), "x.size(1) == n");
  binding = makeBinding(9, 8);
  binding.tensors["x"].dtype = Dtype::F16;
  EXPECT_EQ(resolveError(manifest, binding), "argument `x` is `f16`, expected `bf16`");
  binding = makeBinding(9, 8);
  binding.tensors["x"].sizes.pop_back();
  EXPECT_EQ(resolveError(manifest, binding), "argument `x` has rank `1`, expected `2`");
  binding = makeBinding(9, 8);
  binding.scalars["n"] = Scalar::ofInteger(7);
  EXPECT_EQ(resolveError(manifest, binding), "argument `n` is `7`, this artifact serves `6` only");
  binding = makeBinding(9, 8);
  binding.scalars.erase("eps");
  EXPECT_EQ(resolveError(manifest, binding), "argument `eps` is missing");
  binding.scalars["eps"] = Scalar::ofInteger(1);
  EXPECT_EQ(resolveError(manifest, binding), "ok"); // An integer may stand for a real.
  binding.scalars["n"] = Scalar::ofReal(6);
  EXPECT_EQ(resolveError(manifest, binding), "argument `n` is `f64`, expected `i64`");
  binding = makeBinding(9, 8);
  binding.device.clear();
  EXPECT_EQ(resolveError(manifest, binding), "`dev.cores` has no value");
  binding = makeBinding(std::numeric_limits<int64_t>::max(), 8);
  EXPECT_EQ(resolveError(manifest, binding), "buffer `x` has more bytes than 64 bits can count");
  manifest.plan.workspace[0].elements = expr("x.size(0) - 10");
  EXPECT_EQ(resolveError(manifest, makeBinding(9, 8)),
            "workspace size `x.size(0) - 10` is `-1`; it may not be negative");
  manifest = makeManifest();
  std::get<PlanFill>(manifest.plan.steps[0]).elements = expr("x.size(0) * 7");
  EXPECT_EQ(resolveError(manifest, makeBinding(9, 8)), "fill of `63` elements is beyond buffer `out`");
  manifest = makeManifest();
  std::get<PlanLaunch>(manifest.plan.steps[1]).grid[1] = expr("4611686018427387904");
  EXPECT_EQ(resolveError(manifest, makeBinding(9, 8)), "grid of `k_0` has more programs than 64 bits can count");
}

TEST(ResolvedPlan, Facts) {
  Manifest manifest = makeManifest();
  Binding binding = makeBinding(9, 8);
  std::string failing;
  EXPECT_TRUE(cantFail(checkPredicate(manifest.facts, binding, &failing)));
  binding.tensors["x"].align = 8;
  EXPECT_FALSE(cantFail(checkPredicate(manifest.facts, binding, &failing)));
  EXPECT_EQ(failing, "x.align % 16 == 0");
  Pred overlap = cantFail(Pred::parse("overlap(a, b) == none"));
  EXPECT_TRUE(cantFail(checkPredicate(overlap, binding)));
  binding.overlaps[{"a", "b"}] = Overlap::Partial;
  EXPECT_FALSE(cantFail(checkPredicate(overlap, binding)));
}

TEST(ResolvedPlan, FactsOnOutputs) {
  Manifest manifest = makeManifest();
  manifest.facts.push_back(cantFail(Pred::parse("out.align % 32 == 0")));
  EXPECT_EQ(toString(manifest.verify()), "");
  Binding binding = makeBinding(9, 6);
  EXPECT_TRUE(cantFail(checkPredicate(manifest.facts, binding)));
  binding.outputAlign = 16;
  EXPECT_FALSE(cantFail(checkPredicate(manifest.facts, binding)));
  // Its sizes are expressions over arguments, which are asked themselves.
  manifest.facts.push_back(cantFail(Pred::parse("out.size(0) == 4")));
  EXPECT_NE(toString(manifest.verify()), "");
}

TEST(ResolvedPlan, EncodeScalar) {
  auto hex = [](Scalar value) {
    Expected<std::string> bytes = encodeScalar(value);
    return bytes ? toHex(*bytes, true) : toString(bytes.takeError());
  };
  EXPECT_EQ(hex(Scalar::ofReal(1, Dtype::F16)), "003c");
  EXPECT_EQ(hex(Scalar::ofReal(1.00390625, Dtype::BF16)), "803f"); // Halfway: to even.
  EXPECT_EQ(hex(Scalar::ofReal(448, Dtype::F8E4M3)), "7e");
  EXPECT_EQ(hex(Scalar::ofReal(-HUGE_VAL, Dtype::F64)), "000000000000f0ff");
  EXPECT_EQ(hex(Scalar::ofInteger(-2, Dtype::I16)), "feff");
  EXPECT_EQ(hex(Scalar::ofInteger(200, Dtype::UI8)), "c8");
  EXPECT_EQ(hex(Scalar::ofInteger(200, Dtype::I8)), "`200` does not fit `i8`");
  EXPECT_EQ(hex(Scalar::ofInteger(2, Dtype::Bool)), "`2` does not fit `bool`");
}

} // namespace
