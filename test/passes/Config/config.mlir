// RUN: helion-opt --helion-config="v=1" %s | FileCheck %s
// RUN: not helion-opt --helion-config="v=2" %s 2>&1 | FileCheck %s --check-prefix=NEWER
// RUN: not helion-opt --helion-config %s 2>&1 | FileCheck %s --check-prefix=NONE
// A whole config text is a pipeline; lists keep their brackets and sites stay apart.
// RUN: helion-opt %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null --pass-pipeline="builtin.module(helion-normalize,helion-config{v=1},helion-roll-reductions,helion-order-loops{loop_orders=loop.ij=[1,0]},helion-bind-blocks{block_sizes=bk=8,bm=16,bn=32},helion-flatten-loops,helion-map-programs{l2_groupings=loop.ij=4 num_sm_multiplier=matmul=2 pid_type=matmul=persistent_interleaved},helion-unroll-loops{range_unroll_factors=loop.k=2})"

// CHECK: module attributes {helion.form = "kernel"}
// NEWER: error: config version `2` is not known; this build reads `v=1`
// NONE: error: config version `0` is not known; this build reads `v=1`
module attributes {helion.form = "kernel"} {}
