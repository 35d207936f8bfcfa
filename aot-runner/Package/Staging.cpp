// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/Staging.h"
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

namespace {
struct Move {
  std::string from, to;
};
} // namespace

/// Entries of the old folder that the new one takes over.
static Expected<std::vector<Move>> foreignEntries(StringRef folder, StringRef staging,
                                                  function_ref<bool(StringRef)> owns) {
  std::vector<Move> moves;
  std::error_code code;
  for (sys::fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code)) {
    StringRef name = sys::path::filename(it->path());
    if (!owns(name))
      moves.push_back({it->path(), (staging + "/" + name).str()});
  }
  if (code)
    return failed("read the folder", folder, code);
  return moves;
}

static Error moveAll(ArrayRef<Move> moves) {
  for (size_t done = 0; done < moves.size(); ++done) {
    std::error_code code = sys::fs::rename(moves[done].from, moves[done].to);
    if (!code)
      continue;
    while (done-- > 0)
      sys::fs::rename(moves[done].to, moves[done].from);
    return failed("move", moves.front().from, code);
  }
  return Error::success();
}

/// Both exist. One step where the system can do it, so that nobody ever sees neither.
static Error exchange(StringRef folder, StringRef staging) {
  std::string a = folder.str(), b = staging.str();
  if (::renameat2(AT_FDCWD, b.c_str(), AT_FDCWD, a.c_str(), RENAME_EXCHANGE) == 0)
    return Error::success();
  std::string old = a + ".old";
  if (::rename(a.c_str(), old.c_str()) != 0)
    return failed("replace", folder, lastError());
  if (::rename(b.c_str(), a.c_str()) != 0) {
    std::error_code code = lastError();
    ::rename(old.c_str(), a.c_str());
    return failed("replace", folder, code);
  }
  ::rename(old.c_str(), b.c_str());
  return Error::success();
}

static Error putInPlace(StringRef folder, StringRef staging, function_ref<bool(StringRef)> owns) {
  if (!sys::fs::exists(folder)) {
    std::error_code code = sys::fs::rename(staging, folder);
    return code ? failed("replace", folder, code) : Error::success();
  }
  Expected<std::vector<Move>> moves = foreignEntries(folder, staging, owns);
  if (!moves)
    return moves.takeError();
  if (Error error = moveAll(*moves))
    return error;
  Error error = exchange(folder, staging);
  if (!error)
    return Error::success();
  for (const Move &move : *moves)
    sys::fs::rename(move.to, move.from);
  return error;
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

/// Of the folder in which a package is made, before the random digits.
static constexpr StringLiteral kStaging = ".helion-new";

/// What programs left that were killed while they wrote this package. It is our turn, so none of it is still written.
static void removeUnfinished(StringRef target) {
  std::error_code code;
  std::vector<std::string> unfinished;
  std::string prefix = (sys::path::filename(target) + kStaging + "-").str();
  for (sys::fs::directory_iterator it(sys::path::parent_path(target), code), end; it != end && !code;
       it.increment(code))
    if (sys::path::filename(it->path()).starts_with(prefix))
      unfinished.push_back(it->path());
  for (const std::string &path : unfinished)
    sys::fs::remove_directories(path); // One that stays does no harm.
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
    removeUnfinished(target);
  SmallString<128> staging;
  if (std::error_code code = sys::fs::createUniqueDirectory(target + kStaging, staging))
    return failed("write beside", folder, code);
  sys::fs::setPermissions(staging, sys::fs::perms(0755));
  Error error = writeAll(staging, files);
  if (!error)
    error = putInPlace(target, staging, owns);
  // What is left there now is the old package, or the unfinished new one.
  sys::fs::remove_directories(staging);
  return error;
}

} // namespace helion
