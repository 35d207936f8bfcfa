// RUN: helion-opt --helion-plan-scratch --split-input-file %s | FileCheck %s

// Two buffers that are never live together share bytes; one that lives across the loop has its own; 64 bytes each at least.
// CHECK-LABEL: func.func @share
// CHECK-SAME: helion.scratch_bytes = 512
// CHECK-DAG: %[[AT0:.*]] = arith.constant 0 : index
// CHECK: memref.view %{{.*}}[%{{.*}}][] : memref<?xi8> to memref<128xf32>
// CHECK: memref.view %{{.*}}[%{{.*}}][] : memref<?xi8> to memref<8xi8>
// CHECK-NOT: memref.alloc
func.func @share(%n: index, %s: memref<?xi8> {helion.scratch}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = arith.constant 0 : i8
  %one = memref.alloc() {helion.tile_buffer} : memref<128xf32>
  memref.store %z, %one[%c0] : memref<128xf32>
  %long = memref.alloc() {helion.tile_buffer} : memref<8xi8>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %b, %long[%c0] : memref<8xi8>
    %two = memref.alloc() {helion.tile_buffer} : memref<64xf32>
    memref.store %z, %two[%c0] : memref<64xf32>
  }
  return
}

// -----

// No buffers: nothing is needed, an argument neither; other allocations are left alone.
// CHECK-LABEL: func.func @no_buffers
// CHECK-SAME: helion.scratch_bytes = 0
// CHECK: memref.alloc
func.func @no_buffers() {
  %one = memref.alloc() : memref<128xf32>
  return
}
