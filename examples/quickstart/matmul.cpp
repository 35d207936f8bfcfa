// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the package of examples/matmul, and multiplies the same matrices in double precision.
#include "matmul.h"
#include "Program.h"

static double errorOf(const Tensor &x, const Tensor &y, const Tensor &out) {
  Error error;
  int64_t depth = x.size(1), columns = y.size(1);
  for (int64_t i = 0; i < x.size(0); ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0, scale = 0;
      for (int64_t k = 0; k < depth; ++k) {
        double term = double(x[i * depth + k]) * y[k * columns + j];
        sum += term;
        scale += std::abs(term);
      }
      error.compare(out[i * columns + j], sum, scale);
    }
  return error.value();
}

Outcome callKernel(const std::vector<std::vector<int64_t>> &shapes, std::mt19937 &random) {
  Tensor x(shapes[0]), y(shapes[1]), out({shapes[0][0], shapes[1][1]});
  x.fill(random);
  y.fill(random);
  matmul_choice choice{};
  int status = matmul_choose(x.get(), y.get(), &choice);
  if (status == MATMUL_OK)
    status = matmul(x.get(), y.get(), out.get(), nullptr, nullptr);
  const matmul_variant *variants = nullptr;
  matmul_variants(&variants);
  return {status, matmul_strerror(status), variants[choice.variant].id, choice.in_corpus != 0, errorOf(x, y, out)};
}
