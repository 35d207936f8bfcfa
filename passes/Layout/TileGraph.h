// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile values of one launch as the choice of layouts sees them: classes of values that must be placed alike, and
// rules by which the layout of one class follows from that of another. Breaking a rule costs a conversion.

#ifndef HELION_PASSES_LAYOUT_TILEGRAPH_H
#define HELION_PASSES_LAYOUT_TILEGRAPH_H

#include "passes/Layout/DotLayouts.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <vector>

namespace helion {
/// Values that elementwise ops, loops and branches tie together.
struct TileClass {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<unsigned> accesses; // of TileGraph::accesses
  llvm::SmallVector<unsigned> rules;    // of TileGraph::rules, at either end
  llvm::SmallVector<DotOp> dots;        // that accumulate in it
  llvm::SmallVector<mlir::Operation *> scans;
  DotSplit split; // of those, once chosen
  std::optional<Layout> layout;
};

/// The value at `use` or `def` of an op needs, or has, the layout that follows from that of `source`.
struct LayoutRule {
  enum class Kind { Same, Reduced, Repeated, Permuted, Reshaped, Index, Left, Right } kind;
  unsigned source, target;
  mlir::Operation *op;
  mlir::OpOperand *use = nullptr;
  mlir::Value def;
  /// The access whose layout stands for that of `source` once it has one; none outside of accesses.
  std::optional<unsigned> access;

  /// What follows from `layout` of the source.
  std::optional<Layout> derive(const Layout &layout, const DotSplit &split) const;
  /// A layout of the source from which `layout` of the target follows; none where that is not unique.
  std::optional<Layout> invert(const Layout &layout, llvm::ArrayRef<int64_t> sourceShape) const;
};

/// An access and the layout that was chosen for it, if that is not its class's.
struct PlacedAccess {
  TileAccess access;
  unsigned tileClass;
  std::optional<Layout> layout;
};

class TileGraph {
public:
  /// Reports ops on tile values that no rule is known for.
  static mlir::FailureOr<TileGraph> build(LaunchOp launch, const LayoutTarget &target);

  unsigned classOf(mlir::Value value) const { return numbers.at(value); }
  const Layout &layoutOfSource(const LayoutRule &rule) const;

  std::vector<TileClass> classes;
  std::vector<LayoutRule> rules;
  std::vector<PlacedAccess> accesses;

private:
  friend class TileGraphBuilder;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
};

/// How often an op runs, for costs: a guess from the loops around it.
int64_t frequencyOf(mlir::Operation *op);
} // namespace helion

#endif // HELION_PASSES_LAYOUT_TILEGRAPH_H
