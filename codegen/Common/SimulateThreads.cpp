// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-simulate-threads: gpu ops become calls of a harness, so that tests run the code of threads on the CPU.

#include "codegen/Common/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_SIMULATETHREADSPASS
#include "codegen/Common/Passes.h.inc"
} // namespace helion

namespace {
/// Rewrites one function; declares what it calls.
class Simulation {
public:
  Simulation(func::FuncOp function, SymbolTable &symbols)
      : function(function), symbols(symbols), b(function.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (isa_and_nonnull<gpu::GPUDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      if (failed(replace(op)))
        return failure();
    }
    if (failed(takeWords()))
      return failure();
    joinMemory();
    return success();
  }

private:
  Value call(StringRef name, TypeRange results, ValueRange operands, Location loc) {
    std::string symbol = ("helion_harness_" + name).str();
    auto callee = symbols.lookup<func::FuncOp>(symbol);
    if (!callee) {
      callee = func::FuncOp::create(loc, symbol, b.getFunctionType(operands.getTypes(), results));
      callee.setPrivate();
      // Threads meet in these calls, so no pass may make one depend on more conditions.
      callee->setAttr("passthrough", b.getStrArrayAttr({"convergent", "nounwind"}));
      symbols.insert(callee);
    }
    auto made = func::CallOp::create(b, loc, callee, operands);
    return results.empty() ? Value() : made.getResult(0);
  }

  Value word(int64_t value, Location loc) { return arith::ConstantIntOp::create(b, loc, value, 32); }

  /// A number that the harness gives by axis.
  void replaceNumber(Operation *op, StringRef name, gpu::Dimension axis) {
    Location loc = op->getLoc();
    Value number = call(name, b.getI64Type(), word(int64_t(axis), loc), loc);
    op->getResult(0).replaceAllUsesWith(arith::IndexCastOp::create(b, loc, b.getIndexType(), number));
    op->erase();
  }

  LogicalResult replace(Operation *op) {
    if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
      replaceNumber(op, "thread", id.getDimension());
    else if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      replaceNumber(op, "block", id.getDimension());
    else if (auto dim = dyn_cast<gpu::GridDimOp>(op))
      replaceNumber(op, "grid", dim.getDimension());
    else if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op))
      return replaceShuffle(shuffle);
    else if (isa<gpu::BarrierOp>(op)) {
      call("barrier", {}, {}, op->getLoc());
      op->erase();
    } else if (auto memory = dyn_cast<gpu::DynamicSharedMemoryOp>(op))
      replaceShared(memory);
    else
      return op->emitOpError() << "is none of those that the harness of tests knows";
    return success();
  }

  LogicalResult replaceShuffle(gpu::ShuffleOp op) {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type(), type = op.getValue().getType();
    if (type != i32 && !type.isF32())
      return op.emitOpError() << "sends a value of type " << type << "; lanes exchange 32 bits";
    Value value = op.getValue();
    if (type != i32)
      value = arith::BitcastOp::create(b, loc, i32, value);
    Value got = call("shuffle", i32, {value, word(int64_t(op.getMode()), loc), op.getOffset(), op.getWidth()}, loc);
    if (type != i32)
      got = arith::BitcastOp::create(b, loc, type, got);
    op.getShuffleResult().replaceAllUsesWith(got);
    op.getValid().replaceAllUsesWith(arith::ConstantIntOp::create(b, loc, 1, 1));
    op.erase();
    return success();
  }

  /// A memref of rank 0 at the pointer, seen as bytes without an end.
  void replaceShared(gpu::DynamicSharedMemoryOp op) {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
    Value memory = call("shared", pointer, {}, loc);
    auto descriptorType = LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer, i64});
    Value descriptor = LLVM::PoisonOp::create(b, loc, descriptorType);
    for (int64_t field : {0, 1})
      descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, memory, ArrayRef<int64_t>{field});
    Value zero = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(0));
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, zero, ArrayRef<int64_t>{2});
    Value base =
        UnrealizedConversionCastOp::create(b, loc, MemRefType::get({}, b.getI8Type()), descriptor).getResult(0);
    auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
    Value bytes = memref::ReinterpretCastOp::create(b, loc, type, base, b.getIndexAttr(0),
                                                    ArrayRef<OpFoldResult>{b.getIndexAttr(INT32_MAX)},
                                                    ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    op.getResult().replaceAllUsesWith(bytes);
    op.erase();
  }

  /// The arguments come from words of 8 bytes.
  LogicalResult takeWords() {
    Block &entry = function.getBody().front();
    Location loc = function.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    b.setInsertionPointToStart(&entry);
    unsigned count = entry.getNumArguments();
    Value words = entry.addArgument(pointer, loc);
    for (unsigned number = 0; number != count; ++number) {
      BlockArgument argument = entry.getArgument(number);
      Type type = argument.getType();
      if (!isa<LLVM::LLVMPointerType, IntegerType, IndexType, FloatType>(type))
        return function.emitOpError() << "has an argument of type " << type << ", which is no word";
      Value address =
          LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), words, ArrayRef<LLVM::GEPArg>{int32_t(number)});
      Value value = LLVM::LoadOp::create(b, loc, type.isIndex() ? b.getI64Type() : type, address);
      if (type.isIndex())
        value = arith::IndexCastOp::create(b, loc, type, value);
      argument.replaceAllUsesWith(value);
    }
    entry.eraseArguments(0, count);
    function.setFunctionType(b.getFunctionType({pointer}, {}));
    function.setAllArgAttrs(ArrayRef<DictionaryAttr>{DictionaryAttr::get(b.getContext())});
    return success();
  }

  /// All memory in the space that the CPU has.
  void joinMemory() {
    auto join = [](Value value) {
      auto type = dyn_cast<MemRefType>(value.getType());
      if (type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
        value.setType(MemRefType::get(type.getShape(), type.getElementType(), type.getLayout()));
    };
    function.walk([&](Operation *op) { llvm::for_each(op->getResults(), join); });
    function.walk([&](Block *block) { llvm::for_each(block->getArguments(), join); });
  }

  func::FuncOp function;
  SymbolTable &symbols;
  OpBuilder b;
};

struct SimulateThreadsPass : helion::impl::SimulateThreadsPassBase<SimulateThreadsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function->hasAttr(kWarpsAttr) && failed(Simulation(function, symbols).run()))
        return signalPassFailure();
  }
};
} // namespace
