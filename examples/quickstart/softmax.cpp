// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the package of examples/softmax, and computes the same rows in double precision.
#include "softmax.h"
#include "Program.h"

static double errorOf(const Tensor &x, const Tensor &out) {
  Error error;
  int64_t columns = x.size(1);
  for (int64_t i = 0; i < x.size(0); ++i) {
    double largest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < columns; ++j)
      largest = std::max<double>(largest, x[i * columns + j]);
    for (int64_t j = 0; j < columns; ++j)
      sum += std::exp(x[i * columns + j] - largest);
    for (int64_t j = 0; j < columns; ++j) {
      double want = std::exp(x[i * columns + j] - largest) / sum;
      error.compare(out[i * columns + j], want, want);
    }
  }
  return error.value();
}

Outcome callKernel(const std::vector<std::vector<int64_t>> &shapes, std::mt19937 &random) {
  Tensor x(shapes[0]), out(shapes[0]);
  x.fill(random);
  softmax_choice choice{};
  int status = softmax_choose(x.get(), &choice);
  if (status == SOFTMAX_OK)
    status = softmax(x.get(), out.get(), nullptr, nullptr);
  const softmax_variant *variants = nullptr;
  softmax_variants(&variants);
  return {status, softmax_strerror(status), variants[choice.variant].id, choice.in_corpus != 0, errorOf(x, out)};
}
