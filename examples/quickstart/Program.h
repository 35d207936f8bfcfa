// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of this folder share: tensors for DLPack, and the table of calls. A program per kernel (matmul.cpp,
// ..) calls its package and computes the same in double precision; Program.cpp reads the calls and prints what came
// out.
#ifndef HELION_EXAMPLES_QUICKSTART_PROGRAM_H
#define HELION_EXAMPLES_QUICKSTART_PROGRAM_H

#include "runtime/dlpack.h"
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

/// A contiguous f32 tensor on the CPU, full of NaN at first.
class Tensor {
public:
  explicit Tensor(std::vector<int64_t> sizes) : shape(std::move(sizes)), values(count(), NAN) {
    description.device = {kDLCPU, 0};
    description.dtype = {kDLFloat, 32, 1};
  }
  Tensor &fill(std::mt19937 &random) {
    std::normal_distribution<float> normal;
    for (float &value : values)
      value = normal(random);
    return *this;
  }
  /// What a package takes; lives as long as the tensor.
  DLTensor *get() {
    description.data = values.data();
    description.ndim = static_cast<int32_t>(shape.size());
    description.shape = shape.data();
    return &description;
  }
  int64_t size(int dim) const { return shape[dim]; }
  float operator[](int64_t element) const { return values[element]; }

private:
  int64_t count() const {
    int64_t product = 1;
    for (int64_t size : shape)
      product *= size;
    return product;
  }

  std::vector<int64_t> shape;
  std::vector<float> values;
  DLTensor description{};
};

/// The largest error so far, in units of what the result was made from.
class Error {
public:
  /// `scale` is the size of the terms that made `want`: what rounding each of them can move is a few 1e-7 of it.
  void compare(double got, double want, double scale) {
    double error = std::abs(got - want) / (scale + 1e-30);
    worst = std::max(worst, std::isnan(error) ? INFINITY : error);
  }
  double value() const { return worst; }

private:
  double worst = 0;
};

/// What one call gave.
struct Outcome {
  int status;
  const char *message; // Of the status.
  const char *config;  // The id of the one that ran.
  bool inCorpus;       // Whether tuning measured this shape.
  double error;
};

/// Each kernel's program defines it: fresh inputs of these shapes, a call, and a comparison of every element.
Outcome callKernel(const std::vector<std::vector<int64_t>> &shapes, std::mt19937 &random);

#endif // HELION_EXAMPLES_QUICKSTART_PROGRAM_H
