// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configs from a simple model of one row, for targets whose programs run on lanes: tiles that just hold the row's
// slices, in extents that the threads share, and so many threads that each holds a number of elements that is known to
// do well. docs/design/0017 and 0022.
#ifndef HELION_AOT_RUNNER_SEARCH_ROWSEEDS_H
#define HELION_AOT_RUNNER_SEARCH_ROWSEEDS_H

#include "dialect/Target/ResolvedPlan.h"
#include "passes/Config/Space.h"
#include <set>

namespace helion::aot {

/// What the model knows of a kernel.
struct RowModel {
  explicit RowModel(KernelOp kernel);

  /// How far loops and slices of each block reach, in lanes, as expressions of the arguments; those that depend on
  /// anything else are left out.
  std::map<std::string, std::vector<SizeExpr>> extents;
  /// By launch, the blocks that its tiles have. One block may be in several launches.
  std::map<std::string, std::set<std::string>> blocks;
  /// Of each block, the sites of the slices that have it.
  std::map<std::string, std::vector<std::string>> slices;
  /// Of the widest elements among those that accesses along slices move.
  int64_t elementBytes = 1;
  bool hasProducts = false; // Tiles of products follow other rules.

private:
  void addAccess(KernelOp kernel, mlir::Type type);
};

/// Legal configs for a row, the most promising first; none where the kernel has products, where no knob of the space
/// says how many threads a tile has, or where a slice is larger than any block. Threads come in groups of `lanes`.
std::vector<Config> rowSeeds(const Space &space, const RowModel &model, int64_t lanes, const helion::Binding &row);

/// Legal configs for rows longer than any block, the most promising first: slices are walked in chunks, by so many
/// threads for a row that few rows are on their way at once, and what is read again is still in a cache. None where the
/// kernel has products or no slice, where a slice cannot be walked, or where no knob says how many threads a tile has.
std::vector<Config> longRowSeeds(const Space &space, const RowModel &model, int64_t lanes);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SEARCH_ROWSEEDS_H
