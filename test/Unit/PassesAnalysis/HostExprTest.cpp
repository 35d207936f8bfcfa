// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HostExprs on parsed kernels: each asserted condition and each returned or launched view, as text.

#include "passes/Analysis/HostExpr.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace helion;

namespace {
constexpr const char *types = R"(
!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
!fix = memref<?x64xf32, strided<[64, 1], offset: ?>>
!four = memref<?x?x?x128xf32, strided<[?, ?, ?, ?], offset: ?>>
!view = memref<?x?x128xf32, strided<[?, ?, ?], offset: ?>>
!rows = memref<?x128xf32, strided<[?, ?], offset: ?>>
)";

class HostExprTest : public ::testing::Test {
protected:
  HostExprTest() { context.loadDialect<HelionDialect>(); }

  void parse(StringRef arguments, StringRef body, StringRef attributes = "") {
    std::string text = (types + std::string("helion.kernel @k(") + arguments.str() + ") attributes {" +
                        attributes.str() + "} {\n" + body.str() + "\nhelion.return }\n");
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
  }
  /// The value in front of the n-th helion.assert is its condition.
  std::string condition(unsigned number = 0) {
    std::vector<Pred> parts;
    SmallVector<AssertOp> asserts;
    module->walk([&](AssertOp op) { asserts.push_back(op); });
    if (!exprs.preds(asserts[number].getCondition(), parts))
      return "none";
    std::string text;
    for (const Pred &part : parts)
      text += (text.empty() ? "" : " && ") + part.str();
    return text;
  }
  /// The window that the last view op of the kernel gives.
  std::string lastView() {
    Value last;
    module->walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isa<MemRefType>(op->getResult(0).getType()))
        last = op->getResult(0);
    });
    FailureOr<HostView> view = exprs.view(last);
    if (failed(view))
      return "none";
    std::string text = view->buffer + "+" + view->offset.str();
    for (auto [size, stride] : llvm::zip(view->sizes, view->strides))
      text += " [" + size.str() + ":" + stride.str() + "]";
    for (const Pred &need : view->needs)
      text += " if " + need.str();
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  HostExprs exprs;
};

TEST_F(HostExprTest, arithmetic) {
  parse("%x: !arg {helion.name = \"x\"}, %n: i32 {helion.name = \"n\"}", R"(
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %m = memref.dim %x, %c0 : !arg
    %ni = arith.index_cast %n : i32 to index
    %t = arith.ceildivui %m, %c128 : index
    %s = arith.addi %t, %ni : index
    %r = arith.remui %s, %c128 : index
    %sms = helion.device_fact "sms"
    %g = arith.minui %r, %sms : index
    %le = arith.cmpi ule, %g, %m : index
    %eq = arith.cmpi eq, %ni, %c128 : index
    %both = arith.andi %le, %eq : i1
    helion.assert %both, "")");
  EXPECT_EQ(condition(), "min((x.size(0) ceildiv 128 + n) % 128, dev.sms) <= x.size(0) && n == 128");
}

TEST_F(HostExprTest, staticSizesAndStridesAreConstants) {
  parse("%x: !fix {helion.name = \"x\"}", R"(
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c1 : !fix
    %b, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %x
      : !fix -> memref<f32>, index, index, index, index, index
    %s = arith.muli %n, %strides#0 : index
    %le = arith.cmpi sle, %sizes#0, %s : index
    helion.assert %le, ""
    %zero = arith.cmpi eq, %offset, %n : index
    helion.assert %zero, "")");
  EXPECT_EQ(condition(0), "x.size(0) <= 4096");
  EXPECT_EQ(condition(1), Pred::compare(Pred::Compare::EQ, SizeExpr(), SizeExpr::constant(64)).str());
}

TEST_F(HostExprTest, blockSizeIsAScalarUntilBound) {
  StringRef body = R"(
    helion.block @bc registered
    %bc = helion.block_size @bc
    %c0 = arith.constant 0 : index
    %m = memref.dim %x, %c0 : !arg
    %t = arith.ceildivui %m, %bc : index
    %le = arith.cmpi sle, %t, %bc : index
    helion.assert %le, "")";
  parse("%x: !arg {helion.name = \"x\"}", body);
  EXPECT_EQ(condition(), "x.size(0) ceildiv bc <= bc");
  exprs = HostExprs();
  parse("%x: !arg {helion.name = \"x\"}", body, "helion.blocks = {bc = 32 : i64}");
  EXPECT_EQ(condition(), "x.size(0) ceildiv 32 <= 32");
}

TEST_F(HostExprTest, negative_floatAndComparedFlag) {
  parse("%x: !arg {helion.name = \"x\"}, %f: f32 {helion.name = \"f\"}", R"(
    %c = arith.constant 1.0 : f32
    %lt = arith.cmpf olt, %f, %c : f32
    helion.assert %lt, "")");
  EXPECT_EQ(condition(), "none");
}

TEST_F(HostExprTest, collapseNeedsContiguity) {
  parse("%q: !four {helion.name = \"q\"}", "%v = memref.collapse_shape %q [[0, 1], [2], [3]] : !four into !view");
  EXPECT_EQ(lastView(), "q+0 [q.size(0) * q.size(1):q.stride(1)] [q.size(2):q.stride(2)] [128:q.stride(3)]"
                        " if min(q.size(0) floordiv 2, 1) * (q.stride(0) - q.size(1) * q.stride(1)) == 0");
}

TEST_F(HostExprTest, strideOfOneElementHasNoMeaning) {
  // Each dim of a group is compared with all that is inside it: one between may have any stride.
  parse("%q: !four {helion.name = \"q\"}", "%v = memref.collapse_shape %q [[0, 1, 2], [3]] : !four into !rows");
  EXPECT_EQ(lastView(),
            "q+0 [q.size(0) * (q.size(1) * q.size(2)):q.stride(2)] [128:q.stride(3)]"
            " if min(q.size(1) floordiv 2, 1) * (q.stride(1) - q.size(2) * q.stride(2)) == 0"
            " if min(q.size(0) floordiv 2, 1) * (q.stride(0) - q.size(1) * (q.size(2) * q.stride(2))) == 0");
  SizeExpr stride = SizeExpr::stride("q", 0), whole = SizeExpr::scalar("n");
  EXPECT_EQ(followsOn(SizeExpr::constant(1), stride, whole).fold(), true);
  EXPECT_EQ(followsOn(SizeExpr::constant(2), stride, whole).str(), "q.stride(0) == n");
  EXPECT_EQ(followsOn(SizeExpr::size("q", 0), whole, whole).fold(), true);
}

TEST_F(HostExprTest, collapseOfAnAllocationNeedsNothing) {
  parse("%q: !four {helion.name = \"q\"}", R"(
    %c0 = arith.constant 0 : index
    %a = memref.dim %q, %c0 : !four
    %out = helion.empty(%a, %a) {name = "out"} : memref<?x?x8xf32>
    %v = memref.collapse_shape %out [[0, 1, 2]] : memref<?x?x8xf32> into memref<?xf32>)");
  EXPECT_EQ(lastView(), "out+0 [q.size(0) * (q.size(0) * 8):1]");
}

TEST_F(HostExprTest, expandAndTranspose) {
  parse("%x: !arg {helion.name = \"x\"}", R"(
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %m = memref.dim %x, %c0 : !arg
    %n = arith.constant 16 : index
    %h = arith.divui %m, %c8 : index
    %e = memref.expand_shape %x [[0, 1], [2]] output_shape [%h, 8, %n]
      : !arg into memref<?x8x?xf32, strided<[?, ?, ?], offset: ?>>
    %t = memref.transpose %e (a, b, c) -> (c, a, b)
      : memref<?x8x?xf32, strided<[?, ?, ?], offset: ?>> to memref<?x?x8xf32, strided<[?, ?, ?], offset: ?>>)");
  EXPECT_EQ(lastView(), "x+0 [16:x.stride(1)] [x.size(0) floordiv 8:x.stride(0) * 8] [8:x.stride(0)]");
}

TEST_F(HostExprTest, subviewDropsUnitDims) {
  parse("%x: !arg {helion.name = \"x\"}, %i: index {helion.name = \"i\"}", R"(
    %s = memref.subview %x[%i, 4] [1, 32] [1, 2]
      : !arg to memref<32xf32, strided<[?], offset: ?>>)");
  EXPECT_EQ(lastView(), "x+i * x.stride(0) + x.stride(1) * 4 [32:x.stride(1) * 2]");
}
} // namespace
