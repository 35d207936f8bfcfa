// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A directory for one test, removed at its end.
#ifndef HELION_TEST_UNIT_AOTRUNNERJOURNAL_SCRATCHDIR_H
#define HELION_TEST_UNIT_AOTRUNNERJOURNAL_SCRATCHDIR_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include <string>

class ScratchDir {
public:
  ScratchDir() {
    std::error_code code = llvm::sys::fs::createUniqueDirectory("helion-journal-test", path);
    if (code)
      llvm::report_fatal_error("no temporary directory");
  }
  ~ScratchDir() { llvm::sys::fs::remove_directories(path); }
  std::string file(const llvm::Twine &name) const { return (path + "/" + name).str(); }
  std::string folder() const { return std::string(path); }

private:
  llvm::SmallString<128> path;
};

#endif // HELION_TEST_UNIT_AOTRUNNERJOURNAL_SCRATCHDIR_H
