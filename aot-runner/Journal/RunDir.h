// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run directory: the state of one tuning, which any later run resumes.
//
//   journal.sqlite       everything learnt
//   artifacts/<hash>.o   objects; <hash>.so what a worker loads, made from them: for a GPU the same bytes
//   logs/<name>.log      output of workers and compilers
#ifndef HELION_AOT_RUNNER_JOURNAL_RUNDIR_H
#define HELION_AOT_RUNNER_JOURNAL_RUNDIR_H

#include "aot-runner/Journal/DurableFile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace helion::aot {

/// One program at a time has a run directory; the others get an error that says so.
class RunDir {
public:
  /// Whether somebody has learnt something there.
  static bool exists(llvm::StringRef path);
  /// Locks the directory, makes the folders that are missing, and removes what a killed program left unfinished.
  static llvm::Expected<RunDir> open(llvm::StringRef path);

  llvm::StringRef path() const { return root; }
  std::string journalPath() const;
  std::string objectPath(llvm::StringRef artifact) const;
  std::string libraryPath(llvm::StringRef artifact) const;
  std::string logPath(llvm::StringRef name) const;

  /// Puts the object in place unless it is there; gives its path.
  llvm::Expected<std::string> storeObject(llvm::StringRef artifact, llvm::StringRef object) const;

private:
  RunDir(llvm::StringRef root, FileLock lock) : root(root), lock(std::move(lock)) {}
  std::string root;
  FileLock lock;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_JOURNAL_RUNDIR_H
