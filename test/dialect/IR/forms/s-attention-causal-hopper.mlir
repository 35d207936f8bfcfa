// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt --helion-verify-form=form=scheduled -o /dev/null
// RUN: helion-opt --helion-verify-form=form=scheduled %s -o /dev/null
// S, causal attention for Hopper. Choices applied: bb=1 squeezed, heads fastest, query tiles and key blocks descending, the range of keys split
// (diagonal block peeled and masked; all-masked iterations dropped), stage dot.pv=1 (expanded: P carried).
// Dots are still synchronous; the order inside the loop body is already the issue order (dot.qk, dot.pv, softmax, rescale).
!arg = memref<?x?x?x128xbf16, strided<[?, ?, ?, ?], offset: ?>>
!view = memref<?x?x128xbf16, strided<[?, ?, ?], offset: ?>>
!viewt = memref<?x128x?xbf16, strided<[?, ?, ?], offset: ?>>
!oview = memref<?x?x128xbf16>
!irow = tensor<128xindex>
!icol = tensor<128xindex>
!is  = tensor<128x128xindex>
!ps  = tensor<128x128xi1>
!s   = tensor<128x128xf32>
!p   = tensor<128x128xbf16>
!row = tensor<128xf32>
!o   = tensor<128x128xf32>
!t1  = !helion.tile<128>
module attributes {helion.form = "scheduled"} {
  helion.kernel @attention_causal(%q: !arg {helion.name = "q"}, %k: !arg {helion.name = "k"}, %v: !arg {helion.name = "v"}) -> memref<?x?x?x128xbf16>
      attributes {helion.signature = {q = "bf16[4]", k = "bf16[4]", v = "bf16[4]", "q.size(3)" = 128 : index}, helion.blocks = {bb = 1 : i64, bm = 128 : i64, bn = 128 : i64}, helion.facts = [#helion.pred<"q.size(3) == 128">, #helion.pred<"k.size(2) >= q.size(2)">, #helion.pred<"q.size(2) <= 2147483647">]} {
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
    helion.launch "attention_causal" grid(%bh, %nq) {
      %pb = helion.program_id "x"
      %py = helion.program_id "y"
      %nq1 = arith.subi %nq, %c1 : index
      %qt = arith.subi %nq1, %py : index  // reversed: heavy tiles first
      %i0 = arith.muli %qt, %c128 : index
      %blk = arith.addi %qt, %c1 : index  // iterations that are not all masked
      %i = helion.make_tile %i0 end %m : !helion.tile<128>
      %d = helion.make_tile %c0 : !t1
      %ninf = arith.constant 0xFF800000 : f32
      %z = arith.constant 0.0 : f32
      %scale = arith.constant 0.1275312 : f32
      %sc = helion.splat %scale : f32 -> !s
      %q0 = helion.load %qv[%pb, %i, %d] site "q.0" {access = "tensor_desc"} : !view, (index, !t1, !t1) -> !p
      // peeled: the diagonal block
      %n0 = helion.make_tile %i0 end %nn : !helion.tile<128>
      %k0 = helion.load %kt[%pb, %d, %n0] site "k.0" {access = "tensor_desc"} : !viewt, (index, !t1, !t1) -> !p
      %zs = helion.splat %z : f32 -> !s
      %s0 = helion.dot %q0, %k0, %zs site "dot.qk" precision ieee : !p, !p, !s
      %qs0 = arith.mulf %s0, %sc : !s
      %qi0 = helion.iota %i : !helion.tile<128> -> !irow
      %ki0 = helion.iota %n0 : !helion.tile<128> -> !icol
      %qb0 = helion.broadcast %qi0 to [0] : !irow -> !is
      %kb0 = helion.broadcast %ki0 to [1] : !icol -> !is
      %keep0 = arith.cmpi sge, %qb0, %kb0 : !is
      %nis0 = helion.splat %ninf : f32 -> !s
      %qk0 = arith.select %keep0, %qs0, %nis0 : !ps, !s
      %mx0 = helion.reduce maximumf %qk0 dim 1 site "max.0" : !s -> !row
      %mb0 = helion.broadcast %mx0 to [0] : !row -> !s
      %qd0 = arith.subf %qk0, %mb0 : !s
      %p0 = math.exp2 %qd0 : !s
      %ls0 = helion.reduce addf %p0 dim 1 site "sum.0" : !s -> !row
      %pb0 = arith.truncf %p0 : !s to !p
      %o0 = helion.splat %z : f32 -> !o
      %r:4 = scf.for %j = %c1 to %blk step %c1 iter_args(%oi = %o0, %pi = %pb0, %mi = %mx0, %li = %ls0) -> (!o, !p, !row, !row) {
        %e1 = arith.subi %blk, %j : index
        %f1 = arith.subi %e1, %c1 : index
        %g1 = arith.muli %f1, %c128 : index
        %n1 = helion.make_tile %g1 : !helion.tile<128>
        %ev = arith.subi %blk, %j : index
        %gv = arith.muli %ev, %c128 : index
        %nv = helion.make_tile %gv end %nn : !helion.tile<128>  // the block on the diagonal first, which may be ragged
        %k1 = helion.load %kt[%pb, %d, %n1] site "k.0" {access = "tensor_desc"} : !viewt, (index, !t1, !t1) -> !p
        %s1 = helion.dot %q0, %k1, %zs site "dot.qk" precision ieee : !p, !p, !s
        %v1 = helion.load %vv[%pb, %nv, %d] site "v.0" {access = "tensor_desc"} : !view, (index, !t1, !t1) -> !p
        %o1 = helion.dot %pi, %v1, %oi site "dot.pv" precision ieee {stage = 1 : i64} : !p, !p, !o
        %qs1 = arith.mulf %s1, %sc : !s
        %mx1 = helion.reduce maximumf %qs1 dim 1 site "max.0" : !s -> !row
        %mn1 = arith.maximumf %mi, %mx1 : !row
        %mb1 = helion.broadcast %mn1 to [0] : !row -> !s
        %qd1 = arith.subf %qs1, %mb1 : !s
        %p1 = math.exp2 %qd1 : !s
        %ls1 = helion.reduce addf %p1 dim 1 site "sum.0" : !s -> !row
        %md1 = arith.subf %mi, %mn1 : !row
        %al1 = math.exp2 %md1 : !row
        %la1 = arith.mulf %li, %al1 : !row
        %ln1 = arith.addf %la1, %ls1 : !row
        %pb1 = arith.truncf %p1 : !s to !p
        %ab = helion.broadcast %al1 to [0] : !row -> !o
        %o2 = arith.mulf %o1, %ab : !o
        scf.yield %o2, %pb1, %mn1, %ln1 : !o, !p, !row, !row
      } {site = "loop.n"}
      %nl = helion.make_tile %c0 end %nn : !t1
      %v2 = helion.load %vv[%pb, %nl, %d] site "v.0" {access = "tensor_desc"} : !view, (index, !t1, !t1) -> !p
      %of = helion.dot %r#1, %v2, %r#0 site "dot.pv" precision ieee {stage = 1 : i64} : !p, !p, !o
      %lb = helion.broadcast %r#3 to [0] : !row -> !o
      %on = arith.divf %of, %lb : !o
      %ob = arith.truncf %on : !o to !p
      helion.store %ob, %ov[%pb, %i, %d] site "out.0" {access = "tensor_desc"} : !p, !oview, (index, !t1, !t1)
    }
    helion.return %out : memref<?x?x?x128xbf16>
  }
}
