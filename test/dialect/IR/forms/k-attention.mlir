// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, attention forward, online softmax, batch*heads as a tiled dim, head_dim specialised to 128.
// The `combine` region says how the carried values of two disjoint sets of iterations merge: it licenses reversed order, split-KV, cluster split.
!arg = memref<?x?x?x128xbf16, strided<[?, ?, ?, ?], offset: ?>>
!view = memref<?x?x128xbf16, strided<[?, ?, ?], offset: ?>>
!viewt = memref<?x128x?xbf16, strided<[?, ?, ?], offset: ?>>
!q   = tensor<?x?x128xbf16, #helion.dims<bb@b, bm@i, 128>>
!k   = tensor<?x128x?xbf16, #helion.dims<bb@b, 128, bn@n>>
!v   = tensor<?x?x128xbf16, #helion.dims<bb@b, bn@n, 128>>
!s   = tensor<?x?x?xf32, #helion.dims<bb@b, bm@i, bn@n>>
!p   = tensor<?x?x?xbf16, #helion.dims<bb@b, bm@i, bn@n>>
!row = tensor<?x?xf32, #helion.dims<bb@b, bm@i>>
!o   = tensor<?x?x128xf32, #helion.dims<bb@b, bm@i, 128>>
module attributes {helion.form = "kernel"} {
  helion.kernel @attention(%q: !arg {helion.name = "q"}, %k: !arg {helion.name = "k"}, %v: !arg {helion.name = "v"}) -> memref<?x?x?x128xbf16>
      attributes {helion.signature = {q = "bf16[4]", k = "bf16[4]", v = "bf16[4]", "q.size(3)" = 128 : index}, helion.facts = [#helion.pred<"q.size(3) == 128">]} {
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
    // .reshape(bh, s, d): a view where q.stride(0) == q.size(1) * q.stride(1), else a plan step copies
    %qv = memref.collapse_shape %q [[0, 1], [2], [3]] {helion.view = "reshape"} : !arg into !view
    %kv = memref.collapse_shape %k [[0, 1], [2], [3]] {helion.view = "reshape"} : !arg into !view
    %vv = memref.collapse_shape %v [[0, 1], [2], [3]] {helion.view = "reshape"} : !arg into !view
    %kt = memref.transpose %kv (a, b, c) -> (a, c, b) : !view to !viewt
    %ov = memref.collapse_shape %out [[0, 1], [2], [3]] : memref<?x?x?x128xbf16> into memref<?x?x128xbf16>
    helion.block @bb tile
    helion.block @bm tile
    helion.block @bn tile
    helion.launch "attention" {
      helion.tile (%b: !helion.tile<bb@b>, %i: !helion.tile<bm@i>) = (%c0, %c0) to (%bh, %m) site "loop.bi" {
        %d = helion.range %c0 to %c128 site "slice.d" : !helion.tile<128>
        %ninf = arith.constant 0xFF800000 : f32
        %z = arith.constant 0.0 : f32
        %scale = arith.constant 0.1275312 : f32
        %m0 = helion.splat %ninf : f32 -> !row
        %l0 = helion.splat %z : f32 -> !row
        %o0 = helion.splat %z : f32 -> !o
        %q0 = helion.load %qv[%b, %i, %d] site "q.0" : !view, (!helion.tile<bb@b>, !helion.tile<bm@i>, !helion.tile<128>) -> !q
        %r:3 = helion.tile (%n: !helion.tile<bn@n>) = (%c0) to (%nn) iter_args(%mi = %m0, %li = %l0, %oi = %o0) -> (!row, !row, !o) site "loop.n" {
          %k0 = helion.load %kt[%b, %d, %n] site "k.0" : !viewt, (!helion.tile<bb@b>, !helion.tile<128>, !helion.tile<bn@n>) -> !k
          %zs = helion.splat %z : f32 -> !s
          %qk0 = helion.dot %q0, %k0, %zs site "dot.qk" precision ieee : !q, !k, !s
          %sc = helion.splat %scale : f32 -> !s
          %qs = arith.mulf %qk0, %sc : !s
          %mx = helion.reduce maximumf %qs dim 2 site "max.0" : !s -> !row
          %mn = arith.maximumf %mi, %mx : !row
          %mb = helion.broadcast %mn to [0, 1] : !row -> !s
          %qd = arith.subf %qs, %mb : !s
          %p = math.exp2 %qd : !s
          %ls = helion.reduce addf %p dim 2 site "sum.0" : !s -> !row
          %md = arith.subf %mi, %mn : !row
          %al = math.exp2 %md : !row
          %la = arith.mulf %li, %al : !row
          %ln = arith.addf %la, %ls : !row
          %ab = helion.broadcast %al to [0, 1] : !row -> !o
          %oa = arith.mulf %oi, %ab : !o
          %v0 = helion.load %vv[%b, %n, %d] site "v.0" : !view, (!helion.tile<bb@b>, !helion.tile<bn@n>, !helion.tile<128>) -> !v
          %pb = arith.truncf %p : !s to !p
          %on = helion.dot %pb, %v0, %oa site "dot.pv" precision ieee : !p, !v, !o
          helion.yield %mn, %ln, %on : !row, !row, !o
        } combine(%ma: !row, %lx: !row, %ox: !o, %mc: !row, %ly: !row, %oy: !o) {
          %mm = arith.maximumf %ma, %mc : !row
          %fin = arith.cmpf ogt, %mm, %m0 : !row
          %da = arith.subf %ma, %mm : !row
          %dc = arith.subf %mc, %mm : !row
          %ea0 = math.exp2 %da : !row
          %ec0 = math.exp2 %dc : !row
          %ea = arith.select %fin, %ea0, %l0 : tensor<?x?xi1, #helion.dims<bb@b, bm@i>>, !row
          %ec = arith.select %fin, %ec0, %l0 : tensor<?x?xi1, #helion.dims<bb@b, bm@i>>, !row
          %l1 = arith.mulf %lx, %ea : !row
          %l2 = arith.mulf %ly, %ec : !row
          %ll = arith.addf %l1, %l2 : !row
          %eab = helion.broadcast %ea to [0, 1] : !row -> !o
          %ecb = helion.broadcast %ec to [0, 1] : !row -> !o
          %o1 = arith.mulf %ox, %eab : !o
          %o2 = arith.mulf %oy, %ecb : !o
          %oo = arith.addf %o1, %o2 : !o
          helion.yield %mm, %ll, %oo : !row, !row, !o
        }
        %lb = helion.broadcast %r#1 to [0, 1] : !row -> !o
        %of = arith.divf %r#2, %lb : !o
        %ob = arith.truncf %of : !o to !q
        helion.store %ob, %ov[%b, %i, %d] site "out.0" : !q, memref<?x?x128xbf16>, (!helion.tile<bb@b>, !helion.tile<bm@i>, !helion.tile<128>)
      }
    }
    helion.return %out : memref<?x?x?x128xbf16>
  }
}
