// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that a row's tensors hold, the same in the worker and for the reference: made from a seed that depends on
// the row, the argument's name and the number of the draw, or read from the row's file. Draw 0 is what candidates are
// tuned with; others are fresh data.
#ifndef HELION_AOT_RUNNER_MEASURE_INPUTDATA_H
#define HELION_AOT_RUNNER_MEASURE_INPUTDATA_H

#include "aot-runner/Journal/Corpus.h"
#include "dialect/Interp/HostTensor.h"

namespace helion::aot {

/// Not negative; fits what JSON numbers hold exactly.
int64_t inputSeed(const Row &row, llvm::StringRef argument, unsigned draw = 0);
/// The tensor with the row's sizes and strides; memory between elements is 0xff. An error where a file does not fit.
llvm::Expected<interp::HostTensor> inputTensor(const Row &row, llvm::StringRef argument, unsigned draw = 0);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_INPUTDATA_H
