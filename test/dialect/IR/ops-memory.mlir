// RUN: helion-opt %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: helion-opt %t.mlir | diff %t.mlir -
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt | diff %t.mlir -

!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
!t = tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
!m = tensor<?x?xi1, #helion.dims<bi@i, bj@j>>
!k = tensor<?xi64, #helion.dims<bi@i>>
// CHECK-LABEL: helion.kernel @accesses
helion.kernel @accesses(%x: !arg {helion.name = "x"}, %ids: memref<?xi64> {helion.name = "ids"}, %n: index {helion.name = "n"}, %s: f32 {helion.name = "s"}, %b: i1 {helion.name = "b"}) {
  %c0 = arith.constant 0 : index
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%n, %n) site "loop.ij" {
      // CHECK: helion.load %arg0[%[[I:.*]], %[[J:.*]]] site "x.0" : memref<?x?xf32, strided<[?, ?], offset: ?>>, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
      %a = helion.load %x[%i, %j] site "x.0" : !arg, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
      %p = helion.splat %b : i1 -> !m
      // CHECK: helion.load %arg0[%[[I]], %[[J]]] mask %{{.*}} : tensor<?x?xi1, #helion.dims<bi@i, bj@j>> other %arg3 : f32 site "x.1" {access = "pointer", evict = "first"}
      %c = helion.load %x[%i, %j] mask %p : !m other %s : f32 site "x.1" {access = "pointer", evict = "first"} : !arg, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
      // CHECK: helion.load %arg0[%[[I]], %arg2] site "x.2" {{.*}} -> tensor<?xf32, #helion.dims<bi@i>>
      %col = helion.load %x[%i, %n] site "x.2" : !arg, (!helion.tile<bi@i>, index) -> tensor<?xf32, #helion.dims<bi@i>>
      // CHECK: helion.load %arg0[%arg2, %arg2] site "x.3" {{.*}} -> f32
      %one = helion.load %x[%n, %n] site "x.3" : !arg, (index, index) -> f32
      %id = helion.load %ids[%i] site "ids.0" : memref<?xi64>, (!helion.tile<bi@i>) -> !k
      // CHECK: helion.load %arg0[%{{.*}}, %[[J]]] site "x.4" {{.*}} -> tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
      %g = helion.load %x[%id, %j] site "x.4" : !arg, (!k, !helion.tile<bj@j>) -> !t
      // CHECK: helion.store %{{.*}}, %arg0[%[[I]], %[[J]]] mask %{{.*}} : tensor<?x?xi1, #helion.dims<bi@i, bj@j>> site "x.5"
      helion.store %a, %x[%i, %j] mask %p : !m site "x.5" : !t, !arg, (!helion.tile<bi@i>, !helion.tile<bj@j>)
      // CHECK: helion.store %{{.*}}, %arg0[%arg2, %arg2] site "x.6" : f32
      helion.store %one, %x[%n, %n] site "x.6" : f32, !arg, (index, index)
      // CHECK: helion.atomic addf relaxed %{{.*}}, %arg0[%[[I]], %[[J]]] site "x.7"
      %old = helion.atomic addf relaxed %a, %x[%i, %j] site "x.7" : !t, !arg, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
    }
  }
  helion.return
}

// Rank 0: no index, and no list of their types.
// CHECK-LABEL: helion.kernel @rank_zero
helion.kernel @rank_zero(%x: memref<f32> {helion.name = "x"}, %y: memref<f32, strided<[], offset: ?>> {helion.name = "y"}, %b: i1 {helion.name = "b"}) {
  helion.launch "f" {
    // CHECK: %[[A:.*]] = helion.load %arg0[] mask %arg2 : i1 site "x.0" : memref<f32> -> f32
    %a = helion.load %x[] mask %b : i1 site "x.0" : memref<f32> -> f32
    // CHECK: helion.store %[[A]], %arg1[] site "y.0" : f32, memref<f32, strided<[], offset: ?>>
    helion.store %a, %y[] site "y.0" : f32, memref<f32, strided<[], offset: ?>>
    // CHECK: helion.atomic addf relaxed %[[A]], %arg1[] site "y.1" : f32, memref<f32, strided<[], offset: ?>> -> f32
    %old = helion.atomic addf relaxed %a, %y[] site "y.1" : f32, memref<f32, strided<[], offset: ?>> -> f32
  }
  helion.return
}
