// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// S, matmul for Hopper at 128x256x64, persistent with grouped raster G=16, tensor descriptors for both loads and the store.
// y is the transposed view of an [N, K] weight: y.stride(0) == 1. Masks of the dot's k lanes folded: load fills 0 and fill is 0.
!arg = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!out = memref<?x?xbf16>
module attributes {helion.form = "scheduled"} {
  helion.kernel @matmul(%x: !arg {helion.name = "x"}, %y: !arg {helion.name = "y"}) -> !out
      attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.blocks = {bm = 128 : i64, bn = 256 : i64, bk = 64 : i64}, helion.facts = [#helion.pred<"x.stride(1) == 1">, #helion.pred<"x.stride(0) * 2 % 16 == 0">, #helion.pred<"x.align % 16 == 0">, #helion.pred<"y.stride(0) == 1">, #helion.pred<"y.stride(1) * 2 % 16 == 0">, #helion.pred<"y.align % 16 == 0">, #helion.pred<"out.stride(0) * 2 % 16 == 0">, #helion.pred<"x.size(0) <= 2147483647">, #helion.pred<"x.size(1) >= 1">]} {
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
    // grid of a persistent launch: min(tiles, SMs * num_sm_multiplier); launch-plan expressions
    %Tm = arith.ceildivui %m, %c128 : index
    %Tn = arith.ceildivui %n, %c256 : index
    %T = arith.muli %Tm, %Tn : index
    %gsz = arith.muli %G, %Tn : index
    %sms = helion.device_fact "sms"
    %grid = arith.minui %T, %sms : index
    helion.launch "matmul" grid(%grid) {
      %p = helion.program_id "x"
      %np = helion.num_programs "x"
      scf.for %t = %p to %T step %np {
        %grp = arith.divui %t, %gsz : index
        %rem = arith.remui %t, %gsz : index
        %fm = arith.muli %grp, %G : index
        %left = arith.subi %Tm, %fm : index
        %g = arith.minui %left, %G : index
        %im = arith.remui %rem, %g : index
        %ti = arith.addi %fm, %im : index
        %tj = arith.divui %rem, %g : index
        %i0 = arith.muli %ti, %c128 : index
        %j0 = arith.muli %tj, %c256 : index
        %i = helion.make_tile %i0 end %m : !helion.tile<128>
        %j = helion.make_tile %j0 end %n : !helion.tile<256>
        %z = arith.constant 0.0 : f32
        %zero = helion.splat %z : f32 -> tensor<128x256xf32>
        %r = scf.for %k0 = %c0 to %kk step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
          %k = helion.make_tile %k0 end %kk : !helion.tile<64>
          %a = helion.load %x[%i, %k] site "x.0" {access = "tensor_desc"} : !arg, (!helion.tile<128>, !helion.tile<64>) -> tensor<128x64xbf16>
          %b = helion.load %y[%k, %j] site "y.0" {access = "tensor_desc"} : !arg, (!helion.tile<64>, !helion.tile<256>) -> tensor<64x256xbf16>
          %d = helion.dot %a, %b, %acc site "dot.0" precision ieee : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>
          scf.yield %d : tensor<128x256xf32>
        } {site = "loop.k"}
        %c = arith.truncf %r : tensor<128x256xf32> to tensor<128x256xbf16>
        helion.store %c, %out[%i, %j] site "out.0" {access = "tensor_desc"} : tensor<128x256xbf16>, !out, (!helion.tile<128>, !helion.tile<256>)
      } {site = "loop.ij"}
    }
    helion.return %out : !out
  }
}
