// RUN: helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: helion-opt --helion-verify-form=form=laidout %t.mlir -o /dev/null
// RUN: sed 's/stages = 3/stages = 2/' %s | helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads | FileCheck %s --check-prefix=TWO
// RUN: sed 's/scf.yield %%p :/%%q = arith.addf %%p, %%s : tensor<64x128xf32>\n scf.yield %%q :/' %s | helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads | FileCheck %s --check-prefix=READ
// RUN: sed 's/warps = 8/warps = 2/' %s | not helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: sed 's/helion.dot %%a/%%h = arith.addf %%a, %%a : tensor<64x64xbf16>\n %%p2 = helion.dot %%h/; s/%%p :/%%p2 :/; s/%%p = //' %s | not helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads 2>&1 | FileCheck %s --check-prefix=MADE
// RUN: sed 's/{boxes, group/{group/' %s | not helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads 2>&1 | FileCheck %s --check-prefix=PIECES

// Two groups of four warps: 64 rows are one group's, so the second has the other half of the columns. The accumulator is carried as the token of a
// dot in flight; one iteration of three slots is on its way, and a slot is released when its dot has read it.
// CHECK: [[ACC:#.+]] = #helion.layout<[64, 128], reg = {{.+}}, warp = {{\[\[16, 0\], \[32, 0\], \[0, 64\]\]}}>
// CHECK: helion.ring "x.0+y.0" : !helion.ring<3 x
// CHECK: scf.for %{{.+}} = %{{.+}} to %c1
// CHECK: [[START:%.+]] = helion.ready %{{.+}} : tensor<64x128xf32, [[ACC]]>
// CHECK: [[END:%.+]] = scf.for {{.+}} iter_args([[BEFORE:%.+]] = [[START]])
// CHECK: [[SLOT:%.+]], [[IN:%.+]]:2 = helion.take
// CHECK: helion.load_async
// CHECK: [[T:%.+]] = helion.dot_async [[IN]]#0, [[IN]]#1 acc [[BEFORE]] : !helion.token<{{.+}}> site "dot.0"
// CHECK-NEXT: helion.release [[SLOT]] after [[T]]
// CHECK-NEXT: scf.yield [[T]]
// CHECK: helion.wait [[END]]
// CHECK-NOT: helion.load %
// CHECK-NOT: helion.convert_layout

// With two slots the other one has to be filled meanwhile, and where something reads the sums they are waited for at once.
// TWO-NOT: helion.ready
// TWO: [[T:%.+]] = helion.dot_async
// TWO-NEXT: helion.wait [[T]]
// READ-NOT: helion.ready
// READ: [[T:%.+]] = helion.dot_async
// READ-NEXT: [[V:%.+]] = helion.wait [[T]]
// READ-NEXT: arith.addf [[V]]
// WARPS: dots of `loop.k` are to be those of four warps, but dot `dot.0` has an operand that is no load {{.+}} or warps that are none of `4`; those of one warp are allowed
// MADE: dots of `loop.k` are to be those of four warps, but dot `dot.0` has an operand that is no load
// PIECES: has `group_dots` without `stages` above 1 and `boxes`, which fill what its dots are to read
!t = memref<?x?xbf16, strided<[?, ?]>>
!u = memref<?x?xbf16, strided<[?, ?]>>
!o = memref<?x?xf32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @product(%x: !t {helion.name = "x"}, %y: !u {helion.name = "y"}, %out: !o {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]", out = "f32[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(0) >= 1">, #helion.pred<"x.stride(0) <= 549755813880">, #helion.pred<"x.stride(1) == 1">, #helion.pred<"y.align % 16 == 0">, #helion.pred<"y.stride(0) % 8 == 0">, #helion.pred<"y.stride(0) >= 1">, #helion.pred<"y.stride(0) <= 549755813880">, #helion.pred<"y.stride(1) == 1">, #helion.pred<"x.size(0) >= 1">, #helion.pred<"x.size(1) >= 1">, #helion.pred<"x.size(0) <= 2147483647">, #helion.pred<"x.size(1) <= 2147483647">, #helion.pred<"y.size(0) == x.size(1)">, #helion.pred<"y.size(0) >= 1">, #helion.pred<"y.size(1) >= 1">, #helion.pred<"y.size(0) <= 2147483647">, #helion.pred<"y.size(1) <= 2147483647">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %k = memref.dim %y, %c0 : !u
    %n = memref.dim %y, %c1 : !u
    helion.launch "product" grid(%c8) attributes {warps = 8 : i64} {
      %b0 = helion.program_id "x"
      %i = helion.make_tile %c0 : !helion.tile<64>
      %j = helion.make_tile %c0 : !helion.tile<128>
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> tensor<64x128xf32>
      %r = scf.for %l = %c0 to %k step %c64 iter_args(%s = %z) -> (tensor<64x128xf32>) {
        %e = helion.make_tile %l end %k : !helion.tile<64>
        %a = helion.load %x[%i, %e] site "x.0" : !t, (!helion.tile<64>, !helion.tile<64>) -> tensor<64x64xbf16>
        %b = helion.load %y[%e, %j] site "y.0" : !u, (!helion.tile<64>, !helion.tile<128>) -> tensor<64x128xbf16>
        %p = helion.dot %a, %b, %s site "dot.0" : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
        scf.yield %p : tensor<64x128xf32>
      } {boxes, group_dots, site = "loop.k", stages = 3 : i64}
      helion.store %r, %out[%i, %j] site "out.0" : tensor<64x128xf32>, !o, (!helion.tile<64>, !helion.tile<128>)
    }
    helion.return
  }
}
