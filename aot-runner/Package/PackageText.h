// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a checked spec into the texts of a package: values for the templates' places, then the filled templates.
#ifndef HELION_AOT_RUNNER_PACKAGE_PACKAGETEXT_H
#define HELION_AOT_RUNNER_PACKAGE_PACKAGETEXT_H

#include "aot-runner/Package/PackageSpec.h"
#include <map>

namespace helion {

/// Path inside the package -> contents, for every file of it; `objects/` and the runtime included. C++ is formatted,
/// and the dispatch source was parsed with all warnings on. The spec passed checkSpec.
llvm::Expected<std::map<std::string, std::string>> packageFiles(const PackageSpec &spec);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_PACKAGETEXT_H
