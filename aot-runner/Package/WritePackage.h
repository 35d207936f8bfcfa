// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one entry of this folder: a spec becomes a folder with a C++ package in it.
#ifndef HELION_AOT_RUNNER_PACKAGE_WRITEPACKAGE_H
#define HELION_AOT_RUNNER_PACKAGE_WRITEPACKAGE_H

#include "aot-runner/Package/PackageSpec.h"

namespace helion {

/// Checks the spec, generates, formats and parses the sources, and replaces the package in `folder`. Nothing changes
/// there unless all of it worked. Files of other names at the top of `folder` stay.
llvm::Error writePackage(const PackageSpec &spec, llvm::StringRef folder);

/// Makes the first lines of a package's sources say that it was found to be wrong, whatever they said of the goal.
llvm::Error withdrawClaim(llvm::StringRef folder, llvm::StringRef kernel);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_WRITEPACKAGE_H
