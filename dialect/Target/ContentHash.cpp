// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

namespace helion {

static std::string text(const std::array<uint8_t, 32> &digest) {
  return toHex(digest, /*LowerCase=*/true).substr(0, 32);
}

std::string contentHash(StringRef bytes) {
  SHA256 hash;
  hash.update(bytes);
  return text(hash.final());
}

std::string contentHash(ArrayRef<StringRef> parts) {
  SHA256 hash;
  for (StringRef part : parts) {
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  }
  return text(hash.final());
}

} // namespace helion
