// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the package of accumulate.py on a shape that is longer than any that was measured.
#include "accumulate.h"

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  int64_t sizes[] = {3, 5000}, rows = 3;
  std::vector<float> x(15000), y(15000), sums(3), before;
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = float(i % 13) - 6;
    y[i] = float(i % 7) * 0.5f;
  }
  before = x;
  DLTensor dx = {x.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, sizes, nullptr, 0}, dy = dx;
  DLTensor result = {sums.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &rows, nullptr, 0};
  dy.data = y.data();
  if (int status = accumulate(&dx, &dx, &result, nullptr, nullptr); status != ACCUMULATE_OVERLAP)
    std::printf("x given twice: %s\n", accumulate_strerror(status));
  if (int status = accumulate(&dx, &dy, &result, nullptr, nullptr))
    return std::printf("%s\n", accumulate_strerror(status)), 1;
  for (size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (size_t j = 0; j < 5000; ++j) {
      float want = before[i * 5000 + j] + 2 * y[i * 5000 + j];
      sum += want;
      if (x[i * 5000 + j] != want)
        return std::printf("x[%zu, %zu] is wrong\n", i, j), 1;
    }
    if (std::abs(sums[i] - sum) > 1e-2)
      return std::printf("sums[%zu] is %g, not %g\n", i, double(sums[i]), sum), 1;
  }
  std::printf("right\n");
  return 0;
}
