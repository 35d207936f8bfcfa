// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Object file -> shared object that a worker can dlopen, by lld in process.
#ifndef HELION_CODEGEN_DRIVER_SHAREDOBJECT_H
#define HELION_CODEGEN_DRIVER_SHAREDOBJECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace helion {

/// Links the bytes of an object file into the shared object `path`. lld keeps global state, so calls take turns, and
/// it sets LLVM's command-line flags back to their defaults: a program copies its flags before.
llvm::Error linkShared(llvm::StringRef object, llvm::StringRef path);

} // namespace helion

#endif // HELION_CODEGEN_DRIVER_SHAREDOBJECT_H
