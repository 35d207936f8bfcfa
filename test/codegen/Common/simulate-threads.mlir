// RUN: helion-opt --helion-simulate-threads --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func.func @k(
// CHECK-SAME: %[[WORDS:.*]]: !llvm.ptr)
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[WORDS]][1]
// CHECK-NEXT: llvm.load %[[AT]] : !llvm.ptr -> f32
// CHECK: call @helion_harness_shared() : () -> !llvm.ptr
// CHECK: call @helion_harness_thread(
// CHECK: call @helion_harness_block(
// CHECK: memref.store {{.*}} : memref<4xf32>
// CHECK: call @helion_harness_barrier() : () -> ()
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: call @helion_harness_shuffle(%{{.*}}) : (i32, i32, i32, i32) -> i32
// CHECK: func.func private @helion_harness_shared() -> !llvm.ptr attributes {passthrough = ["convergent", "nounwind"]}
func.func @k(%p: !llvm.ptr, %v: f32, %n: index) attributes {warps = 1 : i64} {
  %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %view = memref.view %arena[%n][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x
  %b = gpu.block_id y
  %i = arith.addi %t, %b : index
  memref.store %v, %view[%i] : memref<4xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %one = arith.constant 1 : i32
  %lanes = arith.constant 32 : i32
  %w, %valid = gpu.shuffle xor %v, %one, %lanes : f32
  memref.store %w, %view[%i] : memref<4xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @other(%v: f32) attributes {warps = 1 : i64} {
  // expected-error @below {{'gpu.lane_id' op is none of those that the harness of tests knows}}
  %l = gpu.lane_id
  return
}

// -----

func.func @wide(%v: f64, %o: i32) attributes {warps = 1 : i64} {
  // expected-error @below {{sends a value of type 'f64'; lanes exchange 32 bits}}
  %w, %valid = gpu.shuffle xor %v, %o, %o : f64
  return
}

// -----

// expected-error @below {{has an argument of type 'memref<?xf32>', which is no word}}
func.func @memref(%x: memref<?xf32>) attributes {warps = 1 : i64} {
  return
}
