// RUN: %python %S/Inputs/ops.py scan_kinds %s %t | FileCheck %s --check-prefix=KINDS
// RUN: %python %S/Inputs/ops.py scan_integers %s %t | FileCheck %s --check-prefix=INTEGERS
// RUN: %python %S/Inputs/ops.py scan_plain %s %t | FileCheck %s --check-prefix=PLAIN
// RUN: %python %S/Inputs/ops.py scan_segments %s %t | FileCheck %s --check-prefix=SEGMENTS
//
// Each lane with all before it, or behind it: identities outside ranges, NaN, wrapping, order, several values.
// KINDS: scan_kinds: 14 runs agree
// INTEGERS: scan_integers: 6 runs agree
// PLAIN: scan_plain: 2 runs agree
// SEGMENTS: scan_segments: 6 runs agree

!in  = memref<?x?xf64, strided<[?, ?], offset: ?>>
!out = memref<6x?x?xf64>
!t   = tensor<?x?xf64, #helion.dims<bi@i, rn@n>>
!row = tensor<?xf64, #helion.dims<bi@i>>
!ti  = !helion.tile<bi@i>
!tn  = !helion.tile<rn@n>
helion.kernel @scan_kinds(%x: !in {helion.name = "x"}) -> !out {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  %out = helion.empty(%m, %n) {name = "out"} : !out
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "scan_kinds" {
    helion.tile (%i: !ti) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !tn
      %v0 = helion.load %x[%i, %s] site "x.0" : !in, (!ti, !tn) -> !t
      // Lanes outside hold 0 after the load; exp makes them 1, so that only identities are right.
      %v1 = math.exp %v0 : !t
      %c = arith.constant 1.5 : f64
      %cs = helion.splat %c : f64 -> !t
      %v = arith.subf %v1, %cs : !t
      %a = helion.scan addf %v dim 1 site "add" : !t
      %b = helion.scan mulf %v dim 1 site "mul" : !t
      %d = helion.scan maximumf %v dim 1 site "max" : !t
      %e = helion.scan addf %v dim 1 reverse site "add.r" : !t
      %f = helion.scan minimumf %v dim 1 reverse site "min.r" : !t
      %g = helion.scan maximumf %v dim 0 site "max.rows" : !t
      helion.store %a, %out[%c0, %i, %s] site "o.0" : !t, !out, (index, !ti, !tn)
      helion.store %b, %out[%c1, %i, %s] site "o.1" : !t, !out, (index, !ti, !tn)
      helion.store %d, %out[%c2, %i, %s] site "o.2" : !t, !out, (index, !ti, !tn)
      helion.store %e, %out[%c3, %i, %s] site "o.3" : !t, !out, (index, !ti, !tn)
      helion.store %f, %out[%c4, %i, %s] site "o.4" : !t, !out, (index, !ti, !tn)
      helion.store %g, %out[%c5, %i, %s] site "o.5" : !t, !out, (index, !ti, !tn)
    }
  }
  helion.return %out : !out
}

!inb = memref<?x?xi8, strided<[?, ?], offset: ?>>
!tb  = tensor<?x?xi8, #helion.dims<ri@i, bj@j>>
!wi  = !helion.tile<ri@i>
!wj  = !helion.tile<bj@j>
helion.kernel @scan_integers(%x: !inb {helion.name = "x"}) -> memref<4x?x?xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = memref.dim %x, %c0 : !inb
  %n = memref.dim %x, %c1 : !inb
  %out = helion.empty(%m, %n) {name = "out"} : memref<4x?x?xi8>
  helion.block @bj tile
  helion.block @ri slice
  helion.launch "scan_integers" {
    helion.tile (%j: !wj) = (%c0) to (%n) site "loop.j" {
      %i = helion.range %c0 to %m site "slice.i" : !wi
      %v = helion.load %x[%i, %j] site "x.0" : !inb, (!wi, !wj) -> !tb
      %a = helion.scan addi %v dim 0 site "s.0" : !tb
      %b = helion.scan muli %v dim 0 reverse site "s.1" : !tb
      %c = helion.scan minui %v dim 0 reverse site "s.2" : !tb
      %d = helion.scan xori %v dim 0 site "s.3" : !tb
      helion.store %a, %out[%c0, %i, %j] site "o.0" : !tb, memref<4x?x?xi8>, (index, !wi, !wj)
      helion.store %b, %out[%c1, %i, %j] site "o.1" : !tb, memref<4x?x?xi8>, (index, !wi, !wj)
      helion.store %c, %out[%c2, %i, %j] site "o.2" : !tb, memref<4x?x?xi8>, (index, !wi, !wj)
      helion.store %d, %out[%c3, %i, %j] site "o.3" : !tb, memref<4x?x?xi8>, (index, !wi, !wj)
    }
  }
  helion.return %out : memref<4x?x?xi8>
}

// Seen after `rebound`: lanes outside have what is before them and identities, which is all of the row, or nothing.
!plain = tensor<?x?xf64, #helion.dims<bi@i, rn>>
helion.kernel @scan_plain(%x: !in {helion.name = "x"}) -> memref<2x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  %out = helion.empty(%m) {name = "out"} : memref<2x?xf64>
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "scan_plain" {
    helion.tile (%i: !ti) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !tn
      %one = arith.constant 1.0 : f64
      %v = helion.load %x[%i, %s] other %one : f64 site "x.0" : !in, (!ti, !tn) -> !t
      %a = helion.scan addf %v dim 1 site "add" : !t
      %b = helion.scan addf %v dim 1 reverse site "add.r" : !t
      %p = helion.rebound %a : !t -> !plain
      %q = helion.rebound %b : !t -> !plain
      %r = helion.reduce addf %p dim 1 site "all" : !plain -> !row
      %w = helion.reduce addf %q dim 1 site "sum" : !plain -> !row
      helion.store %r, %out[%c0, %i] site "o.0" : !row, memref<2x?xf64>, (index, !ti)
      helion.store %w, %out[%c1, %i] site "o.1" : !row, memref<2x?xf64>, (index, !ti)
    }
  }
  helion.return %out : memref<2x?xf64>
}

// Sums within segments by two values, forwards and backwards; and a combiner of which the order is seen: the value that
// came first stays.
!tk = tensor<?x?xi32, #helion.dims<bi@i, rn@n>>
!ids = memref<?x?xi32, strided<[?, ?], offset: ?>>
!segments = memref<4x?x?xf64>
helion.kernel @scan_segments(%x: !in {helion.name = "x"}, %ids: !ids {helion.name = "ids"}) -> !segments {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  %out = helion.empty(%m, %n) {name = "out"} : !segments
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "scan_segments" {
    helion.tile (%i: !ti) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !tn
      %v = helion.load %x[%i, %s] site "x.0" : !in, (!ti, !tn) -> !t
      %k = helion.load %ids[%i, %s] site "ids.0" : !ids, (!ti, !tn) -> !tk
      %z = arith.constant 0.0 : f64
      %none = arith.constant -1 : i32
      %a:2 = helion.scan_fn %v, %k other %z, %none dim 1 site "s.0" : (!t, !tk), (f64, i32) {
      ^bb0(%l: f64, %lk: i32, %r: f64, %rk: i32):
        %same = arith.cmpi eq, %lk, %rk : i32
        %sum = arith.addf %l, %r : f64
        %kept = arith.select %same, %sum, %r : f64
        helion.yield %kept, %rk : f64, i32
      }
      %b:2 = helion.scan_fn %v, %k other %z, %none dim 1 reverse site "s.1" : (!t, !tk), (f64, i32) {
      ^bb0(%l: f64, %lk: i32, %r: f64, %rk: i32):
        %same = arith.cmpi eq, %lk, %rk : i32
        %sum = arith.addf %l, %r : f64
        %kept = arith.select %same, %sum, %r : f64
        helion.yield %kept, %rk : f64, i32
      }
      %c = helion.scan_fn %v other %z dim 1 site "s.2" : (!t), (f64) {
      ^bb0(%l: f64, %r: f64):
        helion.yield %l : f64
      }
      %d = helion.scan_fn %v other %z dim 1 reverse site "s.3" : (!t), (f64) {
      ^bb0(%l: f64, %r: f64):
        helion.yield %l : f64
      }
      helion.store %a#0, %out[%c0, %i, %s] site "o.0" : !t, !segments, (index, !ti, !tn)
      helion.store %b#0, %out[%c1, %i, %s] site "o.1" : !t, !segments, (index, !ti, !tn)
      helion.store %c, %out[%c2, %i, %s] site "o.2" : !t, !segments, (index, !ti, !tn)
      helion.store %d, %out[%c3, %i, %s] site "o.3" : !t, !segments, (index, !ti, !tn)
    }
  }
  helion.return %out : !segments
}
