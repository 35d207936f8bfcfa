// RUN: helion-opt --helion-outline-launches --split-input-file --verify-diagnostics %s
// RUN: not helion-opt --helion-outline-launches=programs=warp %s 2>&1 | FileCheck %s
// CHECK: `programs` is `warp`; `span` and `block` are allowed

// expected-error@+1 {{has `0` kernels; an artifact is made of one}}
module {
}

// -----

helion.kernel @negative_grid_from_data(%x: memref<?xf32, strided<[?], offset: ?>> {helion.name = "x"}, %f: f32 {helion.name = "f"}) {
  %i = arith.fptosi %f : f32 to i64
  // expected-note@+1 {{computed here}}
  %g = arith.index_cast %i : i64 to index
  // expected-error@+1 {{grid size 0 is no expression over sizes, strides and integer arguments, which is all that a launch plan can hold}}
  helion.launch "k" grid(%g) {
  }
  helion.return
}

// -----

helion.kernel @negative_unmapped(%x: memref<?xf32, strided<[?], offset: ?>> {helion.name = "x"}) {
  // expected-error@+1 {{has no grid; launches are outlined after their programs are mapped}}
  helion.launch "k" {
  }
  helion.return
}

// -----

helion.kernel @negative_float_check(%f: f32 {helion.name = "f"}) {
  %z = arith.constant 0.0 : f32
  %c = arith.cmpf ogt, %f, %z : f32
  // expected-error@+1 {{condition is no conjunction of comparisons of sizes, strides and integer arguments}}
  helion.assert %c, "f is positive"
  helion.return
}

// -----

helion.kernel @negative_fill_by_argument(%x: memref<4xf32> {helion.name = "x"}, %f: f32 {helion.name = "f"}) -> memref<4xf32> {
  // expected-error@+1 {{fills `out` with a value that is no constant}}
  %out = helion.full(), %f {name = "out"} : f32 -> memref<4xf32>
  helion.return %out : memref<4xf32>
}

// -----

helion.kernel @negative_returns_argument(%x: memref<4xf32> {helion.name = "x"}) -> memref<4xf32> {
  // expected-error@+1 {{returns `x`, which is an argument; each result must be an allocation of its own}}
  helion.return %x : memref<4xf32>
}

// -----

helion.kernel @negative_returns_transposed(%x: memref<?x4xf32> {helion.name = "x"}) -> memref<4x?xf32, strided<[1, 4]>> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %out = helion.empty(%n) {name = "out"} : memref<?x4xf32>
  %t = memref.transpose %out (a, b) -> (b, a) : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
  // expected-error@+1 {{view of `out`; results are contiguous and have one of the types}}
  helion.return %t : memref<4x?xf32, strided<[1, 4]>>
}

// -----

helion.kernel @negative_recast_of_a_window(%x: memref<8xf32> {helion.name = "x"}) {
  %c1 = arith.constant 1 : index
  %w = memref.subview %x[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %r = memref.reinterpret_cast %w to offset: [0], sizes: [2], strides: [1] : memref<4xf32, strided<[1], offset: 4>> to memref<2xf32>
  helion.launch "k" grid(%c1) {
    %z = arith.constant 0 : index
    // expected-error@+1 {{uses a host tensor of type 'memref<2xf32>' that is no strided view of one argument or allocation}}
    %v = helion.load %r[%z] site "x.0" : memref<2xf32>, (index) -> f32
  }
  helion.return
}

// -----

helion.kernel @negative_view_never_contiguous(%x: memref<4x4xf32, strided<[8, 1]>> {helion.name = "x"}) {
  %c1 = arith.constant 1 : index
  %t = memref.transpose %x (a, b) -> (b, a) : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32, strided<[1, 8]>>
  %u = memref.cast %t : memref<4x4xf32, strided<[1, 8]>> to memref<4x4xf32, strided<[?, ?]>>
  %f = memref.collapse_shape %u [[0, 1]] : memref<4x4xf32, strided<[?, ?]>> into memref<16xf32, strided<[?]>>
  helion.launch "k" grid(%c1) {
    %z = arith.constant 0 : index
    // expected-error@+1 {{uses a host tensor of type 'memref<16xf32, strided<[?]>>' that is no strided view of one argument or allocation}}
    %v = helion.load %f[%z] site "x.0" : memref<16xf32, strided<[?]>>, (index) -> f32
  }
  helion.return
}

// -----

helion.kernel @negative_host_loop(%x: memref<4xf32> {helion.name = "x"}) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{`memref.store` has no step in a launch plan; the host part may hold sizes, views, allocations, asserts and launches}}
  memref.store %z, %x[%c0] : memref<4xf32>
  helion.return
}

// -----

// expected-error@+1 {{has a launch plan that nobody can run}}
helion.kernel @negative_unbound_block(%x: memref<?xf32> {helion.name = "x"}) {
  helion.block @bm tile
  %b = helion.block_size @bm
  helion.launch "k" grid(%b) {
  }
  helion.return
}

// -----

// expected-error@+1 {{parameter `mode` is no operand, and the signature fixes it neither to none nor to a number}}
helion.kernel @negative_fixed_text() attributes {helion.signature = {mode = "mean"}} {
  helion.return
}
