// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller's DLTensor, checked and unpacked into what dispatch asks of it, and the arithmetic that is printed into
// dispatch code.
#ifndef HELION_AOT_RUNNER_RUNTIME_TENSOR_H
#define HELION_AOT_RUNNER_RUNTIME_TENSOR_H

#include "DType.h"
#include "Namespace.h"
#include "dlpack.h"

#include <cstdint>

namespace HELION_RUNTIME {

constexpr int maxRank = 8;

/// What a call may meet. The values are the ABI of every package; its header repeats them.
enum Status : int {
  StatusOk = 0,
  StatusNullArgument = 1,
  StatusBadTensor = 2,
  StatusBadOutput = 3,
  StatusOverlap = 4,
  StatusBadWorkspace = 5,
  StatusWrongDevice = 6,
  StatusUnsupportedCpu = 7,
  StatusNoVariant = 8,
  StatusNoMemory = 9,
  StatusBadIndex = 10,
  StatusNoDriver = 11,
  StatusUnsupportedDevice = 12,
  StatusDevice = 13,
  StatusCheck = 64,       // + the number of the kernel's own check that failed
  StatusSignature = 1024, // + the number of the nearest signature
};

/// How the memory of two tensors meets: not at all; the same elements in the same order; otherwise.
enum class Overlap : uint8_t { None, Same, Partial };

struct Tensor {
  char *data; // element 0
  int64_t sizes[maxRank];
  int64_t strides[maxRank]; // in elements
  int64_t alignment;        // the largest power of two up to 64 that divides the address
  uintptr_t first, last;    // the span of bytes, `last` behind the end; equal for an empty tensor
  int32_t rank;
  int32_t device; // its number among those of its kind; 0 for memory of the processor

  int64_t size(int dim) const { return sizes[dim]; }
  int64_t stride(int dim) const { return strides[dim]; }
  int64_t align() const { return alignment; }
};

bool hasType(const DLTensor &tensor, DType type, int rank);

/// Whether kernels of this package can use the memory, and of which device it is. Defined where the steps of plans are:
/// in DispatchCpu.cpp or DispatchCuda.cpp.
bool isHere(const DLDevice &memory, int32_t &device);

/// Reads a tensor that has the type. A missing list of strides means contiguous.
Status readTensor(const DLTensor &from, DType type, Tensor &to);

/// Reads a result's tensor: it must have the type, these sizes and contiguous strides.
Status readOutput(const DLTensor *from, DType type, int rank, const int64_t *sizes, Tensor &to);

Overlap overlap(const Tensor &a, const Tensor &b);

/// Whether a stride of 0 makes several indices name one element.
bool repeatsElements(const Tensor &tensor);

/// The divisor is positive.
inline int64_t helion_floordiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
inline int64_t helion_ceildiv(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }
inline int64_t helion_mod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }
inline int64_t helion_min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t helion_max(int64_t a, int64_t b) { return a > b ? a : b; }

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_TENSOR_H
