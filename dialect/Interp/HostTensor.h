// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host tensors as the interpreter sees them: bytes, element type, sizes, strides and an offset, all in elements.
// Callers make them from their own memory or from files; kernels read and write through them.

#ifndef HELION_DIALECT_INTERP_HOSTTENSOR_H
#define HELION_DIALECT_INTERP_HOSTTENSOR_H

#include "dialect/Interp/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace helion::interp {

using Shape = llvm::SmallVector<int64_t, 4>;

/// Memory that tensors share: its own, or the caller's, which must outlive it.
class Storage {
public:
  explicit Storage(size_t bytes) : owned(bytes), base(owned.data()), length(bytes) {}
  Storage(void *data, size_t bytes) : base(static_cast<char *>(data)), length(bytes) {}
  Storage(const Storage &) = delete;

  char *data() const { return base; }
  size_t size() const { return length; }

  /// One flag per element, set by stores and atomics; empty unless a run tracks writes.
  std::vector<uint8_t> written;

private:
  std::vector<char> owned;
  char *base;
  size_t length;
};

struct HostTensor {
  ElementType type = ElementType::F32;
  Shape sizes, strides;
  int64_t offset = 0;
  std::shared_ptr<Storage> storage;

  /// Contiguous memory of its own, all zero.
  static HostTensor allocate(ElementType type, llvm::ArrayRef<int64_t> sizes);

  unsigned rank() const { return sizes.size(); }
  int64_t numElements() const;
  char *address(int64_t element) const { return storage->data() + element * int64_t(elementInfo(type).bytes); }
  /// Calls `visit` with the offset of each element, row-major.
  void forEach(llvm::function_ref<void(int64_t)> visit) const;
  /// The same values in contiguous memory of its own.
  HostTensor copy() const;
  /// Fails when an element lies outside the memory, or a size is negative.
  llvm::Error check(llvm::StringRef name) const;
};

Shape contiguousStrides(llvm::ArrayRef<int64_t> sizes);
/// `[37, 53]`.
std::string listText(llvm::ArrayRef<int64_t> values);

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_HOSTTENSOR_H
