// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions of errors in JSON texts, and the canonical writing.
#include "dialect/Target/JsonText.h"
#include "dialect/Target/ContentHash.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace llvm;
using namespace helion;

namespace {

struct Inner {
  int64_t a = 0;
  std::string b;
};

Error readJson(const JsonCursor &at, Inner &out) {
  return JsonFields(at).required("a", out.a).optional("b", out.b).finish();
}

std::string readAll(StringRef text) {
  Expected<JsonText> json = JsonText::parse(text, "f.json", 5);
  if (!json)
    return toString(json.takeError());
  std::vector<Inner> list;
  double real = 0;
  bool flag = false;
  unsigned count = 0;
  Error error = JsonFields(json->root())
                    .required("list", list)
                    .optional("real", real)
                    .optional("flag", flag)
                    .optional("count", count)
                    .finish();
  return error ? toString(std::move(error)) : "ok";
}

TEST(JsonText, ErrorsNameThePlace) {
  const std::pair<const char *, const char *> cases[] = {
      {R"({"list":[]})", "ok"},
      {R"({"list":[{"a":1,"b":"x"}],"real":"-inf","flag":true,"count":3})", "ok"},
      {R"([])", "f.json:5:1: saw `[]`, expected an object"},
      {R"({})", "f.json:5:1: key `list` is missing"},
      {R"(  {"list":3})", "f.json:5:11: saw `3`, expected a list"},
      {R"({"list":[{"a":"]}"}]})", "f.json:5:15: saw `\"]}\"`, expected an integer"},
      {"{\n \"real\": 1e3,\n \"list\": [{\"a\" : 1}, {\"a\": 2, \"b\" : null}]}",
       "f.json:7:37: saw `null`, expected a string"},
      {"{\"list\":[\n  {\"b\":\"\\\"\\\\\"}]}", "f.json:6:3: key `a` is missing"},
      {R"({"list":[],"flag":1})", "f.json:5:19: saw `1`, expected `true` or `false`"},
      {R"({"list":[],"count":-1})", "f.json:5:20: saw `-1`, expected an integer that is not negative"},
      {R"({"list":[],"real":"x"})", "f.json:5:19: saw `\"x\"`, expected a number"},
      {R"({"list":[], "lost":{}})", "f.json:5:13: unknown key `lost`; known are `count`, `flag`, `list`, `real`"},
      {R"({"list":[{"a":1,"a":2}]})", "f.json:5:17: key `a` appears twice"},
      {R"({"list":[)", "f.json:5:10: not JSON: unexpected EOF"},
      {R"({"list":[NaN]})", "f.json:5:10: not JSON: invalid JSON value"},
      {R"({"list" []})", "f.json:5:9: not JSON: expected : after object key"},
      {"# no comments", "f.json:5:1: not JSON: invalid JSON value"},
  };
  for (const auto &[text, expected] : cases)
    EXPECT_EQ(readAll(text), expected) << text;
}

// As deep as formats need is fine; what would take the parser's stack is an error with its place.
TEST(JsonText, Depth) {
  std::string open(512, '['), close(512, ']');
  EXPECT_TRUE(bool(parseJson(open + close)));
  EXPECT_TRUE(bool(parseJson("[\"" + open + open + "\\\"" + open + "\"]"))) << "brackets in a string";
  EXPECT_EQ(toString(parseJson(open + "[]" + close).takeError()), "values nest deeper than `512`");
  EXPECT_EQ(readAll("\n" + open + "[]" + close), "f.json:6:513: values nest deeper than `512`");
  EXPECT_EQ(readAll(std::string(10'000'000, '{')), "f.json:5:513: values nest deeper than `512`");
}

TEST(JsonText, Canonical) {
  Expected<json::Value> value = json::parse(R"( { "b" : [1, 2.50, 1e300, -0.1], "a": {"z":null, "y":"\u00e9\n"} } )");
  EXPECT_EQ(canonicalJson(*value), "{\"a\":{\"y\":\"\xc3\xa9\\n\",\"z\":null},\"b\":[1,2.5,1e+300,-0.1]}");
  EXPECT_EQ(canonicalJson(realToJson(HUGE_VAL)), "\"inf\"");
  EXPECT_EQ(canonicalJson(realToJson(-HUGE_VAL)), "\"-inf\"");
  EXPECT_EQ(canonicalJson(realToJson(NAN)), "\"nan\"");
}

TEST(JsonText, RealsReadBack) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20000; ++round) {
    uint64_t bits = random();
    double value, back;
    memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value))
      continue;
    ASSERT_FALSE(StringRef(shortestReal(value)).getAsDouble(back));
    ASSERT_EQ(back, value);
  }
  EXPECT_EQ(shortestReal(0.1), "0.1");
}

TEST(ContentHash, KnownValueAndBorders) {
  // SHA-256 of "abc", FIPS 180-2 appendix B.1.
  EXPECT_EQ(contentHash("abc"), "ba7816bf8f01cfea414140de5dae2223");
  EXPECT_NE(contentHash({StringRef("ab"), StringRef("c")}), contentHash({StringRef("a"), StringRef("bc")}));
}

} // namespace
