// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From K to S by a config text: the fixed step before the choices, and the choices. Search, driver and tools call this
// instead of building pipelines of their own, so that all of them run what `helion-opt` would replay.

#ifndef HELION_PASSES_PIPELINES_SCHEDULE_H
#define HELION_PASSES_PIPELINES_SCHEDULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <string>

namespace helion {
/// Registers the passes of passes/ by their flags; once per process, before any text is parsed. Choice passes of a
/// vendor are registered by its room.
void registerSchedulePasses();

/// The text that replays a config on a kernel up to S, without the enclosing `builtin.module(...)`:
/// `helion-normalize,<config>`.
std::string schedulePipeline(llvm::StringRef config);

/// Runs that text on a module in form K. Diagnostics go to the module's context; fails when the text does not parse or
/// a pass refuses.
mlir::LogicalResult schedule(mlir::ModuleOp module, llvm::StringRef config);
} // namespace helion

#endif // HELION_PASSES_PIPELINES_SCHEDULE_H
