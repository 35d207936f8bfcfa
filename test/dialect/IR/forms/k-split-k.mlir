// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, split-K matmul with atomics: the outer k tile is a grid dim with a registered block, the inner loop walks its span.
!arg = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!a   = tensor<?x?xbf16, #helion.dims<bm@i, bk@k>>
!b   = tensor<?x?xbf16, #helion.dims<bk@k, bn@j>>
!acc = tensor<?x?xf32, #helion.dims<bm@i, bn@j>>
!mn = memref<?x?xf32>
module attributes {helion.form = "kernel"} {
  helion.kernel @split_k(%x: !arg {helion.name = "x"}, %y: !arg {helion.name = "y"}) -> !mn attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %kk = memref.dim %x, %c1 : !arg
    %n = memref.dim %y, %c1 : !arg
    %z = arith.constant 0.0 : f32
    %out = helion.full(%m, %n), %z {name = "out"} : f32 -> !mn
    helion.block @bm tile
    helion.block @bn tile
    helion.block @bs registered
    helion.block @bk tile {max = @bs}
    helion.launch "split_k" {
      helion.tile (%i: !helion.tile<bm@i>, %j: !helion.tile<bn@j>, %o: !helion.tile<bs@o>) = (%c0, %c0, %c0) to (%m, %n, %kk) site "loop.ijo" {
        %zero = helion.splat %z : f32 -> !acc
        %lo = helion.tile_begin %o : !helion.tile<bs@o>
        %hi = helion.tile_end %o : !helion.tile<bs@o>
        %r = helion.tile (%k: !helion.tile<bk@k>) = (%lo) to (%hi) iter_args(%acc = %zero) -> (!acc) site "loop.k" {
          %a = helion.load %x[%i, %k] site "x.0" : !arg, (!helion.tile<bm@i>, !helion.tile<bk@k>) -> !a
          %b = helion.load %y[%k, %j] site "y.0" : !arg, (!helion.tile<bk@k>, !helion.tile<bn@j>) -> !b
          %d = helion.dot %a, %b, %acc site "dot.0" precision ieee : !a, !b, !acc
          helion.yield %d : !acc
        }
        %old = helion.atomic addf relaxed %r, %out[%i, %j] site "out.0" : !acc, !mn, (!helion.tile<bm@i>, !helion.tile<bn@j>) -> !acc
      }
    }
    helion.return %out : !mn
  }
}
