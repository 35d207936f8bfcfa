// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a row's outputs must be: by the interpreter, in double precision, on whole small shapes and on sampled programs
// of large ones. Made once for a row; compares the bytes that a worker returns.
#ifndef HELION_AOT_RUNNER_MEASURE_REFERENCE_H
#define HELION_AOT_RUNNER_MEASURE_REFERENCE_H

#include "aot-runner/Journal/Corpus.h"
#include "aot-runner/Journal/Journal.h"
#include "dialect/IR/Helion.h"
#include "dialect/Interp/HostTensor.h"

namespace helion::aot {

class Reference {
public:
  /// `kernel` is in form K. An error where the kernel refuses the call or has no meaning for it.
  static llvm::Expected<Reference> make(KernelOp kernel, const Row &row, unsigned draw = 0);

  /// `outputs` are the known bytes of the arguments that are changed in place, then of the outputs, each in order and
  /// row-major: all, or those of `ranges` one behind the other. Floats may differ by
  ///   2 e (|want| + s) + 4 f sqrt(l) s,
  /// e the step at 1 of the coarsest float type of the call, or of what its dots may round operands to (2^-10 for tf32,
  /// 2^-21 for tf32x3), f that of f32 (f64 where all are f64), l the largest size of an argument, s the root mean
  /// square of the output's finite values. Integers, NaN and infinities must be equal.
  CheckResult compare(llvm::ArrayRef<std::string> outputs) const;
  /// Whether all elements are known.
  bool isWhole() const { return whole; }
  /// What is known of each output: begin, end, begin, end, .. in bytes of its row-major form.
  std::vector<std::vector<int64_t>> ranges() const;

private:
  struct Output {
    interp::ElementType type;
    std::vector<int64_t> positions; // Row-major; those that are known.
    std::vector<double> reals;      // Floats.
    std::vector<int64_t> integers;  // Others.
    double scale = 0;               // Root mean square.
  };
  void keep(const interp::HostTensor &tensor);
  void compareOutput(const Output &output, llvm::StringRef bytes, CheckResult &result) const;

  std::vector<Output> outputs;
  double coarsest = 0, accumulation = 0; // Steps at 1.
  double longest = 1;                    // Of a reduction.
  bool whole = true;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_REFERENCE_H
