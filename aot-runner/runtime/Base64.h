// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes as text, for tensors inside JSON lines (RFC 4648, with padding).
#ifndef HELION_AOT_RUNNER_RUNTIME_BASE64_H
#define HELION_AOT_RUNNER_RUNTIME_BASE64_H

#include "Namespace.h"

#include <string>

namespace HELION_RUNTIME {

std::string encodeBase64(const void *data, size_t bytes);

/// False when `text` is not base64; `result` is then unspecified.
bool decodeBase64(const std::string &text, std::string &result);

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_BASE64_H
