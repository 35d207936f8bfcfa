// RUN: helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads '--helion-outline-launches=programs=block' %S/../../passes/Layout/pipeline-loads-groups.mlir -o %t.outlined.mlir
// RUN: helion-opt --helion-lower-nvidia-threads --canonicalize --cse %t.outlined.mlir -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: helion-opt --helion-lower-nvidia %t.mlir | FileCheck %s --check-prefix=LLVM
// RUN: helion-opt --helion-simulate-matrices %t.mlir | FileCheck %s --check-prefix=CALLS
// RUN: sed 's/nvvm.wgmma.wait.group/llvm.inline_asm has_side_effects "nop", "" : () -> () nvvm.wgmma.wait.group/' %t.mlir | not helion-opt --helion-simulate-matrices 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: sed 's/warp = \[\[16, 0\], \[32, 0\]/warp = [[32, 0], [16, 0]/' %t.outlined.mlir | not helion-opt --helion-lower-nvidia-threads 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: helion-opt '--pass-pipeline=builtin.module(helion-lower{target=nvidia:sm_90a})' %S/../../passes/Layout/pipeline-loads-groups.mlir | FileCheck %s --check-prefix=LLVM

// Rings of three slots of 64 x 64, depth along memory, and 64 x 128, columns along memory, in boxes of 64. Eight warps are two groups, the second has
// the other 64 columns: one box further, from a warp's number that lane 0 gives to all.
// CHECK-LABEL: func.func @product_0
// CHECK: [[WARP:%.+]], %{{.+}} = gpu.shuffle idx %{{.+}}, %c0
// CHECK: scf.for {{.*}} -> (vector<32xf32>, index, index)
// CHECK: nvgpu.mbarrier.try_wait.parity
// CHECK-NEXT: gpu.barrier
// CHECK: nvgpu.tma.async.load
// The left descriptor: 128 bytes of swizzle, 1024 bytes from 8 lines to the next. Of the right one also 8192 bytes from box to box.
// CHECK: arith.andi %{{.+}}, %c262143_i64
// CHECK: [[A:%.+]] = arith.ori %{{.+}}, %c4611686293305360384_i64
// CHECK: arith.shrui [[WARP]], %c2_i32
// CHECK: arith.muli %{{.+}}, %c8192_i32
// CHECK: [[B:%.+]] = arith.ori %{{.+}}, %c4611686293338849280_i64
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: nvvm.wgmma.mma_async [[A]], [[B]], %{{.+}}, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
// CHECK: [[A1:%.+]] = arith.addi [[A]], %c2_i64
// CHECK: [[B1:%.+]] = arith.addi [[B]], %c128_i64
// CHECK: nvvm.wgmma.mma_async [[A1]], [[B1]],
// CHECK-COUNT-2: nvvm.wgmma.mma_async
// CHECK-NOT: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// The dot of the iteration before is over, this one flies while the next slot is taken.
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: scf.yield
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "=f,=f,
// CHECK-NOT: nvvm.wgmma

// LLVM: nvvm.wgmma.fence.aligned
// LLVM: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// LLVM: nvvm.wgmma.wait.group.sync.aligned 1
// LLVM-NOT: unrealized_conversion_cast

// CALLS: call @helion_harness_group_fence
// CALLS: call @helion_harness_wgmma({{.+}}) : (i64, i64, i32, i32) -> ()
// CALLS: call @helion_harness_group_commit
// CALLS: call @helion_harness_group_wait
// CALLS-NOT: llvm.inline_asm
// TEXT: is assembly that the harness of tests does not know
// OTHER: 'helion.dot_async' op is none of 16-bit floats into f32 from swizzled buffers, with the sums of `wgmma`
