// RUN: helion-opt --helion-assign-layouts --split-input-file %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: helion-opt --split-input-file --helion-verify-form=form=laidout %t.mlir -o /dev/null

// Rows of contiguous floats: vectors of four, lanes beside them, warps over rows, so that the sum of a row crosses no warp.
// CHECK-DAG: [[$ROWS:#.+]] = #helion.layout<[4, 256], reg = {{\[\[}}0, 1], [0, 2], [0, 128]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}1, 0], [2, 0]]>
// CHECK-DAG: [[$ROW:#.+]] = #helion.layout<[4], warp = {{\[\[}}1], [2]]>
// CHECK: module attributes {helion.form = "laidout"}
// CHECK-LABEL: helion.kernel @rows
// CHECK: helion.launch "rows" {{.*}} attributes {warps = 4 : i64}
// CHECK: [[V:%.+]] = helion.load {{.*}} -> tensor<4x256xf32, [[$ROWS]]>
// CHECK: [[S:%.+]] = helion.reduce addf [[V]] dim 1 {{.*}} -> tensor<4xf32, [[$ROW]]>
// CHECK: [[B:%.+]] = helion.broadcast [[S]]
// CHECK: [[D:%.+]] = arith.divf [[V]], [[B]] : tensor<4x256xf32, [[$ROWS]]>
// CHECK: helion.store [[D]]
!row = memref<?x?xf32>
!ti = !helion.tile<4>
!tj = !helion.tile<256>
module attributes {helion.form = "scheduled"} {
  helion.kernel @rows(%x: !row {helion.name = "x"}) -> !row attributes {helion.signature = {x = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !row
    %n = memref.dim %x, %c1 : !row
    %out = helion.empty(%m, %n) {name = "out"} : !row
    helion.launch "rows" grid(%m) {
      %p = helion.program_id "x"
      %i = helion.make_tile %p : !ti
      %j = helion.make_tile %c0 end %n : !tj
      %v = helion.load %x[%i, %j] site "x.0" : !row, (!ti, !tj) -> tensor<4x256xf32>
      %s = helion.reduce addf %v dim 1 site "sum.0" : tensor<4x256xf32> -> tensor<4xf32>
      %b = helion.broadcast %s to [0] : tensor<4xf32> -> tensor<4x256xf32>
      %d = arith.divf %v, %b : tensor<4x256xf32>
      helion.store %d, %out[%i, %j] site "out.0" : tensor<4x256xf32>, !row, (!ti, !tj)
    }
    helion.return %out : !row
  }
}

// -----

// The sum of columns crosses rows: warps go along columns first.
// CHECK: [[$COLUMNS:#.+]] = #helion.layout<[4, 512], reg = {{.*}}, warp = {{\[\[}}0, 128], [0, 256]]>
// CHECK-LABEL: helion.kernel @columns
// CHECK: helion.reduce addf {{.*}} dim 0 {{.*}} : tensor<4x512xf32, [[$COLUMNS]]>
// CHECK-NOT: convert_layout
!row = memref<?x?xf32>
!ti = !helion.tile<4>
!tj = !helion.tile<512>
module attributes {helion.form = "scheduled"} {
  helion.kernel @columns(%x: !row {helion.name = "x"}, %out: memref<?xf32> {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "f32[2]", out = "f32[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %m = memref.dim %x, %c0 : !row
    helion.launch "columns" grid(%m) {
      %p = helion.program_id "x"
      %i = helion.make_tile %p : !ti
      %j = helion.make_tile %c0 : !tj
      %v = helion.load %x[%i, %j] site "x.0" : !row, (!ti, !tj) -> tensor<4x512xf32>
      %s = helion.reduce addf %v dim 0 site "sum.0" : tensor<4x512xf32> -> tensor<512xf32>
      helion.store %s, %out[%j] site "out.0" : tensor<512xf32>, memref<?xf32>, (!tj)
    }
    helion.return
  }
}

// -----

// Memory that is contiguous along dim 0 is read along it and turned for the result, which is contiguous along dim 1: each access has
// its own layout, and conversions stand between them.
// CHECK-DAG: [[$DOWN:#.+]] = #helion.layout<[64, 64], reg = {{\[\[}}1, 0], [2, 0],
// CHECK-DAG: [[$ALONG:#.+]] = #helion.layout<[64, 64], reg = {{\[\[}}0, 1], [0, 2],
// CHECK-LABEL: helion.kernel @turn
// CHECK: [[V:%.+]] = helion.load {{.*}} -> tensor<64x64xf32, [[$DOWN]]>
// CHECK: [[T:%.+]] = helion.permute [[V]] [1, 0] : tensor<64x64xf32, [[$DOWN]]> -> tensor<64x64xf32, [[$ALONG]]>
// CHECK: [[C:%.+]] = helion.convert_layout [[T]] : tensor<64x64xf32, [[$ALONG]]> -> tensor<64x64xf32, [[$DOWN]]>
// CHECK: [[S:%.+]] = arith.addf [[V]], [[C]]
// CHECK: [[O:%.+]] = helion.convert_layout [[S]]
// CHECK: helion.store [[O]], {{.*}} tensor<64x64xf32, [[$ALONG]]>
!in = memref<?x?xf32, strided<[1, ?], offset: ?>>
!out = memref<?x?xf32>
!t = !helion.tile<64>
module attributes {helion.form = "scheduled"} {
  helion.kernel @turn(%x: !in {helion.name = "x"}) -> !out attributes {helion.signature = {x = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %m = memref.dim %x, %c0 : !in
    %out = helion.empty(%m, %m) {name = "out"} : !out
    helion.launch "turn" grid(%m) {
      %p = helion.program_id "x"
      %i = helion.make_tile %p : !t
      %v = helion.load %x[%i, %i] site "x.0" : !in, (!t, !t) -> tensor<64x64xf32>
      %t = helion.permute %v [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
      %s = arith.addf %v, %t : tensor<64x64xf32>
      helion.store %s, %out[%i, %i] site "out.0" : tensor<64x64xf32>, !out, (!t, !t)
    }
    helion.return %out : !out
  }
}

// -----

// A fact on the stride makes vectors; without one lanes go along the last dim element by element. 16-bit elements come in
// eights, but floats beside them bound the vector.
// CHECK-DAG: [[$EIGHT:#.+]] = #helion.layout<[2048], reg = {{\[\[}}1], [2], [4], [1024]],
// CHECK-DAG: [[$ONE:#.+]] = #helion.layout<[2048], reg = {{\[\[}}128], [256], [512], [1024]],
// CHECK-DAG: [[$FOUR:#.+]] = #helion.layout<[2048], reg = {{\[\[}}1], [2], [512], [1024]],
// CHECK-LABEL: helion.kernel @vectors
// CHECK: helion.load %{{.+}}[%{{.+}}] site "x.0" {{.*}} -> tensor<2048xbf16, [[$EIGHT]]>
// CHECK: helion.load %{{.+}}[%{{.+}}] site "y.0" {{.*}} -> tensor<2048xbf16, [[$ONE]]>
// CHECK: helion.load %{{.+}}[%{{.+}}] site "x.1" {{.*}} -> tensor<2048xbf16, [[$FOUR]]>
!v = memref<?xbf16, strided<[?], offset: ?>>
!t = !helion.tile<2048>
module attributes {helion.form = "scheduled"} {
  helion.kernel @vectors(%x: !v {helion.name = "x", helion.writes}, %y: !v {helion.name = "y", helion.writes}, %z: memref<?xf32> {helion.name = "z", helion.writes}) attributes {helion.signature = {x = "bf16[1]", y = "bf16[1]", z = "f32[1]"}, helion.facts = [#helion.pred<"x.stride(0) == 1">]} {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : !v
    helion.launch "vectors" grid(%n) {
      %p = helion.program_id "x"
      %i = helion.make_tile %p : !t
      %a = helion.load %x[%i] site "x.0" : !v, (!t) -> tensor<2048xbf16>
      helion.store %a, %x[%i] site "x.2" : tensor<2048xbf16>, !v, (!t)
      %b = helion.load %y[%i] site "y.0" : !v, (!t) -> tensor<2048xbf16>
      helion.store %b, %y[%i] site "y.1" : tensor<2048xbf16>, !v, (!t)
      %c = helion.load %x[%i] site "x.1" : !v, (!t) -> tensor<2048xbf16>
      %d = arith.extf %c : tensor<2048xbf16> to tensor<2048xf32>
      helion.store %d, %z[%i] site "z.0" : tensor<2048xf32>, memref<?xf32>, (!t)
    }
    helion.return
  }
}
