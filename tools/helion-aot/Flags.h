// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of helion-aot.
#ifndef HELION_TOOLS_HELION_AOT_FLAGS_H
#define HELION_TOOLS_HELION_AOT_FLAGS_H

#include "aot-runner/Phases/Options.h"

namespace helion::aot {

/// Checks everything that can be checked without reading a file. `--help` and `--version` end the program. Linking
/// resets LLVM's flags, so the options hold copies.
llvm::Expected<Options> parseFlags(int argc, char **argv);

} // namespace helion::aot

#endif // HELION_TOOLS_HELION_AOT_FLAGS_H
