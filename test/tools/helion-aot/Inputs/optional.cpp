// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the package of layer_norm with and without a bias, and outside of its signatures.
#include "layer_norm.h"

#include <cmath>
#include <cstdio>
#include <vector>

static DLTensor tensor(std::vector<float> &values, int64_t *sizes, int rank) {
  return {values.data(), {kDLCPU, 0}, rank, {kDLFloat, 32, 1}, sizes, nullptr, 0};
}

int main() {
  int64_t sizes[] = {5, 128}, n = 128;
  std::vector<float> x(640), w(128), bias(128), out(640);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i * 37 % 101) / 10;
  for (size_t i = 0; i < 128; ++i) {
    w[i] = 1 + float(i % 5);
    bias[i] = float(i % 3) - 7;
  }
  DLTensor dx = tensor(x, sizes, 2), dw = tensor(w, &n, 1), db = tensor(bias, &n, 1), result = tensor(out, sizes, 2);
  for (DLTensor *given : {static_cast<DLTensor *>(nullptr), &db}) {
    layer_norm_choice choice;
    if (layer_norm_choose(&dx, &dw, given, 1e-5, &choice) || layer_norm(&dx, &dw, given, 1e-5, &result, nullptr, nullptr))
      return std::printf("refused\n"), 1;
    double worst = 0;
    for (size_t i = 0; i < 5; ++i) {
      double mean = 0, square = 0;
      for (size_t j = 0; j < 128; ++j)
        mean += x[i * 128 + j] / 128.0;
      for (size_t j = 0; j < 128; ++j)
        square += std::pow(x[i * 128 + j] - mean, 2) / 128;
      for (size_t j = 0; j < 128; ++j) {
        double want = (x[i * 128 + j] - mean) / std::sqrt(square + 1e-5) * w[j] + (given ? bias[j] : 0);
        worst = std::max(worst, std::abs(want - out[i * 128 + j]));
      }
    }
    std::printf("%s: signature %d, %s\n", given ? "bias" : "none", choice.signature, worst < 1e-4 ? "right" : "wrong");
  }
  db.dtype.bits = 64;
  std::printf("f64 bias: %s\n", layer_norm_strerror(layer_norm(&dx, &dw, &db, 1e-5, &result, nullptr, nullptr)));
  std::printf("no x: %s\n", layer_norm_strerror(layer_norm(nullptr, &dw, nullptr, 1e-5, &result, nullptr, nullptr)));
  return 0;
}
