// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libHelionPlugin.so: our dialect and passes inside a stock mlir-opt.
//   mlir-opt --load-dialect-plugin=libHelionPlugin.so --load-pass-plugin=libHelionPlugin.so
//            --pass-pipeline='builtin.module(helion-normalize,...,helion-lower{target=cpu:x86-64-v3})' kernel.mlir

#include "codegen/Driver/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Helion", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) { helion::registerAllDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "HelionPasses", LLVM_VERSION_STRING, [] { helion::registerAllPasses(); }};
}
