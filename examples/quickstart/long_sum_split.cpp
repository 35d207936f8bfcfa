// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan of two steps: partial sums go to a workspace that the caller brings, then they are added.
#include "long_sum_split.h"
#include "Program.h"
#include <cstdlib>

static double errorOf(const Tensor &x, const Tensor &out) {
  Error error;
  for (int64_t i = 0; i < x.size(0); ++i) {
    double sum = 0, scale = 0;
    for (int64_t j = 0; j < x.size(1); ++j) {
      sum += x[i * x.size(1) + j];
      scale += std::abs(x[i * x.size(1) + j]);
    }
    error.compare(out[i], sum, scale);
  }
  return error.value();
}

Outcome callKernel(const std::vector<std::vector<int64_t>> &shapes, std::mt19937 &random) {
  Tensor x(shapes[0]), out({shapes[0][0]});
  x.fill(random);
  long_sum_split_choice choice{};
  int64_t bytes = 0;
  int status = long_sum_split_choose(x.get(), &choice);
  if (status == LONG_SUM_SPLIT_OK)
    status = long_sum_split_workspace(x.get(), &bytes);
  constexpr int64_t kAlignment = 64;
  void *workspace = std::aligned_alloc(kAlignment, (bytes / kAlignment + 1) * kAlignment);
  if (status == LONG_SUM_SPLIT_OK)
    status = long_sum_split(x.get(), out.get(), nullptr, workspace);
  std::free(workspace);
  const long_sum_split_variant *variants = nullptr;
  long_sum_split_variants(&variants);
  return {status, long_sum_split_strerror(status), variants[choice.variant].id, choice.in_corpus != 0, errorOf(x, out)};
}
