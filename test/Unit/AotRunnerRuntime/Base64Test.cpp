// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base64 against the vectors of RFC 4648, and what is no base64.
#include "aot-runner/runtime/Base64.h"

#include <gtest/gtest.h>

using namespace HELION_RUNTIME;

TEST(Base64, Rfc4648) {
  const char *vectors[][2] = {{"", ""},
                              {"f", "Zg=="},
                              {"fo", "Zm8="},
                              {"foo", "Zm9v"},
                              {"foob", "Zm9vYg=="},
                              {"fooba", "Zm9vYmE="},
                              {"foobar", "Zm9vYmFy"}};
  for (auto &[plain, text] : vectors) {
    EXPECT_EQ(encodeBase64(plain, strlen(plain)), text);
    std::string back;
    EXPECT_TRUE(decodeBase64(text, back));
    EXPECT_EQ(back, plain);
  }
}

TEST(Base64, AllBytes) {
  std::string all, back;
  for (int i = 0; i < 256; ++i)
    all += char(i);
  EXPECT_TRUE(decodeBase64(encodeBase64(all.data(), all.size()), back));
  EXPECT_EQ(back, all);
}

TEST(Base64, Refuses) {
  std::string unused;
  for (const char *text : {"Zg=", "Zg", "Z===", "=Zg=", "Zm9v\n", "Zm 9", "Zm-_"})
    EXPECT_FALSE(decodeBase64(text, unused)) << text;
}
