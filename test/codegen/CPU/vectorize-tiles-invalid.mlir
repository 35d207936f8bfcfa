// RUN: helion-opt --helion-vectorize-tiles --split-input-file --verify-diagnostics %s

!a = memref<?xf8E4M3FN>
func.func @element(%x: !a, %out: !a) {
  %c0 = arith.constant 0 : index
  %t = helion.make_tile %c0 : !helion.tile<64>
  // expected-error@+1 {{has elements of type 'f8E4M3FN'; the CPU target has f16, bf16, f32, f64, i1, i8, i16, i32, i64 and index}}
  %v = helion.load %x[%t] site "x" : !a, (!helion.tile<64>) -> tensor<64xf8E4M3FN>
  helion.store %v, %out[%t] site "o" : tensor<64xf8E4M3FN>, !a, (!helion.tile<64>)
  return
}

// -----

func.func @unbound(%v: f32) {
  // expected-error@+1 {{has a tile value of type 'tensor<?xf32, #helion.dims<bm>>', whose extents are not bound yet}}
  %t = helion.splat %v : f32 -> tensor<?xf32, #helion.dims<bm>>
  return
}

// -----

func.func @constant(%out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{of different lanes has no code for the CPU; build it from `helion.iota`}}
  %v = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = helion.make_tile %c0 : !helion.tile<2>
  helion.store %v, %out[%t] site "o" : tensor<2xf32>, memref<?xf32>, (!helion.tile<2>)
  return
}

// -----

func.func @atomic(%v: bf16, %out: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{on elements of type 'bf16' has no code for the CPU; use f32}}
  %o = helion.atomic addf relaxed %v, %out[%c0] site "a" : bf16, memref<?xbf16>, (index) -> bf16
  return
}

// -----

func.func @accumulator(%v: f16) {
  %t = helion.splat %v : f16 -> tensor<16x16xf16>
  // expected-error@+1 {{has an accumulator of type 'f16'; the CPU target sums in f32, f64 or integers}}
  %d = helion.dot %t, %t, %t site "d" : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf16>
  return
}

// -----

func.func @register_tile(%v: f32) {
  %t = helion.splat %v : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{register tile is not [rows, columns] with columns a multiple of `8` and at most `64` vectors}}
  %d = helion.dot %t, %t, %t site "d" {register_tile = array<i64: 4, 12>} : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  return
}

// -----

func.func @region(%v: bf16) {
  %t = helion.splat %v : bf16 -> tensor<16xbf16>
  // expected-error@+1 {{combines elements of type 'bf16'; extend them to f32 first}}
  %r = helion.reduce_fn %t other %v dim 0 site "r" : (tensor<16xbf16>), (bf16) -> (bf16) {
  ^bb0(%a: bf16, %b: bf16):
    %s = arith.addf %a, %b : bf16
    helion.yield %s : bf16
  }
  return
}

// -----

func.func @program() -> index {
  // expected-error@+1 {{has no code for the CPU at this place}}
  %p = helion.program_id "x"
  return %p : index
}

// -----

func.func @narrow_scan(%v: bf16, %s: memref<?xi8> {helion.scratch}) {
  %t = helion.splat %v : bf16 -> tensor<16xbf16>
  // expected-error@+1 {{combines elements of type 'bf16'; extend them to f32 first}}
  %d = helion.scan_fn %t other %v dim 0 site "s" : (tensor<16xbf16>), (bf16) {
  ^bb0(%a: bf16, %b: bf16):
    helion.yield %b : bf16
  }
  return
}
