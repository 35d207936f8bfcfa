// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts: building and text, and what shape changes do to them.

#include "dialect/IR/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace helion;

using Unit = IndexMap::Unit;
using Digit = IndexMap::Digit;

static constexpr StringLiteral kSpaceNames[kNumSpaces] = {"reg", "lane", "warp", "group", "cta", "offset", "mem"};

StringRef helion::spaceName(LayoutSpace space) { return kSpaceNames[unsigned(space)]; }

std::optional<LayoutSpace> helion::spaceFromName(StringRef name) {
  const StringLiteral *it = find(kSpaceNames, name);
  return it == std::end(kSpaceNames) ? std::nullopt : std::optional<LayoutSpace>(LayoutSpace(it - kSpaceNames));
}

static Error invalid(const Twine &message) { return createStringError(inconvertibleErrorCode(), message); }

static bool isSerial(unsigned in) { return in == unsigned(LayoutSpace::Reg) || in == unsigned(LayoutSpace::Mem); }

Layout::Layout(IndexMap map) : indexMap(std::move(map)) {
  for (unsigned space = 0; space != kNumSpaces; ++space) {
    if (isSerial(space))
      indexMap.renumberIn(space);
    else
      indexMap.trimIn(space);
  }
  indexMap.canonicalize();
}

/// Limits far above what a device holds and far below what numbers do: sums of strides, products of extents and the 64
/// columns of the linear part all fit with them, before and after canonicalization.
constexpr unsigned kMostBits = 24;
constexpr int64_t kMostValues = int64_t(1) << kMostBits;
constexpr int64_t kMostPlaces = int64_t(1) << 40;

/// The product, or `limit + 1` where it is above the limit.
static int64_t productUpTo(ArrayRef<int64_t> factors, int64_t limit) {
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (factor > limit / product)
      return limit + 1;
    product *= factor;
  }
  return product;
}

static Error checkSizes(ArrayRef<int64_t> ins, ArrayRef<int64_t> outs) {
  for (auto [space, size] : enumerate(ins))
    if (size < 1 || size > kMostValues)
      return invalid("space `" + kSpaceNames[space] + "` has `" + Twine(size) + "` values; at most `" +
                     Twine(kMostValues) + "` are placed");
  if (any_of(outs, [](int64_t extent) { return extent < 1; }) || productUpTo(outs, kMostValues) > kMostValues)
    return invalid("tile has more than `" + Twine(kMostValues) + "` elements");
  if (productUpTo(ins, kMostPlaces) > kMostPlaces)
    return invalid("spaces have more than `" + Twine(kMostPlaces) + "` places together");
  return Error::success();
}

Expected<Layout> Layout::build(IndexMap map) {
  if (Error error = checkSizes(map.ins(), map.outs()))
    return error;
  if (!map.isWellFormed())
    return invalid("digits of a space or dim overlap");
  map.canonicalize();
  if (!map.isSurjective())
    return invalid("some index of the tile has no owner");
  return Layout(std::move(map));
}

//===-- Text -----------------------------------------------------------------------------------------------------===//

static Error checkBases(const LayoutText &text) {
  for (unsigned space = 0; space != kNumSpaces; ++space) {
    if (text.bases[space].size() > kMostBits)
      return invalid("space `" + kSpaceNames[space] + "` has `" + Twine(text.bases[space].size()) +
                     "` bits; at most `" + Twine(kMostBits) + "` are placed");
    for (const Point &value : text.bases[space]) {
      if (value.size() != text.atom.size())
        return invalid("a basis of `" + kSpaceNames[space] + "` has " + Twine(value.size()) + " components for " +
                       Twine(text.atom.size()) + " dims");
      for (auto [component, extent] : zip(value, text.atom))
        if (component < 0 || component >= extent)
          return invalid("component `" + Twine(component) + "` of a basis of `" + kSpaceNames[space] +
                         "` is outside the atom's extent `" + Twine(extent) + "`");
    }
  }
  return Error::success();
}

/// Adds the digit of a repeat above what the map has, or where the repeat says.
static Error addRepeat(IndexMap &map, const LayoutText::Repeat &repeat) {
  unsigned space = unsigned(repeat.space), dim = repeat.dim;
  if (dim >= map.outs().size())
    return invalid("a repeat names dim `" + Twine(dim) + "` of a tile of rank " + Twine(map.outs().size()));
  if (repeat.count < 1)
    return invalid("count `" + Twine(repeat.count) + "` of a repeat is below 1");
  int64_t from = repeat.from == -1 ? map.ins()[space] : repeat.from;
  int64_t step = repeat.step == -1 ? map.outs()[dim] : repeat.step;
  if (from < 1 || step < 1)
    return invalid("`from` and `step` of a repeat are at least 1");
  if (std::max({repeat.count, from, step}) > kMostValues)
    return invalid("a repeat counts `" + Twine(repeat.count) + "` from `" + Twine(from) + "` in steps of `" +
                   Twine(step) + "`; none may be above `" + Twine(kMostValues) + "`");
  map.addDigit({space, dim, from, step, repeat.count});
  map.setInSize(space, std::max(map.ins()[space], from * repeat.count));
  map.setOutSize(dim, std::max(map.outs()[dim], step * repeat.count));
  return checkSizes(map.ins(), map.outs());
}

Expected<Layout> Layout::build(const LayoutText &text) {
  for (int64_t extent : text.atom)
    if (extent < 1 || !isPowerOf2_64(extent))
      return invalid("extent `" + Twine(extent) + "` of the atom is no power of two");
  if (productUpTo(text.atom, kMostValues) > kMostValues)
    return invalid("atom has more than `" + Twine(kMostValues) + "` elements");
  if (Error error = checkBases(text))
    return error;
  Point ins(kNumSpaces, 1);
  for (unsigned space = 0; space != kNumSpaces; ++space)
    ins[space] = int64_t(1) << text.bases[space].size();
  IndexMap map(ins, text.atom);
  for (unsigned space = 0; space != kNumSpaces; ++space)
    for (auto [bit, value] : enumerate(text.bases[space]))
      map.addBasis(space, bit, value);
  for (const LayoutText::Repeat &repeat : text.repeats)
    if (Error error = addRepeat(map, repeat))
      return error;
  return build(std::move(map));
}

LayoutText Layout::text() const {
  LayoutText text;
  for (int64_t hit : indexMap.hitBits())
    text.atom.push_back(hit ? int64_t(1) << (Log2_64(hit) + 1) : 1);
  Point end(kNumSpaces, 1);
  for (unsigned space = 0; space != kNumSpaces; ++space) {
    text.bases[space].assign(indexMap.basesOf(space).begin(), indexMap.basesOf(space).end());
    end[space] = int64_t(1) << text.bases[space].size();
  }
  Point extent(text.atom.begin(), text.atom.end());
  SmallVector<Digit> waiting(indexMap.digits());
  while (!waiting.empty()) {
    // The first digit that continues its dim, so that most repeats need no `step`; spaces stay in their own order.
    auto *next = find_if(waiting, [&](const Digit &digit) {
      return digit.outStride == extent[digit.out] && none_of(waiting, [&](const Digit &other) {
               return other.in == digit.in && other.inStride < digit.inStride;
             });
    });
    if (next == waiting.end())
      next = waiting.begin();
    bool inOrder = next->inStride == end[next->in], outOrder = next->outStride == extent[next->out];
    text.repeats.push_back({LayoutSpace(next->in), next->out, next->count, inOrder ? -1 : next->inStride,
                            outOrder ? -1 : next->outStride});
    end[next->in] = std::max(end[next->in], next->inStride * next->count);
    extent[next->out] = std::max(extent[next->out], next->outStride * next->count);
    waiting.erase(next);
  }
  return text;
}

static void printList(raw_ostream &os, ArrayRef<int64_t> values) {
  os << "[";
  interleaveComma(values, os);
  os << "]";
}

std::string Layout::str() const {
  std::string buffer;
  raw_string_ostream os(buffer);
  LayoutText text = this->text();
  os << "<";
  printList(os, text.atom);
  for (unsigned space = 0; space != kNumSpaces; ++space) {
    if (text.bases[space].empty())
      continue;
    os << ", " << kSpaceNames[space] << " = [";
    interleaveComma(text.bases[space], os, [&](const Point &value) { printList(os, value); });
    os << "]";
  }
  if (!text.repeats.empty()) {
    os << ", repeat = [";
    interleaveComma(text.repeats, os, [&](const LayoutText::Repeat &repeat) {
      os << spaceName(repeat.space) << " " << repeat.dim << " x " << repeat.count;
      if (repeat.from >= 0)
        os << " from " << repeat.from;
      if (repeat.step >= 0)
        os << " step " << repeat.step;
    });
    os << "]";
  }
  os << ">";
  return buffer;
}

hash_code helion::hash_value(const Layout &layout) { return llvm::hash_value(layout.str()); }

//===-- Shape changes --------------------------------------------------------------------------------------------===//

Layout Layout::withoutDim(unsigned dim) const { return Layout(indexMap.withoutOut(dim)); }
Layout Layout::withDimCollapsed(unsigned dim) const { return Layout(indexMap.withOutCollapsed(dim)); }

Layout Layout::permuted(ArrayRef<int64_t> dims) const {
  Point outs;
  SmallVector<unsigned> target(dims.size());
  for (auto [to, from] : enumerate(dims)) {
    outs.push_back(shape()[from]);
    target[from] = to;
  }
  IndexMap map(indexMap.ins(), outs);
  for (unsigned in = 0; in != kNumSpaces; ++in)
    for (auto [bit, value] : enumerate(indexMap.basesOf(in))) {
      Point moved(dims.size(), 0);
      for (auto [from, component] : enumerate(value))
        moved[target[from]] = component;
      map.addBasis(in, bit, moved);
    }
  for (Digit digit : indexMap.digits()) {
    digit.out = target[digit.out];
    map.addDigit(digit);
  }
  return Layout(std::move(map));
}

/// The map with the units of dim `dim` that `keep` refuses removed and the others moved together.
static IndexMap withUnits(const IndexMap &map, unsigned dim, function_ref<bool(const Unit &)> keep) {
  SmallVector<Unit> units = *map.outUnits(dim);
  SmallVector<std::pair<int64_t, int64_t>> bitMoves;
  SmallVector<Digit> digits(map.digits());
  int64_t stride = 1;
  for (const Unit &unit : units) {
    bool kept = keep(unit);
    if (unit.kind == Unit::Kind::Bit)
      bitMoves.push_back({unit.stride, kept ? stride : 0});
    else
      digits[unit.digit].outStride = kept ? stride : 0;
    stride *= kept ? unit.count : 1;
  }
  Point outs(map.outs());
  outs[dim] = stride;
  IndexMap result(map.ins(), outs);
  for (unsigned in = 0; in != map.ins().size(); ++in)
    for (auto [bit, value] : enumerate(map.basesOf(in))) {
      Point moved(value);
      moved[dim] = 0;
      for (auto [from, to] : bitMoves)
        moved[dim] |= value[dim] & from ? to : 0;
      result.addBasis(in, bit, moved);
    }
  for (const Digit &digit : digits)
    if (digit.outStride)
      result.addDigit(digit);
  return result;
}

std::optional<Layout> Layout::combinedInThread(unsigned dim) const {
  int64_t serial = 0, parallel = 0;
  for (unsigned in = 0; in != kNumSpaces; ++in)
    for (const Point &value : indexMap.basesOf(in))
      (isSerial(in) ? serial : parallel) |= value[dim];
  if (serial & parallel)
    return std::nullopt;
  return Layout(withUnits(indexMap, dim, [&](const Unit &unit) {
    return unit.kind == Unit::Kind::Bit ? (parallel & unit.stride) != 0 : !isSerial(indexMap.digits()[unit.digit].in);
  }));
}

/// Splits the digit of `map` that crosses `extent` along `dim`; false when it cannot be split there.
static bool cutAt(IndexMap &map, unsigned dim, int64_t extent) {
  SmallVector<Unit> units = *map.outUnits(dim);
  for (const Unit &unit : units) {
    int64_t end = unit.stride * unit.count;
    if (unit.stride >= extent || end <= extent)
      continue;
    int64_t low = extent / unit.stride;
    if (unit.kind != Unit::Kind::Digit || extent % unit.stride || unit.count % low)
      return false;
    IndexMap split(map.ins(), map.outs());
    for (unsigned in = 0; in != map.ins().size(); ++in)
      for (auto [bit, value] : enumerate(map.basesOf(in)))
        split.addBasis(in, bit, value);
    for (auto [number, digit] : enumerate(map.digits())) {
      int64_t count = number == unit.digit ? low : digit.count;
      split.addDigit({digit.in, digit.out, digit.inStride, digit.outStride, count});
      split.addDigit({digit.in, digit.out, digit.inStride * count, digit.outStride * count, digit.count / count});
    }
    map = split;
  }
  return true;
}

std::optional<Layout> Layout::corner(ArrayRef<int64_t> shape) const {
  IndexMap map = indexMap;
  for (auto [dim, extent] : enumerate(shape)) {
    if (extent < 1 || map.outs()[dim] % extent || !cutAt(map, dim, extent))
      return std::nullopt;
    map = withUnits(map, dim, [&, extent = extent](const Unit &unit) { return unit.stride < extent; });
  }
  return Layout(std::move(map));
}

std::optional<Layout> Layout::subtile(ArrayRef<int64_t> shape) const {
  for (auto [dim, extent] : enumerate(shape))
    for (unsigned in = 0; in != kNumSpaces; ++in) {
      if (isSerial(in))
        continue;
      for (const Point &value : indexMap.basesOf(in))
        if (value[dim] >= extent)
          return std::nullopt;
      for (const Digit &digit : indexMap.digits())
        if (digit.in == in && digit.out == dim && digit.outStride * digit.count > extent)
          return std::nullopt;
    }
  return corner(shape);
}

Layout Layout::withDimInThread(unsigned at, int64_t extent) const {
  Point outs(shape());
  outs.insert(outs.begin() + at, extent);
  IndexMap map(indexMap.ins(), outs);
  for (unsigned in = 0; in != kNumSpaces; ++in)
    for (auto [bit, value] : enumerate(indexMap.basesOf(in))) {
      Point longer(value);
      longer.insert(longer.begin() + at, 0);
      map.addBasis(in, bit, longer);
    }
  for (Digit digit : indexMap.digits()) {
    digit.out += digit.out >= at;
    map.addDigit(digit);
  }
  unsigned reg = unsigned(LayoutSpace::Reg);
  map.addDigit({reg, at, size(LayoutSpace::Reg), 1, extent});
  map.setInSize(reg, size(LayoutSpace::Reg) * extent);
  return Layout(std::move(map));
}

std::optional<Layout> Layout::reshaped(ArrayRef<int64_t> newShape, ArrayRef<SmallVector<int64_t>> groups) const {
  bool merges = rank() >= newShape.size();
  ArrayRef<int64_t> high = merges ? shape() : newShape;
  IndexMap move(shape(), newShape);
  for (auto [low, members] : enumerate(groups)) {
    int64_t stride = 1;
    for (int64_t member : reverse(members)) {
      if (merges)
        move.addDigit({unsigned(member), unsigned(low), 1, stride, high[member]});
      else
        move.addDigit({unsigned(low), unsigned(member), stride, 1, high[member]});
      stride *= high[member];
    }
  }
  // Whole dims line up with odd digits, powers of two with bits.
  IndexMap bitwise = move;
  bitwise.canonicalize();
  std::optional<IndexMap> result = IndexMap::compose(indexMap, bitwise);
  if (!result)
    result = IndexMap::compose(indexMap, move);
  if (!result || !result->isWellFormed() || !result->isSurjective())
    return std::nullopt;
  return Layout(std::move(*result));
}

bool Layout::sameOverGroup(const Layout &other) const {
  unsigned group = unsigned(LayoutSpace::Group);
  auto digitsOf = [&](const Layout &layout) {
    SmallVector<Digit> digits;
    copy_if(layout.map().digits(), std::back_inserter(digits), [&](const Digit &digit) { return digit.in == group; });
    return digits;
  };
  return shape() == other.shape() && size(LayoutSpace::Group) == other.size(LayoutSpace::Group) &&
         indexMap.basesOf(group) == other.indexMap.basesOf(group) && digitsOf(*this) == digitsOf(other);
}
