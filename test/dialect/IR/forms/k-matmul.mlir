// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, matmul: two-level tiles, addmm into an f32 accumulator, cast on store.
!arg = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!out = memref<?x?xbf16>
!a   = tensor<?x?xbf16, #helion.dims<bm@i, bk@k>>
!b   = tensor<?x?xbf16, #helion.dims<bk@k, bn@j>>
!acc = tensor<?x?xf32, #helion.dims<bm@i, bn@j>>
!c   = tensor<?x?xbf16, #helion.dims<bm@i, bn@j>>
module attributes {helion.form = "kernel"} {
  helion.kernel @matmul(%x: !arg {helion.name = "x"}, %y: !arg {helion.name = "y"}) -> !out
      attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %kk = memref.dim %x, %c1 : !arg
    %k2 = memref.dim %y, %c0 : !arg
    %n = memref.dim %y, %c1 : !arg
    %same = arith.cmpi eq, %kk, %k2 : index
    helion.assert %same, "x.size(1) == y.size(0)"
    %out = helion.empty(%m, %n) {name = "out"} : !out
    helion.block @bm tile
    helion.block @bn tile
    helion.block @bk tile
    helion.launch "matmul" {
      helion.tile (%i: !helion.tile<bm@i>, %j: !helion.tile<bn@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
        %z = arith.constant 0.0 : f32
        %zero = helion.splat %z : f32 -> !acc
        %r = helion.tile (%k: !helion.tile<bk@k>) = (%c0) to (%kk) iter_args(%acc = %zero) -> (!acc) site "loop.k" {
          %a = helion.load %x[%i, %k] site "x.0" : !arg, (!helion.tile<bm@i>, !helion.tile<bk@k>) -> !a
          %b = helion.load %y[%k, %j] site "y.0" : !arg, (!helion.tile<bk@k>, !helion.tile<bn@j>) -> !b
          %d = helion.dot %a, %b, %acc site "dot.0" precision ieee : !a, !b, !acc
          helion.yield %d : !acc
        } combine(%p: !acc, %q: !acc) {
          %s = arith.addf %p, %q : !acc
          helion.yield %s : !acc
        }
        %c = arith.truncf %r : !acc to !c
        helion.store %c, %out[%i, %j] site "out.0" : !c, !out, (!helion.tile<bm@i>, !helion.tile<bn@j>)
      }
    }
    helion.return %out : !out
  }
}
