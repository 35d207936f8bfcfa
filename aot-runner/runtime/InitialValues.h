// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of input tensors, named as in a corpus row ("normal", "uniform(-1,1)", "offsets(4096)"). An element depends on
// the seed and its row-major index alone, so whoever makes the tensor, in whatever order, gets the same bytes.
#ifndef HELION_AOT_RUNNER_RUNTIME_INITIALVALUES_H
#define HELION_AOT_RUNNER_RUNTIME_INITIALVALUES_H

#include "DType.h"

namespace HELION_RUNTIME {

struct InitialValues {
  enum class Kind : uint8_t { Normal, Uniform, RandomInteger, Permutation, Offsets, Zeros };

  /// Parses `text`. On failure returns a message with static storage, else null.
  static const char *parse(const char *text, InitialValues &result);

  Kind kind = Kind::Zeros;
  // Uniform: the bounds. RandomInteger: both bounds, the upper excluded. Offsets: `high` is the last element.
  double low = 0;
  double high = 0;
};

/// A tensor in memory: `data` is its first element, strides count elements and may be 0 or negative.
struct TensorView {
  void *data;
  DType type;
  int rank;
  const int64_t *sizes;
  const int64_t *strides;
};

/// Writes every element, in row-major order; where strides let elements share memory the last one wins.
///   normal         mean 0, deviation 1, no value beyond 4.9
///   uniform(a,b)   a <= x < b before rounding to the element type
///   randint(a,b)   integers a <= x < b
///   permutation    the integers 0..n-1, each once
///   offsets(t)     ascending integers, the first 0, the last t (a single element is t)
///   zeros
void initialise(const TensorView &view, const InitialValues &values, uint64_t seed);

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_INITIALVALUES_H
