// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of rows.
#include "aot-runner/Measure/InputData.h"

#include "aot-runner/runtime/InitialValues.h"
#include "dialect/Interp/Npy.h"
#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace helion;
using namespace helion::aot;
using interp::HostTensor;

int64_t helion::aot::inputSeed(const Row &row, llvm::StringRef argument, unsigned draw) {
  std::string id = row.id(), number = std::to_string(draw);
  uint64_t seed = 0;
  std::string hash = draw ? contentHash({id, argument, number}) : contentHash({id, argument});
  llvm::to_integer(llvm::StringRef(hash).take_front(12), seed, 16);
  return seed;
}

static llvm::Expected<HostTensor> shapeOf(const RowArg &arg) {
  HostTensor tensor;
  tensor.type = *interp::elementTypeNamed(dtypeName(arg.dtype));
  tensor.sizes.assign(arg.shape.begin(), arg.shape.end());
  tensor.strides.assign(arg.strides.begin(), arg.strides.end());
  int64_t low = 0, high = 0;
  bool empty = false;
  for (auto [size, stride] : llvm::zip_equal(arg.shape, arg.strides)) {
    empty |= size == 0;
    (stride < 0 ? low : high) += (size - 1) * stride;
  }
  int64_t elements = empty ? 0 : high - low + 1;
  tensor.offset = empty ? 0 : -low;
  tensor.storage = std::make_shared<interp::Storage>(elements * interp::elementInfo(tensor.type).bytes);
  std::memset(tensor.storage->data(), 0xff, tensor.storage->size());
  return tensor;
}

static llvm::Error fillFromFile(HostTensor &tensor, const RowArg &arg, const Row &row) {
  llvm::Expected<HostTensor> file = interp::readNpy(arg.init.file, tensor.type);
  if (!file)
    return file.takeError();
  if (file->type != tensor.type || file->sizes != tensor.sizes)
    return llvm::createStringError("%s: `%s` holds %s of shape %s, the row wants %s of shape %s", row.place.c_str(),
                                   arg.init.file.c_str(), interp::elementInfo(file->type).name.data(),
                                   interp::listText(file->sizes).c_str(), interp::elementInfo(tensor.type).name.data(),
                                   interp::listText(tensor.sizes).c_str());
  std::vector<int64_t> from;
  file->forEach([&](int64_t element) { from.push_back(element); });
  size_t next = 0;
  tensor.forEach([&](int64_t element) {
    std::memcpy(tensor.address(element), file->address(from[next++]), interp::elementInfo(tensor.type).bytes);
  });
  return llvm::Error::success();
}

llvm::Expected<HostTensor> helion::aot::inputTensor(const Row &row, llvm::StringRef argument, unsigned draw) {
  namespace runtime = HELION_RUNTIME;
  const RowArg &arg = row.args.at(argument.str());
  llvm::Expected<HostTensor> tensor = shapeOf(arg);
  if (!tensor)
    return tensor;
  if (arg.init.kind == Init::Kind::File) {
    if (llvm::Error error = fillFromFile(*tensor, arg, row))
      return std::move(error);
    return tensor;
  }
  runtime::InitialValues values;
  runtime::DType type;
  if (const char *message = runtime::InitialValues::parse(arg.init.text().c_str(), values))
    return llvm::createStringError("%s: `%s`: %s", row.place.c_str(), arg.init.text().c_str(), message);
  if (!runtime::parseDType(dtypeName(arg.dtype).data(), type))
    return llvm::createStringError("%s: the runtime has no `%s`", row.place.c_str(), dtypeName(arg.dtype).data());
  runtime::initialise({tensor->address(tensor->offset), type, static_cast<int>(tensor->rank()), tensor->sizes.data(),
                       tensor->strides.data()},
                      values, inputSeed(row, argument, draw));
  return tensor;
}
