// RUN: not helion-opt --helion-unroll-loops="range_unroll_factors=loop.k=9" %S/unroll-loops.mlir 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not helion-opt --helion-unroll-loops="static_ranges=loop.j" %S/unroll-loops.mlir 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-bind-blocks --helion-map-programs --helion-unroll-loops="static_ranges=loop.k" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=TRIPS

// FACTOR: range_unroll_factors: `loop.k` cannot be `9`; it takes an integer in 1..4
// SITE: static_ranges{{.*}}`loop.j`{{.*}}`loop.k`
// TRIPS: static_ranges: trip count of `loop.k` is no constant
