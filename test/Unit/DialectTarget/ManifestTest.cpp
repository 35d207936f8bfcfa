// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Manifests: canonical bytes, strict reading, and what verify refuses.
#include "dialect/Target/Manifest.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace helion;

namespace {

// Canonical: sorted keys, one line (broken here for reading).
const std::string canonical =
    R"J({"arguments":[{"dtype":"f32","name":"x","rank":2},{"dtype":"f32","name":"acc","rank":1,"writes":true},)J"
    R"J({"name":"eps","scalar":"f32"},{"name":"bias","none":true},{"name":"n","scalar":"i64","value":64},)J"
    R"J({"name":"flag","scalar":"bool","value":true}],)J"
    R"J("config":"helion-config{v=1},helion-tile-loops{block=bm=32}",)J"
    R"J("facts":["x.stride(1) == 1","x.size(1) % 8 == 0","overlap(acc, x) == none"],)J"
    R"J("kernel":"k","kernel_hash":"00","object_hash":"11",)J"
    R"J("plan":{"checks":[{"message":"x.size(1) == n","pred":"x.size(1) == n"}],)J"
    R"J("outputs":[{"dtype":"bf16","name":"out","sizes":["x.size(0)","4"]}],)J"
    R"J("steps":[{"buffer":"out","dtype":"bf16","elements":"x.size(0) * 4","step":"fill","value":"-inf"},)J"
    R"J({"arguments":[{"offset":"0","pointer":"x"},{"offset":"0","pointer":"tmp"},{"index":"x.size(0)"},)J"
    R"J({"dtype":"f32","scalar":"eps"}],"grid":["x.size(0) ceildiv 32","1","dev.cores"],"step":"launch",)J"
    R"J("symbol":"k_0"}],)J"
    R"J("workspace":[{"dtype":"f32","elements":"x.size(0) + 1","name":"tmp"}]},)J"
    R"J("resources":{"code_bytes":1000,"scratch_bytes":64},"target":"cpu:x86-64-v3",)J"
    R"J("toolchain":{"helion":"0.1.0","llvm":"22.1"},"version":1})J";

std::string reread(const std::string &text) {
  Expected<Manifest> manifest = Manifest::parse(text, "m.json");
  return manifest ? manifest->text() : toString(manifest.takeError());
}

/// The canonical text with one piece replaced.
std::string with(StringRef from, StringRef to) {
  std::string text = canonical;
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

TEST(Manifest, CanonicalBytes) {
  EXPECT_EQ(reread(canonical), canonical);
  EXPECT_EQ(reread(with("x.size(0) ceildiv 32", "( x.size(0) )  ceildiv 32")), canonical);
  EXPECT_EQ(reread(with("\"4\"", "4")), canonical);
}

TEST(Manifest, OfAGpu) {
  std::string text = with(R"("step":"launch",)", R"("shared":2048,"step":"launch",)");
  for (auto [from, to] :
       {std::pair(
            R"("resources":{"code_bytes":1000,"scratch_bytes":64})",
            R"("resources":{"code_bytes":1000,"registers":40,"scratch_bytes":0,"shared_bytes":2048,"spill_bytes":0})"),
        std::pair(R"("symbol":"k_0")", R"("symbol":"k_0","threads":128)"),
        std::pair(R"("toolchain":{)", R"("toolchain":{"assembler":"ptxas 13.0",)")})
    text.replace(text.find(from), StringRef(from).size(), to);
  EXPECT_EQ(reread(text), text);
  Manifest manifest = cantFail(Manifest::parse(text, "m.json"));
  EXPECT_EQ(manifest.resources.threads->registers, 40);
  EXPECT_EQ(std::get<PlanLaunch>(manifest.plan.steps[1]).block->threads, 128);
}

/// The canonical text for a GPU; its launch takes a map of `x` before all words, with one piece replaced.
std::string withMap(StringRef from = "", StringRef to = "") {
  std::string map = R"J({"box":[64,128],"dtype":"bf16","map":"x","offset":"x.stride(0) * 2",)J"
                    R"J("sizes":["x.size(1)","x.size(0)"],"strides":["x.stride(0)"],"swizzle":128})J";
  map.replace(map.find(from.str()), from.size(), to);
  std::string text = with(R"("step":"launch",)", R"("shared":0,"step":"launch",)");
  for (auto [piece, changed] : {std::pair(R"("arguments":[{"offset")", R"("arguments":[)" + map + R"(,{"offset")"),
                                std::pair(R"("symbol":"k_0")", std::string(R"("symbol":"k_0","threads":128)")),
                                std::pair("cpu:x86-64-v3", std::string("nvidia:sm_90a"))})
    text.replace(text.find(piece), StringRef(piece).size(), changed);
  return text;
}

TEST(Manifest, Map) {
  EXPECT_EQ(reread(withMap()), withMap());
  Manifest manifest = cantFail(Manifest::parse(withMap(), "m.json"));
  const PlanArgument &argument = std::get<PlanLaunch>(manifest.plan.steps[1]).arguments.front();
  EXPECT_EQ(argument.kind, PlanArgument::Kind::Map);
  EXPECT_EQ(argument.name, "x");
  EXPECT_EQ(argument.value.str(), "x.stride(0) * 2");
  EXPECT_EQ(argument.dtype, Dtype::BF16);
  EXPECT_EQ(argument.map.sizes[1].str(), "x.size(0)");
  EXPECT_EQ(argument.map.strides[0].str(), "x.stride(0)");
  EXPECT_EQ(argument.map.box, (std::vector<int64_t>{64, 128}));
  EXPECT_EQ(argument.map.swizzle, 128);
}

TEST(Manifest, ErrorsOfMaps) {
  struct Case {
    const char *from, *to;
    const char *place;
    const char *expected;
  };
  const Case cases[] = {
      {R"("swizzle":128)", R"("swizzle":128,"l2":1)", "\"l2\"",
       "unknown key `l2`; known are `box`, `dtype`, `map`, `offset`, `sizes`, `strides`, `swizzle`"},
      {R"(,"swizzle":128)", "", "{\"box\"", "key `swizzle` is missing"},
      {R"("box":[64,128])", R"("box":["64",128])", "\"64\"", "saw `\"64\"`, expected an integer"},
      {R"J(["x.size(1)","x.size(0)"])J", "[]", "{\"box\"", "map of `x` has `0` sizes; 1 to 5 are allowed"},
      {R"J(["x.size(1)","x.size(0)"])J", "[1,1,1,1,1,1]", "{\"box\"", "map of `x` has `6` sizes; 1 to 5 are allowed"},
      {R"J(["x.stride(0)"])J", "[1,8]", "{\"box\"",
       "map of `x` has `2` strides for `2` sizes; all dims but the first have one"},
      {"[64,128]", "[64]", "{\"box\"", "map of `x` has a box of `1` dims for `2` sizes"},
      {"[64,128]", "[64,0]", "{\"box\"", "map of `x` has a box with a dim of `0`; 1 to 256 are allowed"},
      {"[64,128]", "[64,257]", "{\"box\"", "map of `x` has a box with a dim of `257`; 1 to 256 are allowed"},
      {R"("swizzle":128)", R"("swizzle":16)", "{\"box\"",
       "map of `x` has the swizzle `16`; 0, 32, 64 and 128 are allowed"},
      {"[64,128]", "[20,128]", "{\"box\"",
       "map of `x` has a box with a first dim of `40` bytes; a multiple of 16 is needed"},
      {"[64,128]", "[128,128]", "{\"box\"",
       "map of `x` has a box with a first dim of `256` bytes, more than its swizzle `128`"},
      {R"("map":"x")", R"("map":"eps")", "{", "`eps` names no buffer"},
      {R"J("x.size(1)",)J", R"J("x.size(2)",)J", "{", "`x.size(2)` is beyond the rank `2` of `x`"},
      {R"J(["x.stride(0)"])J", R"J(["y.stride(0)"])J", "{", "`y.stride(0)` names no tensor argument"},
      {R"("x.stride(0) * 2")", R"("m")", "{", "`m` names no scalar argument"},
  };
  for (const Case &c : cases) {
    std::string text = withMap(c.from, c.to);
    size_t column = text.find(c.place) + 1;
    EXPECT_EQ(reread(text), "m.json:1:" + std::to_string(column) + ": " + c.expected);
  }
}

TEST(Manifest, MapsAreForGpus) {
  const char *expected = "m.json:1:1: `k_0` takes a map of `x`; only launches on a GPU can";
  std::string text = withMap();
  StringRef target = "nvidia:sm_90a";
  text.replace(text.find(target), target.size(), "cpu:x86-64-v3");
  EXPECT_EQ(reread(text), expected);
}

TEST(Manifest, ArtifactHash) {
  auto hash = [](const std::string &text) { return cantFail(Manifest::parse(text, "m.json")).artifactHash(); };
  EXPECT_EQ(hash(with("bm=32", "bm=64")), hash(canonical));
  EXPECT_EQ(hash(with("22.1", "22.2")), hash(canonical));
  EXPECT_NE(hash(with("% 8", "% 4")), hash(canonical));
  EXPECT_NE(hash(with("\"object_hash\":\"11\"", "\"object_hash\":\"12\"")), hash(canonical));
}

TEST(Manifest, Errors) {
  struct Case {
    const char *from, *to;
    const char *place; // Where the error is: the first of this text in the changed manifest.
    const char *expected;
  };
  const Case cases[] = {
      {"\"version\":1", "\"version\":77", "77", "saw `77`, expected 1"},
      {"\"kernel\":\"k\"", "\"kernel\":7", "7,\"kernel_hash", "saw `7`, expected a string"},
      {"\"target\"", "\"device\"", "{", "key `target` is missing"},
      {"\"rank\":2", "\"rank\":2,\"ran\":1", "\"ran\"",
       "unknown key `ran`; known are `dtype`, `name`, `rank`, `writes`"},
      {"\"dtype\":\"f32\"", "\"dtype\":\"float\"", "\"float\"",
       "saw `\"float\"`, expected one of `f32`, `f16`, `bf16`, `f64`, `i8`, `i16`, `i32`, `i64`, `ui8`, `bool`, "
       "`f8e4m3`, `f8e5m2`"},
      {"\"none\":true", "\"none\":false", "false", "saw `false`, expected `true`"},
      {"x.stride(1) == 1", "x.stride(1) = 1", "\"x.stride(1) = 1",
       "in `x.stride(1) = 1`, column 13: saw `=`, expected an operator or one of `==`, `!=`, `<=`, `<`, `>=`, `>`"},
      {"x.size(0) * 4", "x.size(0) *", "\"x.size(0) *",
       "in `x.size(0) *`, column 12: saw the end, expected an integer, a name, `min`, `max` or `(`"},
      {"\"step\":\"fill\"", "\"step\":\"copy\"", "\"copy\"", "saw `\"copy\"`, expected `fill` or `launch`"},
      {",\"value\":\"-inf\"", "", "{\"buffer\"", "key `value` is missing"},
      {"\"value\":64", "\"value\":6.5", "6.5", "saw `6.5`, expected an integer"},
      {"x.size(0) ceildiv 32", "x.size(2) ceildiv 32", "{", "`x.size(2)` is beyond the rank `2` of `x`"},
      {"\"index\":\"x.size(0)\"", "\"index\":\"eps.size(0)\"", "{", "`eps.size(0)` names no tensor argument"},
      {"\"index\":\"x.size(0)\"", "\"index\":\"m\"", "{", "`m` names no scalar argument"},
      {"\"pointer\":\"tmp\"", "\"pointer\":\"temp\"", "{", "`temp` names no buffer"},
      {"\"buffer\":\"out\"", "\"buffer\":\"eps\"", "{", "`eps` names no buffer"},
      {"\"name\":\"tmp\"", "\"name\":\"x\"", "{", "`x` is declared twice"},
      {",\"dev.cores\"]", "]", "{", "the grid of `k_0` has `2` sizes, not 3"},
      {"\"symbol\":\"k_0\"", "\"symbol\":\"k_0\",\"threads\":128", "{\"arguments\":[{\"offset",
       "key `shared` is missing"},
      {"\"symbol\":\"k_0\"", "\"symbol\":\"k_0\",\"threads\":0,\"shared\":-1", "{",
       "`k_0` has blocks of `0` threads and `-1` shared bytes; at least 1 and 0 are allowed"},
      {"\"scratch_bytes\":64", "\"scratch_bytes\":64,\"registers\":4", "{\"code_bytes", "key `spill_bytes` is missing"},
      {"overlap(acc, x)", "overlap(acc, y)", "{", "`overlap(acc, y) == none` names no argument `y`"},
      {"\"scalar\":\"eps\"", "\"scalar\":\"n\"", "{", "scalar `n` is `i64`, a launch wants `f32`"},
  };
  for (const Case &c : cases) {
    std::string text = with(c.from, c.to);
    size_t column = text.find(c.place) + 1;
    EXPECT_EQ(reread(text), "m.json:1:" + std::to_string(column) + ": " + c.expected);
  }
}

} // namespace
