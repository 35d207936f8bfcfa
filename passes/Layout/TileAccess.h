// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics as the choice of layouts sees them: along which dim of the tile memory is contiguous, and
// what an access costs in a layout.

#ifndef HELION_PASSES_LAYOUT_TILEACCESS_H
#define HELION_PASSES_LAYOUT_TILEACCESS_H

#include "passes/Analysis/WideAccess.h"

namespace helion {
/// Facts of the device that layouts follow.
struct LayoutTarget {
  int64_t lanes = 32, warps = 4, vectorBytes = 16;
  /// Names of the matrix instructions that dots may run on (dialect/IR/MatrixShape.h).
  llvm::ArrayRef<std::string> matrices = {};
  /// Elements of a tile value for each thread, and for all, at most; 0: any number.
  int64_t threadElements = 0, blockElements = 0;
};

struct TileAccess {
  mlir::Operation *op;
  /// Dim of the value along which neighbours are neighbours in memory.
  std::optional<unsigned> fastDim;
  int64_t elementBytes = 1;
  /// Elements that one thread may move at once; 1 where nothing says that memory is contiguous.
  int64_t vector = 1;
};

/// Asks the host part for strides. Made once for a kernel.
class AccessReader {
public:
  AccessReader(KernelOp kernel, const LayoutTarget &target);
  TileAccess read(mlir::Operation *op, mlir::Value host, mlir::ValueRange indices);
  /// The first thing that copies in pieces of 16 bytes need and no fact says; none where all is said.
  std::optional<std::string> missingForCopies(mlir::Value host, int64_t elementBytes);
  /// The same for copies of boxes at these indices.
  std::optional<std::string> missingForBoxes(mlir::Value host, mlir::ValueRange indices);

private:
  int64_t vectorOf(mlir::Operation *op, int64_t elementBytes);

  HostExprs exprs;
  std::vector<Pred> facts;
  LayoutTarget target;
};

/// Turns that a warp's memory instructions take for the access, in units of about one cycle.
int64_t accessCost(const TileAccess &access, const Layout &layout, const LayoutTarget &target);
} // namespace helion

#endif // HELION_PASSES_LAYOUT_TILEACCESS_H
