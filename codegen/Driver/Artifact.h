// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a function: a scheduled kernel in, an artifact (manifest and object file) out, all in process. Any
// number of compiles may run at once, each on a module of its own MLIRContext.
#ifndef HELION_CODEGEN_DRIVER_ARTIFACT_H
#define HELION_CODEGEN_DRIVER_ARTIFACT_H

#include "dialect/Target/Device.h"
#include "dialect/Target/Manifest.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace helion {

/// How the names of an artifact's object file end: `.o`, `.cubin`, `.ptx`.
llvm::StringRef objectEnding(const Device &device, llvm::StringRef object);

struct Artifact {
  Manifest manifest;
  std::string object;    // Bytes of an ELF object file; for NVIDIA a cubin, or PTX where no assembler was found.
  std::string text = {}; // PTX behind a cubin; empty where only the cubin's own chip runs it, as for sm_90a.
};

/// Compiles a module in form S with one kernel; the module is left as it is. `config` is the canonical text that led to
/// it. The error holds the diagnostics, `line:col: message` each where there is a place.
llvm::Expected<Artifact> compile(mlir::ModuleOp scheduled, const Device &device, llvm::StringRef config);

/// Compiles a module in form K with one kernel by a config text, which is checked against the kernel's space first. The
/// manifest holds its canonical form. The passes must be registered.
llvm::Expected<Artifact> compileKernel(mlir::ModuleOp kernel, const Device &device, llvm::StringRef config);

/// The artifact of a module that helion-lower has lowered.
llvm::Expected<Artifact> emitArtifact(mlir::ModuleOp lowered);

} // namespace helion

#endif // HELION_CODEGEN_DRIVER_ARTIFACT_H
