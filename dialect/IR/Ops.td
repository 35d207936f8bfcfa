// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops, for TableGen.

include "dialect/IR/AsyncOps.td"
include "dialect/IR/GroupOps.td"
include "dialect/IR/PlacementOps.td"
include "dialect/IR/ValueOps.td"
