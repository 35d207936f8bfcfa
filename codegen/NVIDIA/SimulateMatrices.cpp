// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-simulate-matrices: what only this vendor's devices have becomes calls, so that tests run it on the CPU. A call
// takes addresses and words; results that are more than one word are asked for word by word.

#include "codegen/Common/ThreadContext.h"
#include "codegen/NVIDIA/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_SIMULATEMATRICESPASS
#include "codegen/NVIDIA/Passes.h.inc"
} // namespace helion

namespace {
class Simulation {
public:
  explicit Simulation(ModuleOp module) : symbols(module), b(module.getContext()) {}

  LogicalResult replace(Operation *op) {
    b.setInsertionPoint(op);
    Location loc = op->getLoc();
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<nvgpu::LdMatrixOp, nvgpu::DeviceAsyncCopyOp, nvgpu::TmaAsyncLoadOp, nvgpu::MBarrierInitOp,
                  nvgpu::MBarrierArriveExpectTxOp, nvgpu::MBarrierTryWaitParityOp, LLVM::CallIntrinsicOp>(
                [&](auto known) { return replaceOp(known), success(); })
            .Case<NVVM::MmaOp>([&](auto mma) { return replaceMma(mma); })
            .Case<NVVM::ConvertFloatToTF32Op>([&](auto round) { return replaceRound(round); })
            .Case<NVVM::WgmmaMmaAsyncOp>([&](auto mma) { return replaceGroupMma(mma); })
            .Case<NVVM::WgmmaFenceAlignedOp>([&](auto) { return call("group_fence", {}, {}, loc), success(); })
            .Case<NVVM::WgmmaGroupSyncAlignedOp>([&](auto) { return call("group_commit", {}, {}, loc), success(); })
            .Case<NVVM::WgmmaWaitGroupSyncOp>([&](auto wait) {
              call("group_wait", {}, word(wait.getGroup(), loc), loc);
              return success();
            })
            .Case<LLVM::InlineAsmOp>([&](auto code) { return replaceTies(code); })
            .Case<NVVM::CpAsyncWaitGroupOp>([&](auto wait) {
              call("wait", {}, word(wait.getN(), loc), loc);
              return success();
            })
            .Case<NVVM::CpAsyncCommitGroupOp>([&](auto) {
              call("commit", {}, {}, loc);
              return success();
            })
            // Copies see shared memory as threads do.
            .Case<NVVM::FenceProxyOp>([](auto) { return success(); })
            .Default([](Operation *other) {
              return other->emitOpError() << "is none of those that the harness of tests knows";
            });
    if (succeeded(result))
      op->erase();
    return result;
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
  Value resultWord(int64_t number, Location loc) { return call("word", b.getI32Type(), word(number, loc), loc); }

  /// Of an element of a flat memref, i64.
  Value address(Value memref, Value index, Location loc) {
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    Value bytes = arith::ConstantIndexOp::create(b, loc, threads::bytesOf(element));
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
    Value place = arith::AddIOp::create(b, loc, base, arith::MulIOp::create(b, loc, index, bytes));
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), place);
  }

  void replaceOp(nvgpu::LdMatrixOp op) {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getRes().getType());
    Value place = address(op.getSrcMemref(), op.getIndices().front(), loc);
    call("ldmatrix", {}, {place, word(op.getNumTiles(), loc), word(op.getTranspose(), loc)}, loc);
    SmallVector<Value> elements;
    for (int64_t number = 0; number != type.getDimSize(0); ++number) {
      Value pair = LLVM::BitcastOp::create(b, loc, VectorType::get({type.getDimSize(1)}, type.getElementType()),
                                           resultWord(number, loc));
      llvm::append_range(elements, threads::unpack(b, loc, pair));
    }
    op.getRes().replaceAllUsesWith(vector::FromElementsOp::create(b, loc, type, elements));
  }

  void replaceOp(nvgpu::DeviceAsyncCopyOp op) {
    Location loc = op.getLoc();
    int64_t bytes = threads::bytesOf(cast<MemRefType>(op.getDst().getType()).getElementType());
    int64_t elements = op.getDstElements().getSExtValue();
    Value read = word(elements * bytes, loc);
    if (op.getSrcElements())
      read = arith::MulIOp::create(b, loc, arith::IndexCastOp::create(b, loc, b.getI32Type(), op.getSrcElements()),
                                   word(bytes, loc));
    call("copy", {},
         {address(op.getDst(), op.getDstIndices().front(), loc), address(op.getSrc(), op.getSrcIndices().front(), loc),
          word(elements * bytes, loc), read},
         loc);
  }

  //===-- Boxes -------------------------------------------------------------------------------------------------===//

  /// What a cast to one of the dialect's own types started from.
  static Value castFrom(Value value) { return value.getDefiningOp<UnrealizedConversionCastOp>().getInputs()[0]; }
  Value barrier(Value group, Value number, Location loc) { return address(castFrom(group), number, loc); }
  Value narrow(Value index, Location loc) { return arith::IndexCastOp::create(b, loc, b.getI32Type(), index); }

  void replaceOp(nvgpu::MBarrierInitOp op) {
    Location loc = op.getLoc();
    call("barrier_init", {}, {barrier(op.getBarriers(), op.getMbarId(), loc), narrow(op.getCount(), loc)}, loc);
  }

  void replaceOp(nvgpu::MBarrierArriveExpectTxOp op) {
    Location loc = op.getLoc();
    call("barrier_expect", {}, {barrier(op.getBarriers(), op.getMbarId(), loc), narrow(op.getTxcount(), loc)}, loc);
  }

  void replaceOp(nvgpu::MBarrierTryWaitParityOp op) {
    Location loc = op.getLoc();
    Value phase = arith::ExtUIOp::create(b, loc, b.getI32Type(), op.getPhaseParity());
    call("barrier_wait", {}, {barrier(op.getBarriers(), op.getMbarId(), loc), phase}, loc);
  }

  /// Coordinates are given one by one.
  void replaceOp(nvgpu::TmaAsyncLoadOp op) {
    Location loc = op.getLoc();
    for (Value coordinate : op.getCoordinates())
      call("give", {}, narrow(coordinate, loc), loc);
    Value begin = memref::ExtractStridedMetadataOp::create(b, loc, op.getDst()).getOffset();
    Value map = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), castFrom(op.getTensorMapDescriptor()));
    call("box", {}, {address(op.getDst(), begin, loc), map, barrier(op.getBarriers(), op.getMbarId(), loc)}, loc);
  }

  /// `llvm.nvvm.mul.rm.f` is `helion_harness_mul_rm_f`.
  void replaceOp(LLVM::CallIntrinsicOp op) {
    StringRef name = op.getIntrin();
    name.consume_front("llvm.nvvm.");
    std::string function = name.str();
    llvm::replace(function, '.', '_');
    op.getResult(0).replaceAllUsesWith(call(function, op.getResultTypes(), op.getArgs(), op.getLoc()));
  }

  Value structOf(Type type, ValueRange fields, Location loc) {
    Value whole = LLVM::PoisonOp::create(b, loc, type);
    for (auto [number, field] : llvm::enumerate(fields))
      whole = LLVM::InsertValueOp::create(b, loc, whole, field, ArrayRef<int64_t>{int64_t(number)});
    return whole;
  }

  /// Assembly without a text, which only makes new values of old ones.
  LogicalResult replaceTies(LLVM::InlineAsmOp op) {
    if (!op.getAsmString().empty())
      return op.emitOpError() << "is assembly that the harness of tests does not know";
    op.getRes().replaceAllUsesWith(structOf(op.getRes().getType(), op.getOperands(), op.getLoc()));
    return success();
  }

  LogicalResult replaceGroupMma(NVVM::WgmmaMmaAsyncOp op) {
    Location loc = op.getLoc();
    NVVM::MMAShapeAttr shape = op.getShape();
    auto type = cast<LLVM::LLVMStructType>(op.getResults().getType());
    NVVM::WGMMATypes element = op.getTypeA();
    if (shape.getM() != 64 || shape.getK() != 16 || int64_t(type.getBody().size()) * 2 != shape.getN() ||
        (element != NVVM::WGMMATypes::bf16 && element != NVVM::WGMMATypes::f16))
      return op.emitOpError() << "is of a shape that the harness of tests does not know";
    SmallVector<Value> words;
    for (auto [number, field] : llvm::enumerate(type.getBody())) {
      Value sum = LLVM::ExtractValueOp::create(b, loc, op.getInouts(), ArrayRef<int64_t>{int64_t(number)});
      call("give", {}, LLVM::BitcastOp::create(b, loc, b.getI32Type(), sum).getResult(), loc);
    }
    int64_t form = (element == NVVM::WGMMATypes::bf16 ? 1 : 0) + (op.getLayoutA() == NVVM::MMALayout::col ? 2 : 0) +
                   (op.getLayoutB() == NVVM::MMALayout::row ? 4 : 0);
    call("wgmma", {}, {op.getDescriptorA(), op.getDescriptorB(), word(shape.getN(), loc), word(form, loc)}, loc);
    for (auto [number, field] : llvm::enumerate(type.getBody()))
      words.push_back(LLVM::BitcastOp::create(b, loc, field, resultWord(number, loc)));
    op.getResults().replaceAllUsesWith(structOf(type, words, loc));
    return success();
  }

  LogicalResult replaceMma(NVVM::MmaOp op) {
    Location loc = op.getLoc();
    NVVM::MMAShapeAttr shape = op.getShape();
    auto type = op.getMultiplicandAPtxType();
    // By the number that the harness knows them by.
    static constexpr std::pair<NVVM::MMATypes, unsigned> kinds[] = {
        {NVVM::MMATypes::f16, 16}, {NVVM::MMATypes::bf16, 16}, {NVVM::MMATypes::tf32, 8}, {NVVM::MMATypes::s8, 32}};
    auto kind = llvm::find_if(
        kinds, [&](auto known) { return known.first == type && int64_t(known.second) == int64_t(shape.getK()); });
    bool saturates = op.getIntOverflowBehavior() == NVVM::MMAIntOverflow::satfinite;
    if (shape.getM() != 16 || shape.getN() != 8 || kind == std::end(kinds) || saturates)
      return op.emitOpError() << "is of a shape that the harness of tests does not know";
    for (Value operand : op.getOperands()) {
      Value bits = operand.getType().isInteger() ? operand : LLVM::BitcastOp::create(b, loc, b.getI32Type(), operand);
      call("give", {}, bits, loc);
    }
    call("mma", {}, word(kind - kinds, loc), loc);
    auto result = cast<LLVM::LLVMStructType>(op.getType());
    Value all = LLVM::PoisonOp::create(b, loc, result);
    for (auto [number, element] : llvm::enumerate(result.getBody())) {
      Value value = resultWord(number, loc);
      if (!element.isInteger())
        value = LLVM::BitcastOp::create(b, loc, element, value);
      all = LLVM::InsertValueOp::create(b, loc, all, value, ArrayRef<int64_t>{int64_t(number)});
    }
    op.getResult().replaceAllUsesWith(all);
    return success();
  }

  LogicalResult replaceRound(NVVM::ConvertFloatToTF32Op op) {
    if (op.getRnd() != NVVM::FPRoundingMode::RNA || op.getRelu() || op.getSat() != NVVM::SaturationMode::NONE)
      return op.emitOpError() << "rounds in a way that the harness of tests does not know";
    op.getRes().replaceAllUsesWith(call("round_tf32", op.getType(), op.getSrc(), op.getLoc()));
    return success();
  }

  SymbolTable symbols;
  OpBuilder b;
};

struct SimulateMatricesPass : helion::impl::SimulateMatricesPassBase<SimulateMatricesPass> {
  /// What stood for the dialect's own types.
  void eraseCasts() {
    SmallVector<Operation *> dead;
    getOperation().walk([&](UnrealizedConversionCastOp cast) {
      if (cast->use_empty())
        dead.push_back(cast);
    });
    for (Operation *cast : llvm::reverse(dead))
      cast->erase();
  }

  void runOnOperation() override {
    Simulation simulation(getOperation());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<nvgpu::NVGPUDialect, NVVM::NVVMDialect>(op->getDialect()) ||
          isa<LLVM::CallIntrinsicOp, LLVM::InlineAsmOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(simulation.replace(op)))
        return signalPassFailure();
    eraseCasts();
  }
};
} // namespace
