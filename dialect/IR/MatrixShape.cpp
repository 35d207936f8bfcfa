// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/IR/MatrixShape.h"
#include "dialect/IR/Helion.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;

/// Whether products of such operands, exact in the sums, are what some instruction adds up.
static bool areMultiplied(DotOp dot, Type element, Type sum) {
  if (element.isBF16() || element.isF16())
    return sum.isF32();
  if (element.isF32())
    return sum.isF32() && dot.getPrecision() != DotPrecision::IEEE;
  return element.isSignlessInteger(8) && sum.isSignlessInteger(32);
}

const WarpInstruction *helion::warpInstructionFor(DotOp dot) {
  Type element = getElementTypeOrSelf(dot.getLhs().getType());
  if (getElementTypeOrSelf(dot.getRhs().getType()) != element ||
      !areMultiplied(dot, element, getElementTypeOrSelf(dot.getAcc().getType())))
    return nullptr;
  return llvm::find_if(kWarpInstructions, [&](const WarpInstruction &each) {
    return each.elementBytes * 8 == element.getIntOrFloatBitWidth();
  });
}

const WarpInstruction *helion::warpInstruction(StringRef name) {
  const WarpInstruction *found =
      llvm::find_if(kWarpInstructions, [&](const WarpInstruction &each) { return each.name == name; });
  return found == std::end(kWarpInstructions) ? nullptr : found;
}

bool helion::hasGroupTypes(DotOp dot) {
  const WarpInstruction *instruction = warpInstructionFor(dot);
  return instruction && instruction->elementBytes == kGroupElementBytes;
}
