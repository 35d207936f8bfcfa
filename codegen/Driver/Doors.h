// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What helion-translate offers of the driver: a file that holds a module in form K with a config's text, one in form S,
// or one that helion-lower has lowered, to files. Diagnostics of the text go to stderr with their lines; the error that
// is returned says the rest.
#ifndef HELION_CODEGEN_DRIVER_DOORS_H
#define HELION_CODEGEN_DRIVER_DOORS_H

#include "codegen/Driver/Artifact.h"
#include <optional>

namespace helion {

/// Paths are `-` for stdin and stdout. The struct owns its strings: linking resets the flags of the program.
struct EmitRequest {
  std::string input, output;
  std::string target;                // Of a module in form K or S; a lowered one says its own.
  std::optional<std::string> config; // Of a module in form K, which is scheduled by it.
};

/// `--emit-object`: the object file's bytes to `output`.
llvm::Error emitObjectFile(const EmitRequest &request);
/// `--emit-artifact`: `<kernel>.o` and `<kernel>.so` for a CPU, `<kernel>.cubin` or `<kernel>.ptx` for NVIDIA, and
/// `manifest.json` into the folder `output`.
llvm::Error emitArtifactFolder(const EmitRequest &request);

/// Writes those files; makes the folder if it is not there.
llvm::Error writeArtifact(const Artifact &artifact, llvm::StringRef folder);

} // namespace helion

#endif // HELION_CODEGEN_DRIVER_DOORS_H
