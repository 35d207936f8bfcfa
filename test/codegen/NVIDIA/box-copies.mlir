// RUN: helion-opt --helion-lower-nvidia-threads --canonicalize --cse %s -o %t.threads.mlir
// RUN: FileCheck %s < %t.threads.mlir
// RUN: helion-opt --helion-lower-nvidia %t.threads.mlir | FileCheck %s --check-prefix=LLVM
// RUN: not helion-opt '--pass-pipeline=builtin.module(func.func(helion-lower-threads))' %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/load_async %m1/load_async %x/; s/site "x.1" : !map/site "x.1" : !x/' %s | not helion-opt --helion-lower-nvidia-threads 2>&1 | FileCheck %s --check-prefix=MIXED

// A ring of three slots of 64 x 128, each two boxes of 64 columns. One thread makes the barriers of the slots ready; it says how many bytes
// a slot expects and starts the copies, the columns first among the coordinates. A take waits for the phase of its slot, which changes
// when the count of takes passes the depth, and meets all threads. The ring lies where swizzles begin anew, the barriers behind it.
// CHECK-LABEL: func.func @copy
// CHECK-SAME: helion.shared_bytes = 49184 : i64
// CHECK: scf.if
// CHECK-COUNT-3: nvgpu.mbarrier.init
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK: scf.for {{.*}} iter_args([[FILLED:%.+]] = %c0{{.*}}, [[TAKEN:%.+]] = %c0
// CHECK: scf.if
// CHECK: nvgpu.mbarrier.arrive.expect_tx {{.*}}[[[FILLED]]], %c16384
// CHECK: nvgpu.tma.async.load {{.*}}[%{{.+}}, %{{.+}}], {{.*}}[[[FILLED]]] to {{.*}}swizzle = swizzle_128b, {{.*}}memref<64x64xbf16, strided<[64, 1], offset: ?>
// CHECK: nvgpu.tma.async.load {{.*}}memref<64x64xbf16, strided<[64, 1], offset: ?>
// CHECK: [[ODD:%.+]] = arith.cmpi uge, [[TAKEN]], %c3
// CHECK: [[SLOT:%.+]] = arith.select [[ODD]], %{{.+}}, [[TAKEN]]
// CHECK: nvgpu.mbarrier.try_wait.parity {{.*}}[[[SLOT]]], [[ODD]]
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: nvvm.cp.async

// LLVM: llvm.func @copy(%{{.+}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// LLVM: nvvm.mbarrier.init
// LLVM: nvvm.mbarrier.arrive.expect_tx
// LLVM: nvvm.cp.async.bulk.tensor.shared.cluster.global
// LLVM: mbarrier.try_wait.parity
// LLVM-NOT: unrealized_conversion_cast

// OTHER: copies through a tensor map, which the target does not have
// MIXED: fills a ring by threads that tensor maps fill too; one of both is allowed
#sa = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], repeat = [offset 0 x 8, offset 1 x 2]>
#box = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], repeat = [offset 0 x 8]>
#r = #helion.layout<[1, 8], reg = [[0, 1], [0, 2], [0, 4]], repeat = [lane 1 x 16, lane 0 x 2, warp 0 x 2, reg 0 x 16]>
!x = memref<?x?xbf16, strided<[?, 1]>>
!A = tensor<64x128xbf16, #sa>
!map = !helion.tensor_map<[64, 64], tensor<64x64xbf16, #box>>
!ring = !helion.ring<3 x (!A)>
!ti = !helion.tile<64>
!tj = !helion.tile<128>
func.func @copy(%mp: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64}, %op: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64},
    %xp: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, %m: index, %n: index, %s: index {helion.multiple = 8 : i64}) attributes {helion.entry, warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m0 = builtin.unrealized_conversion_cast %mp : !llvm.ptr to !map
  %m1 = builtin.unrealized_conversion_cast %mp : !llvm.ptr to !map
  %i64 = llvm.mlir.constant(0 : i64) : i64
  %d0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64)>
  %d1 = llvm.insertvalue %op, %d0[0] : !llvm.struct<(ptr, ptr, i64)>
  %d2 = llvm.insertvalue %op, %d1[1] : !llvm.struct<(ptr, ptr, i64)>
  %d3 = llvm.insertvalue %i64, %d2[2] : !llvm.struct<(ptr, ptr, i64)>
  %ob = builtin.unrealized_conversion_cast %d3 : !llvm.struct<(ptr, ptr, i64)> to memref<bf16>
  %out = memref.reinterpret_cast %ob to offset: [0], sizes: [%m, %n], strides: [%s, 1] : memref<bf16> to !x
  %e1 = llvm.insertvalue %xp, %d0[0] : !llvm.struct<(ptr, ptr, i64)>
  %e2 = llvm.insertvalue %xp, %e1[1] : !llvm.struct<(ptr, ptr, i64)>
  %e3 = llvm.insertvalue %i64, %e2[2] : !llvm.struct<(ptr, ptr, i64)>
  %xb = builtin.unrealized_conversion_cast %e3 : !llvm.struct<(ptr, ptr, i64)> to memref<bf16>
  %x = memref.reinterpret_cast %xb to offset: [0], sizes: [%m, %n], strides: [%s, 1] : memref<bf16> to !x
  %ring = helion.ring "x.0" : !ring
  scf.for %l = %c0 to %m step %c64 {
    %i = helion.make_tile %l end %m : !ti
    %j = helion.make_tile %c0 end %n : !tj
    %slot, %buf = helion.acquire %ring : !ring
    helion.load_async %m0[%i, %j] into %buf site "x.0" : !map, (!ti, !tj), !helion.buf<!A>
    helion.commit %slot : !helion.slot<write>
    %next, %other = helion.acquire %ring : !ring
    helion.load_async %m1[%i, %j] into %other site "x.1" : !map, (!ti, !tj), !helion.buf<!A>
    helion.commit %next : !helion.slot<write>
    %full, %data = helion.take %ring : !ring
    %v = helion.read %data : !helion.buf<!A> -> tensor<64x128xbf16, #r>
    helion.store %v, %out[%i, %j] site "out.0" : tensor<64x128xbf16, #r>, !x, (!ti, !tj)
    helion.release %full : !helion.slot<read>
    %last, %unread = helion.take %ring : !ring
    helion.release %last : !helion.slot<read>
  }
  return
}
