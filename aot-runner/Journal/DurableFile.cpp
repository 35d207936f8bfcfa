// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Journal/DurableFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace llvm;

namespace helion::aot {

static Error systemError(const Twine &what, int code) {
  return createStringError(what + ": " + std::error_code(code, std::generic_category()).message());
}

static int writeAndFlush(int descriptor, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    bytes = bytes.drop_front(written);
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

/// The rename itself must reach the disk too; a file system that cannot flush a folder does so by itself.
static void flushFolder(StringRef path) {
  StringRef folder = sys::path::parent_path(path);
  int descriptor = ::open(folder.empty() ? "." : folder.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  ::fsync(descriptor);
  ::close(descriptor);
}

Error writeFileDurably(StringRef path, StringRef bytes) {
  SmallString<128> temporary;
  int descriptor = -1;
  if (std::error_code code = sys::fs::createUniqueFile(path + ".%%%%%%%%.tmp", descriptor, temporary))
    return createStringError("cannot write `" + path + "`: " + code.message());
  int code = writeAndFlush(descriptor, bytes);
  ::close(descriptor);
  if (code == 0 && ::rename(temporary.c_str(), path.str().c_str()) != 0)
    code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    return systemError("cannot write `" + path + "`", code);
  }
  flushFolder(path);
  return Error::success();
}

Expected<std::string> readWholeFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                                                        /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read `" + path + "`: " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Expected<FileLock> FileLock::acquire(StringRef path, const Twine &what) {
  int descriptor = ::open(path.str().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return systemError("cannot write " + what, errno);
  FileLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return std::move(lock);
  if (errno != EWOULDBLOCK)
    return systemError("cannot lock " + what, errno);
  return createStringError(what + " is locked by another program that writes to it; wait for it or use another one");
}

FileLock::~FileLock() {
  if (descriptor >= 0)
    ::close(descriptor);
}

} // namespace helion::aot
