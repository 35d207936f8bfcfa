// RUN: not helion-opt --helion-bind-blocks --helion-flatten-loops="flatten_loops=loop.ij" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: not helion-opt --helion-bind-blocks --helion-flatten-loops="flatten_loops=loop.i" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-bind-blocks --helion-flatten-loops="flatten_loops=loop.th" %S/../../dialect/IR/forms/k-bias-head.mlir 2>&1 | FileCheck %s --check-prefix=COMBINE

// NEST: flatten_loops: `loop.ij` cannot be flattened: it nests a region
// SITE: flatten_loops{{.*}}`loop.i`
// COMBINE: flatten_loops: `loop.th` cannot be flattened: the body combines or moves lanes
