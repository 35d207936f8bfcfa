// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one hash by which texts, objects and artifacts are named: the first 32 hex digits of SHA-256.
#ifndef HELION_DIALECT_TARGET_CONTENTHASH_H
#define HELION_DIALECT_TARGET_CONTENTHASH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace helion {

std::string contentHash(llvm::StringRef bytes);
/// Of several texts; the borders between them count.
std::string contentHash(llvm::ArrayRef<llvm::StringRef> parts);

} // namespace helion

#endif // HELION_DIALECT_TARGET_CONTENTHASH_H
