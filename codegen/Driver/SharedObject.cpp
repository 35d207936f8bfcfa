// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lld reads and writes files, so the object lies in a temporary one while it runs.

#include "codegen/Driver/SharedObject.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace llvm;

LLD_HAS_DRIVER(elf)

Error helion::linkShared(StringRef object, StringRef path) {
  int file = -1;
  SmallString<128> input;
  if (std::error_code code = sys::fs::createTemporaryFile("helion-kernel", "o", file, input))
    return createStringError("no temporary file: " + code.message());
  scope_exit removeInput([&] { sys::fs::remove(input); });
  raw_fd_ostream os(file, /*shouldClose=*/true);
  os << object;
  os.close();
  if (std::error_code code = os.error()) {
    os.clear_error();
    return createStringError(input + ": " + code.message());
  }
  // On this thread: kernels are small, and who forks beside us wants no others. Bound now and without an address of its
  // own file inside: what runs depends on the object's bytes alone.
  std::string output = path.str();
  const char *arguments[] = {"ld.lld", "--threads=1",  "-shared",         "-z", "now",
                             "-z",     "noexecstack",  "--build-id=none", "-s", "--hash-style=gnu",
                             "-o",     output.c_str(), input.c_str()};
  std::string messages;
  raw_string_ostream stream(messages);
  static std::mutex turn;
  std::lock_guard<std::mutex> lock(turn);
  lld::Result result = lld::lldMain(arguments, nulls(), stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return createStringError("linking `" + output + "` failed: " + StringRef(messages).trim());
  return Error::success();
}
