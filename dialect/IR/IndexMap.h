// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions from integer coordinates to integer coordinates that are linear over the bits of a power-of-two part and
// copy mixed-radix digits beside it. One such map places a tile in registers, lanes and warps, or in shared memory with
// a swizzle; Layout.h names its coordinates. No IR here: plain numbers in, plain numbers out.
//
//   y[d] = XOR of bases[i][b][d] over the set bits b of all x[i]  +  sum of ((x[i] / inStride) % count) * outStride
//   over digits
//
// The bits that the first part hits and the ranges of the digits never meet, so nothing carries. After canonicalize()
// two maps are equal exactly if they are the same function.

#ifndef HELION_DIALECT_IR_INDEXMAP_H
#define HELION_DIALECT_IR_INDEXMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace helion {
/// One value per coordinate.
using Point = llvm::SmallVector<int64_t, 4>;

class IndexMap {
public:
  /// Copies digit `(x[in] / inStride) % count` to stride `outStride` of `y[out]`.
  struct Digit {
    unsigned in, out;
    int64_t inStride, outStride, count;
    bool operator==(const Digit &other) const;
  };

  /// One factor of a coordinate's range. `count` values at `stride`: a bit of the linear part, a digit, or, for an
  /// input, values that change nothing (for an output: values that are never reached).
  struct Unit {
    enum class Kind { Bit, Digit, Gap } kind;
    int64_t stride, count;
    unsigned digit = 0; // position in digits(), for Kind::Digit
  };

  /// The map that sends everything to 0.
  IndexMap(llvm::ArrayRef<int64_t> inSizes, llvm::ArrayRef<int64_t> outSizes);
  IndexMap() = default;

  /// Adds (XOR) `value` to what bit `bit` of input `in` contributes.
  void addBasis(unsigned in, unsigned bit, llvm::ArrayRef<int64_t> value);
  void addDigit(const Digit &digit);
  void setInSize(unsigned in, int64_t size) { inSizes[in] = size; }
  void setOutSize(unsigned out, int64_t size) { outSizes[out] = size; }

  llvm::ArrayRef<int64_t> ins() const { return inSizes; }
  llvm::ArrayRef<int64_t> outs() const { return outSizes; }
  /// Bases of one input, low bit first; bits past the end contribute nothing.
  llvm::ArrayRef<Point> basesOf(unsigned in) const { return bases[in]; }
  llvm::ArrayRef<Digit> digits() const { return digitList; }

  /// False when units of a coordinate overlap, do not divide its size, or the linear part has more than 64 bits.
  /// Everything below needs a map that is well formed.
  bool isWellFormed() const;
  /// Units of a coordinate in ascending order; their counts multiply to its size. None when they do not fit.
  std::optional<llvm::SmallVector<Unit>> inUnits(unsigned in) const;
  std::optional<llvm::SmallVector<Unit>> outUnits(unsigned out) const;

  /// Brings the map to its one text: digits merged, powers of two moved to the linear part, digits sorted.
  void canonicalize();
  /// Same function and sizes; both sides canonical.
  bool operator==(const IndexMap &other) const;
  bool operator!=(const IndexMap &other) const { return !(*this == other); }

  Point apply(llvm::ArrayRef<int64_t> x) const;
  /// All points that map to `y`, in ascending order of their last coordinate, then the one before, and so on.
  llvm::SmallVector<Point> preimage(llvm::ArrayRef<int64_t> y) const;
  bool isSurjective() const;
  bool isInjective() const;

  /// `second` after `first`; none when their digits do not line up (`first.outs()` must equal `second.ins()`).
  static std::optional<IndexMap> compose(const IndexMap &first, const IndexMap &second);
  /// A map back: each output goes to one of its inputs, chosen by the earliest coordinates and lowest bits. None when
  /// not surjective.
  std::optional<IndexMap> inverse() const;
  /// `tile` in the low digits, `rest` above it. None unless the tile is linear with power-of-two sizes.
  static std::optional<IndexMap> product(const IndexMap &tile, const IndexMap &rest);
  /// The `rest` with `product(tile, rest) == *this`, if there is one.
  std::optional<IndexMap> divideLeft(const IndexMap &tile) const;

  /// The same function with output `out` removed, or all its values sent to 0 of an extent of 1.
  IndexMap withoutOut(unsigned out) const;
  IndexMap withOutCollapsed(unsigned out) const;
  /// Drops the values of an input above everything that matters.
  void trimIn(unsigned in);
  /// Gives an input other numbers: values that change nothing vanish, powers of two come before odd digits.
  void renumberIn(unsigned in);
  /// Bits of each output that the linear part hits.
  Point hitBits() const;

private:
  struct LinearPart;
  LinearPart linearPart() const;
  std::optional<Point> solveDigits(llvm::ArrayRef<int64_t> y, Point &linear) const;
  void mergeDigits();
  void absorbDigits();
  /// Turns what hits bit `bit` of output `out` into a digit; fails unless one basis hits it and nothing else.
  bool expelOutBit(unsigned out, unsigned bit);
  friend class MapComposer;

  llvm::SmallVector<int64_t> inSizes, outSizes;
  llvm::SmallVector<llvm::SmallVector<Point>> bases;
  llvm::SmallVector<Digit> digitList;
};
} // namespace helion

#endif // HELION_DIALECT_IR_INDEXMAP_H
