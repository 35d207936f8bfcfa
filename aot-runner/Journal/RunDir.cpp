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

Expected<RunDir> RunDir::open(StringRef path) {
  for (StringRef folder : {"", "artifacts", "logs"})
    if (std::error_code code = sys::fs::create_directories(under(path, folder)))
      return createStringError("cannot make run directory `" + path + "`: " + code.message());
  Expected<FileLock> lock = FileLock::acquire(under(path, "lock"), "run directory `" + path + "`");
  if (!lock)
    return lock.takeError();
  return RunDir(path, std::move(*lock));
}

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
