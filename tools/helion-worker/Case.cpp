// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Case.h"

#include "DeviceFacts.h"

#include "aot-runner/runtime/Base64.h"
#include "aot-runner/runtime/InitialValues.h"
#include "aot-runner/runtime/ThreadPool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace runtime = HELION_RUNTIME;

namespace helion::worker {

static constexpr int64_t zoneBytes = 4096;
static constexpr uint8_t zonePattern = 0xc5;
static constexpr uint8_t gapPattern = 0xff; // NaN in every float type: reading between strided elements shows
static constexpr int64_t maxBytes = int64_t(1) << 40;
static const std::vector<std::string> roleNames = {"input", "output", "workspace", "inout"}; // As Role.

void Buffer::Release::operator()(char *memory) const { std::free(memory); }

bool Buffer::allocate(std::string name, Role role, int64_t size, int64_t align, int64_t origin) {
  void *block;
  int64_t shift = (align - origin) & 127;
  if (posix_memalign(&block, 128, size_t(2 * zoneBytes + shift + size)) != 0)
    return false;
  memory.reset(static_cast<char *>(block));
  label = std::move(name);
  kind = role;
  bytes = size;
  originOffset = origin;
  start = memory.get() + zoneBytes + shift;
  std::memset(memory.get(), zonePattern, size_t(zoneBytes + shift));
  std::memset(start + bytes, zonePattern, size_t(zoneBytes));
  return true;
}

void Buffer::poison(uint8_t pattern) { std::memset(start, pattern, size_t(bytes)); }

static uint64_t checksumOf(const char *data, int64_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  int64_t whole = bytes / 8 * 8;
  for (int64_t i = 0; i < whole; i += 8) {
    uint64_t word;
    std::memcpy(&word, data + i, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  for (int64_t i = whole; i < bytes; ++i)
    hash = (hash ^ uint8_t(data[i])) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

std::string hashOf(const std::string &contents) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(checksumOf(contents.data(), int64_t(contents.size()))));
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

void Buffer::seal(const runtime::TensorView &view) {
  checksum = checksumOf(start, bytes);
  if (kind != Role::InOut)
    return;
  sealed.assign(start, start + bytes);
  sizes.assign(view.sizes, view.sizes + view.rank);
  strides.assign(view.strides, view.strides + view.rank);
  elementBytes = runtime::info(view.type).bytes;
}

void Buffer::restore() {
  if (kind == Role::InOut)
    std::memcpy(start, sealed.data(), sealed.size());
}

std::string Buffer::contents() const {
  if (kind != Role::InOut)
    return std::string(start, size_t(bytes));
  std::string dense;
  forEachElement(sizes.data(), strides.data(), int(sizes.size()), [&](int64_t offset) {
    dense.append(start + originOffset + offset * elementBytes, size_t(elementBytes));
  });
  return dense;
}

void Buffer::checkBetweenElements(Failure &failure) const {
  std::vector<char> expected = sealed;
  forEachElement(sizes.data(), strides.data(), int(sizes.size()), [&](int64_t offset) {
    int64_t at = originOffset + offset * elementBytes;
    std::memcpy(expected.data() + at, start + at, size_t(elementBytes));
  });
  if (std::memcmp(expected.data(), start, expected.size()) != 0)
    failure.set("red_zone", "`" + label + "` was written between its elements");
}

void Buffer::check(Failure &failure) const {
  for (int64_t distance = 1; distance <= zoneBytes; ++distance)
    if (uint8_t(start[-distance]) != zonePattern)
      return failure.set("red_zone",
                         "`" + label + "` was written " + std::to_string(distance) + " bytes before its start");
  for (int64_t distance = 0; distance < zoneBytes; ++distance)
    if (uint8_t(start[bytes + distance]) != zonePattern)
      return failure.set("red_zone",
                         "`" + label + "` was written " + std::to_string(distance + 1) + " bytes past its end");
  if (kind == Role::Input && checksumOf(start, bytes) != checksum)
    failure.set("input_changed", "the kernel wrote to its input `" + label + "`");
  if (kind == Role::InOut)
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
  Buffer buffer;
  if (!buffer.allocate(name, role, bytes, align, origin))
    return failure.set("memory", "no memory for the " + std::to_string(bytes) + " bytes of `" + name + "`");
  buffer.poison(gapPattern);
  runtime::TensorView view{buffer.origin(), type, int(sizes.size()), sizes.data(), strides.data()};
  fillContents(fields, view, failure);
  buffer.seal(view);
  buffers.push_back(std::move(buffer));
}

void Case::addRaw(Fields &fields, const std::string &name, Role role, Failure &failure) {
  int64_t bytes = fields.integer("bytes", 0, maxBytes);
  int64_t align = readAlign(fields, failure);
  if (failure)
    return;
  Buffer buffer;
  if (!buffer.allocate(name, role, bytes, align, 0))
    return failure.set("memory", "no memory for the " + std::to_string(bytes) + " bytes of `" + name + "`");
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

void Case::poison(uint8_t pattern) {
  for (Buffer &buffer : buffers)
    if (buffer.role() == Role::Output || buffer.role() == Role::Workspace)
      buffer.poison(pattern);
}

void Case::restore() {
  for (Buffer &buffer : buffers)
    buffer.restore();
}

bool Case::changesInputs() const {
  return std::any_of(buffers.begin(), buffers.end(), [](const Buffer &buffer) { return buffer.role() == Role::InOut; });
}

void Case::check(Failure &failure) const {
  for (const Buffer &buffer : buffers)
    buffer.check(failure);
}

#if defined(__x86_64__)
const char *Case::evictionMethod() { return "flush"; }

/// Flushing a line drops it from all cores' caches and costs time by the buffers' size, not the cache's.
void Case::evict() {
  for (Buffer &buffer : buffers)
    for (int64_t offset = 0; offset < buffer.size() + 64; offset += 64)
      _mm_clflush(buffer.begin() + offset);
  _mm_mfence();
}
#else
const char *Case::evictionMethod() { return "touch"; }

/// Program p touches every line of one block; arguments: address, bytes.
static void touchPrograms(const int64_t *arguments, const int64_t *, int64_t begin, int64_t end, void *) {
  volatile char *data = reinterpret_cast<volatile char *>(arguments[0]);
  for (int64_t offset = begin << 16; offset < end << 16; offset += 64)
    data[offset] = char(data[offset] + 1);
}

void Case::evict() {
  static std::vector<char> foreign(size_t(2 * DeviceFacts::get().lastLevelCacheBytes() + (8 << 20)) >> 16 << 16);
  int64_t arguments[2] = {reinterpret_cast<int64_t>(foreign.data()), int64_t(foreign.size())};
  int64_t grid[3] = {int64_t(foreign.size()) >> 16, 1, 1};
  runtime::ThreadPool::get().run({touchPrograms, arguments, grid, 0});
}
#endif

} // namespace helion::worker
