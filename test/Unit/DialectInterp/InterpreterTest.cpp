// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ door of the interpreter: the caller's own memory, chosen programs with their writes, kinds of errors, and
// comparison limited to what was written. Values of ops are tested as text in test/dialect/Interp.

#include "dialect/Interp/Interpreter.h"
#include "dialect/Interp/Compare.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace helion;
using namespace helion::interp;

static constexpr llvm::StringLiteral kText = R"mlir(
!f = memref<?xf32, strided<[?], offset: ?>>
!v = tensor<?xf32, #helion.dims<bi@i>>
helion.kernel @scale(%x: !f {helion.name = "x"}, %s: f32 {helion.name = "s"}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %x, %c0 : !f
  %enough = arith.cmpi sge, %n, %c3 : index
  helion.assert %enough, "x.size(0) >= 3"
  %out = helion.empty(%n) {name = "out"} : memref<?xf32>
  helion.block @bi tile
  helion.launch "scale" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %a = helion.load %x[%i] site "x.0" : !f, (!helion.tile<bi@i>) -> !v
      %b = helion.splat %s : f32 -> !v
      %d = arith.mulf %a, %b : !v
      helion.store %d, %out[%i] site "out.0" : !v, memref<?xf32>, (!helion.tile<bi@i>)
    }
  }
  helion.return %out : memref<?xf32>
}
)mlir";

namespace {
class InterpreterTest : public testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<HelionDialect, mlir::arith::ArithDialect, mlir::memref::MemRefDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(kText, &context);
    ASSERT_TRUE(module);
    kernel = *module->getOps<KernelOp>().begin();
  }

  /// Numbers 0, 1, .. 9 in memory of the test's own, last to first.
  HostTensor reversed(int64_t size) {
    HostTensor tensor;
    tensor.type = ElementType::F32;
    tensor.sizes = {size};
    tensor.strides = {-1};
    tensor.offset = size - 1;
    tensor.storage = std::make_shared<Storage>(numbers.data(), numbers.size() * sizeof(float));
    return tensor;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  KernelOp kernel;
  std::vector<float> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
};
} // namespace

static double valueAt(const HostTensor &tensor, int64_t i) { return readFloat(tensor.address(i), tensor.type); }

TEST_F(InterpreterTest, readsTheCallersMemory) {
  llvm::Expected<RunResult> result = Interpreter::run(kernel, {reversed(10), 0.5});
  ASSERT_TRUE(static_cast<bool>(result));
  ASSERT_EQ(result->outputs.size(), 1u);
  for (int64_t i = 0; i != 10; ++i)
    EXPECT_EQ(valueAt(result->outputs[0], i), (9 - i) * 0.5);
  EXPECT_EQ(result->blocks.at("bi"), 16);
}

TEST_F(InterpreterTest, runsChosenProgramsAndTellsWhatTheyStored) {
  RunOptions options;
  options.blocks = {{"bi", 4}};
  options.trackWrites = true;
  std::vector<int64_t> counts;
  options.selectProgram = [&](llvm::StringRef launch, int64_t program, int64_t count) {
    EXPECT_EQ(launch, "scale");
    counts.push_back(count);
    return program == 2;
  };
  llvm::Expected<RunResult> some = Interpreter::run(kernel, {reversed(10), 2.0}, options);
  ASSERT_TRUE(static_cast<bool>(some));
  EXPECT_EQ(counts, std::vector<int64_t>({3, 3, 3}));
  const HostTensor &out = some->outputs[0];
  EXPECT_EQ(out.storage->written, std::vector<uint8_t>({0, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_TRUE(std::isnan(valueAt(out, 0)));
  EXPECT_EQ(valueAt(out, 9), 0.0);

  llvm::Expected<RunResult> all = Interpreter::run(kernel, {reversed(10), 2.0});
  ASSERT_TRUE(static_cast<bool>(all));
  EXPECT_TRUE(firstMismatch(out, all->outputs[0], {}).has_value());
  EXPECT_FALSE(firstMismatch(out, all->outputs[0], {}, out.storage->written).has_value());
}

static RunError::Kind kindOf(llvm::Expected<RunResult> result) {
  EXPECT_FALSE(static_cast<bool>(result));
  RunError::Kind kind = RunError::Kind::Execution;
  llvm::handleAllErrors(result.takeError(), [&](const RunError &error) { kind = error.kind; });
  return kind;
}

TEST_F(InterpreterTest, illegalCallsAreTheCallersErrors) {
  EXPECT_EQ(kindOf(Interpreter::run(kernel, {reversed(2), 2.0})), RunError::Kind::Call); // the assert
  EXPECT_EQ(kindOf(Interpreter::run(kernel, {reversed(10)})), RunError::Kind::Call);
  EXPECT_EQ(kindOf(Interpreter::run(kernel, {2.0, 2.0})), RunError::Kind::Call);
  EXPECT_EQ(kindOf(Interpreter::run(kernel, {reversed(10), reversed(10)})), RunError::Kind::Call);
  HostTensor outside = reversed(10);
  outside.offset = 8;
  EXPECT_EQ(kindOf(Interpreter::run(kernel, {outside, 2.0})), RunError::Kind::Call);
}

TEST_F(InterpreterTest, emptyRunsAndReversedRuns) {
  RunOptions options;
  options.reversePrograms = true;
  options.bindingVariant = 1;
  std::vector<int64_t> order;
  options.selectProgram = [&](llvm::StringRef, int64_t program, int64_t) {
    order.push_back(program);
    return true;
  };
  llvm::Expected<RunResult> result = Interpreter::run(kernel, {reversed(10), 2.0}, options);
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->blocks.at("bi"), 4);
  EXPECT_EQ(order, std::vector<int64_t>({2, 1, 0}));
}

TEST(CompareTest, toleranceIsRelativeAndOfTheLargest) {
  HostTensor a = HostTensor::allocate(ElementType::F64, {3}), b = HostTensor::allocate(ElementType::F64, {3});
  double left[] = {1.0, 1000.0, NAN}, right[] = {1.0 + 1e-6, 1000.0, NAN};
  std::memcpy(a.storage->data(), left, sizeof(left));
  std::memcpy(b.storage->data(), right, sizeof(right));
  EXPECT_FALSE(firstMismatch(a, b, {1e-5, 0}).has_value());
  EXPECT_FALSE(firstMismatch(a, b, {0, 1e-8}).has_value()); // 1e-8 of 1000
  std::optional<Mismatch> mismatch = firstMismatch(a, b, {1e-7, 1e-10});
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->index, Shape({0}));
  EXPECT_EQ(mismatch->count, 1);
  EXPECT_EQ(mismatch->first, "1");
}
