// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Journals as a user names them: by a run directory, or by their file.
#ifndef HELION_AOT_RUNNER_JOURNAL_MERGEJOURNALS_H
#define HELION_AOT_RUNNER_JOURNAL_MERGEJOURNALS_H

#include "aot-runner/Journal/Journal.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace helion::aot {

/// The file; `path` is a run directory, or the file itself.
std::string journalFile(llvm::StringRef path);

/// One that is there. Where it cannot be opened, no lock file is left that was not there before.
llvm::Expected<Journal> openJournal(llvm::StringRef path, Journal::Mode mode);

/// Adds all records of the sources to the destination, or none of them where a source cannot be read. A destination
/// that is not there is made: a file where its name ends in `.sqlite`, else a run directory.
llvm::Error mergeJournals(llvm::StringRef destination, llvm::ArrayRef<std::string> sources);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_JOURNAL_MERGEJOURNALS_H
