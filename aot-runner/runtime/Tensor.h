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
  StatusForked = 14,
  StatusNoTensorMaps = 15,
  StatusCheck = 64,       // + the number of the kernel's own check that failed
  StatusSignature = 1024, // + the number of the nearest signature
  StatusMap = 1 << 20,    // + the number of the tensor map that the driver refused
};

/// How the memory of two tensors meets: not at all; the same elements in the same order; otherwise.
enum class Overlap : uint8_t { None, Same, Partial };

/// What is read first lies first, so that a tensor of few dims is in few cache lines.
struct Tensor {
  struct Dim {
    int64_t size, stride; // in elements
  };
  char *data;            // element 0
  uintptr_t first, last; // the span of bytes, `last` behind the end; equal for an empty tensor
  int32_t rank;
  Dim dims[maxRank];

  int64_t size(int dim) const { return dims[dim].size; }
  int64_t stride(int dim) const { return dims[dim].stride; }
  /// The largest power of two up to 64 that divides the address.
  int64_t align() const {
    uintptr_t bits = reinterpret_cast<uintptr_t>(data) | 64;
    return int64_t(bits & (~bits + 1));
  }
  bool isEmpty() const { return first == last; }
};

inline bool hasType(const DLTensor &tensor, uint32_t word, int rank) {
  uint32_t here;
  __builtin_memcpy(&here, &tensor.dtype, sizeof here);
  return here == word && tensor.ndim == rank;
}

/// Reads a tensor of elements of so many bytes, whose type is known to be right. A missing list of strides means
/// contiguous.
inline Status readTensor(const DLTensor &from, int64_t bytes, Tensor &to) {
  to.rank = from.ndim;
  to.data = static_cast<char *>(from.data) + (from.data ? from.byte_offset : 0);
  int64_t compact = 1, before = 0, behind = bytes, least = 1; // Only of a bad or an empty tensor they may wrap around.
  for (int d = from.ndim - 1; d >= 0; --d) {
    int64_t size = from.shape[d];
    int64_t stride = from.strides ? from.strides[d] : compact;
    to.dims[d] = {size, stride};
    least = size < least ? size : least;
    compact = int64_t(uint64_t(compact) * uint64_t(size > 0 ? size : 1));
    int64_t reach = int64_t(uint64_t(size - 1) * uint64_t(stride) * uint64_t(bytes));
    (reach < 0 ? before : behind) += reach;
  }
  if (least < 1)
    before = behind = 0;
  uintptr_t address = reinterpret_cast<uintptr_t>(to.data);
  to.first = address + uintptr_t(before);
  to.last = address + uintptr_t(behind);
  bool isBad = least < 0 || (!from.data && least > 0) || (address & uintptr_t(bytes - 1)) != 0;
  return isBad ? StatusBadTensor : StatusOk;
}

/// Reads a result's tensor: it must have the type, these sizes and contiguous strides.
Status readOutput(const DLTensor *from, DType type, int rank, const int64_t *sizes, Tensor &to);

/// Whether no byte of one lies between two of the other.
inline bool areApart(const Tensor &a, const Tensor &b) {
  return a.last <= b.first || b.last <= a.first || a.isEmpty() || b.isEmpty();
}

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
