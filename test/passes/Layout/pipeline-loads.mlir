// RUN: helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads --split-input-file %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: helion-opt --split-input-file --helion-verify-form=form=laidout %t.mlir -o /dev/null

// A ring of three slots; two iterations are filled ahead; the take stands before the acquire, so its barrier frees the slot. Rows of 64
// elements have the swizzle of 128 bytes, those of 32 the one of 64. A tile without a bound gets the loop's.
// CHECK-DAG: [[$A:#.+]] = #helion.layout<[64, 64], offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
// CHECK-DAG: [[$B:#.+]] = #helion.layout<[64, 32], offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]>
// CHECK-LABEL: helion.kernel @product
// CHECK: [[R:%.+]] = helion.ring "x.0+y.0" : !helion.ring<3 x (tensor<64x64xbf16, [[$A]]>, tensor<64x32xbf16, [[$B]]>)>
// CHECK: scf.for [[S:%.+]] = %c0{{.*}} to %c2{{.*}} step %c1{{.*}} {
// CHECK: [[D:%.+]] = arith.muli [[S]], [[STEP:%.+]] :
// CHECK: [[AT:%.+]] = arith.addi [[LOW:%.+]], [[D]]
// CHECK: [[SLOT:%.+]], [[BUF:%.+]]:2 = helion.acquire [[R]]
// CHECK: [[T:%.+]] = helion.make_tile [[AT]] end [[K:%.+]] : !helion.tile<64>
// CHECK: helion.load_async %{{.+}}[%{{.+}}, [[T]]] into [[BUF]]#0 site "x.0"
// CHECK: helion.load_async %{{.+}}[[[T]], %{{.+}}] into [[BUF]]#1 site "y.0"
// CHECK: helion.commit [[SLOT]]
// CHECK: scf.for [[I:%.+]] = [[LOW]] to [[K]] step [[STEP]]
// CHECK: [[TAKEN:%.+]], [[FULL:%.+]]:2 = helion.take [[R]]
// CHECK: helion.acquire [[R]]
// CHECK: helion.load_async
// CHECK: helion.load_async
// CHECK: helion.commit
// CHECK: [[X:%.+]] = helion.read [[FULL]]#0
// CHECK: [[Y:%.+]] = helion.read [[FULL]]#1
// CHECK: helion.dot [[X]], [[Y]], {{.*}} {instruction = "mma16x8x16"}
// CHECK: helion.release [[TAKEN]]
// CHECK-NOT: stages
// CHECK: scf.for %{{.+}} = %c0{{.*}} to %c2
// CHECK: [[LEFT:%.+]], %{{.*}} = helion.take [[R]]
// CHECK: helion.release [[LEFT]]
!t = memref<?x?xbf16, strided<[?, ?]>>
!o = memref<?x?xf32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @product(%x: !t {helion.name = "x"}, %y: !t {helion.name = "y"}, %out: !o {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]", out = "f32[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(1) == 1">, #helion.pred<"y.align % 16 == 0">, #helion.pred<"y.stride(0) % 8 == 0">, #helion.pred<"y.stride(1) == 1">]} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %k = memref.dim %y, %c0 : !t
    helion.launch "product" grid(%c8) {
      %i = helion.make_tile %c0 : !helion.tile<64>
      %j = helion.make_tile %c0 : !helion.tile<32>
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> tensor<64x32xf32>
      %r = scf.for %l = %c0 to %k step %c64 iter_args(%s = %z) -> (tensor<64x32xf32>) {
        %e = helion.make_tile %l : !helion.tile<64>
        %a = helion.load %x[%i, %e] site "x.0" : !t, (!helion.tile<64>, !helion.tile<64>) -> tensor<64x64xbf16>
        %b = helion.load %y[%e, %j] site "y.0" : !t, (!helion.tile<64>, !helion.tile<32>) -> tensor<64x32xbf16>
        %p = helion.dot %a, %b, %s site "dot.0" : tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>
        scf.yield %p : tensor<64x32xf32>
      } {site = "loop.k", stages = 3 : i64}
      helion.store %r, %out[%i, %j] site "out.0" : tensor<64x32xf32>, !o, (!helion.tile<64>, !helion.tile<32>)
    }
    helion.return
  }
}

// -----

// Keys come as rows and go to the dot as columns; the batch is an index of the loop, so loads behind its end are not started. What is
// computed on its way to a dot stays a load of its iteration.
// CHECK-LABEL: helion.kernel @scores
// CHECK: helion.ring "y.0" : !helion.ring<2 x (tensor<32x64xbf16
// CHECK: helion.acquire
// CHECK: arith.cmpi slt
// CHECK: scf.if
// CHECK: helion.load_async
// CHECK: helion.commit
// CHECK: scf.for
// CHECK: %{{.*}}, [[FULL:%.+]] = helion.take
// CHECK: scf.if
// CHECK: helion.load
// CHECK: [[Y:%.+]] = helion.read [[FULL]]
// CHECK: [[P:%.+]] = helion.permute [[Y]]
// CHECK: helion.dot %{{.+}}, [[P]],
!t3 = memref<?x?x?xbf16, strided<[?, ?, ?]>>
!t2 = memref<?x?xf32, strided<[?, ?]>>
!o2 = memref<?x?xf32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @scores(%x: !t2 {helion.name = "x"}, %y: !t3 {helion.name = "y"}, %out: !o2 {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "f32[2]", y = "bf16[3]", out = "f32[2]"}, helion.facts = [#helion.pred<"y.align % 16 == 0">, #helion.pred<"y.stride(0) % 8 == 0">, #helion.pred<"y.stride(1) % 8 == 0">, #helion.pred<"y.stride(2) == 1">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %n = memref.dim %y, %c0 : !t3
    helion.launch "scores" grid(%c8) {
      %i = helion.make_tile %c0 : !helion.tile<64>
      %j = helion.make_tile %c0 : !helion.tile<32>
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> tensor<64x32xf32>
      %r = scf.for %l = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x32xf32>) {
        %w = helion.load %x[%i, %i] site "x.0" : !t2, (!helion.tile<64>, !helion.tile<64>) -> tensor<64x64xf32>
        %a = arith.truncf %w : tensor<64x64xf32> to tensor<64x64xbf16>
        %b = helion.load %y[%l, %j, %i] site "y.0" : !t3, (index, !helion.tile<32>, !helion.tile<64>) -> tensor<32x64xbf16>
        %t = helion.permute %b [1, 0] : tensor<32x64xbf16> -> tensor<64x32xbf16>
        %p = helion.dot %a, %t, %s site "dot.0" : tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>
        scf.yield %p : tensor<64x32xf32>
      } {site = "loop.l", stages = 2 : i64}
      helion.store %r, %out[%i, %j] site "out.0" : tensor<64x32xf32>, !o2, (!helion.tile<64>, !helion.tile<32>)
    }
    helion.return
  }
}
