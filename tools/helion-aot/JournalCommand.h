// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `helion-aot journal`: what was learnt, counted, merged, as text, made smaller.
#ifndef HELION_TOOLS_HELION_AOT_JOURNALCOMMAND_H
#define HELION_TOOLS_HELION_AOT_JOURNALCOMMAND_H

#include "aot-runner/Phases/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace helion::aot {

/// `words` follow `journal` on the command line.
ExitCode runJournalCommand(llvm::ArrayRef<llvm::StringRef> words, llvm::raw_ostream &out, llvm::raw_ostream &err);

} // namespace helion::aot

#endif // HELION_TOOLS_HELION_AOT_JOURNALCOMMAND_H
