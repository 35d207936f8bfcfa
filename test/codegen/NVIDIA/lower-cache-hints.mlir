// RUN: helion-opt --helion-lower-cache-hints %s | FileCheck %s

// Whole vectors where they are aligned, else in pieces as wide as the alignment; narrow elements travel in words, bytes in 16 bits.
// Accesses without a hint stay.
// CHECK-LABEL: func.func @hints
func.func @hints(%x: memref<?xf32, strided<[1]>>, %y: memref<?xbf16, strided<[1]>>, %z: memref<?xi8, strided<[1]>>, %i: index) {
  // CHECK: %[[P:.*]] = memref.extract_aligned_pointer_as_index %{{.*}} : memref<?xf32, strided<[1]>> -> index
  // CHECK: llvm.inline_asm has_side_effects "{ .reg .u64 at; cvta.to.global.u64 at, $4; ld.global.L1::evict_first.v4.b32 {$0, $1, $2, $3}, [at]; }", "=r,=r,=r,=r,l,~{memory}" %{{.*}} : (i64) -> !llvm.struct<(i32, i32, i32, i32)>
  %a = vector.load %x[%i] {alignment = 16 : i64, helion.cache_hint = "first"} : memref<?xf32, strided<[1]>>, vector<4xf32>
  // CHECK-COUNT-2: "{ .reg .u64 at; cvta.to.global.u64 at, $0; st.global.cs.v2.b32 [at], {$1, $2}; }", "l,r,r,~{memory}"
  vector.store %a, %x[%i] {alignment = 8 : i64, helion.cache_hint = "cs"} : memref<?xf32, strided<[1]>>, vector<4xf32>
  // CHECK: "{ .reg .u64 at; cvta.to.global.u64 at, $4; ld.global.L1::evict_last.v4.b32 {$0, $1, $2, $3}, [at]; }"
  // CHECK: vector.bitcast %{{.*}} : vector<4xi32> to vector<8xbf16>
  %b = vector.load %y[%i] {alignment = 16 : i64, helion.cache_hint = "last"} : memref<?xbf16, strided<[1]>>, vector<8xbf16>
  // CHECK: st.global.wt.b32 [at], $1; }", "l,r,~{memory}"
  %c = vector.extract_strided_slice %b {offsets = [0], sizes = [2], strides = [1]} : vector<8xbf16> to vector<2xbf16>
  vector.store %c, %y[%i] {alignment = 4 : i64, helion.cache_hint = "wt"} : memref<?xbf16, strided<[1]>>, vector<2xbf16>
  // CHECK: ld.global.L1::evict_first.b8 $0, [at]; }", "=h,l,~{memory}" %{{.*}} : (i64) -> i16
  %d = memref.load %z[%i] {helion.cache_hint = "first"} : memref<?xi8, strided<[1]>>
  // CHECK: st.global.cs.b8 [at], $1; }", "l,h,~{memory}"
  memref.store %d, %z[%i] {helion.cache_hint = "cs"} : memref<?xi8, strided<[1]>>
  // CHECK: memref.load
  // CHECK: memref.store
  %e = memref.load %z[%i] : memref<?xi8, strided<[1]>>
  memref.store %e, %z[%i] : memref<?xi8, strided<[1]>>
  return
}
