// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts for scans: what a scan costs in one, and those that it would like to have.

#ifndef HELION_PASSES_LAYOUT_SCANLAYOUTS_H
#define HELION_PASSES_LAYOUT_SCANLAYOUTS_H

#include "passes/Layout/TileAccess.h"

namespace helion {
/// True for `helion.scan` and `helion.scan_fn`.
bool isScan(mlir::Operation *op);
unsigned scannedDim(mlir::Operation *scan);

/// Instructions of a warp, about.
int64_t scanCost(mlir::Operation *scan, const Layout &layout);

/// Each thread holds a run of neighbours along `dim`, so that little is handed from lane to lane: once with lanes along
/// the other dims first, which hand on nothing, once with lanes along `dim`.
llvm::SmallVector<Layout> layoutsForScan(llvm::ArrayRef<int64_t> shape, unsigned dim, const LayoutTarget &target);
} // namespace helion

#endif // HELION_PASSES_LAYOUT_SCANLAYOUTS_H
