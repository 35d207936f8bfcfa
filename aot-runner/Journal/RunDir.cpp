// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Journal/RunDir.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace helion::aot {

static std::string under(StringRef root, const Twine &name) {
  SmallString<128> path = root;
  sys::path::append(path, name);
  return std::string(path);
}

/// Files that a program which was killed had not finished. Nobody else is in the directory: it is locked.
static void removeUnfinished(StringRef folder) {
  std::error_code code;
  std::vector<std::string> unfinished;
  for (sys::fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
    if (StringRef(it->path()).ends_with(".tmp") || StringRef(it->path()).ends_with(".partial"))
      unfinished.push_back(it->path());
  for (const std::string &path : unfinished)
    sys::fs::remove(path); // One that stays does no harm.
}

Expected<RunDir> RunDir::open(StringRef path) {
  auto make = [&](StringRef folder) -> Error {
    std::error_code code = sys::fs::create_directories(under(path, folder));
    if (!code && !sys::fs::is_directory(under(path, folder)))
      code = std::make_error_code(std::errc::not_a_directory);
    return code ? createStringError("cannot make run directory `" + path + "`: " + code.message()) : Error::success();
  };
  if (Error error = make(""))
    return error;
  Expected<FileLock> lock = FileLock::acquire(under(path, "lock"), "run directory `" + path + "`");
  if (!lock)
    return lock.takeError();
  for (StringRef folder : {"artifacts", "logs"})
    if (Error error = make(folder))
      return error;
  removeUnfinished(under(path, "artifacts"));
  return RunDir(path, std::move(*lock));
}

bool RunDir::exists(StringRef path) { return sys::fs::exists(under(path, "journal.sqlite")); }

std::string RunDir::journalPath() const { return under(root, "journal.sqlite"); }
std::string RunDir::objectPath(StringRef artifact) const { return under(root, "artifacts/" + artifact + ".o"); }
std::string RunDir::libraryPath(StringRef artifact) const { return under(root, "artifacts/" + artifact + ".so"); }
std::string RunDir::logPath(StringRef name) const { return under(root, "logs/" + name + ".log"); }

Expected<std::string> RunDir::storeObject(StringRef artifact, StringRef object) const {
  std::string path = objectPath(artifact);
  // The name is the content's hash, and writes are whole or absent.
  if (!sys::fs::exists(path))
    if (Error error = writeFileDurably(path, object))
      return error;
  return path;
}

} // namespace helion::aot
