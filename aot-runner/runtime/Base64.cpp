// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base64.h"

#include <cstdint>

namespace HELION_RUNTIME {

static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string encodeBase64(const void *data, size_t bytes) {
  const auto *from = static_cast<const uint8_t *>(data);
  std::string text;
  text.reserve((bytes + 2) / 3 * 4);
  for (size_t i = 0; i < bytes; i += 3) {
    size_t left = bytes - i;
    uint32_t word =
        uint32_t(from[i]) << 16 | (left > 1 ? uint32_t(from[i + 1]) << 8 : 0) | (left > 2 ? from[i + 2] : 0);
    text += digits[word >> 18];
    text += digits[word >> 12 & 63];
    text += left > 1 ? digits[word >> 6 & 63] : '=';
    text += left > 2 ? digits[word & 63] : '=';
  }
  return text;
}

static int valueOf(char digit) {
  if (digit >= 'A' && digit <= 'Z')
    return digit - 'A';
  if (digit >= 'a' && digit <= 'z')
    return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9')
    return digit - '0' + 52;
  return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

bool decodeBase64(const std::string &text, std::string &result) {
  if (text.size() % 4 != 0)
    return false;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=')
    ++padding;
  result.clear();
  result.reserve(text.size() / 4 * 3);
  uint32_t word = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    int value = i >= text.size() - padding ? 0 : valueOf(text[i]);
    if (value < 0)
      return false;
    word = word << 6 | uint32_t(value);
    if (i % 4 != 3)
      continue;
    result += char(word >> 16 & 255);
    result += char(word >> 8 & 255);
    result += char(word & 255);
  }
  result.resize(result.size() - padding);
  return true;
}

} // namespace HELION_RUNTIME
