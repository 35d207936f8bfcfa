// RUN: helion-opt --pass-pipeline='builtin.module(func.func(helion-lower-threads,canonicalize,cse))' %s | FileCheck %s
#v = #helion.layout<[128], reg = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>
#s = #helion.layout<[2], warp = [[1]]>
#w = #helion.layout<[64], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#halves = #helion.layout<[256], reg = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]]>
#from = #helion.layout<[2, 32], reg = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
#to = #helion.layout<[2, 32], reg = [[0, 1]], lane = [[1, 0], [0, 2], [0, 4], [0, 8], [0, 16]]>
#there = #helion.layout<[64], lane = [[2], [4], [8], [16], [32]], warp = [[1]]>
!t = tensor<128xf32, #v>
!w = tensor<64xf32, #w>
!ti = !helion.tile<128>
!x = memref<?xf32, strided<[1]>>

// The thread's part is made once; each run of four registers is one access where it is aligned and inside. A register is tested
// alone where the end may cut a run.
// CHECK-LABEL: func.func @runs(
// CHECK-SAME: helion.shared_bytes = 0
// CHECK: %[[THREAD:.*]] = gpu.thread_id x upper_bound 32
// CHECK: %[[WORD:.*]] = arith.index_castui %[[THREAD]] : index to i32
// CHECK: %[[LANE:.*]] = arith.andi %[[WORD]], %{{.*}} : i32
// CHECK: %[[PART:.*]] = arith.shli %[[LANE]], %{{.*}} : i32
// CHECK: %[[ROOM:.*]] = arith.subi %{{.*}}, %[[PART]] : i32
// CHECK: %[[ALL:.*]] = arith.cmpi sgt, %[[ROOM]], %c3_i32
// CHECK: scf.if %[[ALL]] -> (f32, f32, f32, f32) {
// CHECK-NEXT: vector.load %{{.*}} {alignment = 16 : i64} : memref<?xf32, strided<[1]>>, vector<4xf32>
// CHECK: } else {
// CHECK: arith.cmpi sgt, %[[ROOM]], %c0_i32
// CHECK: scf.if
// CHECK-NEXT: memref.load
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64}
// CHECK-NOT: gpu.barrier
func.func @runs(%x: !x {llvm.noalias, llvm.align = 16 : i64}, %out: !x {llvm.noalias, llvm.align = 16 : i64}, %n: index, %p: index) attributes {warps = 1 : i64} {
  %c128 = arith.constant 128 : index
  %b = arith.muli %p, %c128 : index
  %i = helion.make_tile %b end %n : !ti
  %v = helion.load %x[%i] site "x" : !x, (!ti) -> !t
  %w = arith.addf %v, %v : !t
  helion.store %w, %out[%i] site "out" : !t, !x, (!ti)
  return
}

// A mask compares once for the neighbours that its tile's end does not part, as the load does: here one comparison in all.
// CHECK-LABEL: func.func @mask_together(
// CHECK-COUNT-1: arith.cmpi
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @mask_together(%x: !x {llvm.noalias, llvm.align = 16 : i64}, %out: !x {llvm.noalias, llvm.align = 16 : i64}, %n: index {helion.multiple = 4 : i64}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %i = helion.make_tile %c0 end %n : !ti
  %v = helion.load %x[%i] site "x" : !x, (!ti) -> !t
  %w = helion.mask %v dims [0] by (%i) fill %one : !t, (!ti), f32
  helion.store %w, %out[%i] site "out" : !t, !x, (!ti)
  return
}

// An end that is a multiple of the run decides for all of it.
// CHECK-LABEL: func.func @together(
// CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32) {
// CHECK-NEXT: vector.load
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK: scf.if
// CHECK-NEXT: vector.from_elements
// CHECK-NEXT: vector.store
// CHECK-NOT: scf.if
// CHECK: return
func.func @together(%x: !x {llvm.noalias, llvm.align = 16 : i64}, %out: !x {llvm.noalias, llvm.align = 16 : i64}, %n: index {helion.multiple = 4 : i64}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = helion.make_tile %c0 end %n : !ti
  %v = helion.load %x[%i] site "x" : !x, (!ti) -> !t
  helion.store %v, %out[%i] site "out" : !t, !x, (!ti)
  return
}

// Nothing is known of the address, and the last elements may be outside.
// CHECK-LABEL: func.func @elements(
// CHECK-NOT: vector.load
// CHECK-COUNT-4: memref.load
// CHECK-NOT: memref.load
func.func @elements(%x: !x, %out: !x, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = helion.make_tile %c0 end %n : !ti
  %v = helion.load %x[%i] site "x" : !x, (!ti) -> !t
  helion.store %v, %out[%i] site "out" : !t, !x, (!ti)
  return
}

// Lanes by shuffles, warps through memory with one barrier. The second warp holds what the first does, so the first stores.
// CHECK-LABEL: func.func @reduce(
// CHECK-SAME: helion.shared_bytes = 16
// CHECK: %[[ARENA:.*]] = gpu.dynamic_shared_memory
// CHECK: %[[VIEW:.*]] = memref.view %[[ARENA]]
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[VIEW]]
// CHECK-NEXT: gpu.barrier
// CHECK: %[[PARTS:.*]] = vector.load %[[VIEW]]{{.*}} vector<2xf32>
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: memref.store %[[SUM]]
func.func @reduce(%x: !x {llvm.noalias}, %out: !x {llvm.noalias}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %i = helion.make_tile %c0 : !helion.tile<64>
  %v = helion.load %x[%i] site "x" : !x, (!helion.tile<64>) -> !w
  %r = helion.reduce addf %v dim 0 site "r" : !w -> f32
  helion.store %r, %out[%c0] site "out" : f32, !x, (index)
  return
}

// The largest of bf16 that became f32: four pairs are one in three operations on pairs, the two of a pair and what lanes have in f32.
// CHECK-LABEL: func.func @largest(
// CHECK: %[[A:.*]] = arith.maximumf %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK: %[[B:.*]] = arith.maximumf %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK: %[[ALL:.*]] = arith.maximumf %[[A]], %[[B]] : vector<2xbf16>
// CHECK: %[[BOTH:.*]]:2 = vector.to_elements %[[ALL]]
// CHECK-DAG: %[[LEFT:.*]] = arith.extf %[[BOTH]]#0 : bf16 to f32
// CHECK-DAG: %[[RIGHT:.*]] = arith.extf %[[BOTH]]#1 : bf16 to f32
// CHECK: arith.maximumf %[[LEFT]], %[[RIGHT]] : f32
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: bf16
// CHECK: return
// Sums are no such thing.
// CHECK-LABEL: func.func @sum_of_halves(
// CHECK-NOT: vector<2xbf16>
// CHECK: return
func.func @largest(%x: memref<?xbf16> {llvm.noalias}, %out: !x {llvm.noalias}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = helion.make_tile %c0 : !helion.tile<256>
  %v = helion.load %x[%i] site "x" : memref<?xbf16>, (!helion.tile<256>) -> tensor<256xbf16, #halves>
  %w = arith.extf %v : tensor<256xbf16, #halves> to tensor<256xf32, #halves>
  %r = helion.reduce maximumf %w dim 0 site "r" : tensor<256xf32, #halves> -> f32
  helion.store %r, %out[%c0] site "out" : f32, !x, (index)
  return
}
func.func @sum_of_halves(%x: memref<?xbf16> {llvm.noalias}, %out: !x {llvm.noalias}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = helion.make_tile %c0 : !helion.tile<256>
  %v = helion.load %x[%i] site "x" : memref<?xbf16>, (!helion.tile<256>) -> tensor<256xbf16, #halves>
  %w = arith.extf %v : tensor<256xbf16, #halves> to tensor<256xf32, #halves>
  %r = helion.reduce addf %w dim 0 site "r" : tensor<256xf32, #halves> -> f32
  helion.store %r, %out[%c0] site "out" : f32, !x, (index)
  return
}

// A change of layout inside a warp shuffles; one between warps writes, waits and reads.
// CHECK-LABEL: func.func @convert(
// CHECK-SAME: helion.shared_bytes = 256
// CHECK: gpu.shuffle idx
// CHECK: memref.store %{{.*}}, %[[VIEW:.*]][%{{.*}}] : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK-NEXT: memref.load %[[VIEW]]
func.func @convert(%x: memref<?x?xf32> {llvm.noalias}, %y: !x {llvm.noalias}, %out: memref<?x?xf32> {llvm.noalias}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %i = helion.make_tile %c0 : !helion.tile<2>
  %j = helion.make_tile %c0 : !helion.tile<32>
  %v = helion.load %x[%i, %j] site "x" : memref<?x?xf32>, (!helion.tile<2>, !helion.tile<32>) -> tensor<2x32xf32, #from>
  %w = helion.convert_layout %v : tensor<2x32xf32, #from> -> tensor<2x32xf32, #to>
  helion.store %w, %out[%i, %j] site "out" : tensor<2x32xf32, #to>, memref<?x?xf32>, (!helion.tile<2>, !helion.tile<32>)
  %k = helion.make_tile %c0 : !helion.tile<64>
  %u = helion.load %y[%k] site "y" : !x, (!helion.tile<64>) -> !w
  %z = helion.convert_layout %u : !w -> tensor<64xf32, #there>
  helion.store %z, %y[%k] site "y.1" : tensor<64xf32, #there>, !x, (!helion.tile<64>)
  return
}

// Loops carry registers.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (vector<4xf32>) {
// CHECK-NEXT: arith.addf %[[A]], %[[A]] : vector<4xf32>
func.func @loop(%out: !x, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %s = helion.splat %one : f32 -> !t
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %s) -> (!t) {
    %b = arith.addf %a, %a : !t
    scf.yield %b : !t
  }
  %i = helion.make_tile %c0 : !ti
  helion.store %r, %out[%i] site "out" : !t, !x, (!ti)
  return
}
