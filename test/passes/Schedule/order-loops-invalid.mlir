// RUN: not helion-opt --helion-order-loops="loop_orders=loop.ij=[0,0]" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not helion-opt --helion-order-loops="loop_orders=loop.ij=[0]" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not helion-opt --helion-order-loops="loop_orders=loop.k=[0]" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-order-loops="loop_orders=loop.ij=1" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=KIND

// LIST: loop_orders of `loop.ij` is no permutation of its 2 dims
// SITE: loop_orders{{.*}}`loop.k`{{.*}}`loop.ij`
// KIND: loop_orders{{.*}}`loop.ij=1`
