// RUN: helion-opt --helion-plan-scratch --verify-diagnostics %s

// expected-error@+1 {{needs `512` bytes of scratch and has no argument marked `helion.scratch`}}
func.func @no_argument() {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %one = memref.alloc() {helion.tile_buffer} : memref<128xf32>
  memref.store %z, %one[%c0] : memref<128xf32>
  return
}
