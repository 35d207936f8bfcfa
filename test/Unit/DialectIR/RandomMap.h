// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random index maps and a slow evaluation that knows nothing of canonical forms: what the property tests compare with.
#ifndef HELION_TEST_UNIT_DIALECTIR_RANDOMMAP_H
#define HELION_TEST_UNIT_DIALECTIR_RANDOMMAP_H

#include "dialect/IR/IndexMap.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <vector>

namespace helion_test {
using helion::IndexMap;
using helion::Point;
using Table = std::map<std::vector<int64_t>, std::vector<int64_t>>;

inline std::vector<int64_t> plain(llvm::ArrayRef<int64_t> point) { return {point.begin(), point.end()}; }

inline void forEachPoint(llvm::ArrayRef<int64_t> sizes,
                         const std::function<void(const std::vector<int64_t> &)> &visit) {
  std::vector<int64_t> point(sizes.size(), 0);
  while (true) {
    visit(point);
    size_t dim = 0;
    while (dim != sizes.size() && ++point[dim] == sizes[dim])
      point[dim++] = 0;
    if (dim == sizes.size())
      return;
  }
}

inline int64_t volume(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// A map as a sum of terms: the test's own description, from which an IndexMap is written in different ways.
struct Terms {
  struct Bit {
    unsigned in, bit;
    std::vector<int64_t> value;
  };
  std::vector<int64_t> ins, outs;
  std::vector<Bit> bits;
  std::vector<IndexMap::Digit> digits;

  std::vector<int64_t> apply(const std::vector<int64_t> &x) const {
    std::vector<int64_t> linear(outs.size(), 0), sum(outs.size(), 0);
    for (const Bit &bit : bits)
      if (x[bit.in] & (int64_t(1) << bit.bit))
        for (size_t out = 0; out != outs.size(); ++out)
          linear[out] ^= bit.value[out];
    for (const IndexMap::Digit &digit : digits)
      sum[digit.out] += ((x[digit.in] / digit.inStride) % digit.count) * digit.outStride;
    for (size_t out = 0; out != outs.size(); ++out)
      sum[out] += linear[out];
    return sum;
  }

  Table table() const {
    Table result;
    forEachPoint(ins, [&](const std::vector<int64_t> &x) { result[x] = apply(x); });
    return result;
  }

  IndexMap write() const {
    IndexMap map(ins, outs);
    for (const Bit &bit : bits)
      map.addBasis(bit.in, bit.bit, bit.value);
    for (const IndexMap::Digit &digit : digits)
      map.addDigit(digit);
    return map;
  }
};

struct MapShape {
  unsigned ins = 2, outs = 2, linearBits = 4, digits = 3;
  bool bijective = true;
};

class RandomMaps {
public:
  explicit RandomMaps(unsigned seed) : random(seed) {}
  unsigned below(unsigned limit) { return std::uniform_int_distribution<unsigned>(0, limit - 1)(random); }
  bool oneIn(unsigned chances) { return below(chances) == 0; }

  Terms draw(const MapShape &shape) {
    Terms terms;
    std::vector<unsigned> inBits = split(shape.linearBits, shape.ins), outBits = split(shape.linearBits, shape.outs);
    drawBits(terms, shape, inBits, outBits);
    std::vector<Chain> digits(shape.digits);
    static const int64_t kCounts[] = {2, 3, 4, 5, 6, 2, 3, 12};
    for (Chain &digit : digits)
      digit = {below(shape.ins), below(shape.outs), kCounts[below(8)], 0, 0};
    for (unsigned bits : inBits)
      terms.ins.push_back(int64_t(1) << bits);
    for (unsigned bits : outBits)
      terms.outs.push_back(int64_t(1) << bits);
    chain(digits, terms.ins, &Chain::in, &Chain::inStride, !shape.bijective);
    chain(digits, terms.outs, &Chain::out, &Chain::outStride, !shape.bijective);
    for (const Chain &digit : digits)
      terms.digits.push_back({digit.in, digit.out, digit.inStride, digit.outStride, digit.count});
    return terms;
  }

  /// The same function with digits split into factors and lone bits of the linear part written as digits.
  Terms rewrite(const Terms &terms) {
    Terms other = terms;
    other.digits.clear();
    for (IndexMap::Digit digit : terms.digits)
      for (int64_t factor = 2; digit.count > 1; ++factor)
        while (digit.count % factor == 0 && digit.count > 1) {
          int64_t count = oneIn(3) ? digit.count : factor;
          other.digits.push_back({digit.in, digit.out, digit.inStride, digit.outStride, count});
          digit.inStride *= count;
          digit.outStride *= count;
          digit.count /= count;
        }
    for (Terms::Bit &bit : other.bits)
      if (!oneIn(3))
        expel(other, bit);
    std::shuffle(other.digits.begin(), other.digits.end(), random);
    return other;
  }

private:
  struct Chain {
    unsigned in, out;
    int64_t count, inStride, outStride;
  };

  std::vector<unsigned> split(unsigned total, unsigned parts) {
    std::vector<unsigned> result(parts, 0);
    for (unsigned i = 0; i != total; ++i)
      ++result[below(parts)];
    return result;
  }

  void drawBits(Terms &terms, const MapShape &shape, const std::vector<unsigned> &inBits,
                const std::vector<unsigned> &outBits) {
    std::vector<std::vector<int64_t>> values;
    for (unsigned out = 0; out != shape.outs; ++out)
      for (unsigned bit = 0; bit != outBits[out]; ++bit) {
        values.emplace_back(shape.outs, 0);
        values.back()[out] = int64_t(1) << bit;
      }
    std::shuffle(values.begin(), values.end(), random);
    for (unsigned round = 0; round != 2 * shape.linearBits && values.size() > 1; ++round) {
      unsigned to = below(values.size()), from = below(values.size());
      for (unsigned out = 0; out != shape.outs && (to != from || (!shape.bijective && oneIn(4))); ++out)
        values[to][out] ^= values[from][out];
    }
    size_t next = 0;
    for (unsigned in = 0; in != shape.ins; ++in)
      for (unsigned bit = 0; bit != inBits[in]; ++bit)
        terms.bits.push_back({in, bit, values[next++]});
  }

  /// Gives the digits strides along one side, in random order, sometimes with a gap before one.
  void chain(std::vector<Chain> &digits, std::vector<int64_t> &sizes, unsigned Chain::*coordinate,
             int64_t Chain::*stride, bool gaps) {
    std::vector<Chain *> order;
    for (Chain &digit : digits)
      order.push_back(&digit);
    std::shuffle(order.begin(), order.end(), random);
    for (Chain *digit : order) {
      int64_t &size = sizes[digit->*coordinate];
      size *= gaps && oneIn(4) ? 2 + below(2) : 1;
      digit->*stride = size;
      size *= digit->count;
    }
  }

  void expel(Terms &terms, Terms::Bit &bit) {
    for (unsigned out = 0; out != terms.outs.size(); ++out) {
      std::vector<int64_t> alone(terms.outs.size(), 0);
      alone[out] = bit.value[out];
      auto hits = [&](const Terms::Bit &other) { return (other.value[out] & bit.value[out]) != 0; };
      if (!llvm::isPowerOf2_64(bit.value[out]) || bit.value != alone ||
          std::count_if(terms.bits.begin(), terms.bits.end(), hits) != 1)
        continue;
      terms.digits.push_back({bit.in, out, int64_t(1) << bit.bit, bit.value[out], 2});
      bit.value.assign(terms.outs.size(), 0);
      return;
    }
  }

  std::mt19937 random;
};
} // namespace helion_test

#endif // HELION_TEST_UNIT_DIALECTIR_RANDOMMAP_H
