// RUN: not helion-opt --helion-bind-blocks --helion-flatten-loops="flatten_loops=loop.ij" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: not helion-opt --helion-bind-blocks --helion-flatten-loops="flatten_loops=loop.i" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: split-file %s %t.files
// RUN: not helion-opt --helion-bind-blocks --helion-flatten-loops="flatten_loops=loop.ij" %t.files/turn.mlir 2>&1 | FileCheck %s --check-prefix=COMBINE
// RUN: helion-translate --import-helion %root/examples/rope/rope.py --kernel rope --args 'x=f32[?,?,?,16] cos=f32[?,8] sin=f32[?,8]' -o %t.rope.mlir
// RUN: not helion-opt --helion-bind-blocks --helion-flatten-loops="flatten_loops=loop.bht" %t.rope.mlir 2>&1 | FileCheck %s --check-prefix=IOTA
// RUN: not helion-opt --helion-bind-blocks --helion-flatten-loops="flatten_loops=loop.bt" %t.files/scale.mlir 2>&1 | FileCheck %s --check-prefix=SLICE
// The space of such a kernel does not have the choice.
// RUN: helion-opt --helion-print-config-space %t.rope.mlir -o /dev/null | FileCheck %s --check-prefix=SPACE --implicit-check-not=flatten_loops

// IOTA: flatten_loops: `loop.bht` cannot be flattened: an iota has lanes that are not the loop's
// SLICE: flatten_loops: `loop.bt` cannot be flattened: a slice has lanes that are not the loop's
// SPACE: "knob":"loop_orders"
// NEST: flatten_loops: `loop.ij` cannot be flattened: it nests a region
// SITE: flatten_loops{{.*}}`loop.i`
// COMBINE: flatten_loops: `loop.ij` cannot be flattened: the body combines or moves lanes
//--- scale.mlir
module attributes {helion.form = "kernel"} {
  helion.kernel @scale(%x: memref<?x?x16xf32, strided<[?, ?, ?], offset: ?>> {helion.name = "x"}) -> memref<?x?x16xf32> attributes {helion.facts = [#helion.pred<"x.size(2) == 16">], helion.parameters = ["x"], helion.signature = {x = "f32[3]", "x.size(2)" = 16 : index}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %b = memref.dim %x, %c0 : memref<?x?x16xf32, strided<[?, ?, ?], offset: ?>>
    %t = memref.dim %x, %c1 : memref<?x?x16xf32, strided<[?, ?, ?], offset: ?>>
    %out = helion.empty(%b, %t) {name = "out"} : memref<?x?x16xf32>
    helion.block @bb tile
    helion.block @bt tile
    helion.launch "scale" {
      helion.tile (%b_0: !helion.tile<bb@b>, %t_1: !helion.tile<bt@t>) = (%c0, %c0) to (%b, %t) site "loop.bt" {
        %width = helion.range %c0 to %c16 site "slice.width" : !helion.tile<16>
        %0 = helion.load %x[%b_0, %t_1, %width] site "x.0" : memref<?x?x16xf32, strided<[?, ?, ?], offset: ?>>, (!helion.tile<bb@b>, !helion.tile<bt@t>, !helion.tile<16>) -> tensor<?x?x16xf32, #helion.dims<bb@b, bt@t, 16>>
        %cst = arith.constant 2.000000e+00 : f32
        %1 = helion.splat %cst : f32 -> tensor<?x?x16xf32, #helion.dims<bb@b, bt@t, 16>>
        %2 = arith.mulf %0, %1 : tensor<?x?x16xf32, #helion.dims<bb@b, bt@t, 16>>
        helion.store %2, %out[%b_0, %t_1, %width] site "out.0" : tensor<?x?x16xf32, #helion.dims<bb@b, bt@t, 16>>, memref<?x?x16xf32>, (!helion.tile<bb@b>, !helion.tile<bt@t>, !helion.tile<16>)
      }
    }
    helion.return %out : memref<?x?x16xf32>
  }
}
//--- turn.mlir
module attributes {helion.form = "kernel"} {
  helion.kernel @turn(%x: memref<?x?xf32, strided<[?, ?], offset: ?>> {helion.name = "x"}) -> memref<?x?xf32> attributes {helion.facts = [], helion.parameters = ["x"], helion.signature = {x = "f32[2]"}} {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
    %m = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, ?], offset: ?>>
    %out = helion.empty(%n, %m) {name = "out"} : memref<?x?xf32>
    helion.block @bi tile
    helion.block @bj tile
    helion.launch "turn" {
      helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
        %0 = helion.load %x[%i, %j] site "x.0" : memref<?x?xf32, strided<[?, ?], offset: ?>>, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
        %1 = helion.permute %0 [1, 0] : tensor<?x?xf32, #helion.dims<bi@i, bj@j>> -> tensor<?x?xf32, #helion.dims<bj@j, bi@i>>
        helion.store %1, %out[%j, %i] site "out.0" : tensor<?x?xf32, #helion.dims<bj@j, bi@i>>, memref<?x?xf32>, (!helion.tile<bj@j>, !helion.tile<bi@i>)
      }
    }
    helion.return %out : memref<?x?xf32>
  }
}
