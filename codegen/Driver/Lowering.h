// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of helion-lower: the pipeline of a target, and what is done to the module behind it.
#ifndef HELION_CODEGEN_DRIVER_LOWERING_H
#define HELION_CODEGEN_DRIVER_LOWERING_H

#include "dialect/Target/Device.h"
#include "dialect/Target/Manifest.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace helion {

/// From form S to LLVM's dialect.
void buildLoweringPipeline(mlir::OpPassManager &pipeline, const Device &device);

/// Names the functions of a lowered module after its code and completes its manifest with target, config, scratch and
/// toolchain. Diagnostics stand on the module.
mlir::LogicalResult finishLoweredModule(mlir::ModuleOp module, const Device &device);

/// The manifest that a lowered module carries.
llvm::Expected<Manifest> manifestOf(mlir::ModuleOp module);
void setManifest(mlir::ModuleOp module, const Manifest &manifest);

/// The versions that manifests written by this build say.
Toolchain thisToolchain();

} // namespace helion

#endif // HELION_CODEGEN_DRIVER_LOWERING_H
