// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a tile are: a map from hardware coordinates (spaces) to tile indices. It is what #helion.layout
// holds and what the passes of form L compute with. Always canonical, so two layouts that place every element alike
// compare equal: repeats that are powers of two are part of the atom, registers hold no element twice, and a lane,
// warp, group or CTA that makes no difference is not mentioned (the value is replicated over it).

#ifndef HELION_DIALECT_IR_LAYOUT_H
#define HELION_DIALECT_IR_LAYOUT_H

#include "dialect/IR/IndexMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>

namespace helion {
/// The coordinates of a layout, innermost first.
///   Reg     register of one thread        Lane   thread of a warp (wave, subgroup)     Warp   warp of a group's
///   instance Group   instance of a warp group      Cta    CTA of a cluster                      Offset element of
///   staged memory Mem     step of a loop over register tiles that live in memory (CPU)
enum class LayoutSpace : unsigned { Reg, Lane, Warp, Group, Cta, Offset, Mem };
constexpr unsigned kNumSpaces = 7;
llvm::StringRef spaceName(LayoutSpace space);
std::optional<LayoutSpace> spaceFromName(llvm::StringRef name);

/// A layout as it is written: `<[64, 8], reg = [[0, 1], [8, 0]], .., repeat = [reg 1 x 24, group 0 x 2]>`.
struct LayoutText {
  /// `count` times along `dim`. `from` is the stride in the space, `step` the one along the dim; -1 for the next free
  /// digit.
  struct Repeat {
    LayoutSpace space;
    unsigned dim;
    int64_t count, from = -1, step = -1;
  };
  llvm::SmallVector<int64_t> atom;
  std::array<llvm::SmallVector<Point>, kNumSpaces> bases;
  llvm::SmallVector<Repeat> repeats;
};

class Layout {
public:
  /// Fails when extents are no powers of two, digits overlap, or an index of the tile has no owner.
  static llvm::Expected<Layout> build(const LayoutText &text);
  /// A map from all spaces to the dims; the same rules.
  static llvm::Expected<Layout> build(IndexMap map);
  /// The shortest text that builds this layout.
  LayoutText text() const;
  std::string str() const;

  const IndexMap &map() const { return indexMap; }
  llvm::ArrayRef<int64_t> shape() const { return indexMap.outs(); }
  unsigned rank() const { return shape().size(); }
  /// Number of values of a space that matter; at least 1.
  int64_t size(LayoutSpace space) const { return indexMap.ins()[unsigned(space)]; }
  bool uses(LayoutSpace space) const { return size(space) > 1; }
  /// Index of the element at a point of all spaces.
  Point indexAt(llvm::ArrayRef<int64_t> point) const { return indexMap.apply(point); }
  /// Every point that holds the element: more than one where it is replicated.
  llvm::SmallVector<Point> owners(llvm::ArrayRef<int64_t> index) const { return indexMap.preimage(index); }
  bool isReplicated() const { return !indexMap.isInjective(); }

  bool operator==(const Layout &other) const { return indexMap == other.indexMap; }
  bool operator!=(const Layout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const Layout &layout);

  /// What is left when dim `dim` is combined away, or has one element: the operand of a broadcast, the result of a
  /// reduction.
  Layout withoutDim(unsigned dim) const;
  Layout withDimCollapsed(unsigned dim) const;
  /// Result dim `d` is operand dim `dims[d]`.
  Layout permuted(llvm::ArrayRef<int64_t> dims) const;
  /// What is left when each thread combines its own registers along `dim`; the dim keeps one element per thread
  /// position. None when a register and a thread coordinate meet in one bit of the dim.
  std::optional<Layout> combinedInThread(unsigned dim) const;
  /// The layout of the registers that hold a corner of this shape, and of every aligned block of that shape. None when
  /// another space than reg or mem tells the blocks apart.
  std::optional<Layout> subtile(llvm::ArrayRef<int64_t> shape) const;
  /// The layout of the elements in the first block of this shape alone; none when a digit crosses its edge.
  std::optional<Layout> corner(llvm::ArrayRef<int64_t> shape) const;
  /// The same with a dim more, before dim `at`: each thread holds all of its elements.
  Layout withDimInThread(unsigned at, int64_t extent) const;
  /// What row-major merging and splitting of dims makes of it: `groups` lists, for the shape of higher rank, the dims
  /// that belong to each dim of the other. None when a digit crosses the edge of a dim.
  std::optional<Layout> reshaped(llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<llvm::SmallVector<int64_t>> groups) const;
  /// Both layouts split the tile over the instances of a group alike.
  bool sameOverGroup(const Layout &other) const;

private:
  explicit Layout(IndexMap map);
  IndexMap indexMap;
};
} // namespace helion

#endif // HELION_DIALECT_IR_LAYOUT_H
