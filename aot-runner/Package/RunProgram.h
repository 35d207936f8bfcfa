// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of the machine that takes its time, such as a build: it runs beside the caller, who may end it with all
// that it started.
#ifndef HELION_AOT_RUNNER_PACKAGE_RUNPROGRAM_H
#define HELION_AOT_RUNNER_PACKAGE_RUNPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <string>

namespace helion {

/// Runs a command, whose first word is a path, with its output in `log`, and returns its wait status. `mayGoOn` is
/// asked some times a second; its error ends the program, and is returned. Nothing is read from our standard input.
llvm::Expected<int> runProgram(llvm::ArrayRef<std::string> command, const std::string &log,
                               llvm::function_ref<llvm::Error()> mayGoOn);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_RUNPROGRAM_H
