// RUN: helion-opt --helion-lower-nvidia-threads --canonicalize --cse --split-input-file %s -o %t.threads.mlir
// RUN: FileCheck %s < %t.threads.mlir
// RUN: helion-opt --split-input-file --helion-lower-nvidia-threads --canonicalize --cse --helion-lower-nvidia %s -o %t.llvm.mlir
// RUN: FileCheck %s --check-prefix=LLVM < %t.llvm.mlir

// A dot on matrix instructions, its operands two iterations ahead in a ring of three slots of 4 KiB + 2 KiB: copies of 16 bytes, of which
// those of ragged rows read less; one barrier for an iteration, behind its wait; fragments by moves of matrices, the right ones transposed
// on their way; 16 instructions for each warp and iteration.
// CHECK-LABEL: func.func @product
// CHECK-SAME: helion.shared_bytes = 18432 : i64
// CHECK-NOT: gpu.barrier
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-3: nvgpu.device_async_copy %{{.*}}, 8, %{{.*}} {bypassL1} : {{.*}} to memref<{{6144|3072}}xbf16
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-3: nvgpu.device_async_copy
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-4: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false} : memref<6144xbf16
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true} : memref<3072xbf16
// CHECK-COUNT-4: nvvm.mma.sync
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group 0

// LLVM-LABEL: llvm.func @product
// LLVM: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>
// LLVM: nvvm.cp.async.wait.group 1
// LLVM-NEXT: nvvm.barrier
// LLVM: nvvm.ldmatrix %{{.*}} {eltType = {{.*}}, layout = #nvvm.mma_layout<row>, num = 4
// LLVM: nvvm.ldmatrix %{{.*}} {eltType = {{.*}}, layout = #nvvm.mma_layout<col>, num = 4
// LLVM: nvvm.mma.sync
// LLVM-NOT: unrealized_conversion_cast
#acc = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], repeat = [reg 1 x 4, reg 0 x 2, warp 0 x 2]>
#fa = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], repeat = [reg 1 x 2, reg 0 x 2, warp 0 x 2]>
#fb = #helion.layout<[16, 8], reg = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], repeat = [reg 1 x 4, reg 0 x 2]>
#sa = #helion.layout<[8, 32], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16]], repeat = [offset 0 x 8]>
#sb = #helion.layout<[8, 32], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16]], repeat = [offset 0 x 4]>
!x = memref<?x?xbf16, strided<[?, 1]>>
!out = memref<?x?xf32, strided<[?, 1]>>
!A = tensor<64x32xbf16, #sa>
!B = tensor<32x32xbf16, #sb>
!acc = tensor<64x32xf32, #acc>
!ring = !helion.ring<3 x (!A, !B)>
!ti = !helion.tile<64>
!tj = !helion.tile<32>
func.func @product(%xp: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, %yp: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, %op: !llvm.ptr {llvm.noalias},
    %m: index, %k: index, %n: index, %xs: index {helion.multiple = 8 : i64}, %ys: index {helion.multiple = 8 : i64}, %os: index) attributes {helion.entry, warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = llvm.mlir.constant(0 : i64) : i64
  %u = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64)>
  %x0 = llvm.insertvalue %xp, %u[0] : !llvm.struct<(ptr, ptr, i64)>
  %x1 = llvm.insertvalue %xp, %x0[1] : !llvm.struct<(ptr, ptr, i64)>
  %x2 = llvm.insertvalue %zero, %x1[2] : !llvm.struct<(ptr, ptr, i64)>
  %xb = builtin.unrealized_conversion_cast %x2 : !llvm.struct<(ptr, ptr, i64)> to memref<bf16>
  %x = memref.reinterpret_cast %xb to offset: [0], sizes: [%m, %k], strides: [%xs, 1] : memref<bf16> to !x
  %y0 = llvm.insertvalue %yp, %u[0] : !llvm.struct<(ptr, ptr, i64)>
  %y1 = llvm.insertvalue %yp, %y0[1] : !llvm.struct<(ptr, ptr, i64)>
  %y2 = llvm.insertvalue %zero, %y1[2] : !llvm.struct<(ptr, ptr, i64)>
  %yb = builtin.unrealized_conversion_cast %y2 : !llvm.struct<(ptr, ptr, i64)> to memref<bf16>
  %y = memref.reinterpret_cast %yb to offset: [0], sizes: [%k, %n], strides: [%ys, 1] : memref<bf16> to !x
  %o0 = llvm.insertvalue %op, %u[0] : !llvm.struct<(ptr, ptr, i64)>
  %o1 = llvm.insertvalue %op, %o0[1] : !llvm.struct<(ptr, ptr, i64)>
  %o2 = llvm.insertvalue %zero, %o1[2] : !llvm.struct<(ptr, ptr, i64)>
  %ob = builtin.unrealized_conversion_cast %o2 : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
  %out = memref.reinterpret_cast %ob to offset: [0], sizes: [%m, %n], strides: [%os, 1] : memref<f32> to !out
  %i = helion.make_tile %c0 end %m : !ti
  %j = helion.make_tile %c0 end %n : !tj
  %ring = helion.ring "x.0+y.0" : !ring
  scf.for %s = %c0 to %c2 step %c1 {
    %at = arith.muli %s, %c32 : index
    %l = helion.make_tile %at end %k : !tj
    %w, %a, %b = helion.acquire %ring : !ring
    helion.load_async %x[%i, %l] into %a site "x.0" : !x, (!ti, !tj), !helion.buf<!A>
    helion.load_async %y[%l, %j] into %b site "y.0" : !x, (!tj, !tj), !helion.buf<!B>
    helion.commit %w : !helion.slot<write>
  }
  %f = arith.constant 0.0 : f32
  %z = helion.splat %f : f32 -> !acc
  %r = scf.for %p = %c0 to %k step %c32 iter_args(%acc = %z) -> (!acc) {
    %q, %ta, %tb = helion.take %ring : !ring
    %ahead = arith.constant 64 : index
    %at = arith.addi %p, %ahead : index
    %l = helion.make_tile %at end %k : !tj
    %w, %a, %b = helion.acquire %ring : !ring
    helion.load_async %x[%i, %l] into %a site "x.0" : !x, (!ti, !tj), !helion.buf<!A>
    helion.load_async %y[%l, %j] into %b site "y.0" : !x, (!tj, !tj), !helion.buf<!B>
    helion.commit %w : !helion.slot<write>
    %va = helion.read %ta : !helion.buf<!A> -> tensor<64x32xbf16, #fa>
    %vb = helion.read %tb : !helion.buf<!B> -> tensor<32x32xbf16, #fb>
    %d = helion.dot %va, %vb, %acc site "d" {instruction = "mma16x8x16"} : tensor<64x32xbf16, #fa>, tensor<32x32xbf16, #fb>, !acc
    helion.release %q : !helion.slot<read>
    scf.yield %d : !acc
  }
  scf.for %s = %c0 to %c2 step %c1 {
    %q, %ta, %tb = helion.take %ring : !ring
    helion.release %q : !helion.slot<read>
  }
  helion.store %r, %out[%i, %j] site "o" : !acc, !out, (!ti, !tj)
  return
}

// -----

// A slot of 64 pieces for 128 threads: half of them copy, since two that write the same bytes would race.
// CHECK-LABEL: func.func @few
// CHECK: scf.if
// CHECK-NEXT: nvgpu.device_async_copy {{.*}}xbf16, #gpu
// CHECK-NEXT: {{^ *}$}}
// CHECK: nvvm.cp.async.commit.group
// LLVM-LABEL: llvm.func @few
#s = #helion.layout<[8, 32], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16]], repeat = [offset 0 x 2]>
#v = #helion.layout<[16, 32], reg = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
!x = memref<?x?xbf16, strided<[?, 1]>>
!S = tensor<16x32xbf16, #s>
!ring = !helion.ring<1 x (!S)>
!ti = !helion.tile<16>
!tj = !helion.tile<32>
func.func @few(%xp: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, %op: !llvm.ptr {llvm.noalias}, %m: index, %k: index,
    %xs: index {helion.multiple = 8 : i64}, %os: index) attributes {helion.entry, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = llvm.mlir.constant(0 : i64) : i64
  %u = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64)>
  %x0 = llvm.insertvalue %xp, %u[0] : !llvm.struct<(ptr, ptr, i64)>
  %x1 = llvm.insertvalue %xp, %x0[1] : !llvm.struct<(ptr, ptr, i64)>
  %x2 = llvm.insertvalue %zero, %x1[2] : !llvm.struct<(ptr, ptr, i64)>
  %xb = builtin.unrealized_conversion_cast %x2 : !llvm.struct<(ptr, ptr, i64)> to memref<bf16>
  %x = memref.reinterpret_cast %xb to offset: [0], sizes: [%m, %k], strides: [%xs, 1] : memref<bf16> to !x
  %o0 = llvm.insertvalue %op, %u[0] : !llvm.struct<(ptr, ptr, i64)>
  %o1 = llvm.insertvalue %op, %o0[1] : !llvm.struct<(ptr, ptr, i64)>
  %o2 = llvm.insertvalue %zero, %o1[2] : !llvm.struct<(ptr, ptr, i64)>
  %ob = builtin.unrealized_conversion_cast %o2 : !llvm.struct<(ptr, ptr, i64)> to memref<bf16>
  %out = memref.reinterpret_cast %ob to offset: [0], sizes: [%m, %k], strides: [%os, 1] : memref<bf16> to !x
  %i = helion.make_tile %c0 end %m : !ti
  %j = helion.make_tile %c0 end %k : !tj
  %ring = helion.ring "x.0" : !ring
  %w, %a = helion.acquire %ring : !ring
  helion.load_async %x[%i, %j] into %a site "x.0" : !x, (!ti, !tj), !helion.buf<!S>
  helion.commit %w : !helion.slot<write>
  %q, %t = helion.take %ring : !ring
  %v = helion.read %t : !helion.buf<!S> -> tensor<16x32xbf16, #v>
  helion.release %q : !helion.slot<read>
  helion.store %v, %out[%i, %j] site "o" : tensor<16x32xbf16, #v>, !x, (!ti, !tj)
  return
}
