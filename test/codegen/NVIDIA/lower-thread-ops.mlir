// RUN: helion-opt --helion-lower-thread-ops %s | FileCheck %s

// CHECK: func.func @f
func.func @f(%x: f32, %i: i32) -> (index, index, index, f32, f32) {
  %width = arith.constant 32 : i32
  %one = arith.constant 1 : i32
  // CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  %t = gpu.thread_id x upper_bound 128
  // CHECK: nvvm.read.ptx.sreg.ctaid.y
  %b = gpu.block_id y
  // CHECK: nvvm.read.ptx.sreg.nctaid.z
  %g = gpu.grid_dim z
  // CHECK: nvvm.shfl.sync  bfly
  %s, %p = gpu.shuffle xor %x, %one, %width : f32
  // CHECK: nvvm.shfl.sync  idx
  %u, %q = gpu.shuffle idx %x, %i, %width : f32
  // CHECK: nvvm.barrier
  gpu.barrier
  // CHECK-NOT: gpu.
  return %t, %b, %g, %s, %u : index, index, index, f32, f32
}
