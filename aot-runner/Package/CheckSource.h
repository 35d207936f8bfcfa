// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang as a library: formats generated sources and parses them, all warnings on, before they are written.
#ifndef HELION_AOT_RUNNER_PACKAGE_CHECKSOURCE_H
#define HELION_AOT_RUNNER_PACKAGE_CHECKSOURCE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace helion {

/// As clang-format writes it in LLVM's style with 120 columns.
std::string formatSource(llvm::StringRef text, llvm::StringRef path);

/// Parses the file `path` of `files` as C++17. An error holds the first diagnostics, warnings included. Headers come
/// from `files` and the embedded stand-ins, so the machine's headers do not matter.
llvm::Error checkSource(llvm::StringRef path, const std::map<std::string, std::string> &files);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_CHECKSOURCE_H
