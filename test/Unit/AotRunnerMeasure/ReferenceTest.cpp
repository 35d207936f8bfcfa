// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a result may lie from the reference where dots may round their operands: what the instructions give passes,
// what is more exact passes, and one product that is missing from one sum is wrong.
#include "aot-runner/Measure/Reference.h"
#include "aot-runner/Measure/InputData.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace helion;
using namespace helion::aot;

static constexpr const char *kMatmul = R"(
!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
!out = memref<?x?xf32>
!a = tensor<?x?xf32, #helion.dims<bm@i, bk@k>>
!b = tensor<?x?xf32, #helion.dims<bk@k, bn@j>>
!acc = tensor<?x?xf32, #helion.dims<bm@i, bn@j>>
module attributes {helion.form = "kernel"} {
  helion.kernel @matmul(%x: !arg {helion.name = "x"}, %y: !arg {helion.name = "y"}) -> !out
      attributes {helion.signature = {x = "f32[2]", y = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %kk = memref.dim %x, %c1 : !arg
    %n = memref.dim %y, %c1 : !arg
    %out = helion.empty(%m, %n) {name = "out"} : !out
    helion.block @bm tile
    helion.block @bn tile
    helion.block @bk tile
    helion.launch "matmul" {
      helion.tile (%i: !helion.tile<bm@i>, %j: !helion.tile<bn@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
        %z = arith.constant 0.0 : f32
        %zero = helion.splat %z : f32 -> !acc
        %r = helion.tile (%k: !helion.tile<bk@k>) = (%c0) to (%kk) iter_args(%acc = %zero) -> (!acc) site "loop.k" {
          %a = helion.load %x[%i, %k] site "x.0" : !arg, (!helion.tile<bm@i>, !helion.tile<bk@k>) -> !a
          %b = helion.load %y[%k, %j] site "y.0" : !arg, (!helion.tile<bk@k>, !helion.tile<bn@j>) -> !b
          %d = helion.dot %a, %b, %acc site "dot.0" precision PRECISION : !a, !b, !acc
          helion.yield %d : !acc
        } combine(%p: !acc, %q: !acc) {
          %s = arith.addf %p, %q : !acc
          helion.yield %s : !acc
        }
        helion.store %r, %out[%i, %j] site "out.0" : !acc, !out, (!helion.tile<bm@i>, !helion.tile<bn@j>)
      }
    }
    helion.return %out : !out
  }
}
)";

/// To the nearest float of 11 binary digits.
static float toTF32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x0fff + ((bits >> 13) & 1)) & ~0x1fffu;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

using Product = float (*)(float, float, float);

static float tf32(float x, float y, float sum) { return sum + toTF32(x) * toTF32(y); }

static float tf32x3(float x, float y, float sum) {
  float highX = toTF32(x), highY = toTF32(y), lowX = toTF32(x - highX), lowY = toTF32(y - highY);
  return sum + (lowX * highY + highX * lowY) + highX * highY;
}

static float ieee(float x, float y, float sum) { return std::fma(x, y, sum); }

namespace {
class ReferenceTest : public testing::TestWithParam<int64_t> {
protected:
  static constexpr int64_t m = 5, n = 7;
  int64_t k = GetParam();

  Reference referenceOf(const char *precision) {
    context.loadDialect<HelionDialect, mlir::arith::ArithDialect, mlir::memref::MemRefDialect>();
    std::string text = kMatmul;
    llvm::StringRef mark = "PRECISION";
    text.replace(text.find(mark), mark.size(), precision);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    std::string key = llvm::formatv(R"({"args":{"x":{"dtype":"f32","shape":[{0},{1}]},)"
                                    R"("y":{"dtype":"f32","shape":[{1},{2}]}},"kernel":"matmul"})",
                                    m, k, n);
    row = llvm::cantFail(Row::parse(key, "row"));
    return llvm::cantFail(Reference::make(*module->getOps<KernelOp>().begin(), row));
  }

  std::vector<float> valuesOf(llvm::StringRef argument) {
    interp::HostTensor tensor = llvm::cantFail(inputTensor(row, argument));
    std::vector<float> values;
    tensor.forEach([&](int64_t at) { values.push_back(interp::readFloat(tensor.address(at), tensor.type)); });
    return values;
  }

  std::vector<float> multiply(Product product) {
    std::vector<float> x = valuesOf("x"), y = valuesOf("y"), out(m * n);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t at = 0; at < k; ++at)
          out[i * n + j] = product(x[i * k + at], y[at * n + j], out[i * n + j]);
    return out;
  }

  /// The product of the middle size of those that element 0 sums up.
  float middleProduct() {
    std::vector<float> x = valuesOf("x"), y = valuesOf("y"), products;
    for (int64_t at = 0; at < k; ++at)
      products.push_back(x[at] * y[at * n]);
    llvm::sort(products, [](float a, float b) { return std::abs(a) < std::abs(b); });
    return products[k / 2];
  }

  static CheckVerdict verdict(const Reference &reference, llvm::ArrayRef<float> out) {
    return reference.compare({std::string(reinterpret_cast<const char *>(out.data()), out.size() * sizeof(float))})
        .verdict;
  }

  void expectAMissingProductIsWrong(const Reference &reference, std::vector<float> out) {
    out[0] -= middleProduct();
    EXPECT_EQ(verdict(reference, out), CheckVerdict::Wrong);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Row row;
};
} // namespace

TEST_P(ReferenceTest, TF32) {
  Reference reference = referenceOf("tf32");
  for (Product product : {tf32, tf32x3, ieee}) {
    EXPECT_EQ(verdict(reference, multiply(product)), CheckVerdict::Ok);
    expectAMissingProductIsWrong(reference, multiply(product));
  }
}

TEST_P(ReferenceTest, ThreeProductsOfTF32) {
  Reference reference = referenceOf("tf32x3");
  for (Product product : {tf32x3, ieee}) {
    EXPECT_EQ(verdict(reference, multiply(product)), CheckVerdict::Ok);
    expectAMissingProductIsWrong(reference, multiply(product));
  }
  EXPECT_EQ(verdict(reference, multiply(tf32)), CheckVerdict::Wrong);
}

TEST_P(ReferenceTest, IEEE) {
  Reference reference = referenceOf("ieee");
  EXPECT_EQ(verdict(reference, multiply(ieee)), CheckVerdict::Ok);
  expectAMissingProductIsWrong(reference, multiply(ieee));
  EXPECT_EQ(verdict(reference, multiply(tf32)), CheckVerdict::Wrong);
}

INSTANTIATE_TEST_SUITE_P(Lengths, ReferenceTest, testing::Values(16, 64, 2048));
