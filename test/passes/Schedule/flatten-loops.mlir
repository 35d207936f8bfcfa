// RUN: helion-opt --helion-bind-blocks="block_sizes=bi=4,bj=8" --helion-flatten-loops="flatten_loops=loop.ij" %s | FileCheck %s
// RUN: helion-opt --helion-bind-blocks="block_sizes=bi=4,bj=8" --helion-flatten-loops="flatten_loops=loop.ij" --helion-map-programs %s -o /dev/null
// Off case.
// RUN: helion-opt --helion-bind-blocks="block_sizes=bi=4,bj=8" %s -o %t.off.mlir && helion-opt --helion-flatten-loops %t.off.mlir | diff %t.off.mlir -

// x and out go to their collapsed views, x's under a stride fact; the bias, which has one of the dims, is gathered by the column.
!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
!vec = memref<?xf32, strided<[?], offset: ?>>
!t = tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
!r = tensor<?xf32, #helion.dims<bj@j>>
module attributes {helion.form = "kernel"} {
  // CHECK-LABEL: helion.kernel @bias_add
  // CHECK-SAME: #helion.pred<"min(x.size(0) floordiv 2, 1) * (x.stride(0) - x.size(1) * x.stride(1)) == 0">
  helion.kernel @bias_add(%x: !arg {helion.name = "x"}, %b: !vec {helion.name = "b"}) -> memref<?x?xf32> attributes {helion.signature = {x = "f32[2]", b = "f32[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xf32>
    helion.block @bi tile
    helion.block @bj tile
    // CHECK-DAG: %[[N:.*]] = arith.muli
    // CHECK-DAG: %[[XF:.*]] = memref.collapse_shape %arg0
    // CHECK-DAG: %[[OF:.*]] = memref.collapse_shape
    // CHECK: helion.launch "f"
    helion.launch "f" {
      // CHECK: helion.tile (%[[F:.*]]: !helion.tile<32>) = (%{{.*}}) to (%[[N]]) site "loop.ij"
      helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
        // CHECK: %[[COL:.*]] = arith.remui
        // CHECK: %[[V:.*]] = helion.load %[[XF]][%[[F]]] site "x.0"
        %v = helion.load %x[%i, %j] site "x.0" : !arg, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
        // CHECK: %[[B:.*]] = helion.load %arg1[%[[COL]]] mask %{{.*}} site "b.0"
        %w = helion.load %b[%j] site "b.0" : !vec, (!helion.tile<bj@j>) -> !r
        %wb = helion.broadcast %w to [1] : !r -> !t
        // CHECK: %[[S:.*]] = arith.addf %[[V]], %[[B]] : tensor<32xf32>
        %s = arith.addf %v, %wb : !t
        // CHECK: helion.store %[[S]], %[[OF]][%[[F]]] site "out.0"
        helion.store %s, %out[%i, %j] site "out.0" : !t, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
      }
    }
    helion.return %out : memref<?x?xf32>
  }
}
