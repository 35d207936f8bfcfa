// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are whole or absent after a crash, and the lock that keeps a second writer out.
#ifndef HELION_AOT_RUNNER_JOURNAL_DURABLEFILE_H
#define HELION_AOT_RUNNER_JOURNAL_DURABLEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace helion::aot {

/// Writes beside `path`, flushes to the disk, then renames: a reader sees the old bytes or the new ones.
llvm::Error writeFileDurably(llvm::StringRef path, llvm::StringRef bytes);
llvm::Expected<std::string> readWholeFile(llvm::StringRef path);

/// An exclusive lock on a file of its own, held until destruction; the system drops it when the process dies.
class FileLock {
public:
  /// Does not wait. `what` names the locked thing in messages: "journal `x.sqlite`".
  static llvm::Expected<FileLock> acquire(llvm::StringRef path, const llvm::Twine &what);
  FileLock(FileLock &&other) : descriptor(std::exchange(other.descriptor, -1)) {}
  FileLock &operator=(FileLock &&other) {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~FileLock();

private:
  explicit FileLock(int descriptor) : descriptor(descriptor) {}
  int descriptor;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_JOURNAL_DURABLEFILE_H
