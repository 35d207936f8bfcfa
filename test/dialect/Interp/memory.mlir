// RUN: %python %S/Inputs/ops.py load_views %s %t | FileCheck %s --check-prefix=VIEWS
// RUN: %python %S/Inputs/ops.py gather_scatter %s %t | FileCheck %s --check-prefix=GATHER
// RUN: %python %S/Inputs/ops.py atomics %s %t | FileCheck %s --check-prefix=ATOMICS
// RUN: %python %S/Inputs/ops.py shifted %s %t | FileCheck %s --check-prefix=SHIFTED
// RUN: %python %S/Inputs/ops.py in_place %s %t | FileCheck %s --check-prefix=INPLACE
//
// Loads, stores and atomics: strides of any sign, masks, `other`, index tensors, scalars, addresses moved by an offset.
// VIEWS: load_views: 12 runs agree
// GATHER: gather_scatter: 4 runs agree
// ATOMICS: atomics: 4 runs agree
// SHIFTED: shifted: 4 runs agree
// INPLACE: in_place: 2 runs agree

!in = memref<?x?xf32, strided<[?, ?], offset: ?>>
!t  = tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
!p  = tensor<?x?xi1, #helion.dims<bi@i, bj@j>>

// Where x > 0 the value, elsewhere -7, read through a mask and `other`; stored under the mask x < 2 over a fill of 9.
helion.kernel @load_views(%x: !in {helion.name = "x"}) -> (memref<?x?xf32>, memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  %nine = arith.constant 9.0 : f32
  %out = helion.full(%m, %n), %nine {name = "out"} : f32 -> memref<?x?xf32>
  %plain = helion.empty(%m, %n) {name = "plain"} : memref<?x?xf32>
  helion.block @bi tile
  helion.block @bj tile
  helion.launch "load_views" {
    helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
      %a = helion.load %x[%i, %j] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
      helion.store %a, %plain[%i, %j] site "plain.0" : !t, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
      %z = arith.constant 0.0 : f32
      %zs = helion.splat %z : f32 -> !t
      %positive = arith.cmpf ogt, %a, %zs : !t
      %seven = arith.constant -7.0 : f32
      %b = helion.load %x[%i, %j] mask %positive : !p other %seven : f32 site "x.1" : !in, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
      %two = arith.constant 2.0 : f32
      %twos = helion.splat %two : f32 -> !t
      %small = arith.cmpf olt, %a, %twos : !t
      helion.store %b, %out[%i, %j] mask %small : !p site "out.0" : !t, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
    }
  }
  helion.return %plain, %out : memref<?x?xf32>, memref<?x?xf32>
}

// out[r[a,b], :, c[a,b]] = x[c[a,b], :, r[a,b]]: two index tensors around a tile; their dims stand where the first stood.
!x3 = memref<?x?x?xf16, strided<[?, ?, ?], offset: ?>>
!ix = memref<?x?xi32, strided<[?, ?], offset: ?>>
!iv = tensor<?x?xi32, #helion.dims<ba@a, bb@b>>
!v3 = tensor<?x?x?xf16, #helion.dims<ba@a, bb@b, bd@d>>
helion.kernel @gather_scatter(%x: !x3 {helion.name = "x"}, %r: !ix {helion.name = "r"}, %c: !ix {helion.name = "c"}) -> memref<?x?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n0 = memref.dim %x, %c0 : !x3
  %n1 = memref.dim %x, %c1 : !x3
  %n2 = memref.dim %x, %c2 : !x3
  %na = memref.dim %r, %c0 : !ix
  %nb = memref.dim %r, %c1 : !ix
  %z = arith.constant 0.0 : f16
  %out = helion.full(%n2, %n1, %n0), %z {name = "out"} : f16 -> memref<?x?x?xf16>
  helion.block @ba tile
  helion.block @bb tile
  helion.block @bd tile
  helion.launch "gather_scatter" {
    helion.tile (%a: !helion.tile<ba@a>, %b: !helion.tile<bb@b>, %d: !helion.tile<bd@d>) = (%c0, %c0, %c0) to (%na, %nb, %n1) site "loop.abd" {
      %ri = helion.load %r[%a, %b] site "r.0" : !ix, (!helion.tile<ba@a>, !helion.tile<bb@b>) -> !iv
      %ci = helion.load %c[%a, %b] site "c.0" : !ix, (!helion.tile<ba@a>, !helion.tile<bb@b>) -> !iv
      %v = helion.load %x[%ci, %d, %ri] site "x.0" : !x3, (!iv, !helion.tile<bd@d>, !iv) -> !v3
      helion.store %v, %out[%ri, %d, %ci] site "out.0" : !v3, memref<?x?x?xf16>, (!iv, !helion.tile<bd@d>, !iv)
    }
  }
  helion.return %out : memref<?x?x?xf16>
}

// A histogram with many lanes on one address, the maximum of each bin, and old values of a counter that one lane touches.
!xs = memref<?xi64, strided<[?], offset: ?>>
!xv = tensor<?xi64, #helion.dims<bi@i>>
helion.kernel @atomics(%x: !xs {helion.name = "x"}, %w: memref<?xf32, strided<[?], offset: ?>> {helion.name = "w"}) -> (memref<8xi64>, memref<8xf32>, memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !xs
  %z = arith.constant 0 : i64
  %ninf = arith.constant 0xFF800000 : f32
  %counts = helion.full(), %z {name = "counts"} : i64 -> memref<8xi64>
  %tops = helion.full(), %ninf {name = "tops"} : f32 -> memref<8xf32>
  %ticket = helion.full(%n), %z {name = "ticket"} : i64 -> memref<?xi64>
  helion.block @bi tile
  helion.launch "atomics" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %v = helion.load %x[%i] site "x.0" : !xs, (!helion.tile<bi@i>) -> !xv
      %u = helion.load %w[%i] site "w.0" : memref<?xf32, strided<[?], offset: ?>>, (!helion.tile<bi@i>) -> tensor<?xf32, #helion.dims<bi@i>>
      %one = arith.constant 1 : i64
      %ones = helion.splat %one : i64 -> !xv
      %old = helion.atomic addi relaxed %ones, %counts[%v] site "counts.0" : !xv, memref<8xi64>, (!xv) -> !xv
      %top = helion.atomic maximumf acq_rel %u, %tops[%v] site "tops.0" : tensor<?xf32, #helion.dims<bi@i>>, memref<8xf32>, (!xv) -> tensor<?xf32, #helion.dims<bi@i>>
      // Of one bin, ticket 0 goes to one lane, ticket 1 to the next: all of them together are 0..count-1.
      helion.store %old, %ticket[%i] site "ticket.0" : !xv, memref<?xi64>, (!helion.tile<bi@i>)
    }
  }
  helion.return %counts, %tops, %ticket : memref<8xi64>, memref<8xf32>, memref<?xi64>
}

// Differences of neighbours, by a tile moved by one; the last row is read through a scalar index.
helion.kernel @shifted(%x: !in {helion.name = "x"}) -> (memref<?x?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  %m1 = arith.subi %m, %c1 : index
  %out = helion.empty(%m1, %n) {name = "out"} : memref<?x?xf32>
  %row = helion.empty(%n) {name = "row"} : memref<?xf32>
  helion.block @bi tile
  helion.block @bj tile
  helion.launch "shifted" {
    helion.tile (%j: !helion.tile<bj@j>) = (%c0) to (%n) site "loop.j" {
      %last = helion.load %x[%m1, %j] site "x.2" : !in, (index, !helion.tile<bj@j>) -> tensor<?xf32, #helion.dims<bj@j>>
      helion.store %last, %row[%j] site "row.0" : tensor<?xf32, #helion.dims<bj@j>>, memref<?xf32>, (!helion.tile<bj@j>)
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m1) site "loop.i" {
        %a = helion.load %x[%i, %j] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
        %next = helion.tile_shift %i, %c1 : !helion.tile<bi@i>
        %b = helion.load %x[%next, %j] site "x.1" : !in, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
        %d = arith.subf %b, %a : !t
        helion.store %d, %out[%i, %j] site "out.0" : !t, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
      }
    }
  }
  helion.return %out, %row : memref<?x?xf32>, memref<?xf32>
}

// x *= s in place, element by element with scalar loads and stores of a nested loop of extent 1.
helion.kernel @in_place(%x: !in {helion.name = "x", helion.writes}, %s: f32 {helion.name = "s"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  helion.block @one fixed {value = 1}
  helion.block @bj tile
  helion.launch "in_place" {
    helion.tile (%i: !helion.tile<one@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
      %at = helion.tile_begin %i : !helion.tile<one@i>
      %first = helion.tile_begin %j : !helion.tile<bj@j>
      %end = helion.tile_end %j : !helion.tile<bj@j>
      scf.for %k = %first to %end step %c1 {
        %a = helion.load %x[%at, %k] site "x.0" : !in, (index, index) -> f32
        %b = arith.mulf %a, %s : f32
        helion.store %b, %x[%at, %k] site "x.1" : f32, !in, (index, index)
      }
    }
  }
  helion.return
}
