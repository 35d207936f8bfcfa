// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counter-based generator and one function per kind of value. Only exact operations and single roundings occur, no
// math library, so machines agree bit by bit (the folder is built without contraction).
#include "InitialValues.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace HELION_RUNTIME {

namespace {
struct KindName {
  const char *name;
  InitialValues::Kind kind;
  int parameters;
};

/// Everything an element's value depends on but its index.
struct Stream {
  InitialValues values;
  uint64_t seed;
  int64_t count;
};
} // namespace

static constexpr KindName kinds[] = {
    {"normal", InitialValues::Kind::Normal, 0},         {"uniform", InitialValues::Kind::Uniform, 2},
    {"randint", InitialValues::Kind::RandomInteger, 2}, {"permutation", InitialValues::Kind::Permutation, 0},
    {"offsets", InitialValues::Kind::Offsets, 1},       {"zeros", InitialValues::Kind::Zeros, 0},
};

static const KindName *findKind(const char *text, size_t length) {
  for (const KindName &kind : kinds)
    if (std::strlen(kind.name) == length && std::memcmp(kind.name, text, length) == 0)
      return &kind;
  return nullptr;
}

/// Reads `count` numbers as "(a,b)"; returns the character after them or null.
static const char *parseNumbers(const char *text, int count, double *numbers) {
  for (int i = 0; i < count; ++i) {
    if (*text++ != (i == 0 ? '(' : ','))
      return nullptr;
    char *end;
    numbers[i] = std::strtod(text, &end);
    if (end == text || numbers[i] - numbers[i] != 0)
      return nullptr;
    text = end;
  }
  return count == 0 ? text : *text == ')' ? text + 1 : nullptr;
}

static const char *checkBounds(const InitialValues &values) {
  bool integers = double(int64_t(values.low)) == values.low && double(int64_t(values.high)) == values.high;
  switch (values.kind) {
  case InitialValues::Kind::Uniform:
    return values.low < values.high ? nullptr : "the bounds of `uniform` must ascend";
  case InitialValues::Kind::RandomInteger:
    return integers && values.low < values.high ? nullptr : "the bounds of `randint` must be ascending integers";
  case InitialValues::Kind::Offsets:
    return integers && values.high >= 0 ? nullptr : "the total of `offsets` must be an integer >= 0";
  default:
    return nullptr;
  }
}

const char *InitialValues::parse(const char *text, InitialValues &result) {
  size_t length = std::strcspn(text, "(");
  const KindName *kind = findKind(text, length);
  if (!kind)
    return "an init is `normal`, `uniform(a,b)`, `randint(a,b)`, `permutation`, `offsets(total)` or `zeros`";
  double numbers[2] = {0, 0};
  const char *end = parseNumbers(text + length, kind->parameters, numbers);
  if (!end || *end != 0)
    return "this init has other parameters; see `uniform(a,b)`, `randint(a,b)`, `offsets(total)`";
  for (double number : numbers)
    if (number < -9e15 || number > 9e15)
      return "a parameter of an init must be between -9e15 and 9e15";
  result.kind = kind->kind;
  result.low = kind->parameters == 2 ? numbers[0] : 0;
  result.high = kind->parameters == 2 ? numbers[1] : numbers[0];
  return checkBounds(result);
}

/// 64 well-mixed bits of (seed, counter); two rounds of a xor-shift-multiply finaliser.
static uint64_t randomBits(uint64_t seed, uint64_t counter) {
  uint64_t x = (counter + 1) * 0x9e3779b97f4a7c15u ^ (seed + 0x632be59bd9b4e019u) * 0xd1342543de82ef95u;
  for (int round = 0; round < 2; ++round) {
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 29) * 0xc2b2ae3d27d4eb4fu;
  }
  return x ^ x >> 32;
}

/// The sum of eight 32-bit uniforms, centred and scaled to deviation 1.
static double normalValue(uint64_t seed, uint64_t index) {
  int64_t sum = 0;
  for (uint64_t i = 0; i < 4; ++i) {
    uint64_t bits = randomBits(seed, index * 4 + i);
    sum += int64_t(bits >> 32) + int64_t(bits & 0xffffffffu);
  }
  constexpr double scale = 1.2247448713915889 / 4294967296.0; // sqrt(12 / 8) / 2^32
  return double(sum - 4 * (int64_t(1) << 32) + 4) * scale;
}

static uint64_t below(uint64_t bits, uint64_t bound) { return uint64_t((unsigned __int128)bits * bound >> 64); }

/// A keyed bijection of 0..2^(2*half)-1, walked until it falls below `count`.
static uint64_t permuted(uint64_t seed, uint64_t index, uint64_t count) {
  int half = 1;
  while (half < 31 && (uint64_t(1) << (2 * half)) < count)
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t next = left ^ (randomBits(seed + round, right) & mask);
      left = right;
      right = next;
    }
    index = left << half | right;
  } while (index >= count);
  return index;
}

/// Element i of n is near i/(n-1) of the total, moved by up to half a step: ascending by construction.
static int64_t offsetValue(const Stream &stream, int64_t index) {
  int64_t total = int64_t(stream.values.high);
  if (index == stream.count - 1)
    return total;
  if (index == 0)
    return 0;
  int64_t moved = int64_t(randomBits(stream.seed, uint64_t(index)) >> 32) - (int64_t(1) << 31);
  __int128 position = ((__int128)index << 32) + moved;
  return int64_t(position * total / ((__int128)(stream.count - 1) << 32));
}

static void store(const Stream &stream, int64_t index, DType type, void *to) {
  uint64_t bits = randomBits(stream.seed, uint64_t(index));
  const InitialValues &values = stream.values;
  switch (values.kind) {
  case InitialValues::Kind::Normal:
    return encode(type, normalValue(stream.seed, uint64_t(index)), to);
  case InitialValues::Kind::Uniform: {
    double unit = double(bits >> 11) * (1.0 / 9007199254740992.0);
    return encode(type, values.low + (values.high - values.low) * unit, to);
  }
  case InitialValues::Kind::RandomInteger:
    return encodeInteger(type, int64_t(values.low) + int64_t(below(bits, uint64_t(values.high - values.low))), to);
  case InitialValues::Kind::Permutation:
    return encodeInteger(type, int64_t(permuted(stream.seed, uint64_t(index), uint64_t(stream.count))), to);
  case InitialValues::Kind::Offsets:
    return encodeInteger(type, offsetValue(stream, index), to);
  case InitialValues::Kind::Zeros:
    return encodeInteger(type, 0, to);
  }
}

/// The elements from `begin` up to `end`, row-major.
static void initialisePart(const TensorView &view, const Stream &stream, int64_t begin, int64_t end) {
  int64_t size = info(view.type).bytes;
  for (int64_t index = begin; index < end; ++index) {
    int64_t rest = index, offset = 0;
    for (int d = view.rank - 1; d >= 0; --d) {
      offset += rest % view.sizes[d] * view.strides[d];
      rest /= view.sizes[d];
    }
    store(stream, index, view.type, static_cast<char *>(view.data) + offset * size);
  }
}

/// Whether no two elements have one address: each stride steps over all that the smaller ones reach.
static bool areApart(const TensorView &view) {
  std::vector<std::pair<int64_t, int64_t>> dims; // Stride, size.
  for (int d = 0; d < view.rank; ++d)
    if (view.sizes[d] > 1)
      dims.push_back({std::abs(view.strides[d]), view.sizes[d]});
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;
  for (auto [stride, size] : dims) {
    if (stride <= reach)
      return false;
    reach += stride * (size - 1);
  }
  return true;
}

void initialise(const TensorView &view, const InitialValues &values, uint64_t seed) {
  constexpr int64_t share = 1 << 20, most = 16;
  Stream stream{values, seed, 1};
  for (int d = 0; d < view.rank; ++d)
    stream.count *= view.sizes[d];
  int64_t cores = std::min<int64_t>(most, std::thread::hardware_concurrency());
  int64_t parts = std::max<int64_t>(1, std::min(cores, stream.count / share));
  if (parts > 1 && !areApart(view))
    parts = 1; // The last one written stays.
  std::vector<std::thread> others;
  for (int64_t part = 1; part < parts; ++part)
    others.emplace_back(
        [&, part] { initialisePart(view, stream, stream.count * part / parts, stream.count * (part + 1) / parts); });
  initialisePart(view, stream, 0, stream.count / parts);
  for (std::thread &other : others)
    other.join();
}

} // namespace HELION_RUNTIME
