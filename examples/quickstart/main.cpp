// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that uses the package of examples/matmul: reads shapes with what tuning said of them, calls the kernel on
// fresh seeded inputs, and compares with a float64 product. Lines on stdin: `M K N config time_us slowdown verdict`; a
// shape that was not measured has `-` for the rest.
#include "matmul.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {
struct Matrix {
  std::vector<float> values;
  int64_t shape[2];
  DLTensor tensor{};

  Matrix(int64_t rows, int64_t columns) : values(rows * columns), shape{rows, columns} {
    tensor.data = values.data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 2;
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = shape;
  }
  void fill(std::mt19937 &random) {
    std::normal_distribution<float> normal;
    for (float &value : values)
      value = normal(random);
  }
};

/// The largest error against float64, over the size that rounding each term would give.
double errorOf(const Matrix &x, const Matrix &y, const Matrix &out) {
  double worst = 0;
  int64_t depth = x.shape[1];
  for (int64_t i = 0; i < out.shape[0]; ++i)
    for (int64_t j = 0; j < out.shape[1]; ++j) {
      double sum = 0, size = 1e-30;
      for (int64_t k = 0; k < depth; ++k) {
        double term = double(x.values[i * depth + k]) * y.values[k * y.shape[1] + j];
        sum += term;
        size += std::abs(term);
      }
      double error = std::abs(out.values[i * out.shape[1] + j] - sum) / size;
      worst = std::max(worst, std::isnan(error) ? INFINITY : error);
    }
  return worst;
}
} // namespace

int main() {
  constexpr double kTolerance = 1e-5; // Of f32 sums of up to a thousand terms; one rounding is 6e-8.
  const matmul_variant *variants = nullptr;
  matmul_variants(&variants);
  std::mt19937 random(2026);
  std::printf("%-16s %-9s %12s %9s %-10s %10s  %s\n", "M x K x N", "config", "time us", "slowdown", "verdict", "error",
              "corpus");
  long m, k, n;
  char config[16], time[32], slowdown[32], verdict[32];
  bool good = true;
  while (std::scanf("%ld %ld %ld %15s %31s %31s %31s", &m, &k, &n, config, time, slowdown, verdict) == 7) {
    Matrix x(m, k), y(k, n), out(m, n);
    x.fill(random);
    y.fill(random);
    std::fill(out.values.begin(), out.values.end(), NAN);
    matmul_choice choice;
    int status = matmul_choose(&x.tensor, &y.tensor, &choice);
    if (status == MATMUL_OK)
      status = matmul(&x.tensor, &y.tensor, &out.tensor, nullptr, nullptr);
    if (status != MATMUL_OK) {
      std::printf("%ldx%ldx%ld: %s\n", m, k, n, matmul_strerror(status));
      return 1;
    }
    double error = errorOf(x, y, out);
    good &= error <= kTolerance;
    char shape[48];
    std::snprintf(shape, sizeof(shape), "%ldx%ldx%ld", m, k, n);
    std::printf("%-16s %-9s %12s %9s %-10s %10.1e  %s\n", shape, variants[choice.variant].id, time, slowdown, verdict,
                error, choice.in_corpus ? "measured" : "NOT MEASURED: a guess from its neighbours");
  }
  std::printf(good ? "all results are right\n" : "SOME RESULTS ARE WRONG\n");
  return good ? 0 : 1;
}
