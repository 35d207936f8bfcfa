// RUN: helion-opt --helion-lower-nvidia %s | FileCheck %s
// What LLVM makes of it: read-only memory by vectors, one predicate for a run, both conversions in one instruction.
// RUN: helion-opt --helion-lower-nvidia %s | mlir-translate --mlir-to-llvmir | opt -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90a | llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90a | FileCheck %s --check-prefix=PTX

// A program of 128 threads, each with four neighbours in memory: sums of pairs meet in shared memory.
// CHECK: llvm.mlir.global external @helion_shared()
// CHECK: llvm.func @k_0(%{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i64, {{.*}} attributes {helion.entry, helion.shared_bytes = 512 : i64, nvvm.kernel, nvvm.reqntid = array<i32: 128>, warps = 4 : i64}
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: nvvm.shfl.sync
// CHECK: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.intr.sqrt
// CHECK: llvm.fptrunc %{{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK-NOT: unrealized_conversion_cast

// PTX: .extern .shared .align 1024 .b8 helion_shared[];
// PTX: .visible .entry k_0(
// PTX: .reqntid 128
// PTX: ld.global.nc.v4.b32
// PTX: shfl.sync.bfly.b32
// PTX: st.shared.b32
// PTX: bar.sync
// PTX: div.rn.f32
// PTX: sqrt.rn.f32
// PTX: st.global.v4.b32
// PTX-COUNT-2: cvt.rn.bf16x2.f32
// PTX: st.global.v2.b32
#wg = #gpu.address_space<workgroup>
module {
func.func @k_0(%x: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, %n: i64 {helion.multiple = 4 : i64}, %out: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, %o16: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}) attributes {helion.entry, warps = 4 : i64, helion.shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %p0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64)>
  %p1 = llvm.insertvalue %x, %p0[0] : !llvm.struct<(ptr, ptr, i64)>
  %p2 = llvm.insertvalue %x, %p1[1] : !llvm.struct<(ptr, ptr, i64)>
  %z = llvm.mlir.constant(0 : i64) : i64
  %p3 = llvm.insertvalue %z, %p2[2] : !llvm.struct<(ptr, ptr, i64)>
  %m0 = builtin.unrealized_conversion_cast %p3 : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
  %big = arith.constant 1099511627776 : index
  %m = memref.reinterpret_cast %m0 to offset: [0], sizes: [%big], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
  %q1 = llvm.insertvalue %out, %p0[0] : !llvm.struct<(ptr, ptr, i64)>
  %q2 = llvm.insertvalue %out, %q1[1] : !llvm.struct<(ptr, ptr, i64)>
  %q3 = llvm.insertvalue %z, %q2[2] : !llvm.struct<(ptr, ptr, i64)>
  %q0 = builtin.unrealized_conversion_cast %q3 : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
  %q = memref.reinterpret_cast %q0 to offset: [0], sizes: [%big], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
  %r1 = llvm.insertvalue %o16, %p0[0] : !llvm.struct<(ptr, ptr, i64)>
  %r2 = llvm.insertvalue %o16, %r1[1] : !llvm.struct<(ptr, ptr, i64)>
  %r3 = llvm.insertvalue %z, %r2[2] : !llvm.struct<(ptr, ptr, i64)>
  %r0 = builtin.unrealized_conversion_cast %r3 : !llvm.struct<(ptr, ptr, i64)> to memref<bf16>
  %r = memref.reinterpret_cast %r0 to offset: [0], sizes: [%big], strides: [1] : memref<bf16> to memref<?xbf16, strided<[1]>>
  %b = gpu.block_id x
  %t = gpu.thread_id x upper_bound 128
  %c512 = arith.constant 512 : index
  %c4 = arith.constant 4 : index
  %o = arith.muli %b, %c512 : index
  %t4 = arith.muli %t, %c4 : index
  %i = arith.addi %o, %t4 : index
  %ni = arith.index_cast %n : i64 to index
  %in = arith.cmpi slt, %i, %ni : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %v = scf.if %in -> vector<4xf32> {
    %l = vector.load %m[%i] {alignment = 16 : i64} : memref<?xf32, strided<[1]>>, vector<4xf32>
    scf.yield %l : vector<4xf32>
  } else {
    scf.yield %zero : vector<4xf32>
  }
  %e:4 = vector.to_elements %v : vector<4xf32>
  %s = arith.addf %e#0, %e#1 : f32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %sh, %valid = gpu.shuffle xor %s, %c1, %c32 : f32
  %s2 = arith.addf %s, %sh : f32
  %smem = gpu.dynamic_shared_memory : memref<?xi8, #wg>
  %sv = memref.view %smem[%c0][] : memref<?xi8, #wg> to memref<128xf32, #wg>
  memref.store %s2, %sv[%t] : memref<128xf32, #wg>
  gpu.barrier
  %s3 = memref.load %sv[%c0] : memref<128xf32, #wg>
  %sb = vector.broadcast %s3 : f32 to vector<4xf32>
  %d = arith.divf %v, %sb : vector<4xf32>
  %ex = math.sqrt %d : vector<4xf32>
  scf.if %in {
    vector.store %ex, %q[%i] {alignment = 16 : i64} : memref<?xf32, strided<[1]>>, vector<4xf32>
    %h = arith.truncf %ex : vector<4xf32> to vector<4xbf16>
    vector.store %h, %r[%i] {alignment = 8 : i64} : memref<?xbf16, strided<[1]>>, vector<4xbf16>
  }
  return
}
}
