// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All sources are first merged into a journal beside the destination; what that holds is then one transaction or one
// rename away. This is as good as one merge after the other, since merges are associative.
#include "aot-runner/Journal/MergeJournals.h"
#include "aot-runner/Journal/RunDir.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

using namespace llvm;

namespace helion::aot {

std::string journalFile(StringRef path) {
  if (!sys::fs::is_directory(path))
    return path.str();
  SmallString<128> file = path;
  sys::path::append(file, "journal.sqlite");
  return std::string(file);
}

Expected<Journal> openJournal(StringRef path, Journal::Mode mode) {
  std::string file = journalFile(path), lock = file + ".writer";
  if (!sys::fs::exists(file))
    return createStringError("`" + path + "` is neither a run directory nor a journal");
  bool hasLock = sys::fs::exists(lock);
  Expected<Journal> journal = Journal::open(file, mode);
  if (!journal && !hasLock)
    sys::fs::remove(lock);
  return journal;
}

static bool isEmptyFolder(StringRef path) {
  std::error_code code;
  return sys::fs::directory_iterator(path, code) == sys::fs::directory_iterator() && !code;
}

/// The files that SQLite and the lock may leave of a journal that nobody wants.
static std::vector<std::string> filesOf(StringRef journal) {
  std::vector<std::string> files;
  for (StringRef suffix : {"", "-wal", "-shm", "-journal", ".writer"})
    files.push_back((journal + suffix).str());
  return files;
}

/// Where one cannot be read, the others are not taken either.
static Error gather(StringRef scratch, ArrayRef<std::string> sources) {
  Expected<Journal> all = Journal::open(scratch, Journal::Mode::Write);
  if (!all)
    return all.takeError();
  for (const std::string &source : sources)
    if (Error error = all->merge(journalFile(source)))
      return error;
  return Error::success();
}

static Error mergeInto(StringRef file, bool isThere, ArrayRef<std::string> sources) {
  std::string scratch = (file + ".merging").str();
  auto clean = [&] {
    for (const std::string &part : filesOf(scratch))
      sys::fs::remove(part);
  };
  // The lock comes first: the scratch of somebody who is at work must stay.
  std::optional<Journal> target;
  std::optional<FileLock> lock;
  if (isThere) {
    Expected<Journal> opened = openJournal(file, Journal::Mode::Write);
    if (!opened)
      return opened.takeError();
    target = std::move(*opened);
  } else {
    Expected<FileLock> locked = FileLock::acquire((file + ".writer").str(), "journal `" + file + "`");
    if (!locked)
      return locked.takeError();
    lock = std::move(*locked);
  }
  for (const std::string &part : filesOf(scratch))
    sys::RemoveFileOnSignal(part);
  clean();
  auto cleaned = scope_exit(clean);
  if (Error error = gather(scratch, sources))
    return error;
  if (target)
    return target->merge(scratch);
  if (std::error_code code = sys::fs::rename(scratch, file))
    return createStringError("cannot write journal `" + file + "`: " + code.message());
  return Error::success();
}

Error mergeJournals(StringRef destination, ArrayRef<std::string> sources) {
  bool wasThere = sys::fs::exists(destination);
  std::string file = journalFile(destination);
  if (wasThere && !sys::fs::exists(file) && !isEmptyFolder(destination))
    return createStringError("`" + destination + "` is neither a run directory nor a journal nor empty");
  if (wasThere || destination.ends_with(".sqlite")) {
    bool isThere = sys::fs::exists(file);
    Error error = mergeInto(file, isThere, sources);
    if (error && !isThere)
      sys::fs::remove(file + ".writer");
    return error;
  }
  {
    Expected<RunDir> made = RunDir::open(destination);
    if (!made)
      return made.takeError();
  }
  Error error = mergeInto(journalFile(destination), false, sources);
  if (error)
    sys::fs::remove_directories(destination);
  return error;
}

} // namespace helion::aot
