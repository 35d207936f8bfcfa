// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything of ours that a tool may meet, in one call each: for helion-opt, the plugin and every program that compiles.
#ifndef HELION_CODEGEN_DRIVER_REGISTRATION_H
#define HELION_CODEGEN_DRIVER_REGISTRATION_H

namespace mlir {
class DialectRegistry;
}

namespace helion {
/// Our dialect, the dialects that kernels are lowered through, and the interfaces that the lowering asks them for.
void registerAllDialects(mlir::DialectRegistry &registry);
/// Our passes, by name.
void registerAllPasses();
} // namespace helion

#endif // HELION_CODEGEN_DRIVER_REGISTRATION_H
