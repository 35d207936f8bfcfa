// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-opt: parses kernels in any form, runs passes on them and prints them. mlir-opt's interface, our dialect and
// passes.

#include "codegen/Common/Passes.h"
#include "dialect/IR/Helion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Normalize/Passes.h"
#include "passes/Schedule/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<helion::HelionDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect>();
  mlir::registerTransformsPasses();
  helion::registerHelionNormalizePasses();
  helion::registerHelionSchedulePasses();
  helion::registerHelionCodegenCommonPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Helion kernel optimizer\n", registry));
}
