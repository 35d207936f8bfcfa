// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables a loop carries: what a block assigns, and whether the next thing that happens to a name is a read.
#pragma once

#include "dialect/Frontend/PythonAst.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"

namespace helion::frontend {

enum class FirstUse { None, Read, Write };

/// What happens first to `name` in the statements, in program order; a read that only some paths reach counts as Read,
/// a write only if all paths do it.
FirstUse firstUse(llvm::ArrayRef<std::unique_ptr<Stmt>> statements, llvm::StringRef name);

/// Names that the statements assign, loop variables included, in order of appearance.
llvm::SetVector<llvm::StringRef> assignedNames(const Statements &block);

} // namespace helion::frontend
