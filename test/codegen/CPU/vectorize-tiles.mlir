// RUN: helion-opt --helion-vectorize-tiles --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: helion-opt --helion-vectorize-tiles="vector-bits=512 vector-registers=32 stream-bytes=1" --split-input-file %s | FileCheck %s --check-prefix=WIDE

// Whole vectors without a mask, then one masked step; the stride is known, so there is one version.
// CHECK-LABEL: func.func @double
// CHECK-NOT: helion.load
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %c8
// CHECK:   %[[V:.*]] = vector.load %{{.*}} : {{.*}}, vector<8xf32>
// CHECK:   %[[E:.*]] = arith.addf %[[V]], %[[V]] : vector<8xf32>
// CHECK:   vector.store %[[E]]
// CHECK: scf.for
// CHECK:   %[[M:.*]] = vector.create_mask
// CHECK:   vector.maskedload %{{.*}}, %[[M]]
// CHECK:   vector.maskedstore %{{.*}}, %[[M]]
// CHECK-NOT: scf.for

// A large and aligned tensor is written past the caches, and fenced.
// WIDE-LABEL: func.func @double
// WIDE: memref.extract_aligned_pointer_as_index
// WIDE: scf.if
// WIDE: vector.store %{{.*}} {{{.*}}nontemporal = true} : {{.*}}, vector<16xf32>
// WIDE: } else {
// WIDE-NOT: nontemporal
// WIDE: llvm.fence seq_cst
!a = memref<?xf32, strided<[1], offset: ?>>
func.func @double(%x: !a, %out: !a, %b: index, %s: memref<?xi8> {helion.scratch}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !a
  %t = helion.make_tile %b end %n : !helion.tile<1024>
  %v = helion.load %x[%t] site "x.0" : !a, (!helion.tile<1024>) -> tensor<1024xf32>
  %e = arith.addf %v, %v : tensor<1024xf32>
  helion.store %e, %out[%t] site "out.0" : tensor<1024xf32>, !a, (!helion.tile<1024>)
  return
}

// -----

// A stride that only run time knows: one test, vectors in one branch, gathers in the other.
// CHECK-LABEL: func.func @strided
// CHECK: arith.cmpi eq, %{{.*}}, %c1
// CHECK: scf.if
// CHECK:   vector.load
// CHECK-NOT: vector.gather
// CHECK: } else {
// CHECK:   vector.gather
// WIDE-LABEL: func.func @strided
!a = memref<?xf32, strided<[?], offset: ?>>
func.func @strided(%x: !a, %out: memref<?xf32>, %s: memref<?xi8> {helion.scratch}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !a
  %t = helion.make_tile %c0 end %n : !helion.tile<64>
  %v = helion.load %x[%t] site "x.0" : !a, (!helion.tile<64>) -> tensor<64xf32>
  helion.store %v, %out[%t] site "out.0" : tensor<64xf32>, memref<?xf32>, (!helion.tile<64>)
  return
}

// -----

// Row by row: the sum, the exp it is made of (kept for one row only), and the quotient share one loop over rows.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-1: memref.alloc() {helion.tile_buffer} : memref<512xf32>
// CHECK: scf.for %[[ROW:.*]] = %c0 to
// CHECK:   scf.for
// CHECK:     arith.addf {{.*}} : vector<8xf32>
// CHECK:   memref.prefetch
// CHECK:   scf.for
// CHECK:     arith.divf {{.*}} : vector<8xf32>
// CHECK:     vector.store
// CHECK-NOT: scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// WIDE-LABEL: func.func @rows
!m = memref<?x?xf32, strided<[?, 1], offset: ?>>
func.func @rows(%x: !m, %out: !m, %s: memref<?xi8> {helion.scratch}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !m
  %n = memref.dim %x, %c1 : !m
  %z = arith.constant 0.0 : f32
  %i = helion.make_tile %c0 end %m : !helion.tile<16>
  %j = helion.make_tile %c0 end %n : !helion.tile<512>
  %v = helion.load %x[%i, %j] site "x.0" : !m, (!helion.tile<16>, !helion.tile<512>) -> tensor<16x512xf32>
  %vm = helion.mask %v dims [1] by (%j) fill %z : tensor<16x512xf32>, (!helion.tile<512>), f32
  %top = helion.reduce addf %vm dim 1 site "top" : tensor<16x512xf32> -> tensor<16xf32>
  %tb = helion.broadcast %top to [0] : tensor<16xf32> -> tensor<16x512xf32>
  %d = arith.subf %v, %tb : tensor<16x512xf32>
  %e = math.exp %d : tensor<16x512xf32>
  %k = helion.mask %e dims [1] by (%j) fill %z : tensor<16x512xf32>, (!helion.tile<512>), f32
  %sum = helion.reduce addf %k dim 1 site "sum" : tensor<16x512xf32> -> tensor<16xf32>
  %b = helion.broadcast %sum to [0] : tensor<16xf32> -> tensor<16x512xf32>
  %q = arith.divf %e, %b : tensor<16x512xf32>
  helion.store %q, %out[%i, %j] site "out.0" : tensor<16x512xf32>, !m, (!helion.tile<16>, !helion.tile<512>)
  return
}

// -----

// exp of a value minus its largest along a dim cannot overflow: with a mask, in the lanes that the mask keeps, when nobody
// looks at others. A maximum that is repeated along another dim, and lanes beside the mask's, say nothing.
// CHECK-LABEL: func.func @largest
// CHECK: math.exp {{.*}} {helion.non_positive} : vector<8xf32>
// CHECK-LABEL: func.func @largest_across
// CHECK-NOT: non_positive
// CHECK: math.exp
// CHECK-NOT: non_positive
// CHECK-LABEL: func.func @largest_of_some
// CHECK-NOT: non_positive
// CHECK: math.exp
// CHECK-NOT: non_positive
// WIDE-LABEL: func.func @largest
!m = memref<?x?xf32, strided<[?, 1], offset: ?>>
func.func @largest(%x: !m, %out: !m, %s: memref<?xi8> {helion.scratch}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !m
  %n = memref.dim %x, %c1 : !m
  %least = arith.constant 0xFF800000 : f32
  %i = helion.make_tile %c0 end %m : !helion.tile<16>
  %j = helion.make_tile %c0 end %n : !helion.tile<16>
  %v = helion.load %x[%i, %j] site "x.0" : !m, (!helion.tile<16>, !helion.tile<16>) -> tensor<16x16xf32>
  %vm = helion.mask %v dims [1] by (%j) fill %least : tensor<16x16xf32>, (!helion.tile<16>), f32
  %top = helion.reduce maximumf %vm dim 1 site "top" : tensor<16x16xf32> -> tensor<16xf32>
  %tb = helion.broadcast %top to [0] : tensor<16xf32> -> tensor<16x16xf32>
  %d = arith.subf %v, %tb : tensor<16x16xf32>
  %e = math.exp %d : tensor<16x16xf32>
  helion.store %e, %out[%i, %j] site "out.0" : tensor<16x16xf32>, !m, (!helion.tile<16>, !helion.tile<16>)
  return
}
func.func @largest_across(%x: !m, %out: !m, %s: memref<?xi8> {helion.scratch}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !m
  %n = memref.dim %x, %c1 : !m
  %least = arith.constant 0xFF800000 : f32
  %i = helion.make_tile %c0 end %m : !helion.tile<16>
  %j = helion.make_tile %c0 end %n : !helion.tile<16>
  %v = helion.load %x[%i, %j] site "x.0" : !m, (!helion.tile<16>, !helion.tile<16>) -> tensor<16x16xf32>
  %vm = helion.mask %v dims [1] by (%j) fill %least : tensor<16x16xf32>, (!helion.tile<16>), f32
  %top = helion.reduce maximumf %vm dim 1 site "top" : tensor<16x16xf32> -> tensor<16xf32>
  %tb = helion.broadcast %top to [1] : tensor<16xf32> -> tensor<16x16xf32>
  %d = arith.subf %v, %tb : tensor<16x16xf32>
  %e = math.exp %d : tensor<16x16xf32>
  helion.store %e, %out[%i, %j] site "out.0" : tensor<16x16xf32>, !m, (!helion.tile<16>, !helion.tile<16>)
  return
}
func.func @largest_of_some(%x: !m, %out: !m, %some: index, %s: memref<?xi8> {helion.scratch}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !m
  %n = memref.dim %x, %c1 : !m
  %least = arith.constant 0xFF800000 : f32
  %i = helion.make_tile %c0 end %m : !helion.tile<16>
  %j = helion.make_tile %c0 end %n : !helion.tile<16>
  %k = helion.make_tile %c0 end %some : !helion.tile<16>
  %v = helion.load %x[%i, %j] site "x.0" : !m, (!helion.tile<16>, !helion.tile<16>) -> tensor<16x16xf32>
  %vm = helion.mask %v dims [1] by (%k) fill %least : tensor<16x16xf32>, (!helion.tile<16>), f32
  %top = helion.reduce maximumf %vm dim 1 site "top" : tensor<16x16xf32> -> tensor<16xf32>
  %tb = helion.broadcast %top to [0] : tensor<16xf32> -> tensor<16x16xf32>
  %d = arith.subf %v, %tb : tensor<16x16xf32>
  %e = math.exp %d : tensor<16x16xf32>
  helion.store %e, %out[%i, %j] site "out.0" : tensor<16x16xf32>, !m, (!helion.tile<16>, !helion.tile<16>)
  return
}

// -----

// The carried accumulator is one buffer, added to in place; the inner loop holds a register tile and multiplies and adds.
// CHECK-LABEL: func.func @matmul
// CHECK: memref.alloc() {helion.tile_buffer} : memref<8448xf32>
// CHECK: scf.for {{.*}} step %c64
// CHECK:   memref.alloc() {helion.tile_buffer} : memref<8192xf32>
// CHECK:   scf.for {{.*}} iter_args
// CHECK-COUNT-12: vector.fma
// CHECK:   scf.yield
// CHECK-NOT: memref.alloc
// WIDE-LABEL: func.func @matmul
// WIDE: scf.for {{.*}} iter_args
// WIDE-COUNT-16: vector.fma {{.*}} : vector<16xf32>
// WIDE: scf.yield
!m = memref<?x?xf32, strided<[?, 1], offset: ?>>
func.func @matmul(%x: !m, %y: !m, %out: !m, %s: memref<?xi8> {helion.scratch}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %m = memref.dim %x, %c0 : !m
  %k = memref.dim %x, %c1 : !m
  %n = memref.dim %y, %c1 : !m
  %z = arith.constant 0.0 : f32
  %i = helion.make_tile %c0 end %m : !helion.tile<66>
  %j = helion.make_tile %c0 end %n : !helion.tile<128>
  %zero = helion.splat %z : f32 -> tensor<66x128xf32>
  %r = scf.for %k0 = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<66x128xf32>) {
    %t = helion.make_tile %k0 end %k : !helion.tile<64>
    %a = helion.load %x[%i, %t] site "x.0" : !m, (!helion.tile<66>, !helion.tile<64>) -> tensor<66x64xf32>
    %b = helion.load %y[%t, %j] site "y.0" : !m, (!helion.tile<64>, !helion.tile<128>) -> tensor<64x128xf32>
    %d = helion.dot %a, %b, %acc site "dot.0" : tensor<66x64xf32>, tensor<64x128xf32>, tensor<66x128xf32>
    scf.yield %d : tensor<66x128xf32>
  }
  helion.store %r, %out[%i, %j] site "out.0" : tensor<66x128xf32>, !m, (!helion.tile<66>, !helion.tile<128>)
  return
}

// -----

// No tile values: nothing changes.
// CHECK-LABEL: func.func @no_tiles
// CHECK-NEXT: arith.addi
// CHECK-NEXT: return
// WIDE-LABEL: func.func @no_tiles
func.func @no_tiles(%a: index) -> index {
  %b = arith.addi %a, %a : index
  return %b : index
}
