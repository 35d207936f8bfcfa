// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt --helion-verify-form=form=laidout -o /dev/null
// RUN: helion-opt --helion-verify-form=form=laidout %s -o /dev/null
// L, causal attention for Hopper: rings of 2 for K and for V, one slot for Q, two consumer groups of 64 rows in turn, P*V one iteration
// late (P is carried in registers in the accumulator's layout, which is that of the register operand), only the peeled first block of keys
// masked, row sums kept per thread until the end, O staged in Q's storage.
#s    = #helion.layout<[64, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], repeat = [reg 1 x 16, group 0 x 2]>
#row  = #helion.layout<[64], reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]], repeat = [group 0 x 2]>
#lp   = #helion.layout<[64, 4], reg = [[8, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], repeat = [group 0 x 2]>
#col  = #helion.layout<[8], reg = [[1]], lane = [[2], [4]], repeat = [reg 0 x 16]>
#sQ   = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], repeat = [offset 0 x 8, offset 1 x 2, group 0 x 2]>
#sK   = #helion.layout<[64, 8], offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4]], repeat = [offset 1 x 16, offset 0 x 2]>
#sV   = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], repeat = [offset 0 x 16, offset 1 x 2]>
#boxQ = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], repeat = [offset 0 x 8]>
#boxK = #helion.layout<[64, 8], offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4]], repeat = [offset 1 x 16]>
#boxV = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], repeat = [offset 0 x 16]>
!arg = memref<?x?x?x128xbf16, strided<[?, ?, ?, ?], offset: ?>>
!view = memref<?x?x128xbf16, strided<[?, ?, ?], offset: ?>>
!viewt = memref<?x128x?xbf16, strided<[?, ?, ?], offset: ?>>
!oview = memref<?x?x128xbf16>
!Q = tensor<128x128xbf16, #sQ>
!K = tensor<128x128xbf16, #sK>
!V = tensor<128x128xbf16, #sV>
!irow = tensor<128xindex, #row>
!icol = tensor<128xindex, #col>
!is  = tensor<128x128xindex, #s>
!ps  = tensor<128x128xi1, #s>
!s   = tensor<128x128xf32, #s>
!p   = tensor<128x128xbf16, #s>
!row = tensor<128xf32, #row>
!lp  = tensor<128x4xf32, #lp>
!o   = tensor<128x128xf32, #s>
!t1  = !helion.tile<128>
!tok = !helion.token<!s>
!rd  = !helion.slot<read>
!wr  = !helion.slot<write>
!bQ = !helion.buf<!Q>
!bK = !helion.buf<!K>
!bV = !helion.buf<!V>
!mQ = !helion.tensor_map<[1, 64, 64], tensor<64x64xbf16, #boxQ>>
!mK = !helion.tensor_map<[1, 64, 128], tensor<64x128xbf16, #boxK>>
!mV = !helion.tensor_map<[1, 128, 64], tensor<128x64xbf16, #boxV>>
!rQ = !helion.ring<1 x (!Q)>
!rK = !helion.ring<2 x (!K)>
!rV = !helion.ring<2 x (!V)>
module attributes {helion.form = "laidout", helion.target = "nvidia:sm_90a"} {
  helion.kernel @attention_causal(%q: !arg {helion.name = "q"}, %k: !arg {helion.name = "k"}, %v: !arg {helion.name = "v"}) -> memref<?x?x?x128xbf16>
      attributes {helion.signature = {q = "bf16[4]", k = "bf16[4]", v = "bf16[4]", "q.size(3)" = 128 : index}, helion.blocks = {bb = 1 : i64, bm = 128 : i64, bn = 128 : i64}, helion.facts = [#helion.pred<"q.size(3) == 128">, #helion.pred<"k.size(2) >= q.size(2)">, #helion.pred<"q.stride(3) == 1">, #helion.pred<"q.stride(2) * 2 % 16 == 0">, #helion.pred<"q.stride(0) == q.size(1) * q.stride(1)">, #helion.pred<"q.align % 16 == 0">, #helion.pred<"k.stride(3) == 1">, #helion.pred<"k.stride(2) * 2 % 16 == 0">, #helion.pred<"k.stride(0) == k.size(1) * k.stride(1)">, #helion.pred<"k.align % 16 == 0">, #helion.pred<"v.stride(3) == 1">, #helion.pred<"v.stride(2) * 2 % 16 == 0">, #helion.pred<"v.stride(0) == v.size(1) * v.stride(1)">, #helion.pred<"v.align % 16 == 0">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %nb = memref.dim %q, %c0 : !arg
    %nh = memref.dim %q, %c1 : !arg
    %m = memref.dim %q, %c2 : !arg
    %nn = memref.dim %k, %c2 : !arg
    %bh = arith.muli %nb, %nh : index
    %out = helion.empty(%nb, %nh, %m) {name = "out"} : memref<?x?x?x128xbf16>
    %qv = memref.collapse_shape %q [[0, 1], [2], [3]] {helion.view = "reshape"} : !arg into !view
    %kv = memref.collapse_shape %k [[0, 1], [2], [3]] {helion.view = "reshape"} : !arg into !view
    %vv = memref.collapse_shape %v [[0, 1], [2], [3]] {helion.view = "reshape"} : !arg into !view
    %kt = memref.transpose %kv (a, b, c) -> (a, c, b) : !view to !viewt
    %ov = memref.collapse_shape %out [[0, 1], [2], [3]] : memref<?x?x?x128xbf16> into !oview
    %nq = arith.ceildivui %m, %c128 : index
    // Maps of rank 3: a ragged last row block reads zeros, not the next head.
    %mQ = helion.tensor_map %qv site "q.0" fill 0.0 : !view -> !mQ
    %mK = helion.tensor_map %kt site "k.0" fill 0.0 : !viewt -> !mK
    %mV = helion.tensor_map %vv site "v.0" fill 0.0 : !view -> !mV
    %mO = helion.tensor_map %ov site "out.0" : !oview -> !mQ
    helion.launch "attention_causal" grid(%bh, %nq) {
      %pb = helion.program_id "x"
      %py = helion.program_id "y"
      %nq1 = arith.subi %nq, %c1 : index
      %qt = arith.subi %nq1, %py : index  // reversed: heavy tiles first, heads fastest
      %i0 = arith.muli %qt, %c128 : index
      %blk = arith.addi %qt, %c1 : index  // blocks of keys that are not all masked, from the diagonal down
      %i = helion.make_tile %i0 end %m : !t1
      %d = helion.make_tile %c0 : !t1
      %qr = helion.ring "q.0" : !rQ
      %kr = helion.ring "k.0" : !rK
      %vr = helion.ring "v.0" : !rV
      %or = helion.ring "out.0" overlay "q.0" : !rQ
      %turn = helion.turn
      helion.warp_groups {
        helion.group "producer" count 1 warps 4 regs 24 elected {
          %qs, %qb = helion.acquire %qr : !rQ
          helion.load_async %mQ[%pb, %i, %d] into %qb site "q.0" : !mQ, (index, !t1, !t1), !bQ
          helion.commit %qs : !wr
          scf.for %j = %c0 to %blk step %c1 {
            %e = arith.subi %blk, %j : index
            %f = arith.subi %e, %c1 : index
            %g = arith.muli %f, %c128 : index
            %n = helion.make_tile %g end %nn : !t1
            %ks, %kb = helion.acquire %kr : !rK
            helion.load_async %mK[%pb, %d, %n] into %kb site "k.0" : !mK, (index, !t1, !t1), !bK
            helion.commit %ks : !wr
            %vs, %vb = helion.acquire %vr : !rV
            helion.load_async %mV[%pb, %n, %d] into %vb site "v.0" : !mV, (index, !t1, !t1), !bV
            helion.commit %vs : !wr
          } {site = "loop.n"}
        }
        helion.group "consumer" count 2 warps 4 regs 240 {
          %ninf = arith.constant 0xFF800000 : f32
          %z = arith.constant 0.0 : f32
          %scale = arith.constant 0.1275312 : f32
          %sc = helion.splat %scale : f32 -> !s
          %qs, %q0 = helion.take %qr : !rQ
          %ks0, %k0 = helion.take %kr : !rK
          %ts0 = helion.ordered %turn -> !tok {
            %t = helion.dot_async %q0, %k0 site "dot.qk" : !bQ, !bK -> !tok
            helion.yield %t : !tok
          }
          %s0 = helion.wait %ts0 : !tok
          helion.release %ks0 : !rd
          // peeled: the block on the diagonal, the only one with a mask
          %n0 = helion.make_tile %i0 end %nn : !t1
          %qs0 = arith.mulf %s0, %sc : !s
          %qi0 = helion.iota %i : !t1 -> !irow
          %ki0 = helion.iota %n0 : !t1 -> !icol
          %qb0 = helion.broadcast %qi0 to [0] : !irow -> !is
          %kb0 = helion.broadcast %ki0 to [1] : !icol -> !is
          %keep0 = arith.cmpi sge, %qb0, %kb0 : !is
          %nis0 = helion.splat %ninf : f32 -> !s
          %qk0 = arith.select %keep0, %qs0, %nis0 : !ps, !s
          %mx0 = helion.reduce maximumf %qk0 dim 1 site "max.0" : !s -> !row
          %mb0 = helion.broadcast %mx0 to [0] : !row -> !s
          %qd0 = arith.subf %qk0, %mb0 : !s
          %p0 = math.exp2 %qd0 : !s
          %ls0 = helion.reduce_in_thread addf %p0 dim 1 site "sum.0" : !s -> !lp
          %pb0 = arith.truncf %p0 : !s to !p
          %o0 = helion.splat %z : f32 -> !o
          %r:4 = scf.for %j = %c1 to %blk step %c1 iter_args(%oi = %o0, %pi = %pb0, %mi = %mx0, %li = %ls0) -> (!o, !p, !row, !lp) {
            %ks1, %k1 = helion.take %kr : !rK
            // the turn covers the issue only: both dots are in flight when it passes on
            %ts1, %to1, %vs1 = helion.ordered %turn -> !tok, !tok, !rd {
              %t = helion.dot_async %q0, %k1 site "dot.qk" : !bQ, !bK -> !tok
              %vs, %v1 = helion.take %vr : !rV
              %u = helion.dot_async %pi, %v1 acc %oi : !o site "dot.pv" : !p, !bV -> !tok
              helion.yield %t, %u, %vs : !tok, !tok, !rd
            }
            %s1 = helion.wait %ts1 : !tok
            helion.release %ks1 : !rd
            %qs1 = arith.mulf %s1, %sc : !s
            %mx1 = helion.reduce maximumf %qs1 dim 1 site "max.0" : !s -> !row
            %mn1 = arith.maximumf %mi, %mx1 : !row
            %mb1 = helion.broadcast %mn1 to [0] : !row -> !s
            %qd1 = arith.subf %qs1, %mb1 : !s
            %p1 = math.exp2 %qd1 : !s
            %ls1 = helion.reduce_in_thread addf %p1 dim 1 site "sum.0" : !s -> !lp
            %md1 = arith.subf %mi, %mn1 : !row
            %al1 = math.exp2 %md1 : !row
            %alp1 = helion.broadcast %al1 to [0] : !row -> !lp
            %la1 = arith.mulf %li, %alp1 : !lp
            %ln1 = arith.addf %la1, %ls1 : !lp
            %pb1 = arith.truncf %p1 : !s to !p
            %o1 = helion.wait %to1 : !tok
            helion.release %vs1 : !rd
            %ab = helion.broadcast %al1 to [0] : !row -> !o
            %o2 = arith.mulf %o1, %ab : !o
            scf.yield %o2, %pb1, %mn1, %ln1 : !o, !p, !row, !lp
          } {site = "loop.n"}
          helion.release %qs : !rd
          %tf, %vs2 = helion.ordered %turn -> !tok, !rd {
            %vs, %v2 = helion.take %vr : !rV
            %u = helion.dot_async %r#1, %v2 acc %r#0 : !o site "dot.pv" : !p, !bV -> !tok
            helion.yield %u, %vs : !tok, !rd
          }
          %of = helion.wait %tf : !tok
          helion.release %vs2 : !rd
          %l = helion.reduce addf %r#3 dim 1 site "sum.0" : !lp -> !row
          %lb = helion.broadcast %l to [0] : !row -> !o
          %on = arith.divf %of, %lb : !o
          %ob = arith.truncf %on : !o to !p
          %os, %obuf = helion.acquire %or : !rQ
          helion.write %ob, %obuf : !p, !bQ
          helion.store_async %obuf of %os, %mO[%pb, %i, %d] site "out.0" : !bQ, !wr, !mQ, (index, !t1, !t1)
        }
      }
    }
    helion.return %out : memref<?x?x?x128xbf16>
  }
}
