// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, jagged mean: rows of a ragged [L, M] buffer given by offsets; the inner bound is loaded data, the mask is a value.
!data = memref<?x?xf32, strided<[?, ?], offset: ?>>
!offs = memref<?xi64, strided<[?], offset: ?>>
!bi  = tensor<?xi64, #helion.dims<bb@b>>
!bf  = tensor<?xf32, #helion.dims<bb@b>>
!bm  = tensor<?x?xf32, #helion.dims<bb@b, bm@m>>
!bk  = tensor<?x?xi64, #helion.dims<bb@b, bk@k>>
!bkp = tensor<?x?xi1, #helion.dims<bb@b, bk@k>>
!bkm = tensor<?x?x?xf32, #helion.dims<bb@b, bk@k, bm@m>>
!bkmp = tensor<?x?x?xi1, #helion.dims<bb@b, bk@k, bm@m>>
module attributes {helion.form = "kernel"} {
  helion.kernel @jagged_mean(%x: !data {helion.name = "x"}, %o: !offs {helion.name = "offsets"}) -> memref<?x?xf32> attributes {helion.signature = {x = "f32[2]", offsets = "i64[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %no = memref.dim %o, %c0 : !offs
    %rows = arith.subi %no, %c1 : index
    %m = memref.dim %x, %c1 : !data
    %out = helion.empty(%rows, %m) {name = "out"} : memref<?x?xf32>
    helion.block @bb tile
    helion.block @bm tile
    helion.block @bk tile
    helion.launch "jagged_mean" {
      helion.tile (%b: !helion.tile<bb@b>) = (%c0) to (%rows) site "loop.b" {
        %s = helion.load %o[%b] site "offsets.0" : !offs, (!helion.tile<bb@b>) -> !bi
        %b1 = helion.tile_shift %b, %c1 : !helion.tile<bb@b>
        %e = helion.load %o[%b1] site "offsets.1" : !offs, (!helion.tile<bb@b>) -> !bi
        %len = arith.subi %e, %s : !bi
        %mx64 = helion.reduce maxsi %len dim 0 site "max.0" : !bi -> i64
        %mx = arith.index_cast %mx64 : i64 to index
        helion.tile (%mt: !helion.tile<bm@m>) = (%c0) to (%m) site "loop.m" {
          %z = arith.constant 0.0 : f32
          %zero = helion.splat %z : f32 -> !bm
          %sum = helion.tile (%k: !helion.tile<bk@k>) = (%c0) to (%mx) iter_args(%a = %zero) -> (!bm) site "loop.k" {
            %ki = helion.iota %k : !helion.tile<bk@k> -> tensor<?xindex, #helion.dims<bk@k>>
            %k64 = arith.index_cast %ki : tensor<?xindex, #helion.dims<bk@k>> to tensor<?xi64, #helion.dims<bk@k>>
            %kb = helion.broadcast %k64 to [1] : tensor<?xi64, #helion.dims<bk@k>> -> !bk
            %sb = helion.broadcast %s to [0] : !bi -> !bk
            %row = arith.addi %sb, %kb : !bk
            %lb = helion.broadcast %len to [0] : !bi -> !bk
            %ok = arith.cmpi slt, %kb, %lb : !bk
            %ok3 = helion.broadcast %ok to [0, 1] : !bkp -> !bkmp
            %v = helion.load %x[%row, %mt] mask %ok3 : !bkmp site "x.0" : !data, (!bk, !helion.tile<bm@m>) -> !bkm
            %p = helion.reduce addf %v dim 1 site "sum.0" : !bkm -> !bm
            %a2 = arith.addf %a, %p : !bm
            helion.yield %a2 : !bm
          }
          %lf = arith.sitofp %len : !bi to !bf
          %lm = helion.broadcast %lf to [0] : !bf -> !bm
          %q = arith.divf %sum, %lm : !bm
          helion.store %q, %out[%b, %mt] site "out.0" : !bm, memref<?x?xf32>, (!helion.tile<bb@b>, !helion.tile<bm@m>)
        }
      }
    }
    helion.return %out : memref<?x?xf32>
  }
}
