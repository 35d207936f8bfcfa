// RUN: helion-opt --split-input-file --helion-choose-access %s | FileCheck %s

// 16-bit elements in eights; a window begins at a multiple of them, too; a tile of 132 has them in fours; a transposed
// tensor is contiguous along the rows of its view, whose end is the size of dim 1. Of a tile of four only that they lie together.
// CHECK-LABEL: helion.kernel @windows
// CHECK-SAME: #helion.pred<"n % 8 == 0">, #helion.pred<"out.align % 16 == 0">, #helion.pred<"v.stride(0) == 1">, #helion.pred<"w.align % 8 == 0">, #helion.pred<"w.size(0) % 4 == 0">, #helion.pred<"w.stride(0) == 1">, #helion.pred<"x.align % 16 == 0">, #helion.pred<"x.size(1) % 8 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(1) == 1">]
!x = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!t = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!w = memref<?xbf16, strided<[?], offset: ?>>
!out = memref<?xbf16>
!t8 = !helion.tile<256>
!t12 = !helion.tile<132>
!t1 = !helion.tile<1>
module attributes {helion.form = "scheduled"} {
  helion.kernel @windows(%x: !x {helion.name = "x"}, %w: !w {helion.name = "w"}, %v: !w {helion.name = "v"}, %n: index {helion.name = "n"}) -> !out attributes {helion.signature = {x = "bf16[2]", w = "bf16[1]", v = "bf16[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %m = memref.dim %x, %c0 : !x
    %k = memref.dim %x, %c1 : !x
    %l = memref.dim %w, %c0 : !w
    %turned = memref.transpose %x (i, j) -> (j, i) : !x to !t
    %out = helion.empty(%k) {name = "out"} : !out
    %late = memref.subview %out[%n] [%c256] [1] : !out to memref<?xbf16, strided<[1], offset: ?>>
    helion.launch "windows" grid(%m) {
      %p = helion.program_id "x"
      %b = arith.muli %p, %c256 : index
      %r = helion.make_tile %b end %k : !t8
      %one = helion.make_tile %p : !t1
      %a = helion.load %turned[%r, %one] site "x.0" : !t, (!t8, !t1) -> tensor<256x1xbf16>
      %a1 = helion.reshape %a [array<i64: 0, 1>] : tensor<256x1xbf16> -> tensor<256xbf16>
      %f = helion.make_tile %c0 : !t8
      helion.store %a1, %late[%f] site "out.0" : tensor<256xbf16>, memref<?xbf16, strided<[1], offset: ?>>, (!t8)
      %j = helion.make_tile %c0 end %l : !t12
      %u = helion.load %w[%j] site "w.0" : !w, (!t12) -> tensor<132xbf16>
      %few = helion.make_tile %c0 end %l : !helion.tile<4>
      %b4 = helion.load %v[%few] site "v.0" : !w, (!helion.tile<4>) -> tensor<4xbf16>
      helion.store %u, %w[%j] site "w.1" : tensor<132xbf16>, !w, (!t12)
    }
    helion.return %out : !out
  }
}

// -----

// Where code on the device decides where the tile begins, only that neighbours lie together is stated; where it decides the
// end, groups are, and lanes before the end go one by one. A gather along the last dim has no neighbours.
// CHECK-LABEL: helion.kernel @loaded
// CHECK-SAME: helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) == 1">, #helion.pred<"y.stride(0) == 1">]
!v = memref<?xf32, strided<[?], offset: ?>>
!at = memref<?xindex>
!t = !helion.tile<128>
module attributes {helion.form = "scheduled"} {
  helion.kernel @loaded(%x: !v {helion.name = "x", helion.writes}, %y: !v {helion.name = "y", helion.writes}, %z: !v {helion.name = "z"}, %at: !at {helion.name = "at"}) attributes {helion.signature = {x = "f32[1]", y = "f32[1]", z = "f32[1]", at = "i64[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    helion.launch "loaded" grid(%c1) {
      %p = helion.program_id "x"
      %b = arith.muli %p, %c128 : index
      %e = helion.load %at[%p] site "at.0" : !at, (index) -> index
      %i = helion.make_tile %b end %e : !t
      %j = helion.make_tile %e : !t
      %n = helion.iota %i : !t -> tensor<128xindex>
      %g = helion.load %z[%n] site "z.0" : !v, (tensor<128xindex>) -> tensor<128xf32>
      helion.store %g, %x[%i] site "x.0" : tensor<128xf32>, !v, (!t)
      helion.store %g, %y[%j] site "y.0" : tensor<128xf32>, !v, (!t)
    }
    helion.return
  }
}
