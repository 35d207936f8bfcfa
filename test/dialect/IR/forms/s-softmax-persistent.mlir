// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// S, softmax, config blocks{block_sizes=bi=1} (reduction persistent: rn bound to 2048), map-programs{pid_type=flat}.
// No encodings. A tile value is now begin + end + static extent; every mask is an op; the identity is explicit.
!arg = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!out = memref<?x?xbf16>
!xf  = tensor<1x2048xf32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @softmax(%x: !arg {helion.name = "x"}) -> !out
      attributes {helion.signature = {x = "bf16[2]"}, helion.blocks = {bi = 1 : i64, rn = 2048 : i64}, helion.facts = [#helion.pred<"x.size(1) <= 2048">, #helion.pred<"x.size(0) <= 2147483647">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %out = helion.empty(%m, %n) {name = "out"} : !out
    helion.launch "softmax" grid(%m) {
      %pid = helion.program_id "x"
      %i = helion.make_tile %pid : !helion.tile<1>
      %s = helion.make_tile %c0 end %n : !helion.tile<2048>
      %v = helion.load %x[%i, %s] site "x.0" {access = "pointer", evict = "first"} : !arg, (!helion.tile<1>, !helion.tile<2048>) -> tensor<1x2048xbf16>
      %f = arith.extf %v : tensor<1x2048xbf16> to !xf
      %ninf = arith.constant 0xFF800000 : f32
      %fm = helion.mask %f dims [1] by (%s) fill %ninf : !xf, (!helion.tile<2048>), f32
      %mx = helion.reduce maximumf %fm dim 1 site "max.0" : !xf -> tensor<1xf32>
      %mb = helion.broadcast %mx to [0] : tensor<1xf32> -> !xf
      %d = arith.subf %f, %mb : !xf
      %e = math.exp %d : !xf
      %z = arith.constant 0.0 : f32
      %em = helion.mask %e dims [1] by (%s) fill %z : !xf, (!helion.tile<2048>), f32
      %sum = helion.reduce addf %em dim 1 site "sum.0" : !xf -> tensor<1xf32>
      %sb = helion.broadcast %sum to [0] : tensor<1xf32> -> !xf
      %q = arith.divf %e, %sb : !xf
      %o = arith.truncf %q : !xf to tensor<1x2048xbf16>
      helion.store %o, %out[%i, %s] site "out.0" {access = "pointer"} : tensor<1x2048xbf16>, !out, (!helion.tile<1>, !helion.tile<2048>)
    }
    helion.return %out : !out
  }
}
