// RUN: helion-opt --helion-choose-access %s | FileCheck %s
// RUN: helion-opt --helion-choose-access=indexing=x.0=any,y.0=contiguous,out.0=any %s | FileCheck %s --check-prefix=CHOSEN
// RUN: helion-opt "--helion-choose-access=load_eviction_policies=x.0=first,y.0=last store_cache_modifiers=out.0=cs" %s | FileCheck %s --check-prefix=HINTS
// RUN: helion-opt --helion-choose-access=indexing=x.0=any,y.0=any,out.0=any %s | FileCheck %s --check-prefix=ANY

// Rows of floats in fours, of which each tile begins at a multiple: the end of a row is one, too. The row of `y` has no stride
// beside. The result is an allocation: its rows are as far apart as they are long.
// CHECK-LABEL: helion.kernel @rows
// CHECK-SAME: helion.facts = [#helion.pred<"out.align % 16 == 0">, #helion.pred<"x.align % 16 == 0">, #helion.pred<"x.size(1) % 4 == 0">, #helion.pred<"x.stride(0) % 4 == 0">, #helion.pred<"x.stride(1) == 1">, #helion.pred<"y.align % 16 == 0">, #helion.pred<"y.stride(0) == 1">]
// CHECK: helion.load {{.*}} site "x.0" {access = "vector"}
// CHECK: helion.load {{.*}} site "y.0" {access = "vector"}
// CHECK: helion.store {{.*}} site "out.0" {access = "vector"}
// CHOSEN-LABEL: helion.kernel @rows
// CHOSEN-SAME: helion.facts = [#helion.pred<"y.stride(0) == 1">]
// CHOSEN: helion.load {{.*}} site "x.0" {access = "any"}
// CHOSEN: helion.load {{.*}} site "y.0" {access = "contiguous"}
// CHOSEN: helion.store {{.*}} site "out.0" {access = "any"}
// HINTS-LABEL: helion.kernel @rows
// HINTS: helion.load {{.*}} site "x.0" {access = "vector", evict = "first"}
// HINTS: helion.load {{.*}} site "y.0" {access = "vector", evict = "last"}
// HINTS: helion.store {{.*}} site "out.0" {access = "vector", evict = "cs"}
// ANY-LABEL: helion.kernel @rows
// ANY-SAME: helion.facts = []
// ANY: helion.load {{.*}} site "x.0" {access = "any"}
!x = memref<?x?xf32, strided<[?, ?], offset: ?>>
!y = memref<?xf32, strided<[?], offset: ?>>
!out = memref<?x?xf32>
!ti = !helion.tile<4>
!tj = !helion.tile<256>
module attributes {helion.form = "scheduled"} {
  helion.kernel @rows(%x: !x {helion.name = "x"}, %y: !y {helion.name = "y"}) -> !out attributes {helion.signature = {x = "f32[2]", y = "f32[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %m = memref.dim %x, %c0 : !x
    %n = memref.dim %x, %c1 : !x
    %out = helion.empty(%m, %n) {name = "out"} : !out
    helion.launch "rows" grid(%m) {
      %p = helion.program_id "x"
      %b = arith.muli %p, %c4 : index
      %i = helion.make_tile %b end %m : !ti
      scf.for %k = %c0 to %n step %c256 {
        %j = helion.make_tile %k end %n : !tj
        %v = helion.load %x[%i, %j] site "x.0" : !x, (!ti, !tj) -> tensor<4x256xf32>
        %w = helion.load %y[%j] site "y.0" : !y, (!tj) -> tensor<256xf32>
        %u = helion.broadcast %w to [1] : tensor<256xf32> -> tensor<4x256xf32>
        %s = arith.addf %v, %u : tensor<4x256xf32>
        helion.store %s, %out[%i, %j] site "out.0" : tensor<4x256xf32>, !out, (!ti, !tj)
      }
    }
    helion.return %out : !out
  }
}
