// RUN: helion-opt --helion-lower-nvidia-threads --canonicalize --cse --split-input-file %s | FileCheck %s

// Two steps of depth, each an instruction on operands that an operation of its own has rounded; the sums of one go into the next.
// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-6: nvvm.convert.float.to.tf32 {{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK-NEXT: [[FIRST:%.+]] = nvvm.mma.sync A[{{[^]]*}}] B[{{[^]]*}}] C[%arg2, %arg2, %arg2, %arg2] {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK: [[SUM:%.+]] = llvm.extractvalue [[FIRST]][0]
// CHECK: nvvm.mma.sync A[{{[^]]*}}] B[{{[^]]*}}] C[[[SUM]],
// CHECK-NOT: nvvm.mma.sync
#acc = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#a = #helion.layout<[16, 8], reg = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], repeat = [reg 1 x 2]>
#b = #helion.layout<[8, 8], reg = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], repeat = [reg 0 x 2]>
!a = tensor<16x16xf32, #a>
!b = tensor<16x8xf32, #b>
!c = tensor<16x8xf32, #acc>
func.func @rounded(%f: f32, %g: f32, %h: f32, %x: memref<?x?xf32, strided<[?, 1]>>) attributes {helion.entry, warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %i = helion.make_tile %c0 end %c16 : !helion.tile<16>
  %j = helion.make_tile %c0 end %c16 : !helion.tile<8>
  %a = helion.splat %f : f32 -> !a
  %b = helion.splat %g : f32 -> !b
  %z = helion.splat %h : f32 -> !c
  %d = helion.dot %a, %b, %z site "dot.0" precision tf32 {instruction = "mma16x8x8"} : !a, !b, !c
  helion.store %d, %x[%i, %j] site "x.0" : !c, memref<?x?xf32, strided<[?, 1]>>, (!helion.tile<16>, !helion.tile<8>)
  return
}

// -----

// Three for a step: what rounding leaves of the left operand times the right one, the other way round, then the rounded ones as they are.
// Where a rounded number is infinite or NaN nothing is left of it.
// CHECK-LABEL: func.func @split
// CHECK: [[NEAR:%.+]] = nvvm.convert.float.to.tf32 [[X:%.+]] {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK: [[WHOLE:%.+]] = llvm.bitcast [[NEAR]] : i32 to f32
// CHECK: [[SIZE:%.+]] = math.absf [[WHOLE]]
// CHECK: [[FINITE:%.+]] = arith.cmpf olt, [[SIZE]],
// CHECK: [[LEFT:%.+]] = arith.subf [[X]], [[WHOLE]]
// CHECK: [[REST:%.+]] = arith.select [[FINITE]], [[LEFT]], %cst
// CHECK: [[SMALL:%.+]] = nvvm.convert.float.to.tf32 [[REST]]
// CHECK: [[LARGE:%.+]] = arith.select [[FINITE]], [[NEAR]], %c0_i32
// CHECK: nvvm.mma.sync A[[[SMALL]],
// CHECK: nvvm.mma.sync A[[[LARGE]],
// CHECK: nvvm.mma.sync A[[[NEAR]],
// CHECK-COUNT-3: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
#acc = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#a = #helion.layout<[16, 8], reg = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], repeat = [reg 1 x 2]>
#b = #helion.layout<[8, 8], reg = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], repeat = [reg 0 x 2]>
!a = tensor<16x16xf32, #a>
!b = tensor<16x8xf32, #b>
!c = tensor<16x8xf32, #acc>
func.func @split(%f: f32, %g: f32, %h: f32, %x: memref<?x?xf32, strided<[?, 1]>>) attributes {helion.entry, warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %i = helion.make_tile %c0 end %c16 : !helion.tile<16>
  %j = helion.make_tile %c0 end %c16 : !helion.tile<8>
  %a = helion.splat %f : f32 -> !a
  %b = helion.splat %g : f32 -> !b
  %z = helion.splat %h : f32 -> !c
  %d = helion.dot %a, %b, %z site "dot.0" precision tf32x3 {instruction = "mma16x8x8"} : !a, !b, !c
  helion.store %d, %x[%i, %j] site "x.0" : !c, memref<?x?xf32, strided<[?, 1]>>, (!helion.tile<16>, !helion.tile<8>)
  return
}

// -----

// Four elements to a word; sums wrap.
// CHECK-LABEL: func.func @integers
// CHECK: llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: nvvm.mma.sync {{.*}}intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, {{.*}}#nvvm.mma_type<s8>, {{.*}}#nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>
// CHECK-NOT: nvvm.mma.sync
#acc = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#a = #helion.layout<[16, 32], reg = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#b = #helion.layout<[32, 8], reg = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]]>
!a = tensor<16x32xi8, #a>
!b = tensor<32x8xi8, #b>
!c = tensor<16x8xi32, #acc>
func.func @integers(%f: i8, %g: i8, %h: i32, %x: memref<?x?xi32, strided<[?, 1]>>) attributes {helion.entry, warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %i = helion.make_tile %c0 end %c16 : !helion.tile<16>
  %j = helion.make_tile %c0 end %c16 : !helion.tile<8>
  %a = helion.splat %f : i8 -> !a
  %b = helion.splat %g : i8 -> !b
  %z = helion.splat %h : i32 -> !c
  %d = helion.dot %a, %b, %z site "dot.0" {instruction = "mma16x8x32"} : !a, !b, !c
  helion.store %d, %x[%i, %j] site "x.0" : !c, memref<?x?xi32, strided<[?, 1]>>, (!helion.tile<16>, !helion.tile<8>)
  return
}
