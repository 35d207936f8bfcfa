// What the choices make of scans. `rows` scans along its slice, `columns` along the grid's block.
// RUN: split-file %s %t
// RUN: helion-opt --helion-bind-blocks="block_sizes=bi=4,rn=64" %t/rows.mlir | FileCheck %s --check-prefix=BIND
// RUN: not helion-opt --helion-roll-reductions="reduction_loops=slice.n=64" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=ALONG
// RUN: not helion-opt --helion-roll-reductions="reduction_loops=slice.n=64" %t/region.mlir 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: helion-opt --helion-roll-reductions="reduction_loops=slice.n=64" %t/columns.mlir | FileCheck %s --check-prefix=ACROSS
// RUN: helion-opt --helion-roll-reductions="reduction_loops=slice.n=64" %t/columns.mlir | helion-opt -o /dev/null
// RUN: not helion-opt --helion-bind-blocks --helion-flatten-loops="flatten_loops=loop.ij" %t/tile.mlir 2>&1 | FileCheck %s --check-prefix=FLAT
// The space has what is legal.
// RUN: helion-opt --helion-print-config-space %t/rows.mlir -o /dev/null | FileCheck %s --check-prefix=SPACE --implicit-check-not=reduction_loops
// RUN: helion-opt --helion-print-config-space %t/region.mlir -o /dev/null | FileCheck %s --check-prefix=SPACE --implicit-check-not=reduction_loops
// RUN: helion-opt --helion-print-config-space %t/columns.mlir -o /dev/null | FileCheck %s --check-prefix=ROLLS
// RUN: helion-opt --helion-print-config-space %t/tile.mlir -o /dev/null | FileCheck %s --check-prefix=SPACE --implicit-check-not=flatten_loops

// SPACE: "knob":"block_sizes"
// ROLLS: "knob":"reduction_loops","pass":"helion-roll-reductions","site":"slice.n"
// ALONG: error: slice `slice.n` cannot be rolled: a scan along it needs the lanes of earlier chunks
// REGION: error: slice `slice.n` cannot be rolled: a value of it is used by an op with a region
// FLAT: flatten_loops: `loop.ij` cannot be flattened: the body combines or moves lanes

// Sums of what loads fill with 0 need no mask; the largest and the product do.
// BIND: #helion.pred<"x.size(1) <= 64">
// BIND: %[[S:.*]] = helion.make_tile %{{.*}} : !helion.tile<64>
// BIND: %[[V:.*]] = helion.load
// BIND: helion.scan addf %[[V]] dim 1 site "add" : tensor<4x64xf32>
// BIND: %[[M:.*]] = helion.mask %[[V]] dims [1] by(%[[S]]) fill %{{.*}}
// BIND: helion.scan maximumf %[[M]] dim 1 reverse site "max" : tensor<4x64xf32>

// Across the slice a scan goes with its chunk.
// ACROSS: helion.tile (%{{.*}}: !helion.tile<rn_roll@n.roll0>)
// ACROSS: helion.scan addf %{{.*}} dim 0 site "add" : tensor<?x?xf32, #helion.dims<bi@i, rn_roll@n.roll0>>
// ACROSS: arith.addf
// ACROSS: helion.reduce addf

//--- rows.mlir
!in = memref<?x?xf32, strided<[?, ?], offset: ?>>
!t = tensor<?x?xf32, #helion.dims<bi@i, rn@n>>
module attributes {helion.form = "kernel"} {
  helion.kernel @rows(%x: !in {helion.name = "x"}) -> memref<?x?xf32> attributes {helion.facts = [], helion.parameters = ["x"], helion.signature = {x = "f32[2]"}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !in
    %n = memref.dim %x, %c1 : !in
    %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xf32>
    helion.block @bi tile
    helion.block @rn slice
    helion.launch "rows" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
        %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
        %v = helion.load %x[%i, %s] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !t
        %a = helion.scan addf %v dim 1 site "add" : !t
        %b = helion.scan maximumf %v dim 1 reverse site "max" : !t
        %c = arith.addf %a, %b : !t
        helion.store %c, %out[%i, %s] site "out.0" : !t, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<rn@n>)
      }
    }
    helion.return %out : memref<?x?xf32>
  }
}
//--- region.mlir
!in = memref<?x?xf32, strided<[?, ?], offset: ?>>
!t = tensor<?x?xf32, #helion.dims<bi@i, rn@n>>
module attributes {helion.form = "kernel"} {
  helion.kernel @region(%x: !in {helion.name = "x"}) -> memref<?x?xf32> attributes {helion.facts = [], helion.parameters = ["x"], helion.signature = {x = "f32[2]"}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %m = memref.dim %x, %c0 : !in
    %n = memref.dim %x, %c1 : !in
    %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xf32>
    helion.block @bi tile
    helion.block @rn slice
    helion.launch "region" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
        %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
        %v = helion.load %x[%i, %s] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !t
        %a = helion.scan_fn %v other %z dim 0 site "fn" : (!t), (f32) {
        ^bb0(%l: f32, %r: f32):
          helion.yield %r : f32
        }
        helion.store %a, %out[%i, %s] site "out.0" : !t, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<rn@n>)
      }
    }
    helion.return %out : memref<?x?xf32>
  }
}
//--- columns.mlir
!in = memref<?x?xf32, strided<[?, ?], offset: ?>>
!t = tensor<?x?xf32, #helion.dims<bi@i, rn@n>>
!row = tensor<?xf32, #helion.dims<bi@i>>
module attributes {helion.form = "kernel"} {
  helion.kernel @columns(%x: !in {helion.name = "x"}) -> memref<?xf32> attributes {helion.facts = [], helion.parameters = ["x"], helion.signature = {x = "f32[2]"}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !in
    %n = memref.dim %x, %c1 : !in
    %out = helion.empty(%m) {name = "out"} : memref<?xf32>
    helion.block @bi tile
    helion.block @rn slice
    helion.launch "columns" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
        %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
        %v = helion.load %x[%i, %s] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !t
        %a = helion.scan addf %v dim 0 site "add" : !t
        %r = helion.reduce addf %a dim 1 site "sum" : !t -> !row
        helion.store %r, %out[%i] site "out.0" : !row, memref<?xf32>, (!helion.tile<bi@i>)
      }
    }
    helion.return %out : memref<?xf32>
  }
}
//--- tile.mlir
!in = memref<?x?xf32, strided<[?, ?], offset: ?>>
!t = tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
module attributes {helion.form = "kernel"} {
  helion.kernel @tile(%x: !in {helion.name = "x"}) -> memref<?x?xf32> attributes {helion.facts = [], helion.parameters = ["x"], helion.signature = {x = "f32[2]"}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !in
    %n = memref.dim %x, %c1 : !in
    %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xf32>
    helion.block @bi tile
    helion.block @bj tile
    helion.launch "tile" {
      helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
        %v = helion.load %x[%i, %j] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
        %a = helion.scan mulf %v dim 1 site "mul" : !t
        helion.store %a, %out[%i, %j] site "out.0" : !t, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
      }
    }
    helion.return %out : memref<?x?xf32>
  }
}
