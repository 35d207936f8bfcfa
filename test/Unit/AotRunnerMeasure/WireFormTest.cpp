// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests as the worker gets them: in-place arguments, fresh draws of inputs, calls of a package.
#include "aot-runner/Measure/WireForm.h"
#include "aot-runner/Measure/InputData.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace helion;
using namespace helion::aot;

static Row rowOf(llvm::StringRef args) {
  return llvm::cantFail(Row::parse(("{\"kernel\":\"k\",\"args\":" + args + "}").str(), "row"));
}

/// x (in place), n, eps, bias (none) and a result of x's sizes.
static Manifest manifest() {
  static constexpr llvm::StringLiteral text =
      R"json({"version":1,"kernel":"k","kernel_hash":"aa","target":"cpu:x86-64-v2",
    "config":"c","arguments":[{"name":"x","dtype":"f32","rank":2,"writes":true},{"name":"n","scalar":"i64"},
    {"name":"eps","scalar":"f32"},{"name":"bias","none":true}],"facts":[],"plan":{"checks":[],
    "outputs":[{"name":"out","dtype":"bf16","sizes":["x.size(1)","x.size(0)"]}],
    "workspace":[{"name":"ws","dtype":"f32","elements":"8"}],"steps":[]},
    "resources":{"code_bytes":1,"scratch_bytes":0},"toolchain":{"helion":"0","llvm":"22"},"object_hash":"bb"})json";
  return llvm::cantFail(Manifest::parse(text, "manifest"));
}

static std::string textOf(llvm::json::Value value) { return llvm::formatv("{0}", value); }

TEST(WireForm, CallInTheOrderOfTheFunction) {
  Row row = rowOf(R"({"x":{"shape":[2,3],"strides":[6,2],"dtype":"f32"},"n":7,"eps":1,"bias":null})");
  ResolvedPlan plan = llvm::cantFail(resolve(manifest(), row.binding()));
  llvm::json::Object call = wireCall("k_call", "k_threads", manifest(), row, plan);
  EXPECT_EQ(textOf(*call.get("symbol")), "\"k_call\"");
  EXPECT_EQ(textOf(*call.get("arguments")),
            R"([{"dtype":"f32","sizes":[2,3],"strides":[6,2],"tensor":"x"},{"index":7},{"dtype":"f64","scalar":1},)"
            R"({"index":0},{"dtype":"bf16","sizes":[3,2],"strides":[2,1],"tensor":"out"},{"pointer":"ws"},)"
            R"({"stream":true}])");
  plan.buffers.pop_back();
  llvm::json::Object without = wireCall("k_call", "k_threads", manifest(), row, plan);
  const llvm::json::Array &words = *without.getArray("arguments");
  EXPECT_EQ(textOf(words[words.size() - 2]), R"({"index":0})");
}

TEST(WireForm, InPlaceArgumentsAndDraws) {
  Row row = rowOf(R"({"x":{"shape":[2,3],"dtype":"f32"},"n":7,"eps":1,"bias":null})");
  ResolvedPlan plan = llvm::cantFail(resolve(manifest(), row.binding()));
  llvm::json::Array first = llvm::cantFail(wireBuffers(row, plan)), fresh = llvm::cantFail(wireBuffers(row, plan, 1));
  EXPECT_EQ(first[0].getAsObject()->getString("role"), "inout");
  EXPECT_NE(first[0].getAsObject()->getInteger("seed"), fresh[0].getAsObject()->getInteger("seed"));
  EXPECT_NE(caseName(row, plan), caseName(row, plan, 1));
  interp::HostTensor a = llvm::cantFail(inputTensor(row, "x")), b = llvm::cantFail(inputTensor(row, "x", 1));
  EXPECT_NE(std::memcmp(a.storage->data(), b.storage->data(), a.storage->size()), 0);
}

TEST(WireForm, Maps) {
  ResolvedPlan plan;
  plan.buffers.push_back({ResolvedBuffer::Role::Argument, "x", Dtype::BF16, {48, 100}, {128, 1}});
  ResolvedWord map;
  map.buffer = 0;
  map.byteOffset = 256;
  map.map = ResolvedMap{Dtype::BF16, {100, 47}, {256}, {64, 32}, 128};
  plan.steps = {ResolvedLaunch{"k_1", {3, 1, 1}, {map}, ThreadBlock{128, 0}}};
  EXPECT_EQ(textOf(wirePlan(plan)),
            R"({"steps":[{"arguments":[{"box":[64,32],"byte_offset":256,"dtype":"bf16","map":"x","sizes":[100,47],)"
            R"("strides":[256],"swizzle":128}],"grid":[3,1,1],"shared":0,"step":"launch","symbol":"k_1",)"
            R"("threads":128}]})");
}

TEST(WireForm, LaunchesOfAGpuSayTheirBlocks) {
  ResolvedPlan plan;
  plan.scratchBytes = 64;
  ResolvedLaunch cpu{"k_0", {2, 1, 1}, {}}, gpu{"k_1", {3, 1, 1}, {}, ThreadBlock{128, 4096}};
  plan.steps = {cpu, gpu};
  EXPECT_EQ(textOf(wirePlan(plan)),
            R"({"steps":[{"arguments":[],"grid":[2,1,1],"scratch_bytes":64,"step":"launch","symbol":"k_0"},)"
            R"({"arguments":[],"grid":[3,1,1],"shared":4096,"step":"launch","symbol":"k_1","threads":128}]})");
}
