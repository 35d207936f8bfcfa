// RUN: helion-opt --helion-simulate-matrices --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func.func @moves
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: [[AT:%.+]] = arith.index_cast %{{.*}} : index to i64
// CHECK: call @helion_harness_ldmatrix([[AT]], %c2{{.*}}, %c1{{.*}}) : (i64, i32, i32) -> ()
// CHECK-COUNT-2: call @helion_harness_word
// CHECK: vector.from_elements
// CHECK: call @helion_harness_copy(%{{.*}}, %{{.*}}, %c16{{.*}}, %{{.*}}) : (i64, i64, i32, i32) -> ()
// CHECK: call @helion_harness_commit()
// CHECK: call @helion_harness_wait(%c1
// CHECK-NOT: nvgpu
// CHECK-NOT: nvvm
func.func @moves(%s: memref<64xbf16, #gpu.address_space<workgroup>>, %x: memref<?xbf16>, %i: index, %n: index) -> vector<2x2xbf16> {
  %v = nvgpu.ldmatrix %s[%i] {numTiles = 2 : i32, transpose = true} : memref<64xbf16, #gpu.address_space<workgroup>> -> vector<2x2xbf16>
  %t = nvgpu.device_async_copy %x[%i], %s[%i], 8, %n {bypassL1} : memref<?xbf16> to memref<64xbf16, #gpu.address_space<workgroup>>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 1
  return %v : vector<2x2xbf16>
}

// -----

// CHECK-LABEL: func.func @product
// CHECK-COUNT-10: call @helion_harness_give
// CHECK: call @helion_harness_mma(%c1
// CHECK-COUNT-4: call @helion_harness_word
func.func @product(%a: i32, %b: i32, %c: f32) -> !llvm.struct<(f32, f32, f32, f32)> {
  %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%b, %b] C[%c, %c, %c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  return %d : !llvm.struct<(f32, f32, f32, f32)>
}

// -----

// CHECK-LABEL: func.func @intrinsic
// CHECK: call @helion_harness_mul_rm_f(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
func.func @intrinsic(%a: f32) -> f32 {
  %r = llvm.call_intrinsic "llvm.nvvm.mul.rm.f"(%a, %a) : (f32, f32) -> f32
  return %r : f32
}

// -----

func.func @other(%a: i32, %c: f32) -> !llvm.struct<(f32, f32, f32, f32)> {
  // expected-error @below {{is of a shape that the harness of tests does not know}}
  %d = nvvm.mma.sync A[%a, %a] B[%a] C[%c, %c, %c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  return %d : !llvm.struct<(f32, f32, f32, f32)>
}
