// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the package of examples/vector_add, and adds the same vectors in double precision.
#include "vector_add.h"
#include "Program.h"

Outcome callKernel(const std::vector<std::vector<int64_t>> &shapes, std::mt19937 &random) {
  Tensor x(shapes[0]), y(shapes[1]), out(shapes[0]);
  x.fill(random);
  y.fill(random);
  vector_add_choice choice{};
  int status = vector_add_choose(x.get(), y.get(), &choice);
  if (status == VECTOR_ADD_OK)
    status = vector_add(x.get(), y.get(), out.get(), nullptr, nullptr);
  Error error;
  for (int64_t i = 0; i < x.size(0); ++i)
    error.compare(out[i], double(x[i]) + y[i], std::abs(x[i]) + std::abs(y[i]));
  const vector_add_variant *variants = nullptr;
  vector_add_variants(&variants);
  return {status, vector_add_strerror(status), variants[choice.variant].id, choice.in_corpus != 0, error.value()};
}
