// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops, for TableGen.

include "dialect/IR/ValueOps.td"
