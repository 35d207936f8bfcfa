// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// S, softmax, config blocks{block_sizes=bi=1}, roll-reductions{reduction_loops=slice.n=1024}: three rolled loops (max, sum, write).
// Rolling keeps a 1024-wide accumulator of lanes and combines it once after the loop. x is read again: `x.0` is cloned, the site is copied.
// split-range{split_range=slice.n=peel}: the body below runs for whole chunks; the tail chunk would be a second copy (not shown twice).
!arg = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!out = memref<?x?xbf16>
!xb  = tensor<1x1024xbf16>
!xf  = tensor<1x1024xf32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @softmax(%x: !arg {helion.name = "x"}) -> !out
      attributes {helion.signature = {x = "bf16[2]"}, helion.blocks = {bi = 1 : i64, rn = 1024 : i64}, helion.facts = [#helion.pred<"x.size(0) <= 2147483647">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %out = helion.empty(%m, %n) {name = "out"} : !out
    helion.launch "softmax" grid(%m) {
      %pid = helion.program_id "x"
      %i = helion.make_tile %pid : !helion.tile<1>
      %c1024 = arith.constant 1024 : index
      %ninf = arith.constant 0xFF800000 : f32
      %z = arith.constant 0.0 : f32
      %m0 = helion.splat %ninf : f32 -> !xf
      %l0 = helion.splat %z : f32 -> !xf
      %ma = scf.for %j = %c0 to %n step %c1024 iter_args(%a = %m0) -> (!xf) {
        %s = helion.make_tile %j end %n : !helion.tile<1024>
        %v = helion.load %x[%i, %s] site "x.0" {access = "pointer", evict = "last"} : !arg, (!helion.tile<1>, !helion.tile<1024>) -> !xb
        %f = arith.extf %v : !xb to !xf
        %fm = helion.mask %f dims [1] by (%s) fill %ninf : !xf, (!helion.tile<1024>), f32
        %a2 = arith.maximumf %a, %fm : !xf
        scf.yield %a2 : !xf
      } {site = "slice.n", part = "max.0"}
      %mx = helion.reduce maximumf %ma dim 1 site "max.0" : !xf -> tensor<1xf32>
      %mb = helion.broadcast %mx to [0] : tensor<1xf32> -> !xf
      %la = scf.for %j = %c0 to %n step %c1024 iter_args(%a = %l0) -> (!xf) {
        %s = helion.make_tile %j end %n : !helion.tile<1024>
        %v = helion.load %x[%i, %s] site "x.0" {access = "pointer", evict = "last"} : !arg, (!helion.tile<1>, !helion.tile<1024>) -> !xb
        %f = arith.extf %v : !xb to !xf
        %d = arith.subf %f, %mb : !xf
        %e = math.exp %d : !xf
        %em = helion.mask %e dims [1] by (%s) fill %z : !xf, (!helion.tile<1024>), f32
        %a2 = arith.addf %a, %em : !xf
        scf.yield %a2 : !xf
      } {site = "slice.n", part = "sum.0"}
      %sum = helion.reduce addf %la dim 1 site "sum.0" : !xf -> tensor<1xf32>
      %sb = helion.broadcast %sum to [0] : tensor<1xf32> -> !xf
      scf.for %j = %c0 to %n step %c1024 {
        %s = helion.make_tile %j end %n : !helion.tile<1024>
        %v = helion.load %x[%i, %s] site "x.0" {access = "pointer", evict = "first"} : !arg, (!helion.tile<1>, !helion.tile<1024>) -> !xb
        %f = arith.extf %v : !xb to !xf
        %d = arith.subf %f, %mb : !xf
        %e = math.exp %d : !xf
        %q = arith.divf %e, %sb : !xf
        %o = arith.truncf %q : !xf to !xb
        helion.store %o, %out[%i, %s] site "out.0" {access = "pointer"} : !xb, !out, (!helion.tile<1>, !helion.tile<1024>)
      } {site = "slice.n", part = "rest"}
    }
    helion.return %out : !out
  }
}
