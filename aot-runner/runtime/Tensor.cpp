// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tensor.h"

namespace HELION_RUNTIME {

Status readOutput(const DLTensor *from, DType type, int rank, const int64_t *sizes, Tensor &to) {
  if (!from)
    return StatusNullArgument;
  if (!hasType(*from, typeWord(type), rank))
    return StatusBadOutput;
  if (Status status = readTensor(*from, info(type).bytes, to))
    return status;
  int64_t compact = 1;
  bool areSizesRight = true, isCompact = true;
  for (int d = rank - 1; d >= 0; --d) {
    areSizesRight &= to.size(d) == sizes[d];
    isCompact &= sizes[d] == 1 || to.stride(d) == compact;
    compact *= sizes[d];
  }
  return areSizesRight && (isCompact || compact == 0) ? StatusOk : StatusBadOutput;
}

static bool sameElements(const Tensor &a, const Tensor &b) {
  if (a.data != b.data || a.rank != b.rank || a.first != b.first || a.last != b.last)
    return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.size(d) != b.size(d) || (a.size(d) > 1 && a.stride(d) != b.stride(d)))
      return false;
  return true;
}

Overlap overlap(const Tensor &a, const Tensor &b) {
  if (areApart(a, b))
    return Overlap::None;
  return sameElements(a, b) ? Overlap::Same : Overlap::Partial;
}

bool repeatsElements(const Tensor &tensor) {
  for (int d = 0; d < tensor.rank; ++d)
    if (tensor.stride(d) == 0 && tensor.size(d) > 1)
      return !tensor.isEmpty();
  return false;
}

} // namespace HELION_RUNTIME
