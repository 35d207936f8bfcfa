// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Analysis/TileLoop.h"

using namespace mlir;

bool helion::runsTiles(scf::ForOp loop) {
  auto launch = dyn_cast<LaunchOp>(loop->getParentOp());
  return launch && loop->getAttrOfType<StringAttr>("site") == launch.getNameAttr();
}
