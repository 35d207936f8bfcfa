// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and texts of generated C++: kernel authors name arguments as Python allows, which C++ may not.
#ifndef HELION_AOT_RUNNER_PACKAGE_CPPNAMES_H
#define HELION_AOT_RUNNER_PACKAGE_CPPNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace helion {

bool isIdentifier(llvm::StringRef name);

/// `name` as an identifier that is no keyword and none of the names that generated functions use themselves.
std::string cppName(llvm::StringRef name);

/// A string literal.
std::string cppQuoted(llvm::StringRef text);

/// `text` on one line and without comment marks, for use in a comment.
std::string cppComment(llvm::StringRef text);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_CPPNAMES_H
