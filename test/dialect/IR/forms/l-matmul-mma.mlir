// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt --helion-verify-form=form=laidout -o /dev/null
// RUN: helion-opt --helion-verify-form=form=laidout %s -o /dev/null
// L, matmul on the portable path at 128x96x32: no groups, four warps of 2 x 2, a ring of 3 that all threads fill by asynchronous copies
// two iterations ahead, fragments read from it (ldmatrix follows from the layouts), synchronous dots, and a store from registers after
// a change of layout to whole rows. The columns, 96, are no power of two.
#acc = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], repeat = [reg 1 x 6, reg 0 x 4, warp 0 x 2, warp 1 x 2]>
#fA  = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], repeat = [reg 1 x 2, reg 0 x 4, warp 0 x 2]>
#fB  = #helion.layout<[16, 8], reg = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], repeat = [reg 1 x 6, reg 0 x 2, warp 1 x 2 from 2]>
#sA  = #helion.layout<[8, 32], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16]], repeat = [offset 0 x 16]>
#sB  = #helion.layout<[8, 32], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16]], repeat = [offset 0 x 4, offset 1 x 3]>
#row = #helion.layout<[1, 8], reg = [[0, 1], [0, 2], [0, 4]], repeat = [lane 1 x 4, lane 0 x 8, warp 0 x 4, reg 1 x 3, reg 0 x 4]>
!arg = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!out = memref<?x?xbf16>
!A = tensor<128x32xbf16, #sA>
!B = tensor<32x96xbf16, #sB>
!acc = tensor<128x96xf32, #acc>
!ring = !helion.ring<3 x (!A, !B)>
!ti = !helion.tile<128>
!tj = !helion.tile<96>
!tk = !helion.tile<32>
module attributes {helion.form = "laidout", helion.target = "nvidia:sm_80"} {
  helion.kernel @matmul(%x: !arg {helion.name = "x"}, %y: !arg {helion.name = "y"}) -> !out
      attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.blocks = {bm = 128 : i64, bn = 96 : i64, bk = 32 : i64}, helion.facts = [#helion.pred<"x.stride(1) == 1">, #helion.pred<"y.stride(1) == 1">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %c128 = arith.constant 128 : index
    %m = memref.dim %x, %c0 : !arg
    %kk = memref.dim %x, %c1 : !arg
    %n = memref.dim %y, %c1 : !arg
    %out = helion.empty(%m, %n) {name = "out"} : !out
    %Tm = arith.ceildivui %m, %c128 : index
    %Tn = arith.ceildivui %n, %c96 : index
    helion.launch "matmul" grid(%Tm, %Tn) attributes {warps = 4 : i64} {
      %ti = helion.program_id "x"
      %tj = helion.program_id "y"
      %i0 = arith.muli %ti, %c128 : index
      %j0 = arith.muli %tj, %c96 : index
      %i = helion.make_tile %i0 end %m : !ti
      %j = helion.make_tile %j0 end %n : !tj
      %ring = helion.ring "x.0+y.0" : !ring
      scf.for %k0 = %c0 to %c64 step %c32 {
        %k = helion.make_tile %k0 end %kk : !tk
        %s, %a, %b = helion.acquire %ring : !ring
        helion.load_async %x[%i, %k] into %a site "x.0" : !arg, (!ti, !tk), !helion.buf<!A>
        helion.load_async %y[%k, %j] into %b site "y.0" : !arg, (!tk, !tj), !helion.buf<!B>
        helion.commit %s : !helion.slot<write>
      }
      %z = arith.constant 0.0 : f32
      %zero = helion.splat %z : f32 -> !acc
      %r = scf.for %k0 = %c0 to %kk step %c32 iter_args(%acc = %zero) -> (!acc) {
        // Beyond the last block the copies write zeros that nobody takes.
        %k2 = arith.addi %k0, %c64 : index
        %k = helion.make_tile %k2 end %kk : !tk
        %s, %a, %b = helion.acquire %ring : !ring
        helion.load_async %x[%i, %k] into %a site "x.0" : !arg, (!ti, !tk), !helion.buf<!A>
        helion.load_async %y[%k, %j] into %b site "y.0" : !arg, (!tk, !tj), !helion.buf<!B>
        helion.commit %s : !helion.slot<write>
        %u, %ta, %tb = helion.take %ring : !ring
        %va = helion.read %ta : !helion.buf<!A> -> tensor<128x32xbf16, #fA>
        %vb = helion.read %tb : !helion.buf<!B> -> tensor<32x96xbf16, #fB>
        helion.release %u : !helion.slot<read>
        %d = helion.dot %va, %vb, %acc site "dot.0" precision ieee : tensor<128x32xbf16, #fA>, tensor<32x96xbf16, #fB>, !acc
        scf.yield %d : !acc
      } {site = "loop.k"}
      %c = arith.truncf %r : !acc to tensor<128x96xbf16, #acc>
      %w = helion.convert_layout %c : tensor<128x96xbf16, #acc> -> tensor<128x96xbf16, #row>
      helion.store %w, %out[%i, %j] site "out.0" {access = "pointer"} : tensor<128x96xbf16, #row>, !out, (!ti, !tj)
    }
    helion.return %out : !out
  }
}
