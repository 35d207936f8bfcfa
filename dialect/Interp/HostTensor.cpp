// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks and copies of strided host memory.

#include "dialect/Interp/HostTensor.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace helion::interp;

Shape helion::interp::contiguousStrides(llvm::ArrayRef<int64_t> sizes) {
  Shape strides(sizes.size(), 1);
  for (int dim = int(sizes.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * std::max<int64_t>(sizes[dim + 1], 1);
  return strides;
}

std::string helion::interp::listText(llvm::ArrayRef<int64_t> values) {
  std::string text = "[";
  for (auto [i, value] : llvm::enumerate(values))
    text += (i ? ", " : "") + std::to_string(value);
  return text + "]";
}

HostTensor HostTensor::allocate(ElementType type, llvm::ArrayRef<int64_t> sizes) {
  HostTensor tensor;
  tensor.type = type;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.strides = contiguousStrides(sizes);
  tensor.storage = std::make_shared<Storage>(size_t(tensor.numElements()) * elementInfo(type).bytes);
  return tensor;
}

int64_t HostTensor::numElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

void HostTensor::forEach(llvm::function_ref<void(int64_t)> visit) const {
  if (numElements() == 0)
    return;
  Shape index(rank(), 0);
  int64_t at = offset;
  while (true) {
    visit(at);
    int dim = int(rank()) - 1;
    for (; dim >= 0; --dim) {
      at += strides[dim];
      if (++index[dim] < sizes[dim])
        break;
      at -= strides[dim] * sizes[dim];
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

HostTensor HostTensor::copy() const {
  HostTensor result = allocate(type, sizes);
  unsigned bytes = elementInfo(type).bytes;
  char *to = result.storage->data();
  forEach([&](int64_t element) {
    std::memcpy(to, address(element), bytes);
    to += bytes;
  });
  return result;
}

llvm::Error HostTensor::check(llvm::StringRef name) const {
  auto error = [&](const llvm::Twine &text) { return llvm::createStringError("argument `" + name + "`: " + text); };
  if (strides.size() != sizes.size())
    return error(llvm::Twine(strides.size()) + " strides for " + llvm::Twine(sizes.size()) + " sizes");
  int64_t low = offset, high = offset;
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    if (size < 0)
      return error("sizes " + listText(sizes) + " have a negative one");
    (stride < 0 ? low : high) += stride * (size - 1);
  }
  int64_t available = storage ? int64_t(storage->size() / elementInfo(type).bytes) : 0;
  if (numElements() != 0 && (low < 0 || high >= available))
    return error("sizes " + listText(sizes) + ", strides " + listText(strides) + " and offset `" + llvm::Twine(offset) +
                 "` reach the elements `" + llvm::Twine(low) + "` to `" + llvm::Twine(high) + "` of `" +
                 llvm::Twine(available) + "`");
  return llvm::Error::success();
}
