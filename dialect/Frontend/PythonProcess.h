// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that starts a Python process: it prints the syntax tree of the file as JSON (dump_ast.py).
#pragma once

#include "dialect/Frontend/SourceDiagnostics.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace helion::frontend {

/// Runs the embedded dump_ast.py on the file of `diagnostics`. Reports and returns nothing if Python is missing or fails.
std::optional<llvm::json::Value> runAstDump(SourceDiagnostics &diagnostics);

} // namespace helion::frontend
