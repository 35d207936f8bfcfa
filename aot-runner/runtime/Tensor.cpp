// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tensor.h"

namespace HELION_RUNTIME {

bool hasType(const DLTensor &tensor, DType type, int rank) {
  const DTypeInfo &facts = info(type);
  return tensor.ndim == rank && tensor.dtype.code == facts.dlpackCode && tensor.dtype.bits == facts.dlpackBits &&
         tensor.dtype.lanes == 1;
}

static int64_t alignmentOf(const void *data) {
  uintptr_t bits = reinterpret_cast<uintptr_t>(data) | 64;
  return int64_t(bits & (~bits + 1));
}

static void setSpan(Tensor &tensor, int64_t elementBytes, bool isEmpty) {
  tensor.first = tensor.last = reinterpret_cast<uintptr_t>(tensor.data);
  if (isEmpty)
    return;
  tensor.last += uintptr_t(elementBytes);
  for (int d = 0; d < tensor.rank; ++d) {
    int64_t reach = (tensor.sizes[d] - 1) * tensor.strides[d] * elementBytes;
    (reach < 0 ? tensor.first : tensor.last) += uintptr_t(reach);
  }
}

Status readTensor(const DLTensor &from, DType type, Tensor &to) {
  int64_t bytes = info(type).bytes;
  if (!isHere(from.device, to.device))
    return StatusWrongDevice;
  to.rank = from.ndim;
  bool isEmpty = false;
  int64_t compact = 1;
  for (int d = to.rank - 1; d >= 0; --d) {
    int64_t size = from.shape[d];
    if (size < 0)
      return StatusBadTensor;
    isEmpty |= size == 0;
    to.sizes[d] = size;
    to.strides[d] = from.strides ? from.strides[d] : compact;
    compact *= size > 0 ? size : 1;
  }
  to.data = static_cast<char *>(from.data) + (from.data ? from.byte_offset : 0);
  if ((!from.data && !isEmpty) || (reinterpret_cast<uintptr_t>(to.data) & uintptr_t(bytes - 1)) != 0)
    return StatusBadTensor;
  to.alignment = alignmentOf(to.data);
  setSpan(to, bytes, isEmpty);
  return StatusOk;
}

Status readOutput(const DLTensor *from, DType type, int rank, const int64_t *sizes, Tensor &to) {
  if (!from)
    return StatusNullArgument;
  if (!hasType(*from, type, rank))
    return StatusBadOutput;
  if (Status status = readTensor(*from, type, to))
    return status;
  bool isEmpty = false;
  for (int d = 0; d < rank; ++d) {
    if (to.sizes[d] != sizes[d])
      return StatusBadOutput;
    isEmpty |= sizes[d] == 0;
  }
  int64_t compact = 1;
  for (int d = rank - 1; d >= 0 && !isEmpty; --d) {
    if (sizes[d] != 1 && to.strides[d] != compact)
      return StatusBadOutput;
    compact *= sizes[d];
  }
  return StatusOk;
}

static bool sameElements(const Tensor &a, const Tensor &b) {
  if (a.data != b.data || a.rank != b.rank || a.first != b.first || a.last != b.last)
    return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.sizes[d] != b.sizes[d] || (a.sizes[d] > 1 && a.strides[d] != b.strides[d]))
      return false;
  return true;
}

Overlap overlap(const Tensor &a, const Tensor &b) {
  bool oneIsEmpty = a.first == a.last || b.first == b.last;
  if (oneIsEmpty || a.last <= b.first || b.last <= a.first)
    return Overlap::None;
  return sameElements(a, b) ? Overlap::Same : Overlap::Partial;
}

bool repeatsElements(const Tensor &tensor) {
  for (int d = 0; d < tensor.rank; ++d)
    if (tensor.strides[d] == 0 && tensor.sizes[d] > 1)
      return tensor.first != tensor.last;
  return false;
}

} // namespace HELION_RUNTIME
