// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One forward walk over index arithmetic; the greatest common divisor is all that is kept of a value.

#include "codegen/Common/ThreadFacts.h"
#include "codegen/Common/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;
using namespace helion;
using namespace helion::threads;

Multiples::Multiples(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (auto multiple = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kMultipleAttr))
      known[argument] = multiple.getInt();
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      known[loop.getInductionVar()] = std::gcd(of(loop.getLowerBound()), of(loop.getStep()));
    for (OpResult result : op->getResults())
      if (result.getType().isIntOrIndex())
        if (int64_t multiple = ofResult(result); multiple != 1)
          known[result] = multiple;
  });
}

int64_t Multiples::of(Value value) const {
  auto found = known.find(value);
  return found == known.end() ? 1 : found->second;
}

int64_t Multiples::of(OpFoldResult value) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::abs(*constant);
  return of(cast<Value>(value));
}

int64_t Multiples::ofResult(OpResult result) const {
  Operation *op = result.getOwner();
  if (std::optional<int64_t> constant = getConstantIntValue(OpFoldResult(result)))
    return std::abs(*constant);
  if (isa<arith::MulIOp>(op)) {
    int64_t product;
    bool overflows = llvm::MulOverflow(of(op->getOperand(0)), of(op->getOperand(1)), product);
    return overflows ? 1 : product;
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::gcd(of(op->getOperand(0)), of(op->getOperand(1)));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return of(op->getOperand(0));
  if (isa<arith::SelectOp>(op))
    return std::gcd(of(op->getOperand(1)), of(op->getOperand(2)));
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> number = dim.getConstantIndex();
    auto made = dim.getSource().getDefiningOp<memref::ReinterpretCastOp>();
    if (made && number && *number < made.getType().getRank())
      return of(made.getMixedSizes()[*number]);
  }
  return 1;
}

Value threads::rootOf(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (isa<memref::ReinterpretCastOp, memref::CastOp, memref::ViewOp, memref::SubViewOp, UnrealizedConversionCastOp,
            memref::ExtractStridedMetadataOp>(op))
      memref = op->getOperand(0);
    else if (auto insert = dyn_cast<LLVM::InsertValueOp>(op))
      memref = isa<LLVM::LLVMPointerType>(insert.getValue().getType()) ? insert.getValue() : insert.getContainer();
    else
      break;
  }
  return memref;
}

int64_t threads::rootAlignment(Value memref) {
  auto argument = dyn_cast<BlockArgument>(rootOf(memref));
  if (!argument)
    return 1;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return 1;
  auto align = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName());
  return align ? align.getInt() : 1;
}
