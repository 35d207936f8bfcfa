// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices with known answers.
#ifndef HELION_TEST_UNIT_AOTRUNNERSELECT_SYNTHETIC_H
#define HELION_TEST_UNIT_AOTRUNNERSELECT_SYNTHETIC_H

#include "aot-runner/Select/Matrix.h"
#include <cmath>

namespace helion::aot {

constexpr double kIllegal = NAN;

inline Interval exactly(double time) { return {time, time, time}; }

/// times[row][candidate]; both halves are equal and free of noise, all candidates are universal, weights are 1.
inline Matrix matrixOf(const std::vector<std::vector<double>> &times, std::vector<bool> universal = {}) {
  std::vector<MatrixCandidate> candidates(times.front().size());
  for (size_t c = 0; c < candidates.size(); ++c)
    candidates[c] = {"artifact" + std::to_string(c), 1000, universal.empty() || universal[c]};
  Matrix matrix(std::vector<MatrixRow>(times.size()), candidates);
  for (size_t r = 0; r < times.size(); ++r)
    for (size_t c = 0; c < candidates.size(); ++c)
      matrix.set(r, c, {exactly(times[r][c]), exactly(times[r][c])});
  return matrix;
}

/// A call whose `x` has these sizes.
inline Binding callOf(std::vector<int64_t> sizes) {
  Binding binding;
  binding.tensors["x"].sizes = sizes;
  binding.tensors["x"].strides = std::vector<int64_t>(sizes.size(), 1);
  return binding;
}

} // namespace helion::aot

#endif // HELION_TEST_UNIT_AOTRUNNERSELECT_SYNTHETIC_H
