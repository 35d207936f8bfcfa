// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the package of examples/rms_norm (two results), and normalises the same rows in double precision.
#include "rms_norm.h"
#include "Program.h"

static constexpr double kEpsilon = 1e-6;

static double errorOf(const Tensor &x, const Tensor &w, const Tensor &out, const Tensor &rstd) {
  Error error;
  int64_t columns = x.size(1);
  for (int64_t i = 0; i < x.size(0); ++i) {
    double squares = 0;
    for (int64_t j = 0; j < columns; ++j)
      squares += double(x[i * columns + j]) * x[i * columns + j];
    double reciprocal = 1 / std::sqrt(squares / columns + kEpsilon);
    error.compare(rstd[i], reciprocal, reciprocal);
    for (int64_t j = 0; j < columns; ++j) {
      double want = x[i * columns + j] * reciprocal * w[j];
      error.compare(out[i * columns + j], want, std::abs(want));
    }
  }
  return error.value();
}

Outcome callKernel(const std::vector<std::vector<int64_t>> &shapes, std::mt19937 &random) {
  Tensor x(shapes[0]), w(shapes[1]), out(shapes[0]), rstd({shapes[0][0]});
  x.fill(random);
  w.fill(random);
  rms_norm_choice choice{};
  int status = rms_norm_choose(x.get(), w.get(), kEpsilon, &choice);
  if (status == RMS_NORM_OK)
    status = rms_norm(x.get(), w.get(), kEpsilon, out.get(), rstd.get(), nullptr, nullptr);
  const rms_norm_variant *variants = nullptr;
  rms_norm_variants(&variants);
  return {status, rms_norm_strerror(status), variants[choice.variant].id, choice.in_corpus != 0,
          errorOf(x, w, out, rstd)};
}
