// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuned files: canonical bytes, strict reading, and what a tree chooses.
#include "aot-runner/Journal/Tuned.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace llvm;
using namespace helion;
using namespace helion::aot;

namespace {

Tuned makeTuned() {
  Tuned tuned;
  tuned.kernel = "mm";
  tuned.kernelHash = "aa";
  tuned.target = "cpu:x86-64-v3";
  tuned.goal = "max_slowdown";
  tuned.threshold = 1.01;
  tuned.poolSize = 64;
  tuned.deviceClass = "cpu";
  tuned.protocol = "p1";
  tuned.unmeasured = 3;
  TunedSignature signature;
  signature.name = "x=bf16[2]";
  signature.kernelHash = "bb";
  signature.anchor = "c0";
  signature.arguments = {{"x", Argument::Kind::Tensor, Dtype::BF16, 2, false, {}}};
  signature.variants = {{0, "helion-config{v=1}", "c0", {1000, 64}, true},
                        {1, "helion-config{v=1},t", "c1", {9, 0}, false, true, true}};
  for (int64_t size : {100, 20}) {
    TunedRow row;
    row.row = cantFail(Row::parse(
        R"({"kernel":"mm","args":{"x":{"shape":[)" + std::to_string(size) + R"(,8],"dtype":"bf16"}}})", "r"));
    row.row.weight = size;
    row.row.group = "g";
    row.best = {double(size), double(size) - 0.5, double(size) + 0.25};
    row.variants[0] = {double(size) + 1, double(size), double(size) + 2};
    row.anchor = row.variants[0];
    signature.rows.push_back(row);
  }
  unsigned root = signature.tree.addSplit(SizeExpr::size("x", 0), 64);
  unsigned small = signature.tree.addLeaf(1), large = signature.tree.addLeaf(0);
  signature.tree.nodes[root].thenNode = small;
  signature.tree.nodes[root].elseNode = large;
  tuned.signatures = {signature};
  return tuned;
}

const char canonical[] =
    R"J({"device_class":"cpu","goal":"max_slowdown","kernel":"mm","kernel_hash":"aa","pool":64,"protocol":"p1","record":"header","target":"cpu:x86-64-v3","threshold":1.01,"unmeasured":3,"version":3}
{"anchor":"c0","arguments":[{"dtype":"bf16","name":"x","rank":2}],"kernel_hash":"bb","name":"x=bf16[2]","record":"signature"}
{"artifact":"c0","config":"helion-config{v=1}","record":"variant","resources":{"code_bytes":1000,"scratch_bytes":64},"signature":"x=bf16[2]","universal":true,"variant":0}
{"artifact":"c1","beyond":true,"config":"helion-config{v=1},t","reaches":true,"record":"variant","resources":{"code_bytes":9,"scratch_bytes":0},"signature":"x=bf16[2]","variant":1}
{"anchor":{"high":22,"low":20,"median":21},"best":{"high":20.25,"low":19.5,"median":20},"group":"g","record":"row","row":{"args":{"x":{"align":16,"dtype":"bf16","init":"normal","shape":[20,8],"strides":[8,1]}},"kernel":"mm"},"signature":"x=bf16[2]","variants":{"0":{"high":22,"low":20,"median":21}},"weight":20}
{"anchor":{"high":102,"low":100,"median":101},"best":{"high":100.25,"low":99.5,"median":100},"group":"g","record":"row","row":{"args":{"x":{"align":16,"dtype":"bf16","init":"normal","shape":[100,8],"strides":[8,1]}},"kernel":"mm"},"signature":"x=bf16[2]","variants":{"0":{"high":102,"low":100,"median":101}},"weight":100}
{"record":"tree","signature":"x=bf16[2]","tree":{"else":{"variant":0},"feature":"x.size(0)","le":64,"then":{"variant":1}}}
)J";

/// As the second version wrote it.
const char second[] =
    R"J({"device_class":"cpu","goal":"max_slowdown","kernel":"mm","kernel_hash":"aa","pool":64,"protocol":"p1","record":"header","target":"cpu:x86-64-v3","threshold":1.01,"unmeasured":3,"version":2}
{"anchor":"c0","arguments":[{"dtype":"bf16","name":"x","rank":2}],"kernel_hash":"bb","name":"x=bf16[2]","record":"signature"}
{"artifact":"c0","config":"helion-config{v=1}","record":"variant","resources":{"code_bytes":1000,"scratch_bytes":64},"signature":"x=bf16[2]","universal":true,"variant":0}
{"artifact":"c1","config":"helion-config{v=1},t","record":"variant","resources":{"code_bytes":9,"scratch_bytes":0},"signature":"x=bf16[2]","variant":1}
{"anchor":{"high":22,"low":20,"median":21},"best":{"high":20.25,"low":19.5,"median":20},"group":"g","record":"row","row":{"args":{"x":{"align":16,"dtype":"bf16","init":"normal","shape":[20,8],"strides":[8,1]}},"kernel":"mm"},"signature":"x=bf16[2]","variants":{"0":{"high":22,"low":20,"median":21}},"weight":20}
{"anchor":{"high":102,"low":100,"median":101},"best":{"high":100.25,"low":99.5,"median":100},"group":"g","record":"row","row":{"args":{"x":{"align":16,"dtype":"bf16","init":"normal","shape":[100,8],"strides":[8,1]}},"kernel":"mm"},"signature":"x=bf16[2]","variants":{"0":{"high":102,"low":100,"median":101}},"weight":100}
{"record":"tree","signature":"x=bf16[2]","tree":{"else":{"variant":0},"feature":"x.size(0)","le":64,"then":{"variant":1}}}
)J";

/// As the first version wrote it.
const char first[] =
    R"J({"device_class":"cpu","goal":"max_slowdown","kernel":"mm","kernel_hash":"aa","pool":64,"protocol":"p1","record":"header","target":"cpu:x86-64-v3","threshold":1.01,"version":1}
{"arguments":[{"dtype":"bf16","name":"x","rank":2}],"kernel_hash":"bb","name":"x=bf16[2]","record":"signature"}
{"artifact":"c0","config":"helion-config{v=1}","record":"variant","resources":{"code_bytes":1000,"scratch_bytes":64},"signature":"x=bf16[2]","universal":true,"variant":0}
{"artifact":"c1","config":"helion-config{v=1},t","record":"variant","resources":{"code_bytes":9,"scratch_bytes":0},"signature":"x=bf16[2]","variant":1}
{"best":{"high":20.25,"low":19.5,"median":20},"group":"g","record":"row","row":{"args":{"x":{"align":16,"dtype":"bf16","init":"normal","shape":[20,8],"strides":[8,1]}},"kernel":"mm"},"signature":"x=bf16[2]","variants":{"0":{"high":22,"low":20,"median":21}},"weight":20}
{"best":{"high":100.25,"low":99.5,"median":100},"group":"g","record":"row","row":{"args":{"x":{"align":16,"dtype":"bf16","init":"normal","shape":[100,8],"strides":[8,1]}},"kernel":"mm"},"signature":"x=bf16[2]","variants":{"0":{"high":102,"low":100,"median":101}},"weight":100}
{"record":"tree","signature":"x=bf16[2]","tree":{"else":{"variant":0},"feature":"x.size(0)","le":64,"then":{"variant":1}}}
)J";

TEST(Tuned, CanonicalBytes) {
  EXPECT_EQ(makeTuned().text(), canonical);
  Expected<Tuned> read = Tuned::parse(canonical, "t");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->text(), canonical);
  EXPECT_EQ(read->signatures[0].rows[1].row.weight, 100);
  EXPECT_EQ(read->signatures[0].variants[1].resources.codeBytes, 9);
  // The order in memory does not matter.
  Tuned shuffled = makeTuned();
  std::swap(shuffled.signatures[0].rows[0], shuffled.signatures[0].rows[1]);
  std::swap(shuffled.signatures[0].variants[0], shuffled.signatures[0].variants[1]);
  EXPECT_EQ(shuffled.text(), canonical);
}

TEST(Tuned, ReadsTheSecondVersion) {
  Expected<Tuned> read = Tuned::parse(second, "t");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  Tuned same = makeTuned();
  same.signatures[0].variants[1].reaches = same.signatures[0].variants[1].beyond = false;
  EXPECT_EQ(read->text(), same.text());
}

TEST(Tuned, ReadsTheFirstVersion) {
  Expected<Tuned> read = Tuned::parse(first, "t");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->signatures[0].anchor, "");
  EXPECT_FALSE(read->signatures[0].rows[0].anchor);
  EXPECT_EQ(read->unmeasured, 0u);
  Tuned same = makeTuned();
  same.unmeasured = 0;
  same.signatures[0].variants[1].reaches = same.signatures[0].variants[1].beyond = false;
  same.signatures[0].anchor.clear();
  for (TunedRow &row : same.signatures[0].rows)
    row.anchor.reset();
  EXPECT_EQ(read->text(), same.text());
}

TEST(Tuned, TreeChooses) {
  Tuned tuned = makeTuned();
  const TunedSignature &signature = tuned.signatures[0];
  Binding binding = signature.rows[0].row.binding();
  for (auto [size, expected] : {std::pair<int64_t, unsigned>{64, 1}, {65, 0}}) {
    binding.tensors["x"].sizes[0] = size;
    EXPECT_EQ(cantFail(signature.tree.choose(binding)), expected);
  }
  binding.tensors.clear();
  EXPECT_EQ(toString(signature.tree.choose(binding).takeError()), "`x.size(0)` has no value");
}

/// Replaces one piece of the canonical text; the error is at the first `place` of the result.
struct Case {
  const char *from, *to, *place, *expected;
};

TEST(Tuned, Errors) {
  const Case cases[] = {
      {"\"version\":3}", "\"version\":4}", "4}\n", "tuned file has version `4`, this tool reads `1` to `3`"},
      {"\"version\":3}", "\"version\":0}", "0}\n", "tuned file has version `0`, this tool reads `1` to `3`"},
      {"\"reaches\":true,", "", "true,\"config\"", "a variant for calls beyond the rows has `reaches` too"},
      {"\"record\":\"header\"", "\"record\":\"heading\"", "\"heading\"",
       "saw `\"heading\"`, expected `header`, `signature`, `variant`, `row` or `tree`"},
      {"\"pool\":64,", "", "{\"device", "key `pool` is missing"},
      {"\"pool\":64", "\"pool\":64,\"pond\":1", "\"pond\"",
       "unknown key `pond`; known are `device_class`, `goal`, `kernel`, `kernel_hash`, `pool`, `pool_random`, "
       "`pool_whole`, `protocol`, `record`, "
       "`target`, `threshold`, `unmeasured`, `version`"},
      {"\"variant\":1}\n", "\"variant\":2}\n", "2}\n{\"anchor\":{", "saw `2`, expected 1, the next variant"},
      {"\"record\":\"variant\",", "", "{\"artifact\":\"c0\"", "key `record` is missing"},
      {"\"record\":\"tree\",\"signature\":\"x=bf16[2]\"", "\"record\":\"tree\",\"signature\":\"y\"", "\"y\"",
       "record of signature `y` does not follow it"},
      {"{\"variant\":1}}", "{\"variant\":7}}", "7}}", "signature `x=bf16[2]` has no variant `7`"},
      {",\"then\":{\"variant\":1}", "", "{\"else\"", "tree node has no `then`; a leaf is `{\"variant\":id}`"},
      {"\"feature\":\"x.size(0)\"", "\"feature\":\"x.size\"", "\"x.size\"",
       "in `x.size`, column 7: saw the end, expected `(`"},
      {"\"variants\":{\"0\"", "\"variants\":{\"9\"", "\"9\"", "signature `x=bf16[2]` has no variant `9`"},
      {"{\"high\":22,\"low\":20,\"median\":21},\"best\"", "7,\"best\"", "7,\"best\"", "saw `7`, expected an object"},
      {"\"low\":19.5", "\"low\":29.5", "{\"high\":20.25",
       "saw `{\"high\":20.25,\"low\":29.5,\"median\":20}`, expected `low` <= `median` <= `high`, none negative"},
      {"\"shape\":[20,8]", "\"shape\":[20,-8]", "{\"args\"", "row does not read: row:1:69: size `-8` is negative"},
      {"\"weight\":20", "\"weight\":0", "0}\n{\"anchor\":{\"high\":102", "saw `0`, expected a weight above 0"},
      {"{\"record\":\"tree\"", "{\"record\":\"tree\",\"tree\":{}", "\"tree\":{\"else", "key `tree` appears twice"},
  };
  for (const Case &c : cases) {
    std::string text = canonical;
    size_t from = text.find(c.from);
    ASSERT_NE(from, std::string::npos) << c.from;
    text.replace(from, strlen(c.from), c.to);
    size_t at = text.find(c.place);
    ASSERT_NE(at, std::string::npos) << c.place;
    size_t line = std::count(text.begin(), text.begin() + at, '\n') + 1;
    size_t lineStart = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    Expected<Tuned> read = Tuned::parse(text, "t");
    ASSERT_FALSE(bool(read)) << c.from;
    EXPECT_EQ(toString(read.takeError()),
              "t:" + std::to_string(line) + ":" + std::to_string(at - lineStart + 1) + ": " + c.expected);
  }
}

TEST(Tuned, WholeRecordsMissingOrDoubled) {
  std::string text = canonical;
  auto error = [](const std::string &text) { return toString(Tuned::parse(text, "t").takeError()); };
  std::string header = text.substr(0, text.find('\n') + 1);
  std::string tree = text.substr(text.find("{\"record\":\"tree\""));
  EXPECT_EQ(error(""), "t:1:1: tuned file has no header");
  EXPECT_EQ(error(text.substr(header.size())), "t:1:1: the first record must be the header");
  EXPECT_EQ(error(header + header), "t:2:1: second header");
  EXPECT_EQ(error(text + tree), "t:8:1: signature `x=bf16[2]` has two trees");
  EXPECT_EQ(error(text.substr(0, text.size() - tree.size())), "t:6:1: signature `x=bf16[2]` has no tree");
  EXPECT_EQ(error(text + text.substr(header.size())), "t:8:93: signature `x=bf16[2]` appears twice");
}

} // namespace
