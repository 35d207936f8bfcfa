// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-opt: parses kernels in any form, runs passes on them and prints them. mlir-opt's interface, our dialect and
// passes.

#include "codegen/Driver/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  helion::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  helion::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Helion kernel optimizer\n", registry));
}
