// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/IR/MatrixShape.h"
#include "dialect/IR/Helion.h"

using namespace mlir;

bool helion::hasMatrixTypes(DotOp dot) {
  Type element = getElementTypeOrSelf(dot.getLhs().getType());
  return (element.isBF16() || element.isF16()) && getElementTypeOrSelf(dot.getRhs().getType()) == element &&
         getElementTypeOrSelf(dot.getAcc().getType()).isF32();
}
