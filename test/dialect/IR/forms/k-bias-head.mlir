// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, per-head scale with an optional bias and a specialised head_dim. This is the K of ONE signature: bias is None, so it
// is no operand and `if bias is not None` was folded; head_dim = 128 was folded into integer dims.
!arg = memref<?x?x128xbf16, strided<[?, ?, ?], offset: ?>>
!g   = memref<128xbf16, strided<[?], offset: ?>>
!xb  = tensor<?x?x128xbf16, #helion.dims<bt@t, bh@h, 128>>
!xf  = tensor<?x?x128xf32, #helion.dims<bt@t, bh@h, 128>>
!th  = tensor<?x?xf32, #helion.dims<bt@t, bh@h>>
module attributes {helion.form = "kernel"} {
  helion.kernel @head_norm(%x: !arg {helion.name = "x"}, %g: !g {helion.name = "g"}, %eps: f32 {helion.name = "eps"}) -> memref<?x?x128xbf16>
      attributes {helion.signature = {x = "bf16[3]", g = "bf16[1]", bias = none, eps = f32, "x.size(2)" = 128 : index}, helion.facts = [#helion.pred<"x.size(2) == 128">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = memref.dim %x, %c0 : !arg
    %h = memref.dim %x, %c1 : !arg
    %out = helion.empty(%t, %h) {name = "out"} : memref<?x?x128xbf16>
    helion.block @bt tile
    helion.block @bh tile
    helion.launch "head_norm" {
      helion.tile (%ti: !helion.tile<bt@t>, %hi: !helion.tile<bh@h>) = (%c0, %c0) to (%t, %h) site "loop.th" {
        %d = helion.range %c0 to %c128 site "slice.d" : !helion.tile<128>
        %v = helion.load %x[%ti, %hi, %d] site "x.0" : !arg, (!helion.tile<bt@t>, !helion.tile<bh@h>, !helion.tile<128>) -> !xb
        %f = arith.extf %v : !xb to !xf
        %q = arith.mulf %f, %f : !xf
        %s = helion.reduce addf %q dim 2 site "sum.0" : !xf -> !th
        %k = arith.constant 7.8125e-3 : f32
        %kv = helion.splat %k : f32 -> !th
        %ev = helion.splat %eps : f32 -> !th
        %mean = arith.mulf %s, %kv : !th
        %me = arith.addf %mean, %ev : !th
        %r = math.rsqrt %me : !th
        %rb = helion.broadcast %r to [0, 1] : !th -> !xf
        %g0 = helion.load %g[%d] site "g.0" : !g, (!helion.tile<128>) -> tensor<128xbf16, #helion.dims<128>>
        %g1 = arith.extf %g0 : tensor<128xbf16, #helion.dims<128>> to tensor<128xf32, #helion.dims<128>>
        %gb = helion.broadcast %g1 to [2] : tensor<128xf32, #helion.dims<128>> -> !xf
        %a = arith.mulf %f, %rb : !xf
        %b = arith.mulf %a, %gb : !xf
        %o = arith.truncf %b : !xf to !xb
        helion.store %o, %out[%ti, %hi, %d] site "out.0" : !xb, memref<?x?x128xbf16>, (!helion.tile<bt@t>, !helion.tile<bh@h>, !helion.tile<128>)
      }
    }
    helion.return %out : memref<?x?x128xbf16>
  }
}
