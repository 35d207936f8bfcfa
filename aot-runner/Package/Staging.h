// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces a folder by a new one, whole or not at all: files are written beside it and the two change places at the
// end. What a program that was killed left beside it is cleared away by the next; what the user put into the folder is
// never removed.
#ifndef HELION_AOT_RUNNER_PACKAGE_STAGING_H
#define HELION_AOT_RUNNER_PACKAGE_STAGING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace helion {

/// Makes `folder` hold exactly `files` (path -> contents; paths may have folders) and what it held before under names
/// at the top that `owns` does not claim. After an error the folder is as it was.
llvm::Error replaceFolder(llvm::StringRef folder, const std::map<std::string, std::string> &files,
                          llvm::function_ref<bool(llvm::StringRef)> owns);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_STAGING_H
