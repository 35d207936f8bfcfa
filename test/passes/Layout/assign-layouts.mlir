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

// -----

// Indices, splats and what is computed of them are made in each layout that a reader wants: the mask of the load, and that of the
// turned store, come from the same iota.
// CHECK-DAG: [[$MDOWN:#.+]] = #helion.layout<[64, 64], reg = {{\[\[}}1, 0], [2, 0],
// CHECK-DAG: [[$MALONG:#.+]] = #helion.layout<[64, 64], reg = {{\[\[}}0, 1], [0, 2],
// CHECK-LABEL: helion.kernel @cheap
// CHECK-DAG: [[M0:%.+]] = arith.cmpi slt, {{.*}} : tensor<64x64xindex, [[$MDOWN]]>
// CHECK-DAG: [[M1:%.+]] = arith.cmpi slt, {{.*}} : tensor<64x64xindex, [[$MALONG]]>
// CHECK: [[V:%.+]] = helion.load {{.*}} mask [[M0]] : tensor<64x64xi1, [[$MDOWN]]>
// CHECK: [[C:%.+]] = helion.convert_layout [[V]] : tensor<64x64xf32, [[$MDOWN]]> -> tensor<64x64xf32, [[$MALONG]]>
// CHECK: helion.store [[C]], {{.*}} mask [[M1]]
// CHECK-NOT: convert_layout
!in = memref<?x?xf32, strided<[1, ?], offset: ?>>
!out = memref<?x?xf32>
!t = !helion.tile<64>
module attributes {helion.form = "scheduled"} {
  helion.kernel @cheap(%x: !in {helion.name = "x"}, %out: !out {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "f32[2]", out = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %m = memref.dim %x, %c0 : !in
    helion.launch "cheap" grid(%m) {
      %p = helion.program_id "x"
      %i = helion.make_tile %p : !t
      %a = helion.iota %i : !t -> tensor<64xindex>
      %r = helion.broadcast %a to [0] : tensor<64xindex> -> tensor<64x64xindex>
      %c = helion.broadcast %a to [1] : tensor<64xindex> -> tensor<64x64xindex>
      %k = arith.cmpi slt, %r, %c : tensor<64x64xindex>
      %v = helion.load %x[%i, %i] mask %k : tensor<64x64xi1> site "x.0" : !in, (!t, !t) -> tensor<64x64xf32>
      helion.store %v, %out[%i, %i] mask %k : tensor<64x64xi1> site "out.0" : tensor<64x64xf32>, !out, (!t, !t)
    }
    helion.return
  }
}

// -----

// The index of a gather is the value's layout without its other dims; it is loaded like that, though copies of it lie in all lanes.
// CHECK-DAG: [[$VALUES:#.+]] = #helion.layout<[8, 128],
// CHECK-DAG: [[$IDS:#.+]] = #helion.layout<[8], reg = {{\[\[}}4]], warp = {{\[\[}}1], [2]]>
// CHECK-LABEL: helion.kernel @gather
// CHECK: [[I:%.+]] = helion.load {{.*}} -> tensor<8xi64, [[$IDS]]>
// CHECK: helion.load {{.*}}[[[I]], %{{.+}}] {{.*}} (tensor<8xi64, [[$IDS]]>, !helion.tile<128>) -> tensor<8x128xf32, [[$VALUES]]>
// CHECK-NOT: convert_layout
module attributes {helion.form = "scheduled"} {
  helion.kernel @gather(%w: memref<?x?xf32> {helion.name = "w"}, %ids: memref<?xi64> {helion.name = "ids"}, %out: memref<?x?xf32> {helion.name = "out", helion.writes}) attributes {helion.signature = {w = "f32[2]", ids = "i64[1]", out = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %m = memref.dim %w, %c0 : memref<?x?xf32>
    helion.launch "gather" grid(%m) {
      %p = helion.program_id "x"
      %i = helion.make_tile %p : !helion.tile<8>
      %j = helion.make_tile %c0 : !helion.tile<128>
      %a = helion.load %ids[%i] site "ids.0" : memref<?xi64>, (!helion.tile<8>) -> tensor<8xi64>
      %v = helion.load %w[%a, %j] site "w.0" : memref<?x?xf32>, (tensor<8xi64>, !helion.tile<128>) -> tensor<8x128xf32>
      helion.store %v, %out[%i, %j] site "out.0" : tensor<8x128xf32>, memref<?x?xf32>, (!helion.tile<8>, !helion.tile<128>)
    }
    helion.return
  }
}

// -----

// Values that loops and branches carry have one layout, with the splat that they begin with. Extents of 96 = 32 * 3 and 1, and a tile
// that is smaller than the threads. A launch that says its warps keeps them.
// CHECK-DAG: [[$ODD:#.+]] = #helion.layout<[1, 32], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], repeat = [reg 1 x 3]>
// CHECK-LABEL: helion.kernel @carried
// CHECK: attributes {warps = 2 : i64}
// CHECK: [[Z:%.+]] = helion.splat {{.*}} -> tensor<1x96xf32, [[$ODD]]>
// CHECK: scf.for {{.*}} iter_args({{.*}} = [[Z]]) -> (tensor<1x96xf32, [[$ODD]]>)
// CHECK: scf.if {{.*}} -> (tensor<1x96xf32, [[$ODD]]>)
// CHECK-NOT: convert_layout
!row = memref<?x?xf32, strided<[?, ?], offset: ?>>
module attributes {helion.form = "scheduled"} {
  helion.kernel @carried(%x: !row {helion.name = "x", helion.writes}) attributes {helion.signature = {x = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    helion.launch "carried" grid(%c8) attributes {warps = 2 : i64} {
      %p = helion.program_id "x"
      %i = helion.make_tile %p : !helion.tile<1>
      %j = helion.make_tile %c0 : !helion.tile<96>
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> tensor<1x96xf32>
      %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %z) -> (tensor<1x96xf32>) {
        %even = arith.cmpi eq, %k, %p : index
        %n = scf.if %even -> (tensor<1x96xf32>) {
          %v = helion.load %x[%i, %j] site "x.0" : !row, (!helion.tile<1>, !helion.tile<96>) -> tensor<1x96xf32>
          scf.yield %v : tensor<1x96xf32>
        } else {
          scf.yield %s : tensor<1x96xf32>
        }
        %t = arith.addf %s, %n : tensor<1x96xf32>
        scf.yield %t : tensor<1x96xf32>
      }
      helion.store %r, %x[%i, %j] site "x.1" : tensor<1x96xf32>, !row, (!helion.tile<1>, !helion.tile<96>)
    }
    helion.return
  }
}

// -----

// A reshape keeps every element where it is, if the parts of threads line up with the new dims; else its operand is
// converted to what the result merges into.
// CHECK-LABEL: helion.kernel @shapes
// CHECK: [[V:%.+]] = helion.load
// CHECK-NEXT: [[R:%.+]] = helion.reshape [[V]]
// CHECK-NEXT: helion.store [[R]]
// CHECK: [[W:%.+]] = helion.load {{.*}} -> tensor<96xf32,
// CHECK: [[C:%.+]] = helion.convert_layout [[W]]
// CHECK: [[S:%.+]] = helion.reshape [[C]]
// CHECK: helion.store
module attributes {helion.form = "scheduled"} {
  helion.kernel @shapes(%x: memref<?xf32> {helion.name = "x", helion.writes}, %y: memref<?x?xf32> {helion.name = "y", helion.writes}) attributes {helion.signature = {x = "f32[1]", y = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    helion.launch "shapes" grid(%c8) {
      %i = helion.make_tile %c0 : !helion.tile<1024>
      %j = helion.make_tile %c0 : !helion.tile<4>
      %k = helion.make_tile %c0 : !helion.tile<256>
      %v = helion.load %x[%i] site "x.0" : memref<?xf32>, (!helion.tile<1024>) -> tensor<1024xf32>
      %r = helion.reshape %v [array<i64: 0, 1>] : tensor<1024xf32> -> tensor<4x256xf32>
      helion.store %r, %y[%j, %k] site "y.0" : tensor<4x256xf32>, memref<?x?xf32>, (!helion.tile<4>, !helion.tile<256>)
      %l = helion.make_tile %c0 : !helion.tile<96>
      %m = helion.make_tile %c0 : !helion.tile<3>
      %n = helion.make_tile %c0 : !helion.tile<32>
      %w = helion.load %x[%l] site "x.1" : memref<?xf32>, (!helion.tile<96>) -> tensor<96xf32>
      %s = helion.reshape %w [array<i64: 0, 1>] : tensor<96xf32> -> tensor<32x3xf32>
      helion.store %s, %y[%n, %m] site "y.1" : tensor<32x3xf32>, memref<?x?xf32>, (!helion.tile<32>, !helion.tile<3>)
    }
    helion.return
  }
}

// -----

// Off case: a launch without tile values only gets its number of warps.
// CHECK-LABEL: helion.kernel @scalars
// CHECK: helion.launch "scalars" grid(%{{.+}}) attributes {warps = 4 : i64} {
// CHECK-NEXT: [[P:%.+]] = helion.program_id "x"
// CHECK-NEXT: [[V:%.+]] = helion.load %{{.+}}{{\[}}[[P]]] site "x.0" : memref<?xf32>, (index) -> f32
// CHECK-NEXT: helion.store [[V]]
module attributes {helion.form = "scheduled"} {
  helion.kernel @scalars(%x: memref<?xf32> {helion.name = "x", helion.writes}) attributes {helion.signature = {x = "f32[1]"}, helion.facts = []} {
    %c8 = arith.constant 8 : index
    helion.launch "scalars" grid(%c8) {
      %p = helion.program_id "x"
      %v = helion.load %x[%p] site "x.0" : memref<?xf32>, (index) -> f32
      helion.store %v, %x[%p] site "x.1" : f32, memref<?xf32>, (index)
    }
    helion.return
  }
}

// -----

// The choice on the access: vectors as wide as the facts carry (rows that are multiples of two floats apart), none for
// other choices, whatever the facts say.
// CHECK-DAG: [[$TWO:#.+]] = #helion.layout<[4, 512], reg = {{\[\[}}0, 1], [0, 64],
// CHECK-DAG: [[$SINGLE:#.+]] = #helion.layout<[4, 512], reg = {{\[\[}}0, 32], [0, 64],
// CHECK-LABEL: helion.kernel @chosen
// CHECK: helion.load {{.*}} site "x.0" {access = "vector"} {{.*}} -> tensor<4x512xf32, [[$TWO]]>
// CHECK: helion.load {{.*}} site "x.2" {access = "contiguous"} {{.*}} -> tensor<4x512xf32, [[$SINGLE]]>
!v = memref<?x?xf32, strided<[?, ?], offset: ?>>
!ti = !helion.tile<4>
!tj = !helion.tile<512>
module attributes {helion.form = "scheduled"} {
  helion.kernel @chosen(%x: !v {helion.name = "x", helion.writes}) attributes {helion.signature = {x = "f32[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 6 == 0">, #helion.pred<"x.stride(1) == 1">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    helion.launch "chosen" grid(%c1) {
      %i = helion.make_tile %c0 : !ti
      %j = helion.make_tile %c0 : !tj
      %a = helion.load %x[%i, %j] site "x.0" {access = "vector"} : !v, (!ti, !tj) -> tensor<4x512xf32>
      helion.store %a, %x[%i, %j] site "x.1" {access = "vector"} : tensor<4x512xf32>, !v, (!ti, !tj)
      %b = helion.load %x[%i, %j] site "x.2" {access = "contiguous"} : !v, (!ti, !tj) -> tensor<4x512xf32>
      helion.store %b, %x[%i, %j] site "x.3" {access = "any"} : tensor<4x512xf32>, !v, (!ti, !tj)
    }
    helion.return
  }
}
