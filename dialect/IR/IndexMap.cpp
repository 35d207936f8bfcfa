// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map itself: well-formedness, canonical form, evaluation, owners and inverse. Products of maps are in
// IndexMapAlgebra.cpp.

#include "dialect/IR/IndexMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace llvm;
using namespace helion;

using Unit = IndexMap::Unit;

bool IndexMap::Digit::operator==(const Digit &other) const {
  return std::tie(in, out, inStride, outStride, count) ==
         std::tie(other.in, other.out, other.inStride, other.outStride, other.count);
}

IndexMap::IndexMap(ArrayRef<int64_t> inSizes, ArrayRef<int64_t> outSizes)
    : inSizes(inSizes), outSizes(outSizes), bases(inSizes.size()) {}

void IndexMap::addBasis(unsigned in, unsigned bit, ArrayRef<int64_t> value) {
  while (bases[in].size() <= bit)
    bases[in].push_back(Point(outSizes.size(), 0));
  for (auto [slot, component] : zip(bases[in][bit], value))
    slot ^= component;
}

void IndexMap::addDigit(const Digit &digit) {
  if (digit.count > 1)
    digitList.push_back(digit);
}

static bool isZero(ArrayRef<int64_t> value) {
  return all_of(value, [](int64_t component) { return component == 0; });
}

//===-- Units ----------------------------------------------------------------------------------------------------===//

/// Sorts the units and fills what lies between them and up to `size` with gaps.
static std::optional<SmallVector<Unit>> closeChain(SmallVector<Unit> units, int64_t size) {
  sort(units, [](const Unit &a, const Unit &b) { return a.stride < b.stride; });
  SmallVector<Unit> chain;
  int64_t end = 1;
  auto fill = [&](int64_t to) {
    if (to < end || to % end)
      return false;
    if (to > end)
      chain.push_back({Unit::Kind::Gap, end, to / end});
    return true;
  };
  for (const Unit &unit : units) {
    if (!fill(unit.stride))
      return std::nullopt;
    chain.push_back(unit);
    end = unit.stride * unit.count;
  }
  if (!fill(size))
    return std::nullopt;
  return chain;
}

std::optional<SmallVector<Unit>> IndexMap::inUnits(unsigned in) const {
  SmallVector<Unit> units;
  for (auto [bit, value] : enumerate(bases[in]))
    if (!isZero(value))
      units.push_back({Unit::Kind::Bit, int64_t(1) << bit, 2});
  for (auto [number, digit] : enumerate(digitList))
    if (digit.in == in)
      units.push_back({Unit::Kind::Digit, digit.inStride, digit.count, unsigned(number)});
  return closeChain(std::move(units), inSizes[in]);
}

Point IndexMap::hitBits() const {
  Point hit(outSizes.size(), 0);
  for (const auto &list : bases)
    for (const Point &value : list)
      for (auto [slot, component] : zip(hit, value))
        slot |= component;
  return hit;
}

std::optional<SmallVector<Unit>> IndexMap::outUnits(unsigned out) const {
  SmallVector<Unit> units;
  int64_t hit = hitBits()[out];
  for (unsigned bit = 0; hit >> bit; ++bit)
    if (hit >> bit & 1)
      units.push_back({Unit::Kind::Bit, int64_t(1) << bit, 2});
  for (auto [number, digit] : enumerate(digitList))
    if (digit.out == out)
      units.push_back({Unit::Kind::Digit, digit.outStride, digit.count, unsigned(number)});
  return closeChain(std::move(units), outSizes[out]);
}

bool IndexMap::isWellFormed() const {
  for (unsigned in = 0; in != inSizes.size(); ++in)
    if (!inUnits(in))
      return false;
  unsigned columns = 0, rows = 0;
  for (unsigned out = 0; out != outSizes.size(); ++out) {
    if (!outUnits(out))
      return false;
    rows += popcount(uint64_t(hitBits()[out]));
  }
  for (const auto &list : bases)
    columns += list.size();
  return columns <= 64 && rows <= 64;
}

//===-- Canonical form -------------------------------------------------------------------------------------------===//

void IndexMap::mergeDigits() {
  auto follows = [](const Digit &low, const Digit &high) {
    return low.in == high.in && low.out == high.out && low.inStride * low.count == high.inStride &&
           low.outStride * low.count == high.outStride;
  };
  sort(digitList,
       [](const Digit &a, const Digit &b) { return std::tie(a.in, a.inStride) < std::tie(b.in, b.inStride); });
  SmallVector<Digit> merged;
  for (const Digit &digit : digitList) {
    if (!merged.empty() && follows(merged.back(), digit))
      merged.back().count *= digit.count;
    else
      merged.push_back(digit);
  }
  digitList = std::move(merged);
}

void IndexMap::absorbDigits() {
  SmallVector<Digit> kept;
  for (Digit digit : digitList) {
    while (digit.count % 2 == 0 && isPowerOf2_64(digit.inStride) && isPowerOf2_64(digit.outStride)) {
      Point value(outSizes.size(), 0);
      value[digit.out] = digit.outStride;
      addBasis(digit.in, Log2_64(digit.inStride), value);
      digit.inStride *= 2;
      digit.outStride *= 2;
      digit.count /= 2;
    }
    if (digit.count > 1)
      kept.push_back(digit);
  }
  digitList = std::move(kept);
}

void IndexMap::canonicalize() {
  mergeDigits();
  absorbDigits();
  for (auto &list : bases)
    while (!list.empty() && isZero(list.back()))
      list.pop_back();
}

bool IndexMap::operator==(const IndexMap &other) const {
  return inSizes == other.inSizes && outSizes == other.outSizes && bases == other.bases && digitList == other.digitList;
}

void IndexMap::trimIn(unsigned in) {
  std::optional<SmallVector<Unit>> units = inUnits(in);
  if (units && !units->empty() && units->back().kind == Unit::Kind::Gap)
    inSizes[in] = units->back().stride;
}

void IndexMap::renumberIn(unsigned in) {
  std::optional<SmallVector<Unit>> units = inUnits(in);
  if (!units)
    return;
  SmallVector<Point> old = std::move(bases[in]);
  SmallVector<Digit> odd;
  bases[in].clear();
  int64_t stride = 1;
  for (const Unit &unit : *units) {
    if (unit.kind == Unit::Kind::Bit) {
      addBasis(in, Log2_64(stride), old[Log2_64(unit.stride)]);
      stride *= 2;
    } else if (unit.kind == Unit::Kind::Digit) {
      Digit &digit = digitList[unit.digit];
      int64_t even = int64_t(1) << countr_zero(uint64_t(digit.count));
      odd.push_back({in, digit.out, 0, digit.outStride * even, digit.count / even});
      digit.inStride = stride;
      digit.count = even;
      stride *= even;
    }
  }
  erase_if(digitList, [](const Digit &digit) { return digit.count == 1; });
  for (Digit &digit : odd) {
    digit.inStride = stride;
    stride *= digit.count;
    addDigit(digit);
  }
  inSizes[in] = stride;
}

IndexMap IndexMap::withOutCollapsed(unsigned out) const {
  IndexMap result = *this;
  for (auto &list : result.bases)
    for (Point &value : list)
      value[out] = 0;
  erase_if(result.digitList, [&](const Digit &digit) { return digit.out == out; });
  result.outSizes[out] = 1;
  result.canonicalize();
  return result;
}

IndexMap IndexMap::withoutOut(unsigned out) const {
  IndexMap result = withOutCollapsed(out);
  for (auto &list : result.bases)
    for (Point &value : list)
      value.erase(value.begin() + out);
  for (Digit &digit : result.digitList)
    digit.out -= digit.out > out;
  result.outSizes.erase(result.outSizes.begin() + out);
  return result;
}

//===-- Evaluation, owners, inverse ------------------------------------------------------------------------------===//

Point IndexMap::apply(ArrayRef<int64_t> x) const {
  // Tables of conversions ask for every element, so this is short: set bits only, and no iterators.
  Point y(outSizes.size(), 0);
  for (unsigned in = 0; in != bases.size(); ++in)
    for (uint64_t bits = x[in]; bits; bits &= bits - 1) {
      unsigned bit = countr_zero(bits);
      if (bit >= bases[in].size())
        break;
      const int64_t *value = bases[in][bit].data();
      for (unsigned out = 0; out != y.size(); ++out)
        y[out] ^= value[out];
    }
  for (const Digit &digit : digitList)
    y[digit.out] += x[digit.in] / digit.inStride % digit.count * digit.outStride;
  return y;
}

/// The linear part as columns over F2 in echelon form. Column `c` is bit `columns[c].second` of input
/// `columns[c].first`; an output point is packed into the bits that are hit at all.
struct IndexMap::LinearPart {
  struct Row {
    uint64_t value, lead, combination;
  };
  SmallVector<std::pair<unsigned, unsigned>> columns;
  SmallVector<uint64_t> kernel; // combinations of columns that give 0
  SmallVector<Row> rows;
  Point hit;

  uint64_t pack(ArrayRef<int64_t> y) const {
    uint64_t packed = 0;
    unsigned position = 0;
    for (auto [bits, component] : zip(hit, y))
      for (unsigned bit = 0; bits >> bit; ++bit)
        if (bits >> bit & 1)
          packed |= uint64_t(component >> bit & 1) << position++;
    return packed;
  }

  /// Each row lacks the leading bits of the rows before it, so one pass in order clears all of them.
  void reduce(uint64_t &value, uint64_t &combination) const {
    for (const Row &row : rows)
      if (value & row.lead) {
        value ^= row.value;
        combination ^= row.combination;
      }
  }

  void add(unsigned in, unsigned bit, ArrayRef<int64_t> basis) {
    uint64_t value = pack(basis), combination = uint64_t(1) << columns.size();
    columns.push_back({in, bit});
    reduce(value, combination);
    if (value)
      rows.push_back({value, uint64_t(1) << Log2_64(value), combination});
    else
      kernel.push_back(combination);
  }

  std::optional<uint64_t> solve(uint64_t value) const {
    uint64_t combination = 0;
    reduce(value, combination);
    return value ? std::nullopt : std::optional<uint64_t>(combination);
  }

  /// Flips the bits of `x` that the combination names.
  void flip(uint64_t combination, MutableArrayRef<int64_t> x) const {
    for (auto [number, column] : enumerate(columns))
      if (combination >> number & 1)
        x[column.first] ^= int64_t(1) << column.second;
  }
};

IndexMap::LinearPart IndexMap::linearPart() const {
  LinearPart part;
  part.hit = hitBits();
  for (auto [in, list] : enumerate(bases))
    for (auto [bit, value] : enumerate(list))
      if (!isZero(value))
        part.add(in, bit, value);
  return part;
}

/// The inputs that the digits of `y` demand; `linear` gets what remains for the linear part. None outside the image.
std::optional<Point> IndexMap::solveDigits(ArrayRef<int64_t> y, Point &linear) const {
  Point x(inSizes.size(), 0);
  for (auto [out, value] : enumerate(y)) {
    int64_t rest = value;
    SmallVector<Unit> units = *outUnits(out);
    for (const Unit &unit : reverse(units)) {
      int64_t digit = rest / unit.stride;
      rest %= unit.stride;
      if (digit >= unit.count || (unit.kind == Unit::Kind::Gap && digit))
        return std::nullopt;
      if (unit.kind == Unit::Kind::Bit)
        linear[out] |= digit * unit.stride;
      if (unit.kind == Unit::Kind::Digit)
        x[digitList[unit.digit].in] += digit * digitList[unit.digit].inStride;
    }
    if (rest)
      return std::nullopt;
  }
  return x;
}

SmallVector<Point> IndexMap::preimage(ArrayRef<int64_t> y) const {
  Point linear(outSizes.size(), 0);
  std::optional<Point> first = solveDigits(y, linear);
  LinearPart part = linearPart();
  std::optional<uint64_t> combination = first ? part.solve(part.pack(linear)) : std::nullopt;
  if (!combination)
    return {};
  part.flip(*combination, *first);
  SmallVector<Point> points = {*first};
  for (uint64_t free : part.kernel)
    for (size_t i = 0, e = points.size(); i != e; ++i)
      part.flip(free, points.emplace_back(Point(points[i])));
  for (unsigned in = 0; in != inSizes.size(); ++in) {
    SmallVector<Unit> units = *inUnits(in);
    for (const Unit &unit : units) {
      size_t count = unit.kind == Unit::Kind::Gap ? points.size() : 0;
      for (int64_t value = 1; value < unit.count; ++value)
        for (size_t i = 0; i != count; ++i) {
          points.push_back(Point(points[i]));
          points.back()[in] += value * unit.stride;
        }
    }
  }
  sort(points, [](const Point &a, const Point &b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  });
  return points;
}

static bool hasGap(ArrayRef<Unit> units) {
  return any_of(units, [](const Unit &unit) { return unit.kind == Unit::Kind::Gap; });
}

bool IndexMap::isSurjective() const {
  for (unsigned out = 0; out != outSizes.size(); ++out)
    if (hasGap(*outUnits(out)))
      return false;
  unsigned rank = 0;
  for (int64_t hit : hitBits())
    rank += popcount(uint64_t(hit));
  return linearPart().rows.size() == rank;
}

bool IndexMap::isInjective() const {
  for (unsigned in = 0; in != inSizes.size(); ++in)
    if (hasGap(*inUnits(in)))
      return false;
  return linearPart().kernel.empty();
}

std::optional<IndexMap> IndexMap::inverse() const {
  if (!isSurjective())
    return std::nullopt;
  IndexMap result(outSizes, inSizes);
  for (const Digit &digit : digitList)
    result.addDigit({digit.out, digit.in, digit.outStride, digit.inStride, digit.count});
  LinearPart part = linearPart();
  for (auto [out, hit] : enumerate(part.hit))
    for (unsigned bit = 0; hit >> bit; ++bit) {
      if (!(hit >> bit & 1))
        continue;
      Point unit(outSizes.size(), 0), value(inSizes.size(), 0);
      unit[out] = int64_t(1) << bit;
      part.flip(*part.solve(part.pack(unit)), value);
      result.addBasis(out, bit, value);
    }
  result.canonicalize();
  return result;
}
