// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Corpora: what a line expands to, and every way in which one can be wrong.
#include "aot-runner/Journal/Corpus.h"
#include "aot-runner/Journal/DurableFile.h"
#include "test/Unit/AotRunnerJournal/ScratchDir.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace helion;
using namespace helion::aot;

namespace {

std::string keysOf(Expected<Corpus> corpus) {
  if (!corpus)
    return toString(corpus.takeError());
  std::string text;
  for (const Row &row : corpus->rows)
    text += row.key() + "\n";
  return text;
}

std::string read(StringRef text) { return keysOf(Corpus::parse(text, "c.jsonl")); }

TEST(Corpus, SweepGivesItsProductInOrder) {
  EXPECT_EQ(
      read("{\"version\":1}\n\n"
           R"J({"kernel":"mm","args":{"x":{"shape":["M",4],"dtype":"bf16"},"n":64,"b":null,"f":true,"eps":1.5e-5},)J"
           R"J("sweep":{"M":[16,2]}})J"),
      R"J({"args":{"b":null,"eps":1.5e-05,"f":true,"n":64,"x":{"align":16,"dtype":"bf16","init":"normal",)J"
      R"J("shape":[2,4],"strides":[4,1]}},"kernel":"mm"})J"
      "\n"
      R"J({"args":{"b":null,"eps":1.5e-05,"f":true,"n":64,"x":{"align":16,"dtype":"bf16","init":"normal",)J"
      R"J("shape":[16,4],"strides":[4,1]}},"kernel":"mm"})J"
      "\n");
}

TEST(Corpus, SymbolsInShapesStridesAndInits) {
  EXPECT_EQ(
      read(R"J({"kernel":"k","args":{"x":{"shape":["M","2*N"],"strides":["N*4",2],"dtype":"f32","align":64,)J"
           R"J("init":" uniform( -1, 2.50 )"},"i":{"shape":["M"],"dtype":"i64","init":"randint(0, N)"}},)J"
           R"J("sweep":{"M":[3],"N":[5]}})J"),
      R"J({"args":{"i":{"align":16,"dtype":"i64","init":"randint(0,5)","shape":[3],"strides":[1]},)J"
      R"J("x":{"align":64,"dtype":"f32","init":"uniform(-1,2.5)","shape":[3,10],"strides":[20,2]}},"kernel":"k"})J"
      "\n");
}

TEST(Corpus, InitsReadBack) {
  const std::pair<const char *, const char *> inits[] = {
      {"f32", "normal"},      {"f16", "uniform(0,1)"}, {"i32", "randint(-3,4)"},
      {"i64", "permutation"}, {"i32", "offsets(7)"},   {"bool", "randint(0,2)"},
      {"ui8", "data/x.npy"},  {"f8e4m3", "normal"},    {"f8e5m2", "w.npy"},
  };
  for (const auto &[dtype, init] : inits) {
    std::string line = std::string(R"({"args":{"x":{"align":16,"dtype":")") + dtype + R"(","init":")" + init +
                       R"(","shape":[0],"strides":[1]}},"kernel":"k"})";
    EXPECT_EQ(read(line), line + "\n");
    Row row = cantFail(Row::parse(line, "r"));
    EXPECT_EQ(row.key(), line);
    EXPECT_EQ(row.id().size(), 32u);
  }
}

TEST(Corpus, WeightGroupPlaceAndBinding) {
  Corpus corpus = cantFail(Corpus::parse(
      "\n"
      R"J({"kernel":"k","args":{"x":{"shape":[2,3],"dtype":"f16","strides":[-3,0]},"n":4,"b":null,"t":false},)J"
      R"J("weight":2.5,"group":"g"})J",
      "c.jsonl"));
  ASSERT_EQ(corpus.rows.size(), 1u);
  const Row &row = corpus.rows[0];
  EXPECT_EQ(row.weight, 2.5);
  EXPECT_EQ(row.group, "g");
  EXPECT_EQ(row.place, "c.jsonl:2:22");
  Binding binding = row.binding();
  EXPECT_EQ(binding.tensors.size(), 1u);
  EXPECT_EQ(binding.value({Leaf::Kind::Size, "x", 1}), 3);
  EXPECT_EQ(binding.value({Leaf::Kind::Stride, "x", 0}), -3);
  EXPECT_EQ(binding.value({Leaf::Kind::Align, "x", 0}), 16);
  EXPECT_EQ(binding.value({Leaf::Kind::Scalar, "n", 0}), 4);
  EXPECT_EQ(binding.value({Leaf::Kind::Scalar, "t", 0}), 0);
  EXPECT_EQ(binding.value({Leaf::Kind::Scalar, "b", 0}), std::nullopt);
}

/// In `text`, `@` marks where the error stands and is taken out.
struct Case {
  const char *text;
  const char *expected;
};

const Case errorCases[] = {
    {"@", "corpus has no rows"},
    {"@{\"version\":1}", "corpus has no rows"},
    {R"J({"version":@2})J", "corpus version `2`, this tool reads `1`"},
    {R"J({"version":1,@"x":1})J", "unknown key `x`; known are `version`"},
    {"@# comment", "not JSON: invalid JSON value"},
    {"@[]", "saw `[]`, expected an object"},
    {R"J(@{"args":{}})J", "key `kernel` is missing"},
    {R"J(@{"kernel":"k"})J", "key `args` is missing"},
    {R"J({"kernel":@"","args":{"n":1}})J", "the name of the kernel is empty"},
    {R"J({"kernel":@7,"args":{"n":1}})J", "saw `7`, expected a string"},
    {R"J({"kernel":"k","args":@{}})J", "`args` names no argument"},
    {R"J({"kernel":"k","args":@[1]})J", "saw `[1]`, expected an object"},
    {R"J({"kernel":"k","args":{"n":1},@"wieght":1})J",
     "unknown key `wieght`; known are `args`, `group`, `kernel`, `sweep`, `weight`"},
    {R"J({"kernel":"k","args":{"n":1},@"kernel":"l"})J", "key `kernel` appears twice"},
    {R"J({"kernel":"k","args":{"n":@"M"},"sweep":{"M":[1]}})J",
     "saw `\"M\"`, expected a tensor `{\"shape\":..,\"dtype\":..}`, a number, `true`, `false` or `null`"},
    {R"J({"kernel":"k","args":{"x":{"shape":[1],"dtype":@"float32"}}})J",
     "saw `\"float32\"`, expected one of `f32`, `f16`, `bf16`, `f64`, `i8`, `i16`, `i32`, `i64`, `ui8`, `bool`, "
     "`f8e4m3`, `f8e5m2`"},
    {R"J({"kernel":"k","args":{"x":@{"shape":[1]}}})J", "key `dtype` is missing"},
    {R"J({"kernel":"k","args":{"x":@{"dtype":"f32"}}})J", "key `shape` is missing"},
    {R"J({"kernel":"k","args":{"x":{"shape":@4,"dtype":"f32"}}})J", "saw `4`, expected a list"},
    {R"J({"kernel":"k","args":{"x":{"shape":[4,@-1],"dtype":"f32"}}})J", "size `-1` is negative"},
    {R"J({"kernel":"k","args":{"x":{"shape":[4,@1.5],"dtype":"f32"}}})J", "saw `1.5`, expected a string"},
    {R"J({"kernel":"k","args":{"x":{"shape":[@"M - 3"],"dtype":"f32"}},"sweep":{"M":[4,2]}})J",
     "size `-1` is negative"},
    {R"J({"kernel":"k","args":{"x":{"shape":[@"M"],"dtype":"f32"}}})J", "`M` has no values; name it in `sweep`"},
    {R"J({"kernel":"k","args":{"x":{"shape":[@"y.size(0)"],"dtype":"f32"}}})J",
     "`y.size(0)` has no values; name it in `sweep`"},
    {R"J({"kernel":"k","args":{"x":{"shape":[@"M +"],"dtype":"f32"}}})J",
     "in `M +`, column 4: saw the end, expected an integer, a name, `min`, `max` or `(`"},
    {R"J({"kernel":"k","args":{"x":{"shape":[@"1 floordiv M"],"dtype":"f32"}},"sweep":{"M":[0]}})J",
     "division by `0` in `1 floordiv M`; a divisor must be positive"},
    {R"J({"kernel":"k","args":{"x":{"shape":@[4294967296,4294967296],"dtype":"f32"}}})J",
     "tensor has more bytes than 64 bits can count"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2,2],"strides":@[1],"dtype":"f32"}}})J", "saw `1` strides for `2` sizes"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"f32","align":@24}}})J",
     "saw align `24`, expected a power of two from `4` on"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"f64","align":@4}}})J",
     "saw align `4`, expected a power of two from `8` on"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"f32",@"stride":[1]}}})J",
     "unknown key `stride`; known are `align`, `dtype`, `init`, `shape`, `strides`"},
    {R"J({"kernel":"k","args":{"idx":@{"shape":[2],"dtype":"i32"}}})J",
     "integer tensor `idx` needs `init`: `randint(a,b)`, `permutation`, `offsets(total)` or a .npy file"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"f32","init":@"zeros"}}})J",
     "saw `\"zeros\"`, expected `normal`, `uniform(a,b)`, `randint(a,b)`, `permutation`, `offsets(total)` or the "
     "path "
     "of a .npy file"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"i32","init":@"normal"}}})J",
     "init `normal` gives reals, the tensor is `i32`"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"f32","init":@"randint(0,3)"}}})J",
     "init `randint` gives integers, the tensor is `f32`"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"i32","init":@"randint(3)"}}})J",
     "init `randint` takes `2` values in parentheses"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"i32","init":@"randint(3,3)"}}})J",
     "saw `\"randint(3,3)\"`, expected `randint(a,b)` with a smaller than b"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"i32","init":@"randint(0,V)"}}})J",
     "`V` has no values; name it in `sweep`"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"f32","init":@"uniform(1,nan)"}}})J",
     "saw `\"uniform(1,nan)\"`, expected `uniform(a,b)` of two numbers, the first smaller"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"f32","init":@"normal(0,1)"}}})J",
     "init `normal` takes no values"},
    {R"J({"kernel":"k","args":{"x":{"shape":[2],"dtype":"i32","init":@"offsets(-1)"}}})J",
     "total `-1` of the offsets is negative"},
    {R"J({"kernel":"k","args":{"n":1},"weight":@0})J", "saw `0`, expected a weight above 0"},
    {R"J({"kernel":"k","args":{"n":1},"weight":@-2})J", "saw `-2`, expected a weight above 0"},
    {R"J({"kernel":"k","args":{"n":1},"weight":@"3"})J", "saw `\"3\"`, expected a weight above 0"},
    {R"J({"kernel":"k","args":{"n":1},"weight":@NaN})J", "not JSON: invalid JSON value"},
    {R"J({"kernel":"k","args":{"n":1},"group":@3})J", "saw `3`, expected a string"},
    {R"J({"kernel":"k","args":{"n":1},"sweep":{@"M":[1]}})J", "symbol `M` is not used"},
    {R"J({"kernel":"k","args":{"n":1},"sweep":{"M":@[]}})J", "symbol `M` has no values"},
    {R"J({"kernel":"k","args":{"n":1},"sweep":{"M":@4}})J", "saw `4`, expected a list"},
    {R"J({"kernel":"k","args":{"n":1},"sweep":{"M":[@"a"]}})J", "saw `\"a\"`, expected an integer"},
    {R"J({"kernel":"k","args":{"n":1},"sweep":{@"M+1":[2]}})J", "saw symbol `M+1`, expected a name"},
    {"{\"kernel\":\"k\",\"args\":{\"n\":1}}\n{\"kernel\":\"k\",\"args\":{\"n\":2}}\n"
     "@{\"kernel\":\"k\",\"weight\":3,\"args\":{\"n\":1}}",
     "row repeats the one at c.jsonl:1:22: {\"args\":{\"n\":1},\"kernel\":\"k\"}"},
    {R"J(@{"kernel":"k","args":{"x":{"shape":["M"],"dtype":"f32"}},"sweep":{"M":[3,3]}})J",
     "row repeats the one at c.jsonl:1:22: {\"args\":{\"x\":{\"align\":16,\"dtype\":\"f32\",\"init\":\"normal\","
     "\"shape\":[3],\"strides\":[1]}},\"kernel\":\"k\"}"},
    {"{\"kernel\":\"k\",\"args\":{\"n\":1}}\n{@\"version\":1}", "only the first line may give the version"},
};

TEST(Corpus, Errors) {
  for (const Case &c : errorCases) {
    auto [before, after] = StringRef(c.text).split('@');
    size_t line = before.count('\n') + 1, column = before.size() - (before.rfind('\n') + 1) + 1;
    EXPECT_EQ(read((before + after).str()),
              "c.jsonl:" + std::to_string(line) + ":" + std::to_string(column) + ": " + c.expected)
        << c.text;
  }
}

TEST(Corpus, SweepThatExplodes) {
  std::string list = "[0";
  for (int value = 1; value < 1001; ++value)
    list += "," + std::to_string(value);
  list += "]";
  EXPECT_EQ(read(R"({"kernel":"k","args":{"x":{"shape":["M","N"],"dtype":"f32"}},"sweep":{"M":)" + list +
                 ",\"N\":" + list + "}}"),
            "c.jsonl:1:70: sweep gives more than `1000000` rows");
}

TEST(Corpus, SeveralFilesAndKernels) {
  ScratchDir dir;
  std::string a = dir.file("a.jsonl"), b = dir.file("b.jsonl");
  cantFail(writeFileDurably(a, "{\"version\":1}\n{\"kernel\":\"p\",\"args\":{\"n\":1}}\n"));
  cantFail(writeFileDurably(b, "{\"version\":1}\n{\"kernel\":\"q\",\"args\":{\"n\":1}}\n"));
  EXPECT_EQ(keysOf(Corpus::load({a, b})),
            "{\"args\":{\"n\":1},\"kernel\":\"p\"}\n{\"args\":{\"n\":1},\"kernel\":\"q\"}\n");
  EXPECT_EQ(keysOf(Corpus::load({a, b}, "q")), "{\"args\":{\"n\":1},\"kernel\":\"q\"}\n");
  EXPECT_EQ(keysOf(Corpus::load({a, b}, "r")), a + ":1:1: no row is for kernel `r`; the corpus has `p`, `q`");
  EXPECT_EQ(keysOf(Corpus::load({a, a})),
            a + ":2:1: row repeats the one at " + a + ":2:22: {\"args\":{\"n\":1},\"kernel\":\"p\"}");
  EXPECT_EQ(keysOf(Corpus::load({dir.file("none.jsonl")})),
            "cannot read corpus `" + dir.file("none.jsonl") + "`: No such file or directory");
}

} // namespace
