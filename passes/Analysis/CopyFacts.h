// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What copies in pieces of 16 bytes rely on. The choice that asks for such copies records it, the pass that makes them
// looks for it.
#ifndef HELION_PASSES_ANALYSIS_COPYFACTS_H
#define HELION_PASSES_ANALYSIS_COPYFACTS_H

#include "passes/Analysis/HostExpr.h"

namespace helion {
/// Facts under which every tile of the view that begins at multiples of a piece along `unitDim` is made of whole,
/// aligned pieces; none where that never holds, or the view is of an allocation.
std::optional<std::vector<Pred>> copyFacts(const HostView &view, unsigned unitDim, int64_t elementBytes);

/// The dim whose stride is 1 by its type or by a fact of the kernel; else the one that is the last of the buffer, or of
/// the view.
unsigned likelyUnitDim(const HostView &view, llvm::ArrayRef<llvm::StringRef> facts);
} // namespace helion

#endif // HELION_PASSES_ANALYSIS_COPYFACTS_H
