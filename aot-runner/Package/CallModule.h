// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A package as a worker can call it: built by its own CMake project, with a module around it whose functions take the
// arguments as a list of words. Only evaluation uses it; nothing of it is shipped.
#ifndef HELION_AOT_RUNNER_PACKAGE_CALLMODULE_H
#define HELION_AOT_RUNNER_PACKAGE_CALLMODULE_H

#include "dialect/Target/Manifest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace helion {

/// How the package's C function takes an argument. One signature may pass None where another passes a scalar.
enum class PassedAs { Tensor, Real, Integer };
/// `signatures` has a manifest of each.
PassedAs passedAs(llvm::ArrayRef<const Manifest *> signatures, size_t argument);

/// Programs of the machine; both empty where it has no compiler.
struct BuildTools {
  std::string cmake, cxx;
  std::string generator; // Of build files: what CMake calls it.
  bool complete() const { return !cmake.empty() && !cxx.empty(); }
};

/// The functions of a module, and the package's own that sets its threads.
std::string moduleCallSymbol(llvm::StringRef kernel);
std::string moduleQuerySymbol(llvm::StringRef kernel);
std::string setThreadsSymbol(llvm::StringRef kernel);

/// Builds the package in `package` in the folder `work`, whose contents are replaced, and gives the module's path. The
/// error names the log there and holds its end. At most `jobs` compilers run at a time. `mayGoOn` is asked while the
/// build runs; its error ends the build.
llvm::Expected<std::string> buildCallModule(llvm::StringRef package, llvm::StringRef kernel,
                                            llvm::ArrayRef<const Manifest *> signatures, llvm::StringRef work,
                                            const BuildTools &tools, unsigned jobs,
                                            llvm::function_ref<llvm::Error()> mayGoOn);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_CALLMODULE_H
