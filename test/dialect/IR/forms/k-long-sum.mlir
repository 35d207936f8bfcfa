// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, long_sum: block_n-wide accumulator carried through the loop; one reduction after it.
// The loaded tile has dim bn@n; the accumulator has the plain dim bn; `helion.rebound` says so.
!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
!t   = tensor<?x?xf32, #helion.dims<bm@i, bn@n>>
!acc = tensor<?x?xf32, #helion.dims<bm@i, bn>>
!row = tensor<?xf32, #helion.dims<bm@i>>
module attributes {helion.form = "kernel"} {
  helion.kernel @long_sum(%x: !arg {helion.name = "x"}) -> memref<?xf32> attributes {helion.signature = {x = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %out = helion.empty(%m) {name = "out"} : memref<?xf32>
    helion.block @bm tile
    helion.block @bn registered
    helion.launch "long_sum" {
      helion.tile (%i: !helion.tile<bm@i>) = (%c0) to (%m) site "loop.i" {
        %z = arith.constant 0.0 : f32
        %zero = helion.splat %z : f32 -> !acc
        %acc = helion.tile (%k: !helion.tile<bn@n>) = (%c0) to (%n) iter_args(%a = %zero) -> (!acc) site "loop.n" {
          %v = helion.load %x[%i, %k] site "x.0" : !arg, (!helion.tile<bm@i>, !helion.tile<bn@n>) -> !t
          %w = helion.rebound %v : !t -> !acc
          %a2 = arith.addf %a, %w : !acc
          helion.yield %a2 : !acc
        }
        %s = helion.reduce addf %acc dim 1 site "sum.0" : !acc -> !row
        helion.store %s, %out[%i] site "out.0" : !row, memref<?xf32>, (!helion.tile<bm@i>)
      }
    }
    helion.return %out : memref<?xf32>
  }
}
