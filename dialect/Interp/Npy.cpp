// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .npy container: magic, version, a Python dict literal with three known keys, raw data.

#include "dialect/Interp/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace helion::interp;
using llvm::StringRef;

static constexpr llvm::StringLiteral kMagic = "\x93NUMPY";

namespace {
struct Header {
  std::string descr;
  bool isFortran = false;
  Shape shape;
};
} // namespace

/// Text behind `'key':`, or none.
static std::optional<StringRef> valueOf(StringRef dict, StringRef key) {
  size_t at = dict.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = dict.drop_front(at + key.size() + 2).ltrim();
  if (!rest.consume_front(":"))
    return std::nullopt;
  return rest.ltrim();
}

static llvm::Error readShape(StringRef text, Shape &shape) {
  auto bad = [&] { return llvm::createStringError("has a shape that is no tuple of integers"); };
  if (!text.consume_front("("))
    return bad();
  size_t close = text.find(')');
  if (close == StringRef::npos)
    return bad();
  llvm::SmallVector<StringRef> parts;
  text.take_front(close).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    part = part.trim();
    if (part.empty())
      continue;
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0)
      return bad();
    shape.push_back(size);
  }
  return llvm::Error::success();
}

static llvm::Expected<Header> readHeader(StringRef dict) {
  std::optional<StringRef> descr = valueOf(dict, "descr"), order = valueOf(dict, "fortran_order"),
                           shape = valueOf(dict, "shape");
  if (!descr || !order || !shape)
    return llvm::createStringError("has a header without `descr`, `fortran_order` and `shape`");
  if (!descr->starts_with("'"))
    return llvm::createStringError("has structured elements; one number per element is needed");
  Header header;
  header.descr = descr->drop_front().take_until([](char c) { return c == '\''; }).str();
  header.isFortran = order->starts_with("True");
  if (llvm::Error error = readShape(*shape, header.shape))
    return std::move(error);
  return header;
}

/// The dict and the bytes behind it.
static llvm::Expected<std::pair<StringRef, StringRef>> splitFile(StringRef file) {
  if (!file.consume_front(kMagic) || file.size() < 4)
    return llvm::createStringError("is no .npy file: it does not begin with the magic bytes");
  unsigned version = static_cast<unsigned char>(file[0]);
  if (version < 1 || version > 3)
    return llvm::createStringError("has version `" + llvm::Twine(version) + "`; 1, 2 and 3 are known");
  unsigned lengthBytes = version == 1 ? 2 : 4;
  if (file.size() < 2 + lengthBytes)
    return llvm::createStringError("ends inside its header");
  const char *at = file.data() + 2;
  size_t length = version == 1 ? llvm::support::endian::read16le(at) : llvm::support::endian::read32le(at);
  file = file.drop_front(2 + lengthBytes);
  if (file.size() < length)
    return llvm::createStringError("ends inside its header");
  return std::make_pair(file.take_front(length), file.drop_front(length));
}

static llvm::Expected<ElementType> typeOf(StringRef descr, std::optional<ElementType> hint) {
  StringRef kind = descr;
  if (kind.consume_front(">"))
    return llvm::createStringError("has big-endian elements `" + descr + "`; write it as little-endian");
  kind = kind.ltrim("<|=");
  std::optional<ElementType> type = elementTypeOfNpy(kind);
  if (!hint) {
    if (type)
      return *type;
    return llvm::createStringError("has elements `" + descr + "`, which are no number type known here");
  }
  // A hint renames raw bytes of the right width; it never converts numbers.
  const ElementInfo &info = elementInfo(*hint);
  bool isRaw = kind == ("V" + llvm::Twine(info.bytes)).str() || kind == ("u" + llvm::Twine(info.bytes)).str();
  if (type == hint || isRaw)
    return *hint;
  return llvm::createStringError("has elements `" + descr + "`, which cannot be read as `" + info.name + "`");
}

static llvm::Expected<HostTensor> parseNpy(StringRef file, std::optional<ElementType> hint) {
  auto parts = splitFile(file);
  if (!parts)
    return parts.takeError();
  llvm::Expected<Header> header = readHeader(parts->first);
  if (!header)
    return header.takeError();
  llvm::Expected<ElementType> type = typeOf(header->descr, hint);
  if (!type)
    return type.takeError();
  // Sizes whose product does not fit cannot be backed by a file.
  uint64_t bytes = elementInfo(*type).bytes;
  for (int64_t size : header->shape)
    if (__builtin_mul_overflow(bytes, uint64_t(size), &bytes))
      return llvm::createStringError("has a shape " + listText(header->shape) + " that no memory holds");
  if (parts->second.size() < bytes)
    return llvm::createStringError("has `" + llvm::Twine(parts->second.size()) + "` bytes of data, its shape " +
                                   listText(header->shape) + " needs `" + llvm::Twine(bytes) + "`");
  HostTensor tensor = HostTensor::allocate(*type, header->shape);
  if (bytes)
    std::memcpy(tensor.storage->data(), parts->second.data(), bytes);
  if (header->isFortran) {
    Shape reversed(llvm::reverse(header->shape));
    Shape strides = contiguousStrides(reversed);
    tensor.strides.assign(strides.rbegin(), strides.rend());
  }
  return tensor;
}

llvm::Expected<HostTensor> helion::interp::readNpy(StringRef path, std::optional<ElementType> hint) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read `" + path + "`: " + buffer.getError().message());
  llvm::Expected<HostTensor> tensor = parseNpy((*buffer)->getBuffer(), hint);
  if (!tensor)
    return llvm::createStringError("`" + path + "` " + llvm::toString(tensor.takeError()));
  return tensor;
}

static std::string headerText(const HostTensor &tensor) {
  const ElementInfo &info = elementInfo(tensor.type);
  std::string shape;
  for (int64_t size : tensor.sizes)
    shape += std::to_string(size) + ", ";
  if (tensor.rank() != 1 && !shape.empty())
    shape.resize(shape.size() - 2);
  std::string text = ("{'descr': '" + llvm::Twine(info.bytes == 1 ? "|" : "<") + info.npy +
                      "', 'fortran_order': False, 'shape': (" + llvm::StringRef(shape).rtrim(' ') + "), }")
                         .str();
  // The format wants the data at a multiple of 64 and a newline before it.
  size_t unpadded = kMagic.size() + 4 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  return text + "\n";
}

llvm::Error helion::interp::writeNpy(StringRef path, const HostTensor &tensor) {
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  if (code)
    return llvm::createStringError("cannot write `" + path + "`: " + code.message());
  std::string header = headerText(tensor);
  char length[2];
  llvm::support::endian::write16le(length, static_cast<uint16_t>(header.size()));
  out << kMagic << '\1' << '\0';
  out.write(length, 2);
  out << header;
  HostTensor flat = tensor.copy();
  out.write(flat.storage->data(), flat.storage->size());
  out.close();
  if (out.has_error()) {
    code = out.error();
    out.clear_error();
    return llvm::createStringError("cannot write `" + path + "`: " + code.message());
  }
  return llvm::Error::success();
}
