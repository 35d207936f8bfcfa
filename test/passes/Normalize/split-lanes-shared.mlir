// A value that each of 40 steps uses twice has 2^40 paths to its load: each value is looked at once, with or without a lane to cut.
// RUN: %python %S/Inputs/shared-steps.py 40 %s > %t.mlir
// RUN: helion-opt --helion-split-lanes %t.mlir | FileCheck %s
// RUN: helion-opt --helion-normalize %t.mlir -o %t.normal.mlir
// RUN: FileCheck %s --input-file %t.normal.mlir --check-prefix=NORMAL

// CHECK-LABEL: helion.kernel @turned
// CHECK-NOT: helion.lane
// CHECK: helion.store %{{.*}} site "out.0"
// CHECK: helion.store %{{.*}} site "out.0"
// NORMAL-LABEL: helion.kernel @turned
// NORMAL-DAG: %[[LOW:.*]] = helion.range %c0 to %c4
// NORMAL-DAG: %[[HIGH:.*]] = helion.range %c4 to %c8
// NORMAL: helion.load %arg0[%{{.*}}, %[[HIGH]]]
// NORMAL: helion.load %arg0[%{{.*}}, %[[LOW]]]
// NORMAL-NOT: helion.load
// NORMAL: helion.store %{{.*}}, %{{.*}}[%{{.*}}, %[[LOW]]] site "out.0"
// NORMAL: helion.store %{{.*}}, %{{.*}}[%{{.*}}, %[[HIGH]]] site "out.1"

// CHECK-LABEL: helion.kernel @plain
// CHECK: helion.load
// CHECK-NOT: helion.load
// CHECK: helion.store %{{.*}} site "out.0"

!in = memref<?x8xf32, strided<[?, ?], offset: ?>>
!v  = tensor<?x8xf32, #helion.dims<bi@i, 8>>
!h  = tensor<?x4xf32, #helion.dims<bi@i, 4>>
!p  = tensor<?x2x4xf32, #helion.dims<bi@i, 2, 4>>

helion.kernel @turned(%x: !in {helion.name = "x"}) -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = memref.dim %x, %c0 : !in
  %out = helion.empty(%m) {name = "out"} : memref<?x8xf32>
  helion.block @bi tile
  helion.launch "turned" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %c8 site "slice.8" : !helion.tile<8>
      %v0 = helion.load %x[%i, %s] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<8>) -> !v
      // STEPS !v
      %p = helion.reshape %last [array<i64: 0>, array<i64: 1, 2>] : !v -> !p
      %a = helion.lane %p dim 1 at 0 : !p -> !h
      %b = helion.lane %p dim 1 at 1 : !p -> !h
      %t = helion.stack %b, %a dim 1 : (!h, !h) -> !p
      %w = helion.reshape %t [array<i64: 0>, array<i64: 1, 2>] : !p -> !v
      helion.store %w, %out[%i, %s] site "out.0" : !v, memref<?x8xf32>, (!helion.tile<bi@i>, !helion.tile<8>)
    }
  }
  helion.return %out : memref<?x8xf32>
}

helion.kernel @plain(%x: !in {helion.name = "x"}) -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = memref.dim %x, %c0 : !in
  %out = helion.empty(%m) {name = "out"} : memref<?x8xf32>
  helion.block @bi tile
  helion.launch "plain" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %c8 site "slice.8" : !helion.tile<8>
      %v0 = helion.load %x[%i, %s] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<8>) -> !v
      // STEPS !v
      helion.store %last, %out[%i, %s] site "out.0" : !v, memref<?x8xf32>, (!helion.tile<bi@i>, !helion.tile<8>)
    }
  }
  helion.return %out : memref<?x8xf32>
}
