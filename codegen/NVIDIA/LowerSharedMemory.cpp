// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-lower-shared-memory: memory spaces as numbers, the dynamic shared memory of a block as an external symbol.

#include "codegen/NVIDIA/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace helion {
#define GEN_PASS_DEF_LOWERSHAREDMEMORYPASS
#include "codegen/NVIDIA/Passes.h.inc"
} // namespace helion

static constexpr llvm::StringLiteral kSharedSymbol = "helion_shared";
/// What a swizzle over 128 bytes repeats after.
static constexpr int64_t kSharedAlignment = 1024;

/// The spaces of NVPTX.
static int64_t numberOf(gpu::AddressSpace space) {
  switch (space) {
  case gpu::AddressSpace::Global:
    return 1;
  case gpu::AddressSpace::Workgroup:
    return 3;
  case gpu::AddressSpace::Private:
    return 5;
  }
  llvm_unreachable("covered above");
}

static LLVM::GlobalOp sharedArray(ModuleOp module) {
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(kSharedSymbol))
    return known;
  OpBuilder b(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  return LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External, kSharedSymbol,
                                Attribute(), kSharedAlignment, numberOf(gpu::AddressSpace::Workgroup));
}

/// `memref<?xi8, 3>` at the array. Nobody asks for its size: it is the launch's.
static Value sharedMemory(OpBuilder &b, Location loc, LLVM::GlobalOp array, MemRefType type) {
  Type i64 = b.getI64Type(), list = LLVM::LLVMArrayType::get(i64, 1);
  Value address = LLVM::AddressOfOp::create(b, loc, array), pointer = address;
  auto descriptorType =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer.getType(), pointer.getType(), i64, list, list});
  Value descriptor = LLVM::PoisonOp::create(b, loc, descriptorType);
  Value zero = LLVM::ConstantOp::create(b, loc, i64, 0), one = LLVM::ConstantOp::create(b, loc, i64, 1);
  const std::pair<Value, SmallVector<int64_t>> fields[] = {
      {pointer, {0}}, {pointer, {1}}, {zero, {2}}, {zero, {3, 0}}, {one, {4, 0}}};
  for (const auto &[value, position] : fields)
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, value, position);
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor).getResult(0);
}

namespace {
struct LowerSharedMemory : helion::impl::LowerSharedMemoryPassBase<LowerSharedMemory> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([&](gpu::DynamicSharedMemoryOp op) {
      OpBuilder b(op);
      op.replaceAllUsesWith(sharedMemory(b, op.getLoc(), sharedArray(module), op.getType()));
      op.erase();
    });
    AttrTypeReplacer replacer;
    replacer.addReplacement([](gpu::AddressSpaceAttr space) -> Attribute {
      return Builder(space.getContext()).getI64IntegerAttr(numberOf(space.getValue()));
    });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  }
};
} // namespace
