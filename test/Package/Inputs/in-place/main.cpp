// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a kernel that changes its argument in place, with tensors that break each fact of the tree's variant in turn,
// and prints what runs instead. Exits with 1 at the first wrong element, inside or outside of the tensor.
#include "scale.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static void require(bool right, const char *what, int line) {
  if (right)
    return;
  std::printf("line %d: not so: %s\n", line, what);
  std::exit(1);
}
#define REQUIRE(condition) require(condition, #condition, __LINE__)

/// Scales a tensor whose element 0 lies `shift` elements behind a boundary of 64 bytes.
static void scaleOne(const char *what, int64_t size, int64_t stride, int64_t shift) {
  const int64_t span = 20000;
  float *memory = static_cast<float *>(std::aligned_alloc(64, size_t(span) * sizeof(float)));
  for (int64_t i = 0; i < span; ++i)
    memory[i] = float(i % 97) + 1;
  int64_t first = stride < 0 ? 16000 + shift : 64 + shift;
  DLTensor x = {memory + first, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &size, &stride, 0};
  scale_choice choice;
  REQUIRE(scale_choose(&x, 3, &choice) == SCALE_OK);
  REQUIRE(scale(&x, 3, nullptr, nullptr) == SCALE_OK);
  std::vector<bool> isElement(size_t(span), false);
  for (int64_t i = 0; i < size; ++i)
    isElement[size_t(first + i * stride)] = true;
  for (int64_t i = 0; i < span; ++i)
    REQUIRE(memory[i] == (float(i % 97) + 1) * (isElement[size_t(i)] ? 3 : 1));
  const scale_variant *variants;
  REQUIRE(scale_variants(&variants) == 4);
  static const char *const reasons[] = {"tree", "fallback", "nearest"};
  std::printf("%s: %s, %s", what, variants[choice.variant].id, reasons[choice.reason]);
  char text[2000];
  scale_explain(&x, 3, text, sizeof text);
  std::string all = text;
  size_t facts = all.find("facts: ");
  std::printf("; %s\n", all.substr(facts, all.find('\n', facts) - facts).c_str());
  std::free(memory);
}

int main() {
  scaleOne("as measured", 4096, 1, 0);
  scaleOne("small", 64, 1, 0);
  scaleOne("address", 4096, 1, 1);
  scaleOne("size", 4095, 1, 0);
  scaleOne("stride of two", 4096, 2, 0);
  scaleOne("stride of three", 4096, 3, 0);
  scaleOne("backwards", 4096, -1, 0);
  scaleOne("empty", 0, 1, 0);
  float one = 1;
  int64_t many = 5, zero = 0;
  DLTensor repeated = {&one, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &many, &zero, 0};
  REQUIRE(scale(&repeated, 3, nullptr, nullptr) == SCALE_OVERLAP && one == 1);
  std::puts("an element with several indices is refused");
  scale_unload();
  return 0;
}
