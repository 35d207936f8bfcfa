// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt --helion-verify-form=form=laidout -o /dev/null
// RUN: helion-opt --helion-verify-form=form=laidout %s -o /dev/null
// L, matmul for Hopper as l-matmul-hopper.mlir, with clusters of two programs one below the other: both need the same block of y, each
// copies half of it to both, so the ring is filled by the cluster and a slot is empty when the consumers of both have released it.
#acc  = #helion.layout<[64, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], repeat = [reg 1 x 32, group 0 x 2]>
#acch = #helion.layout<[64, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], repeat = [reg 1 x 16, group 0 x 2]>
#sA   = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], repeat = [offset 0 x 16]>
#sB   = #helion.layout<[64, 8], offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4]], repeat = [offset 1 x 32]>
#sC   = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], repeat = [offset 0 x 8, offset 1 x 2, group 0 x 2]>
#boxB = #helion.layout<[64, 8], offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4]], repeat = [offset 1 x 16]>
#box  = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], repeat = [offset 0 x 8]>
!arg = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!out = memref<?x?xbf16>
!A = tensor<128x64xbf16, #sA>
!B = tensor<64x256xbf16, #sB>
!C = tensor<128x128xbf16, #sC>
!acc = tensor<128x256xf32, #acc>
!accb = tensor<128x256xbf16, #acc>
!half = tensor<128x128xbf16, #acch>
!tok = !helion.token<!acc>
!mA = !helion.tensor_map<[128, 64], !A>
!mB = !helion.tensor_map<[64, 128], tensor<64x128xbf16, #boxB>>
!mC = !helion.tensor_map<[64, 64], tensor<64x64xbf16, #box>>
!rAB = !helion.ring<4 x (!A, !B)>
!rC = !helion.ring<1 x (!C)>
!ti = !helion.tile<128>
!tj = !helion.tile<256>
!tk = !helion.tile<64>
module attributes {helion.form = "laidout", helion.target = "nvidia:sm_90a"} {
  helion.kernel @matmul(%x: !arg {helion.name = "x"}, %y: !arg {helion.name = "y"}) -> !out
      attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.blocks = {bm = 128 : i64, bn = 256 : i64, bk = 64 : i64}, helion.facts = [#helion.pred<"x.stride(1) == 1">, #helion.pred<"x.stride(0) * 2 % 16 == 0">, #helion.pred<"x.align % 16 == 0">, #helion.pred<"y.stride(0) == 1">, #helion.pred<"y.stride(1) * 2 % 16 == 0">, #helion.pred<"y.align % 16 == 0">, #helion.pred<"y.size(1) * 2 % 16 == 0">, #helion.pred<"x.size(0) <= 2147483647">, #helion.pred<"x.size(1) >= 1">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %G = arith.constant 16 : index
    %m = memref.dim %x, %c0 : !arg
    %kk = memref.dim %x, %c1 : !arg
    %n = memref.dim %y, %c1 : !arg
    %out = helion.empty(%m, %n) {name = "out"} : !out
    %c2 = arith.constant 2 : index
    // Tiles of a cluster: 256 rows. One cluster per pair of SMs.
    %Tm = arith.ceildivui %m, %c256 : index
    %Tn = arith.ceildivui %n, %c256 : index
    %T = arith.muli %Tm, %Tn : index
    %gsz = arith.muli %G, %Tn : index
    %sms = helion.device_fact "sms"
    %pairs = arith.divui %sms, %c2 : index
    %clusters = arith.minui %T, %pairs : index
    %grid = arith.muli %clusters, %c2 : index
    %mA = helion.tensor_map %x site "x.0" fill 0.0 : !arg -> !mA
    %mB = helion.tensor_map %y site "y.0" fill 0.0 : !arg -> !mB
    %mC = helion.tensor_map %out site "out.0" : !out -> !mC
    helion.launch "matmul" grid(%grid) attributes {cluster = array<i64: 2, 1, 1>} {
      %pid = helion.program_id "x"
      %p = arith.divui %pid, %c2 : index
      %rank = arith.remui %pid, %c2 : index
      %nps = helion.num_programs "x"
      %np = arith.divui %nps, %c2 : index
      %ring = helion.ring "x.0+y.0" cluster : !rAB
      %cring = helion.ring "out.0" : !rC
      helion.warp_groups {
        helion.group "producer" count 1 warps 4 regs 40 elected {
          scf.for %t = %p to %T step %np {
            %grp = arith.divui %t, %gsz : index
            %rem = arith.remui %t, %gsz : index
            %fm = arith.muli %grp, %G : index
            %left = arith.subi %Tm, %fm : index
            %g = arith.minui %left, %G : index
            %im = arith.remui %rem, %g : index
            %tc = arith.addi %fm, %im : index
            %t2 = arith.muli %tc, %c2 : index
            %ti = arith.addi %t2, %rank : index
            %tj = arith.divui %rem, %g : index
            %i0 = arith.muli %ti, %c128 : index
            %j0 = arith.muli %tj, %c256 : index
            %i = helion.make_tile %i0 end %m : !ti
            %j = helion.make_tile %j0 end %n : !tj
            scf.for %k0 = %c0 to %kk step %c64 {
              %k = helion.make_tile %k0 end %kk : !tk
              %s, %a, %b = helion.acquire %ring : !rAB
              helion.load_async %mA[%i, %k] into %a site "x.0" : !mA, (!ti, !tk), !helion.buf<!A>
              helion.load_async %mB[%k, %j] into %b multicast site "y.0" : !mB, (!tk, !tj), !helion.buf<!B>
              helion.commit %s : !helion.slot<write>
            } {site = "loop.k"}
          } {site = "loop.ij"}
        }
        helion.group "consumer" count 2 warps 4 regs 232 {
          scf.for %t = %p to %T step %np {
            %grp = arith.divui %t, %gsz : index
            %rem = arith.remui %t, %gsz : index
            %fm = arith.muli %grp, %G : index
            %left = arith.subi %Tm, %fm : index
            %g = arith.minui %left, %G : index
            %im = arith.remui %rem, %g : index
            %tc = arith.addi %fm, %im : index
            %t2 = arith.muli %tc, %c2 : index
            %ti = arith.addi %t2, %rank : index
            %tj = arith.divui %rem, %g : index
            %i0 = arith.muli %ti, %c128 : index
            %j0 = arith.muli %tj, %c256 : index
            %i = helion.make_tile %i0 end %m : !ti
            // The first k block is peeled (fact: x.size(1) >= 1): without an accumulator operand the dot starts from zero.
            %s0, %a0, %b0 = helion.take %ring : !rAB
            %t0 = helion.dot_async %a0, %b0 site "dot.0" : !helion.buf<!A>, !helion.buf<!B> -> !tok
            %r:2 = scf.for %k0 = %c64 to %kk step %c64 iter_args(%tp = %t0, %sp = %s0) -> (!tok, !helion.slot<read>) {
              %s1, %a1, %b1 = helion.take %ring : !rAB
              %t1 = helion.dot_async %a1, %b1 acc %tp : !tok site "dot.0" : !helion.buf<!A>, !helion.buf<!B> -> !tok
              helion.release %sp after %tp : !helion.slot<read>, !tok
              scf.yield %t1, %s1 : !tok, !helion.slot<read>
            } {site = "loop.k"}
            %v = helion.wait %r#0 : !tok
            helion.release %r#1 : !helion.slot<read>
            %c = arith.truncf %v : !acc to !accb
            %left0 = helion.subtile %c at [0, 0] : !accb -> !half
            %cs0, %cb0 = helion.acquire %cring : !rC
            helion.write %left0, %cb0 : !half, !helion.buf<!C>
            %ja = helion.make_tile %j0 end %n : !ti
            helion.store_async %cb0 of %cs0, %mC[%i, %ja] site "out.0" : !helion.buf<!C>, !helion.slot<write>, !mC, (!ti, !ti)
            %right0 = helion.subtile %c at [0, 128] : !accb -> !half
            %cs1, %cb1 = helion.acquire %cring : !rC
            helion.write %right0, %cb1 : !half, !helion.buf<!C>
            %j1 = arith.addi %j0, %c128 : index
            %jb = helion.make_tile %j1 end %n : !ti
            helion.store_async %cb1 of %cs1, %mC[%i, %jb] site "out.0" : !helion.buf<!C>, !helion.slot<write>, !mC, (!ti, !ti)
          } {site = "loop.ij"}
        }
      }
    }
    helion.return %out : !out
  }
}
