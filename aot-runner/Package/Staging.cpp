// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/Staging.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace helion {

static Error failed(const Twine &what, StringRef path, std::error_code code) {
  return createStringError("cannot " + what + " `" + path + "`: " + code.message());
}

static std::error_code lastError() { return std::error_code(errno, std::generic_category()); }

/// Writes through to the disk, so that a full disk shows here and not after the folders changed places.
static Error writeFile(StringRef path, StringRef contents) {
  if (std::error_code code = sys::fs::create_directories(sys::path::parent_path(path)))
    return failed("make the folder of", path, code);
  std::error_code code;
  raw_fd_ostream os(path, code, sys::fs::CD_CreateAlways);
  if (code)
    return failed("write", path, code);
  os << contents;
  os.flush();
  code = os.error();
  os.clear_error();
  if (code)
    return failed("write", path, code);
  return Error::success();
}

static Error writeAll(StringRef folder, const std::map<std::string, std::string> &files) {
  for (const auto &[path, contents] : files) {
    SmallString<128> full(folder);
    sys::path::append(full, path);
    if (Error error = writeFile(full, contents))
      return error;
  }
  int descriptor = ::open(folder.str().c_str(), O_RDONLY | O_DIRECTORY);
  bool synced = descriptor >= 0 && ::syncfs(descriptor) == 0;
  std::error_code code = lastError();
  if (descriptor >= 0)
    ::close(descriptor);
  return synced ? Error::success() : failed("write", folder, code);
}

//===-- What is not ours -----------------------------------------------------------------------------------------===//
// At each moment, wherever a program is killed, an entry that is no package's lies in the folder or in one of ours
// beside it. Folders beside it lose what a package owns, never anything else.

static Expected<std::vector<std::string>> namesIn(StringRef folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (sys::fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
    names.push_back(sys::path::filename(it->path()).str());
  if (code)
    return failed("read the folder", folder, code);
  return names;
}

/// The link itself, where it is one.
static bool isThere(const Twine &path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status, /*follow=*/false);
}

/// Moves what `owns` does not claim; all or nothing. What the other folder has under its name stays where it is. Errors
/// name what is in `shown`.
static Error moveForeign(StringRef from, StringRef to, StringRef shown, function_ref<bool(StringRef)> owns) {
  Expected<std::vector<std::string>> names = namesIn(from);
  if (!names)
    return names.takeError();
  std::vector<std::string> moved;
  for (const std::string &name : *names) {
    if (owns(name) || isThere(to + "/" + name))
      continue;
    std::error_code code = sys::fs::rename(from + "/" + name, to + "/" + name);
    if (code) {
      for (const std::string &back : moved)
        sys::fs::rename(to + "/" + back, from + "/" + back);
      return failed("move", (shown + "/" + name).str(), code);
    }
    moved.push_back(name);
  }
  return Error::success();
}

/// Not what a link leads to.
static void removeWhole(const std::string &path) {
  if (sys::fs::is_symlink_file(path))
    sys::fs::remove(path);
  else
    sys::fs::remove_directories(path);
}

/// Removes a folder of ours; one that stays does no harm.
static void removeOwned(StringRef folder, function_ref<bool(StringRef)> owns) {
  Expected<std::vector<std::string>> names = namesIn(folder);
  if (!names)
    return consumeError(names.takeError());
  for (const std::string &name : *names)
    if (owns(name))
      removeWhole((folder + "/" + name).str());
  sys::fs::remove(folder);
}

//===-- Changing places ------------------------------------------------------------------------------------------===//

/// Of the folder in which a package is made, before the random digits.
static constexpr StringLiteral kStaging = ".helion-new";
/// Behind them: the old package, where folders change places in several steps.
static constexpr StringLiteral kOld = "-old";

/// Both exist. One step where the system can do it, so that nobody ever sees neither.
static Error exchange(StringRef folder, StringRef staging) {
  std::string a = folder.str(), b = staging.str();
  if (::renameat2(AT_FDCWD, b.c_str(), AT_FDCWD, a.c_str(), RENAME_EXCHANGE) == 0)
    return Error::success();
  std::string old = b + kOld.str();
  if (::rename(a.c_str(), old.c_str()) != 0)
    return failed("replace", folder, lastError());
  if (::rename(b.c_str(), a.c_str()) != 0) {
    std::error_code code = lastError();
    ::rename(old.c_str(), a.c_str());
    return failed("replace", folder, code);
  }
  if (::rename(old.c_str(), b.c_str()) != 0) {
    std::error_code code = lastError();
    ::rename(a.c_str(), b.c_str());
    ::rename(old.c_str(), a.c_str());
    return failed("replace", folder, code);
  }
  return Error::success();
}

static Error putInPlace(StringRef folder, StringRef staging, function_ref<bool(StringRef)> owns) {
  if (!sys::fs::exists(folder)) {
    std::error_code code = sys::fs::rename(staging, folder);
    return code ? failed("replace", folder, code) : Error::success();
  }
  if (Error error = exchange(folder, staging))
    return error;
  if (Error error = moveForeign(staging, folder, folder, owns))
    return joinErrors(std::move(error), exchange(folder, staging));
  return Error::success();
}

namespace {
/// Lets one program at a time put a package below a folder, where its file system can do that.
class TurnBelow {
public:
  explicit TurnBelow(StringRef parent) : descriptor(::open(parent.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    has = descriptor >= 0 && ::flock(descriptor, LOCK_EX) == 0;
  }
  ~TurnBelow() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  TurnBelow(const TurnBelow &) = delete;
  bool isOurs() const { return has; }

private:
  int descriptor;
  bool has;
};
} // namespace

/// What programs left that were killed while they wrote this package. It is our turn, so none of it is still written.
/// What is not ours goes to its place, and stays where it is when that is taken.
static void clearUnfinished(StringRef target, function_ref<bool(StringRef)> owns) {
  StringRef parent = sys::path::parent_path(target);
  Expected<std::vector<std::string>> names = namesIn(parent);
  if (!names)
    return consumeError(names.takeError());
  std::string prefix = (sys::path::filename(target) + kStaging + "-").str();
  llvm::erase_if(*names, [&](StringRef name) { return !name.starts_with(prefix); });
  // Where the old package lies aside, the new one may not yet be in its place.
  llvm::sort(*names, [](StringRef a, StringRef b) { return a.ends_with(kOld) > b.ends_with(kOld); });
  for (const std::string &name : *names) {
    std::string path = (parent + "/" + name).str();
    if (StringRef(name).ends_with(kOld) && !isThere(target) && !sys::fs::rename(path, target))
      continue;
    Expected<std::vector<std::string>> inside = namesIn(path);
    if (!inside) {
      consumeError(inside.takeError());
      continue;
    }
    if (!llvm::all_of(*inside, owns) && sys::fs::create_directories(target))
      continue;
    consumeError(moveForeign(path, target, path, owns)); // What stays there does no harm, and is not removed.
    removeOwned(path, owns);
  }
}

Error replaceFolder(StringRef folder, const std::map<std::string, std::string> &files,
                    function_ref<bool(StringRef)> owns) {
  SmallString<128> target(folder);
  if (std::error_code code = sys::fs::make_absolute(target))
    return failed("find", folder, code);
  sys::path::remove_dots(target, /*remove_dot_dot=*/true);
  if (sys::fs::exists(target) && !sys::fs::is_directory(target))
    return createStringError("`" + folder + "` is there and is no folder");
  if (std::error_code code = sys::fs::create_directories(sys::path::parent_path(target)))
    return failed("make the folder of", folder, code);
  TurnBelow turn(sys::path::parent_path(target));
  if (turn.isOurs())
    clearUnfinished(target, owns);
  SmallString<128> staging;
  if (std::error_code code = sys::fs::createUniqueDirectory(target + kStaging, staging))
    return failed("write beside", folder, code);
  sys::fs::setPermissions(staging, sys::fs::perms(0755));
  Error error = writeAll(staging, files);
  if (!error)
    error = putInPlace(target, staging, owns);
  // What is left there now is the old package, or the unfinished new one.
  removeOwned(staging, owns);
  return error;
}

} // namespace helion
