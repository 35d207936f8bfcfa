// RUN: helion-opt --helion-order-loops="loop_orders=loop.ij=[1,0]" %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s
// Off case.
// RUN: helion-opt %S/../../dialect/IR/forms/k-matmul.mlir -o %t.off.mlir && helion-opt --helion-order-loops %t.off.mlir | diff %t.off.mlir -

// CHECK: %[[M:.*]] = memref.dim %arg0, %c0
// CHECK: %[[N:.*]] = memref.dim %arg1, %c1
// CHECK: helion.tile (%[[J:.*]]: !helion.tile<bn@j>, %[[I:.*]]: !helion.tile<bm@i>) = (%c0, %c0) to (%[[N]], %[[M]]) site "loop.ij"
// CHECK: helion.load %arg0[%[[I]], %{{.*}}] site "x.0"
// CHECK: helion.load %arg1[%{{.*}}, %[[J]]] site "y.0"
// CHECK: helion.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]] site "out.0"
