// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Size expressions: the grammar, its errors with columns, folding, checked arithmetic, and random expressions against a
// plain evaluator that shares no code with the one under test.
#include "dialect/IR/SizeExpr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace llvm;
using namespace helion;

namespace {

std::string reprint(StringRef text) {
  Expected<SizeExpr> expr = SizeExpr::parse(text);
  return expr ? expr->str() : "error: " + toString(expr.takeError());
}

std::string reprintPred(StringRef text) {
  Expected<Pred> pred = Pred::parse(text);
  return pred ? pred->str() : "error: " + toString(pred.takeError());
}

std::optional<int64_t> leafValue(const Leaf &leaf) {
  if (leaf == Leaf{Leaf::Kind::Size, "x", 0})
    return 37;
  if (leaf == Leaf{Leaf::Kind::Stride, "x", 1})
    return 1;
  if (leaf == Leaf{Leaf::Kind::Align, "x", 0})
    return 16;
  if (leaf == Leaf{Leaf::Kind::Device, "sms", 0})
    return 132;
  if (leaf == Leaf{Leaf::Kind::Scalar, "n", 0})
    return -7;
  return std::nullopt;
}

std::string evaluated(StringRef text) {
  Expected<SizeExpr> expr = SizeExpr::parse(text);
  if (!expr)
    return "parse error: " + toString(expr.takeError());
  Expected<int64_t> value = expr->evaluate(leafValue);
  return value ? std::to_string(*value) : "error: " + toString(value.takeError());
}

struct Case {
  const char *text;
  const char *expected;
};

TEST(SizeExpr, Grammar) {
  const Case cases[] = {
      {"x.size(0)", "x.size(0)"},
      {"x . size ( 1 )", "x.size(1)"},
      {"x.stride(12)", "x.stride(12)"},
      {"x.align", "x.align"},
      {"dev.sms", "dev.sms"},
      {"_n2", "_n2"},
      {"-5", "-5"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"a+b*c", "a + b * c"},
      {"(a+b)*c", "(a + b) * c"},
      {"((a))", "a"},
      {"a-b-c", "a - b - c"},
      {"a-(b-c)", "a - (b - c)"},
      {"a-(b+c)", "a - (b + c)"},
      {"a*b floordiv c % d", "a * b floordiv c % d"},
      {"a * (b floordiv c)", "a * (b floordiv c)"},
      {"a ceildiv b ceildiv c", "a ceildiv b ceildiv c"},
      {"a ceildiv (b ceildiv c)", "a ceildiv (b ceildiv c)"},
      {"min(a+b, max(c, 4))", "min(a + b, max(c, 4))"},
      {"min(a,b)*c", "min(a, b) * c"},
      {"x.size(0) ceildiv 128 * (y.size(1) ceildiv 64)", "x.size(0) ceildiv 128 * (y.size(1) ceildiv 64)"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(reprint(c.text), c.expected) << c.text;
}

TEST(SizeExpr, Folding) {
  const Case cases[] = {
      {"2 + 3 * 4", "14"},
      {"a + 0", "a"},
      {"0 + a", "a"},
      {"a - 0", "a"},
      {"a - a", "0"},
      {"a * 1", "a"},
      {"1 * a", "a"},
      {"a * 0", "0"},
      {"4 * a", "a * 4"},
      {"a ceildiv 1", "a"},
      {"a floordiv 1", "a"},
      {"a % 1", "0"},
      {"min(a, a)", "a"},
      {"max(3, a)", "max(a, 3)"},
      {"min(min(a, 8), 5)", "min(a, 5)"},
      {"a + 3 + 4", "a + 7"},
      {"a + 3 - 4", "a - 1"},
      {"a - 3 + 3", "a"},
      {"a + -3", "a - 3"},
      {"a - -3", "a + 3"},
      {"a * 3 * 4", "a * 12"},
      {"a * 12 floordiv 4", "a * 3"},
      {"a * 4 ceildiv 4", "a"},
      {"a * 12 % 4", "0"},
      {"a * 6 % 4", "a * 6 % 4"},
      {"7 floordiv 2", "3"},
      {"-7 floordiv 2", "-4"},
      {"7 ceildiv 2", "4"},
      {"-7 ceildiv 2", "-3"},
      {"-7 % 4", "1"},
      // Folding stops where it would hide an error.
      {"7 floordiv 0", "7 floordiv 0"},
      {"9223372036854775807 + 1", "9223372036854775807 + 1"},
      {"a + 9223372036854775807 + 1", "a + 9223372036854775807 + 1"},
      {"a - -9223372036854775808", "a - -9223372036854775808"},
  };
  for (const Case &c : cases) {
    EXPECT_EQ(reprint(c.text), c.expected) << c.text;
    EXPECT_EQ(reprint(c.expected), c.expected);
  }
}

TEST(SizeExpr, ParseErrors) {
  const Case cases[] = {
      {"", "error: column 1: saw the end, expected an integer, a name, `min`, `max` or `(`"},
      {"a +", "error: column 4: saw the end, expected an integer, a name, `min`, `max` or `(`"},
      {"a + * b", "error: column 5: saw `*`, expected an integer, a name, `min`, `max` or `(`"},
      {"a b", "error: column 3: saw `b`, expected an operator or the end"},
      {"(a", "error: column 3: saw the end, expected `)`"},
      {"x.rank", "error: column 3: saw `rank`, expected `size`, `stride` or `align`"},
      {"x.size(a)", "error: column 8: saw `a`, expected the number of a dim"},
      {"x.size 0", "error: column 8: saw `0`, expected `(`"},
      {"min(a)", "error: column 6: saw `)`, expected `,`"},
      {"dev.4", "error: column 5: saw `4`, expected the name of a device fact"},
      {"dev", "error: column 4: saw the end, expected `.`"},
      {"floordiv", "error: column 1: saw `floordiv`, expected an integer, a name, `min`, `max` or `(`"},
      {"12ab", "error: column 1: saw `12ab`, expected an integer"},
      {"- a", "error: column 3: saw `a`, expected an integer"},
      {"9223372036854775808", "error: column 1: `9223372036854775808` does not fit 64 bits"},
      {"a / b", "error: column 3: saw `/`, expected an operator or the end"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(reprint(c.text), c.expected) << c.text;
  EXPECT_EQ(reprint(std::string(3000, '(') + "a"), "error: column 2001: more than `2000` operators and parentheses");
}

TEST(SizeExpr, Evaluate) {
  const Case cases[] = {
      {"x.size(0) ceildiv 16 * x.stride(1)", "3"},
      {"x.size(0) % x.align", "5"},
      {"n floordiv 2", "-4"},
      {"n ceildiv 2", "-3"},
      {"n % 4", "1"},
      {"min(dev.sms, x.size(0) * 4)", "132"},
      {"max(n, 0)", "0"},
      {"m + 1", "error: `m` has no value"},
      {"x.size(1)", "error: `x.size(1)` has no value"},
      {"x.size(0) floordiv n", "error: division by `-7` in `x.size(0) floordiv n`; a divisor must be positive"},
      {"x.size(0) ceildiv (n + 7)",
       "error: division by `0` in `x.size(0) ceildiv (n + 7)`; a divisor must be positive"},
      {"x.size(0) * 9223372036854775807",
       "error: `x.size(0) * 9223372036854775807` does not fit 64 bits for `37` and `9223372036854775807`"},
      {"n - 9223372036854775807",
       "error: `n - 9223372036854775807` does not fit 64 bits for `-7` and `9223372036854775807`"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(evaluated(c.text), c.expected) << c.text;
}

TEST(SizeExpr, SubstituteAndWalk) {
  SizeExpr expr = cantFail(SizeExpr::parse("x.size(0) ceildiv bm * (bm + n)"));
  std::vector<std::string> leaves;
  expr.walkLeaves([&](const Leaf &leaf) { leaves.push_back(leaf.str()); });
  EXPECT_EQ(leaves, (std::vector<std::string>{"x.size(0)", "bm", "bm", "n"}));
  SizeExpr bound = expr.substitute([](const Leaf &leaf) -> std::optional<SizeExpr> {
    return leaf.name == "bm" ? std::optional(SizeExpr::constant(1)) : std::nullopt;
  });
  EXPECT_EQ(bound.str(), "x.size(0) * (n + 1)");
  EXPECT_EQ(SizeExpr().asConstant(), 0);
}

std::string cppName(const Leaf &leaf) { return leaf.name + "_" + std::to_string(leaf.index); }

TEST(SizeExpr, PrintCpp) {
  const Case cases[] = {
      {"x.size(0) ceildiv 128 * (n - 4)", "helion_ceildiv(x_0, 128) * (n_0 - 4)"},
      {"min(a, b) % (a + 2)", "helion_mod(helion_min(a_0, b_0), a_0 + 2)"},
      {"a * (b floordiv 2)", "a_0 * helion_floordiv(b_0, 2)"},
      {"max(a, -9223372036854775808)", "helion_max(a_0, (-9223372036854775807 - 1))"},
  };
  for (const Case &c : cases) {
    std::string text;
    raw_string_ostream os(text);
    cantFail(SizeExpr::parse(c.text)).printCpp(os, cppName);
    EXPECT_EQ(text, c.expected);
  }
}

TEST(Pred, Grammar) {
  const Case cases[] = {
      {"x.stride(1)==1", "x.stride(1) == 1"},
      {"4 <= n", "n >= 4"},
      {"4 > n + 1", "n + 1 < 4"},
      {"a*2 != b", "a * 2 != b"},
      {"x.align >= 16", "x.align >= 16"},
      {"overlap(y, x) == none", "overlap(x, y) == none"},
      {"overlap(x,y)==same", "overlap(x, y) == same"},
      {"a", "error: column 2: saw the end, expected an operator or one of `==`, `!=`, `<=`, `<`, `>=`, `>`"},
      {"a = b", "error: column 3: saw `=`, expected an operator or one of `==`, `!=`, `<=`, `<`, `>=`, `>`"},
      {"a < b < c", "error: column 7: saw `<`, expected the end"},
      {"overlap(x, y) == both", "error: column 18: saw `both`, expected `none` or `same`"},
      {"overlap(x, y) != none", "error: column 15: saw `!=`, expected `==`"},
      {"overlap(x) == none", "error: column 10: saw `)`, expected `,`"},
      {"overlap(1, x) == none", "error: column 9: saw `1`, expected the name of an argument"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(reprintPred(c.text), c.expected) << c.text;
}

TEST(Pred, Fold) {
  const std::pair<const char *, std::optional<bool>> cases[] = {
      {"a * 8 % 8 == 0", true},
      {"4 < 4", false},
      {"4 <= 4", true},
      {"a == a", true},
      {"a < a", false},
      {"a == 1", std::nullopt},
      {"overlap(x, x) == same", true},
      {"overlap(x, x) == none", std::nullopt},
  };
  for (const auto &[text, expected] : cases)
    EXPECT_EQ(cantFail(Pred::parse(text)).fold(), expected) << text;
}

TEST(Pred, Evaluate) {
  auto overlaps = [](StringRef a, StringRef b) -> std::optional<Overlap> {
    if (a == "x" && b == "y")
      return Overlap::Partial;
    return a == "x" && b == "z" ? std::optional(Overlap::Same) : std::nullopt;
  };
  const Case cases[] = {
      {"x.size(0) == 37", "1"},
      {"x.size(0) != 37", "0"},
      {"x.size(0) < 37", "0"},
      {"x.size(0) <= 37", "1"},
      {"x.size(0) > 36", "1"},
      {"x.size(0) >= 38", "0"},
      {"overlap(y, x) == none", "0"},
      {"overlap(x, y) == same", "0"},
      {"overlap(x, z) == same", "1"},
      {"overlap(y, z) == same", "error: `overlap(y, z)` has no value"},
      {"m == 1", "error: `m` has no value"},
  };
  for (const Case &c : cases) {
    Expected<bool> value = cantFail(Pred::parse(c.text)).evaluate(leafValue, overlaps);
    EXPECT_EQ(value ? std::to_string(*value) : "error: " + toString(value.takeError()), c.expected) << c.text;
  }
}

TEST(Pred, PrintCpp) {
  auto overlaps = [](StringRef a, StringRef b, Overlap kind) {
    return (a + "|" + b + "|" + (kind == Overlap::Same ? "same" : "none")).str();
  };
  std::string text;
  raw_string_ostream os(text);
  cantFail(Pred::parse("x.size(1) % 8 == 0")).printCpp(os, cppName, overlaps);
  os << ';';
  cantFail(Pred::parse("overlap(x, y) == same")).printCpp(os, cppName, overlaps);
  EXPECT_EQ(text, "helion_mod(x_1, 8) == 0;x|y|same");
}

/// The oracle: an operator tree with its own arithmetic in 128 bits; no value where a step is undefined.
struct Tree {
  char op = 0; // 0: constant, 'v': variable
  int64_t value = 0;
  std::vector<Tree> operands;
};

constexpr char operatorCodes[] = "+-*fc%mM";

Tree randomTree(std::mt19937 &random, unsigned depth) {
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  if (depth == 0 || pick(0, 4) == 0)
    return pick(0, 1) ? Tree{0, pick(0, 3) ? pick(-3, 9) : int64_t(1) << pick(20, 62), {}} : Tree{'v', pick(0, 3), {}};
  return Tree{operatorCodes[pick(0, 7)], 0, {randomTree(random, depth - 1), randomTree(random, depth - 1)}};
}

std::string writeTree(const Tree &tree) {
  if (tree.op == 0)
    return std::to_string(tree.value);
  if (tree.op == 'v')
    return std::string(1, char('a' + tree.value));
  std::string lhs = writeTree(tree.operands[0]), rhs = writeTree(tree.operands[1]);
  if (tree.op == 'm' || tree.op == 'M')
    return (tree.op == 'm' ? "min(" : "max(") + lhs + "," + rhs + ")";
  std::string op = tree.op == 'f' ? " floordiv " : tree.op == 'c' ? " ceildiv " : std::string(1, tree.op);
  return "(" + lhs + ")" + op + "(" + rhs + ")";
}

std::optional<int64_t> oracle(const Tree &tree, const int64_t *variables) {
  if (tree.op == 0)
    return tree.value;
  if (tree.op == 'v')
    return variables[tree.value];
  std::optional<int64_t> lhs = oracle(tree.operands[0], variables), rhs = oracle(tree.operands[1], variables);
  if (!lhs || !rhs)
    return std::nullopt;
  __int128 a = *lhs, b = *rhs, result = 0;
  if (tree.op == 'f' || tree.op == 'c' || tree.op == '%') {
    if (b <= 0)
      return std::nullopt;
    __int128 quotient = a / b;
    while (quotient * b > a)
      --quotient;
    result = tree.op == 'f' ? quotient : tree.op == '%' ? a - quotient * b : quotient + (quotient * b != a);
  } else {
    result = tree.op == '+'   ? a + b
             : tree.op == '-' ? a - b
             : tree.op == '*' ? a * b
             : tree.op == 'm' ? (a < b ? a : b)
                              : (a > b ? a : b);
  }
  return result == __int128(int64_t(result)) ? std::optional(int64_t(result)) : std::nullopt;
}

TEST(SizeExpr, RandomRoundTripAndValue) {
  std::mt19937 random(7);
  int defined = 0;
  for (int round = 0; round < 10000; ++round) {
    Tree tree = randomTree(random, 5);
    std::string text = writeTree(tree);
    Expected<SizeExpr> expr = SizeExpr::parse(text);
    ASSERT_TRUE(bool(expr)) << text << ": " << toString(expr.takeError());
    std::string printed = expr->str();
    Expected<SizeExpr> again = SizeExpr::parse(printed);
    ASSERT_TRUE(bool(again)) << printed << ": " << toString(again.takeError());
    ASSERT_TRUE(*again == *expr) << text << " printed as " << printed << " reads as " << again->str();
    ASSERT_EQ(again->str(), printed);
    int64_t variables[4];
    for (int64_t &variable : variables)
      variable = std::uniform_int_distribution<int64_t>(-5, 40)(random);
    std::optional<int64_t> expected = oracle(tree, variables);
    if (!expected)
      continue; // Folding may turn an error into a value, never a value into another.
    ++defined;
    Expected<int64_t> value =
        expr->evaluate([&](const Leaf &leaf) { return std::optional(variables[leaf.name[0] - 'a']); });
    ASSERT_TRUE(bool(value)) << text << " as " << printed << ": " << toString(value.takeError());
    ASSERT_EQ(*value, *expected) << text << " as " << printed;
  }
  EXPECT_GT(defined, 4000);
}

} // namespace
