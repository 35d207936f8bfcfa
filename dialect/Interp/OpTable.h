// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Op name -> what it does. Each family of ops gives its rows; a new op is one more row in one of them.

#ifndef HELION_DIALECT_INTERP_OPTABLE_H
#define HELION_DIALECT_INTERP_OPTABLE_H

#include "dialect/Interp/Machine.h"

namespace helion::interp {

using Handler = mlir::LogicalResult (*)(Machine &, mlir::Operation *);
struct OpRow {
  llvm::StringLiteral name;
  Handler run;
};

llvm::ArrayRef<OpRow> accessRows();  // load, store, atomic, load_async, store_async
llvm::ArrayRef<OpRow> arithRows();   // arith but casts
llvm::ArrayRef<OpRow> castRows();    // arith casts and constants
llvm::ArrayRef<OpRow> combineRows(); // reduce, scan, both with a region, dot, dot_async
llvm::ArrayRef<OpRow> controlRows(); // launch, loops, tiles, scf
llvm::ArrayRef<OpRow> hostRows();    // sizes, views, allocation
llvm::ArrayRef<OpRow> laneRows();    // iota, splat, broadcast, permute, reshape, rebound, mask
llvm::ArrayRef<OpRow> mathRows();
llvm::ArrayRef<OpRow> stagedRows(); // form L: rings, groups, moves between layouts

/// Null for an op without a row.
Handler handlerOf(mlir::OperationName name);

/// A handler written for the op's class.
template <typename OpT, mlir::LogicalResult (*Run)(Machine &, OpT)>
mlir::LogicalResult runAs(Machine &machine, mlir::Operation *op) {
  return Run(machine, mlir::cast<OpT>(op));
}

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_OPTABLE_H
