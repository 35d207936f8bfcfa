// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Case.h"

#include "aot-runner/runtime/Base64.h"
#include "aot-runner/runtime/InitialValues.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace runtime = HELION_RUNTIME;

namespace helion::worker {

static constexpr int64_t zoneBytes = 4096;
static constexpr uint8_t zonePattern = 0xc5;
static constexpr uint8_t gapPattern = 0xff; // NaN in every float type: reading between strided elements shows
static constexpr int64_t maxBytes = int64_t(1) << 40;
static const std::vector<std::string> roleNames = {"input", "output", "workspace", "inout"}; // As Role.

void Buffer::allocate(int64_t size, int64_t align, int64_t origin, Failure &failure) {
  int64_t shift = (align - origin) & 127;
  block = DeviceBlock(*device, 2 * zoneBytes + shift + size, failure);
  if (!block.address())
    return failure.set("memory", "no memory for the " + std::to_string(size) + " bytes of `" + label + "`");
  bytes = size;
  originOffset = origin;
  start = block.address() + Address(zoneBytes + shift);
  device->set(block.address(), zonePattern, zoneBytes + shift, failure);
  device->set(start + Address(bytes), zonePattern, zoneBytes, failure);
}

void Buffer::poison(uint8_t pattern, Failure &failure) { device->set(start, pattern, bytes, failure); }

static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

/// Four sums side by side, because the steps of one wait for each other.
static uint64_t checksumOf(const char *data, int64_t bytes) {
  constexpr int64_t lanes = 4, stride = lanes * 8;
  uint64_t hashes[lanes] = {0xcbf29ce484222325u, 1, 2, 3};
  int64_t whole = bytes / stride * stride;
  for (int64_t i = 0; i < whole; i += stride) {
    uint64_t words[lanes];
    std::memcpy(words, data + i, stride);
    for (int64_t lane = 0; lane < lanes; ++lane)
      hashes[lane] = mixed(hashes[lane], words[lane]);
  }
  uint64_t hash = hashes[0];
  for (int64_t lane = 1; lane < lanes; ++lane)
    hash = mixed(hash, hashes[lane]);
  for (int64_t i = whole; i < bytes; ++i)
    hash = (hash ^ uint8_t(data[i])) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

std::string hashOf(const char *contents, int64_t size) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(checksumOf(contents, size)));
  return text;
}

/// Calls `visit` with the offset in elements of each element, row-major.
template <typename Visit>
static void forEachElement(const int64_t *sizes, const int64_t *strides, int rank, const Visit &visit) {
  int64_t count = 1;
  for (int d = 0; d < rank; ++d)
    count *= sizes[d];
  for (int64_t index = 0; index < count; ++index) {
    int64_t rest = index, offset = 0;
    for (int d = rank - 1; d >= 0; --d) {
      offset += rest % sizes[d] * strides[d];
      rest /= sizes[d];
    }
    visit(offset);
  }
}

void Buffer::setContents(const runtime::TensorView &shape,
                         const std::function<void(const runtime::TensorView &view)> &make, Failure &failure) {
  std::vector<char> copy;
  char *image = device->hostAddress(start);
  if (!image) {
    copy.resize(size_t(bytes));
    image = copy.data();
  }
  std::memset(image, gapPattern, size_t(bytes));
  runtime::TensorView view = shape;
  view.data = image + originOffset;
  make(view);
  if (image == copy.data())
    device->upload(start, image, bytes, failure);
  seal(view, image, failure);
}

void Buffer::seal(const runtime::TensorView &view, const char *image, Failure &failure) {
  checksum = checksumOf(image, bytes);
  if (kind != Role::InOut)
    return;
  sealed = DeviceBlock(*device, bytes > 0 ? bytes : 1, failure);
  if (!sealed.address())
    return failure.set("memory", "no memory for the first contents of `" + label + "`");
  device->copy(sealed.address(), start, bytes, failure);
  sizes.assign(view.sizes, view.sizes + view.rank);
  strides.assign(view.strides, view.strides + view.rank);
  elementBytes = runtime::info(view.type).bytes;
}

void Buffer::restore(Failure &failure) {
  if (kind == Role::InOut)
    device->copy(start, sealed.address(), bytes, failure);
}

void Buffer::read(const std::function<void(const char *contents, int64_t size)> &take, Failure &failure) const {
  const char *image = device->fetch(start, bytes, Shelf::First, failure);
  if (!image)
    return;
  if (kind != Role::InOut)
    return take(image, bytes);
  std::string dense;
  forEachElement(sizes.data(), strides.data(), int(sizes.size()), [&](int64_t offset) {
    dense.append(image + originOffset + offset * elementBytes, size_t(elementBytes));
  });
  take(dense.data(), int64_t(dense.size()));
}

void Buffer::checkBetweenElements(Failure &failure) const {
  const char *image = device->fetch(start, bytes, Shelf::First, failure);
  const char *first = device->fetch(sealed.address(), bytes, Shelf::Second, failure);
  if (!image || !first)
    return;
  std::vector<char> expected(first, first + bytes);
  forEachElement(sizes.data(), strides.data(), int(sizes.size()), [&](int64_t offset) {
    int64_t at = originOffset + offset * elementBytes;
    std::memcpy(expected.data() + at, image + at, size_t(elementBytes));
  });
  if (std::memcmp(expected.data(), image, expected.size()) != 0)
    failure.set("red_zone", "`" + label + "` was written between its elements");
}

void Buffer::check(Failure &failure) const {
  const char *zone = device->fetch(start - Address(zoneBytes), zoneBytes, Shelf::First, failure);
  for (int64_t distance = 1; distance <= zoneBytes && !failure; ++distance)
    if (uint8_t(zone[zoneBytes - distance]) != zonePattern)
      failure.set("red_zone", "`" + label + "` was written " + std::to_string(distance) + " bytes before its start");
  zone = failure ? nullptr : device->fetch(start + Address(bytes), zoneBytes, Shelf::First, failure);
  for (int64_t distance = 0; distance < zoneBytes && !failure; ++distance)
    if (uint8_t(zone[distance]) != zonePattern)
      failure.set("red_zone", "`" + label + "` was written " + std::to_string(distance + 1) + " bytes past its end");
  const char *input = failure || kind != Role::Input ? nullptr : device->fetch(start, bytes, Shelf::First, failure);
  if (input && checksumOf(input, bytes) != checksum)
    failure.set("input_changed", "the kernel wrote to its input `" + label + "`");
  if (!failure && kind == Role::InOut)
    checkBetweenElements(failure);
}

/// What a tensor needs: bytes from its lowest to behind its highest element, and where element 0 lies between them.
static bool extentOf(const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides, int64_t elementBytes,
                     int64_t &bytes, int64_t &origin) {
  __int128 low = 0, high = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) {
      bytes = origin = 0;
      return true;
    }
    __int128 reach = __int128(sizes[d] - 1) * strides[d];
    (reach < 0 ? low : high) += reach;
  }
  __int128 total = (high - low + 1) * elementBytes;
  bytes = total > maxBytes ? 0 : int64_t(total);
  origin = total > maxBytes ? 0 : int64_t(-low * elementBytes);
  return total <= maxBytes;
}

static std::vector<int64_t> rowMajor(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;)
    strides[d - 1] = strides[d] * (sizes[d] > 0 ? sizes[d] : 1);
  return strides;
}

static int64_t readAlign(Fields &fields, Failure &failure) {
  int64_t align = fields.integer("align", 1, 64, 64);
  if ((align & (align - 1)) != 0)
    failure.set("protocol", "`align` is " + std::to_string(align) + ", not a power of two");
  return align;
}

/// Row-major bytes from the request, for values that no init names.
static void copyElements(const std::string &data, const runtime::TensorView &view, Failure &failure) {
  int64_t count = 1, size = runtime::info(view.type).bytes;
  for (int d = 0; d < view.rank; ++d)
    count *= view.sizes[d];
  if (int64_t(data.size()) != count * size)
    return failure.set("protocol", "`data` holds " + std::to_string(data.size()) + " bytes, the tensor " +
                                       std::to_string(count * size));
  const char *from = data.data();
  forEachElement(view.sizes, view.strides, view.rank, [&](int64_t offset) {
    std::memcpy(static_cast<char *>(view.data) + offset * size, from, size_t(size));
    from += size;
  });
}

static void fillContents(Fields &fields, const runtime::TensorView &view, Failure &failure) {
  if (fields.has("data")) {
    std::string bytes;
    if (!runtime::decodeBase64(fields.text("data"), bytes))
      return failure.set("protocol", "`data` is not base64");
    return copyElements(bytes, view, failure);
  }
  runtime::InitialValues values;
  std::string init = fields.text("init");
  int64_t seed = fields.integer("seed", 0, INT64_MAX, 0);
  if (const char *problem = runtime::InitialValues::parse(init.c_str(), values))
    return failure.set("protocol", "init `" + init + "`: " + problem);
  runtime::initialise(view, values, uint64_t(seed));
}

void Case::addTensor(Fields &fields, const std::string &name, Role role, Failure &failure) {
  std::string dtype = fields.text("dtype");
  std::vector<int64_t> sizes = fields.integers("sizes");
  std::vector<int64_t> strides = fields.has("strides") ? fields.integers("strides") : rowMajor(sizes);
  int64_t align = readAlign(fields, failure);
  runtime::DType type = runtime::DType::F32;
  if (!runtime::parseDType(dtype.c_str(), type))
    failure.set("protocol", "`" + name + "` has the unknown dtype `" + dtype + "`");
  if (strides.size() != sizes.size())
    failure.set("protocol", "`" + name + "` has " + std::to_string(sizes.size()) + " sizes and " +
                                std::to_string(strides.size()) + " strides");
  for (int64_t size : sizes)
    if (size < 0)
      failure.set("protocol", "`" + name + "` has the negative size " + std::to_string(size));
  int64_t bytes = 0, origin = 0;
  if (failure)
    return;
  if (!extentOf(sizes, strides, runtime::info(type).bytes, bytes, origin))
    return failure.set("memory", "`" + name + "` needs more than 1 TiB");
  Buffer buffer(*device, name, role);
  buffer.allocate(bytes, align, origin, failure);
  if (failure)
    return;
  runtime::TensorView shape{nullptr, type, int(sizes.size()), sizes.data(), strides.data()};
  buffer.setContents(shape, [&](const runtime::TensorView &view) { fillContents(fields, view, failure); }, failure);
  buffers.push_back(std::move(buffer));
}

void Case::addRaw(Fields &fields, const std::string &name, Role role, Failure &failure) {
  int64_t bytes = fields.integer("bytes", 0, maxBytes);
  int64_t align = readAlign(fields, failure);
  if (failure)
    return;
  Buffer buffer(*device, name, role);
  buffer.allocate(bytes, align, 0, failure);
  buffers.push_back(std::move(buffer));
}

void Case::build(const Json &list, Failure &failure) {
  for (const Json &row : list) {
    Fields fields(row, "a buffer", failure);
    std::string name = fields.text("name");
    if (find(name))
      failure.set("protocol", "the buffer `" + name + "` is there twice");
    Role role = static_cast<Role>(fields.choice("role", roleNames));
    if (role == Role::Input || role == Role::InOut)
      addTensor(fields, name, role, failure);
    else
      addRaw(fields, name, role, failure);
    fields.finish();
    if (failure)
      return;
  }
}

Buffer *Case::find(const std::string &name) {
  for (Buffer &buffer : buffers)
    if (buffer.name() == name)
      return &buffer;
  return nullptr;
}

void Case::poison(uint8_t pattern, Failure &failure) {
  for (Buffer &buffer : buffers)
    if (buffer.role() == Role::Output || buffer.role() == Role::Workspace)
      buffer.poison(pattern, failure);
}

void Case::restore(Failure &failure) {
  for (Buffer &buffer : buffers)
    buffer.restore(failure);
}

bool Case::changesInputs() const {
  return std::any_of(buffers.begin(), buffers.end(), [](const Buffer &buffer) { return buffer.role() == Role::InOut; });
}

void Case::check(Failure &failure) const {
  for (const Buffer &buffer : buffers)
    buffer.check(failure);
}

void Case::evict(Failure &failure) const {
  std::vector<Span> spans;
  for (const Buffer &buffer : buffers)
    spans.push_back({buffer.begin(), buffer.size()});
  device->evict(spans, failure);
}

} // namespace helion::worker
