// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composition, product and left division of index maps.

#include "dialect/IR/IndexMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace helion;

using Unit = IndexMap::Unit;
using Digit = IndexMap::Digit;

bool IndexMap::expelOutBit(unsigned out, unsigned bit) {
  std::optional<std::pair<unsigned, unsigned>> found;
  for (auto [in, list] : enumerate(bases))
    for (auto [position, value] : enumerate(list)) {
      if (!(value[out] >> bit & 1))
        continue;
      Point alone(outSizes.size(), 0);
      alone[out] = int64_t(1) << bit;
      if (found || value != alone)
        return false;
      found = {unsigned(in), unsigned(position)};
    }
  if (!found)
    return false;
  bases[found->first][found->second].assign(outSizes.size(), 0);
  addDigit({found->first, out, int64_t(1) << found->second, int64_t(1) << bit, 2});
  return true;
}

namespace helion {
/// `second` after `first`. Bits of the middle that are linear on both sides stay linear; everything else is handed over
/// digit by digit, and must line up.
class MapComposer {
public:
  MapComposer(const IndexMap &first, const IndexMap &second)
      : first(first), second(second), result(first.ins(), second.outs()) {
    for (unsigned middle = 0; middle != second.ins().size(); ++middle)
      units.push_back(*second.inUnits(middle));
  }

  std::optional<IndexMap> compose() {
    if (!separateBits())
      return std::nullopt;
    for (unsigned in = 0; in != first.ins().size(); ++in)
      for (auto [bit, value] : enumerate(first.basesOf(in)))
        result.addBasis(in, bit, linearImage(value));
    for (const Digit &digit : first.digits())
      if (!handOver(digit))
        return std::nullopt;
    result.canonicalize();
    return result;
  }

private:
  const Unit *unitAt(unsigned middle, int64_t stride) const {
    for (const Unit &unit : units[middle])
      if (unit.stride <= stride && stride < unit.stride * unit.count)
        return &unit;
    return nullptr;
  }

  /// Afterwards each bit that the linear part of `first` hits is linear, or without effect, in `second`.
  bool separateBits() {
    for (auto [middle, hit] : enumerate(first.hitBits()))
      for (unsigned bit = 0; hit >> bit; ++bit) {
        int64_t stride = int64_t(1) << bit;
        const Unit *unit = hit & stride ? unitAt(middle, stride) : nullptr;
        if (!unit || unit->kind == Unit::Kind::Bit)
          continue;
        bool whole = stride % unit->stride == 0 && unit->stride * unit->count % (2 * stride) == 0;
        if (unit->kind == Unit::Kind::Gap && whole)
          continue;
        if (!first.expelOutBit(middle, bit))
          return false;
      }
    return true;
  }

  Point linearImage(ArrayRef<int64_t> value) const {
    Point image(second.outs().size(), 0);
    for (auto [middle, component] : enumerate(value))
      for (auto [bit, basis] : enumerate(second.basesOf(middle)))
        if (component >> bit & 1)
          for (auto [slot, part] : zip(image, basis))
            slot ^= part;
    return image;
  }

  /// Splits a digit of `first` along the units of `second` that it meets.
  bool handOver(Digit digit) {
    while (digit.count > 1) {
      const Unit *unit = unitAt(digit.out, digit.outStride);
      if (!unit || digit.outStride % unit->stride || unit->count % (digit.outStride / unit->stride))
        return false;
      int64_t room = unit->count / (digit.outStride / unit->stride);
      if (room % digit.count && digit.count % room)
        return false;
      int64_t count = std::min(room, digit.count);
      if (!emitPiece(digit, *unit, count))
        return false;
      digit.inStride *= count;
      digit.outStride *= count;
      digit.count /= count;
    }
    return true;
  }

  bool emitPiece(const Digit &digit, const Unit &unit, int64_t count) {
    if (unit.kind == Unit::Kind::Gap)
      return true;
    if (unit.kind == Unit::Kind::Digit) {
      const Digit &next = second.digits()[unit.digit];
      int64_t below = digit.outStride / unit.stride;
      result.addDigit({digit.in, next.out, digit.inStride, next.outStride * below, count});
      return true;
    }
    const Point &basis = second.basesOf(digit.out)[Log2_64(unit.stride)];
    if (isPowerOf2_64(digit.inStride)) {
      result.addBasis(digit.in, Log2_64(digit.inStride), basis);
      return true;
    }
    return emitLoneBit(digit, basis);
  }

  /// A bit that sits at no power of two of its input stays a digit, if it alone decides one bit of the output.
  bool emitLoneBit(const Digit &digit, ArrayRef<int64_t> basis) {
    const int64_t *component = find_if(basis, [](int64_t part) { return part != 0; });
    unsigned out = component - basis.begin();
    if (!isPowerOf2_64(*component) || count_if(basis, [](int64_t part) { return part != 0; }) != 1)
      return false;
    unsigned hits = 0;
    for (unsigned middle = 0; middle != second.ins().size(); ++middle)
      hits += count_if(second.basesOf(middle), [&](const Point &value) { return (value[out] & *component) != 0; });
    if (hits != 1)
      return false;
    result.addDigit({digit.in, out, digit.inStride, *component, 2});
    return true;
  }

  IndexMap first;
  const IndexMap &second;
  IndexMap result;
  SmallVector<SmallVector<Unit>> units;
};
} // namespace helion

std::optional<IndexMap> IndexMap::compose(const IndexMap &first, const IndexMap &second) {
  if (first.outs() != second.ins())
    return std::nullopt;
  return MapComposer(first, second).compose();
}

static bool isLinearTile(const IndexMap &tile) {
  auto powersOfTwo = [](ArrayRef<int64_t> sizes) {
    return all_of(sizes, [](int64_t size) { return isPowerOf2_64(size); });
  };
  return tile.digits().empty() && powersOfTwo(tile.ins()) && powersOfTwo(tile.outs());
}

std::optional<IndexMap> IndexMap::product(const IndexMap &tile, const IndexMap &rest) {
  if (!isLinearTile(tile) || tile.ins().size() != rest.ins().size() || tile.outs().size() != rest.outs().size())
    return std::nullopt;
  IndexMap result = tile;
  for (auto [in, size] : enumerate(rest.ins())) {
    result.inSizes[in] *= size;
    for (auto [bit, value] : enumerate(rest.basesOf(in))) {
      Point raised(value);
      for (auto [component, below] : zip(raised, tile.outs()))
        component *= below;
      result.addBasis(in, bit + Log2_64(tile.ins()[in]), raised);
    }
  }
  for (auto [slot, size] : zip(result.outSizes, rest.outs()))
    slot *= size;
  for (Digit digit : rest.digits()) {
    digit.inStride *= tile.ins()[digit.in];
    digit.outStride *= tile.outs()[digit.out];
    result.addDigit(digit);
  }
  result.canonicalize();
  return result;
}

/// Every size of the tile divides its counterpart.
static bool tileFits(ArrayRef<int64_t> sizes, ArrayRef<int64_t> tile) {
  return sizes.size() == tile.size() &&
         all_of(zip(sizes, tile), [](auto pair) { return std::get<0>(pair) % std::get<1>(pair) == 0; });
}

std::optional<IndexMap> IndexMap::divideLeft(const IndexMap &tile) const {
  if (!isLinearTile(tile) || !tileFits(inSizes, tile.ins()) || !tileFits(outSizes, tile.outs()))
    return std::nullopt;
  IndexMap rest = *this;
  for (auto [in, list] : enumerate(bases)) {
    unsigned low = Log2_64(tile.ins()[in]);
    Point zero(outSizes.size(), 0);
    for (unsigned bit = 0; bit != low; ++bit) {
      const Point &wanted = bit < tile.basesOf(in).size() ? tile.basesOf(in)[bit] : zero;
      if ((bit < list.size() ? list[bit] : zero) != wanted)
        return std::nullopt;
    }
    SmallVector<Point> &kept = rest.bases[in];
    kept.erase(kept.begin(), kept.begin() + std::min<size_t>(low, kept.size()));
    for (Point &value : kept)
      for (auto [component, below] : zip(value, tile.outs())) {
        if (component % below)
          return std::nullopt;
        component /= below;
      }
  }
  for (Digit &digit : rest.digitList) {
    if (digit.inStride % tile.ins()[digit.in] || digit.outStride % tile.outs()[digit.out])
      return std::nullopt;
    digit.inStride /= tile.ins()[digit.in];
    digit.outStride /= tile.outs()[digit.out];
  }
  for (auto [slot, size] : zip(rest.inSizes, tile.ins()))
    slot /= size;
  for (auto [slot, size] : zip(rest.outSizes, tile.outs()))
    slot /= size;
  rest.canonicalize();
  return rest;
}
