// RUN: helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: helion-opt --helion-verify-form=form=laidout %t.mlir -o /dev/null
// RUN: sed 's/, #helion.pred<"y.size(1) >= 1">//' %s | not helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads 2>&1 | FileCheck %s --check-prefix=FACT
// RUN: sed 's/make_tile %l end %k/make_tile %l end %n/' %s | not helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads 2>&1 | FileCheck %s --check-prefix=END

// Maps stand in the host part: of the batch at a number, one matrix; of 128 columns, boxes as wide as the swizzle. The loads that fill ahead
// need no bound that they had not: nothing outside of a tensor is read.
// CHECK: [[X:%.+]] = helion.tensor_map %{{.+}} site "x.0" : {{.+}} -> !helion.tensor_map<[1, 64, 64], tensor<64x64xbf16,
// CHECK: [[Y:%.+]] = helion.tensor_map %{{.+}} site "y.0" : {{.+}} -> !helion.tensor_map<[64, 64], tensor<64x64xbf16,
// CHECK: helion.launch
// CHECK: [[R:%.+]] = helion.ring "x.0+y.0" : !helion.ring<3 x (tensor<64x64xbf16, {{.+}}>, tensor<64x128xbf16, {{.+}}>)>
// CHECK: helion.load_async [[X]][%{{.+}}, %{{.+}}, %{{.+}}] into %{{.+}}#0 site "x.0" : {{.+}}(index, !helion.tile<64>, !helion.tile<64>)
// CHECK: helion.load_async [[Y]][%{{.+}}, %{{.+}}] into %{{.+}}#1 site "y.0"
// CHECK: scf.for
// CHECK-NOT: boxes

// FACT: copies of `loop.k` is `boxes`, but nothing says that `y.size(1) >= 1`, which load `y.0` needs; record it as a fact
// END: copies of `loop.k` is `boxes`, but nothing says that `y.size(1) == x.size(2)`, which load `x.0` needs; record it as a fact
!t = memref<?x?x?xbf16, strided<[?, ?, ?]>>
!u = memref<?x?xbf16, strided<[?, ?]>>
!o = memref<?x?xf32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @product(%x: !t {helion.name = "x"}, %y: !u {helion.name = "y"}, %out: !o {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "bf16[3]", y = "bf16[2]", out = "f32[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(0) >= 1">, #helion.pred<"x.stride(0) <= 549755813880">, #helion.pred<"x.stride(1) % 8 == 0">, #helion.pred<"x.stride(1) >= 1">, #helion.pred<"x.stride(1) <= 549755813880">, #helion.pred<"x.stride(2) == 1">, #helion.pred<"y.align % 16 == 0">, #helion.pred<"y.stride(0) % 8 == 0">, #helion.pred<"y.stride(0) >= 1">, #helion.pred<"y.stride(0) <= 549755813880">, #helion.pred<"y.stride(1) == 1">, #helion.pred<"x.size(0) >= 1">, #helion.pred<"x.size(1) >= 1">, #helion.pred<"x.size(2) >= 1">, #helion.pred<"x.size(0) <= 2147483647">, #helion.pred<"x.size(1) <= 2147483647">, #helion.pred<"x.size(2) <= 2147483647">, #helion.pred<"y.size(0) == x.size(2)">, #helion.pred<"y.size(0) >= 1">, #helion.pred<"y.size(1) >= 1">, #helion.pred<"y.size(0) <= 2147483647">, #helion.pred<"y.size(1) <= 2147483647">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %k = memref.dim %y, %c0 : !u
    %n = memref.dim %y, %c1 : !u
    helion.launch "product" grid(%c8) {
      %b0 = helion.program_id "x"
      %i = helion.make_tile %c0 : !helion.tile<64>
      %j = helion.make_tile %c0 : !helion.tile<128>
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> tensor<64x128xf32>
      %r = scf.for %l = %c0 to %k step %c64 iter_args(%s = %z) -> (tensor<64x128xf32>) {
        %e = helion.make_tile %l end %k : !helion.tile<64>
        %a = helion.load %x[%b0, %i, %e] site "x.0" : !t, (index, !helion.tile<64>, !helion.tile<64>) -> tensor<64x64xbf16>
        %b = helion.load %y[%e, %j] site "y.0" : !u, (!helion.tile<64>, !helion.tile<128>) -> tensor<64x128xbf16>
        %p = helion.dot %a, %b, %s site "dot.0" : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
        scf.yield %p : tensor<64x128xf32>
      } {boxes, site = "loop.k", stages = 3 : i64}
      helion.store %r, %out[%i, %j] site "out.0" : tensor<64x128xf32>, !o, (!helion.tile<64>, !helion.tile<128>)
    }
    helion.return
  }
}
