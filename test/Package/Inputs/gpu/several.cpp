// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a package of several targets does on the device that there is: which code runs, what it says of itself.
#include "shift.h"

#include <cstdio>
#include <vector>

int main() {
  int64_t size = 4096;
  std::vector<float> x(size_t(size), 2.0f), out(size_t(size), -1.0f), workspace(size_t(size) + 16);
  DLTensor tensors[2];
  for (DLTensor *tensor : {&tensors[0], &tensors[1]})
    *tensor = {tensor == tensors ? x.data() : out.data(), {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, &size, nullptr, 0};
  const shift_variant *variants = nullptr;
  shift_choice choice;
  char text[4096] = "";
  int status = shift(&tensors[0], 3, &tensors[1], nullptr, nullptr);
  std::printf("%s; out is %g\n", shift_strerror(status), double(out.back()));
  if (status != SHIFT_OK || shift_choose(&tensors[0], 3, &choice) != SHIFT_OK)
    return 0;
  shift_variants(&variants);
  std::printf("variant %s for %s, universal %d, in corpus %d\n", variants[choice.variant].id,
              variants[choice.variant].target, variants[choice.variant].universal, choice.in_corpus);
  shift_explain(&tensors[0], 3, text, sizeof text);
  std::printf("%s", text);
  return 0;
}
