// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What divides an expression under facts, against all values of small leaves that satisfy them.

#include "passes/Analysis/WideAccess.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace llvm;
using namespace helion;

namespace {
std::vector<Pred> parseFacts(ArrayRef<StringRef> texts) {
  std::vector<Pred> facts;
  for (StringRef text : texts)
    facts.push_back(cantFail(Pred::parse(text)));
  return facts;
}

/// The greatest common divisor of all values that `a` and `b` in 0..47 give where the facts hold.
int64_t divisorByTrial(const SizeExpr &expr, ArrayRef<Pred> facts) {
  int64_t divisor = 0;
  for (int64_t a = 0; a != 48; ++a)
    for (int64_t b = 1; b != 48; ++b) {
      auto value = [&](const Leaf &leaf) { return std::optional<int64_t>(leaf.name == "a" ? a : b); };
      auto holds = [&](const Pred &fact) {
        return cantFail(fact.evaluate(value, [](auto...) { return std::nullopt; }));
      };
      if (all_of(facts, holds))
        divisor = std::gcd(divisor, cantFail(expr.evaluate(value)));
    }
  return divisor;
}

TEST(WideAccess, DivisorsHoldForAllValues) {
  const std::vector<Pred> facts = parseFacts({"a % 4 == 0", "a % 6 == 0", "b % 2 == 0"});
  const std::pair<StringRef, int64_t> rows[] = {
      {"a", 12},           {"b", 2},         {"a + 6", 6},          {"a * b", 24},      {"a * 3 - b", 2},
      {"24", 24},          {"min(a, 8)", 4}, {"max(a, b * 6)", 12}, {"a % (b * 3)", 6}, {"a floordiv 4", 1},
      {"(a + 12) * b", 24}};
  for (auto [text, divisor] : rows) {
    SizeExpr expr = cantFail(SizeExpr::parse(text));
    EXPECT_EQ(divisorOf(expr, facts), divisor) << text.str();
    EXPECT_EQ(divisorByTrial(expr, facts) % divisor, 0) << text.str();
  }
  EXPECT_EQ(divisorOf(SizeExpr::constant(0), facts), 0);
  EXPECT_EQ(divisorOf(cantFail(SizeExpr::parse("a")), parseFacts({"a == 40"})), 40);
  EXPECT_EQ(divisorOf(cantFail(SizeExpr::parse("a * 4611686018427387904 * 4")), {}), 4611686018427387904);
}

TEST(WideAccess, FactsFollow) {
  const std::vector<Pred> facts = parseFacts({"x.stride(1) == 1", "x.align % 16 == 0", "n % 12 == 0", "m == 8"});
  for (StringRef text :
       {"x.stride(1) == 1", "x.align % 8 == 0", "n % 4 == 0", "n * 2 % 8 == 0", "m % 4 == 0", "4 % 2 == 0"})
    EXPECT_TRUE(follows(cantFail(Pred::parse(text)), facts)) << text.str();
  for (StringRef text :
       {"x.stride(0) == 1", "x.align % 32 == 0", "n % 8 == 0", "n <= 12", "y.align % 8 == 0", "m % 16 == 0"})
    EXPECT_FALSE(follows(cantFail(Pred::parse(text)), facts)) << text.str();
}

class ViewFacts : public ::testing::Test {
protected:
  /// Every second row of `x`, a matrix of bf16, from the ninth element of row 8 on.
  HostView secondRows() {
    auto type = mlir::MemRefType::get({mlir::ShapedType::kDynamic, mlir::ShapedType::kDynamic},
                                      mlir::BFloat16Type::get(&context));
    auto parse = [](StringRef text) { return cantFail(SizeExpr::parse(text)); };
    HostView view{
        block.addArgument(type, mlir::UnknownLoc::get(&context)), "x", parse("x.stride(0) * 8 + 8"), {}, {}, {}};
    view.sizes = {parse("x.size(0) ceildiv 2"), parse("x.size(1)")};
    view.strides = {parse("x.stride(0) * 2"), SizeExpr::stride("x", 1)};
    return view;
  }
  std::vector<std::string> texts(const std::optional<std::vector<Pred>> &preds) {
    std::vector<std::string> result;
    for (const Pred &pred : preds.value_or(std::vector<Pred>()))
      result.push_back(pred.str());
    return result;
  }

  mlir::MLIRContext context;
  mlir::Block block;
};

TEST_F(ViewFacts, TheContiguousDim) {
  HostView view = secondRows();
  ContiguousDim dim = contiguousDim(view, {});
  EXPECT_EQ(std::pair(dim.dim, dim.how), std::pair(1u, ContiguousDim::Likely));
  dim = contiguousDim(view, parseFacts({"x.stride(1) == 1"}));
  EXPECT_EQ(std::pair(dim.dim, dim.how), std::pair(1u, ContiguousDim::Proved));
  std::swap(view.strides[0], view.strides[1]);
  EXPECT_EQ(contiguousDim(view, {}).dim, 0u);
  view.strides[0] = view.strides[1];
  dim = contiguousDim(view, {});
  EXPECT_EQ(std::pair(dim.dim, dim.how), std::pair(1u, ContiguousDim::Guessed));
  view.strides[0] = SizeExpr::constant(1);
  dim = contiguousDim(view, {});
  EXPECT_EQ(std::pair(dim.dim, dim.how), std::pair(0u, ContiguousDim::Proved));
}

TEST_F(ViewFacts, CopiesNameAsLittleAsAccessesDo) {
  HostView view = secondRows();
  // The offset's two terms are multiples of 8 when rows are.
  EXPECT_EQ(texts(copyFacts(view, 1, 2)),
            (std::vector<std::string>{"x.stride(1) == 1", "x.stride(0) % 8 == 0", "x.align % 16 == 0"}));
  view.offset = SizeExpr::constant(4);
  EXPECT_FALSE(copyFacts(view, 1, 2));
  view.offset = SizeExpr::constant(0);
  view.strides[1] = SizeExpr::constant(2);
  EXPECT_FALSE(copyFacts(view, 1, 2));
}
} // namespace
