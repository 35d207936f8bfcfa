// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, softmax over the last dim written with full slices x[tile, :]. The slice is a range with a block of kind "slice".
!arg = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!out = memref<?x?xbf16>
!xb  = tensor<?x?xbf16, #helion.dims<bi@i, rn@n>>
!xf  = tensor<?x?xf32, #helion.dims<bi@i, rn@n>>
!row = tensor<?xf32, #helion.dims<bi@i>>
module attributes {helion.form = "kernel"} {
  helion.kernel @softmax(%x: !arg {helion.name = "x"}) -> !out attributes {helion.signature = {x = "bf16[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %out = helion.empty(%m, %n) {name = "out"} : !out
    helion.block @bi tile
    helion.block @rn slice
    helion.launch "softmax" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
        %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
        %v = helion.load %x[%i, %s] site "x.0" : !arg, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !xb
        %f = arith.extf %v : !xb to !xf
        %mx = helion.reduce maximumf %f dim 1 site "max.0" : !xf -> !row
        %mb = helion.broadcast %mx to [0] : !row -> !xf
        %d = arith.subf %f, %mb : !xf
        %e = math.exp %d : !xf
        %sum = helion.reduce addf %e dim 1 site "sum.0" : !xf -> !row
        %sb = helion.broadcast %sum to [0] : !row -> !xf
        %q = arith.divf %e, %sb : !xf
        %o = arith.truncf %q : !xf to !xb
        helion.store %o, %out[%i, %s] site "out.0" : !xb, !out, (!helion.tile<bi@i>, !helion.tile<rn@n>)
      }
    }
    helion.return %out : !out
  }
}
