// RUN: not helion-opt --helion-lower-cache-hints --split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: 'memref.load' op has the cache hint `cs`; loads have `first` and `last`, stores `cs` and `wt`
func.func @load(%x: memref<?xf32>, %i: index) -> f32 {
  %a = memref.load %x[%i] {helion.cache_hint = "cs"} : memref<?xf32>
  return %a : f32
}
