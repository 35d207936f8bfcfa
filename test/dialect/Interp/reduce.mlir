// RUN: %python %S/Inputs/ops.py reduce_kinds %s %t | FileCheck %s --check-prefix=KINDS
// RUN: %python %S/Inputs/ops.py reduce_integers %s %t | FileCheck %s --check-prefix=INTEGERS
// RUN: %python %S/Inputs/ops.py reduce_plain %s %t | FileCheck %s --check-prefix=PLAIN
// RUN: %python %S/Inputs/ops.py reduce_pairs %s %t | FileCheck %s --check-prefix=PAIRS
// RUN: %python %S/Inputs/ops.py dot_batched %s %t | FileCheck %s --check-prefix=DOT
// RUN: %python %S/Inputs/ops.py dot_integers %s %t | FileCheck %s --check-prefix=WRAP
//
// Ops that combine lanes: identities outside ranges, all lanes on plain dims, NaN, lowest index, order.
// KINDS: reduce_kinds: 14 runs agree
// INTEGERS: reduce_integers: 6 runs agree
// PLAIN: reduce_plain: 2 runs agree
// PAIRS: reduce_pairs: 6 runs agree
// DOT: dot_batched: 6 runs agree
// WRAP: dot_integers: 2 runs agree

!in  = memref<?x?xf64, strided<[?, ?], offset: ?>>
!t   = tensor<?x?xf64, #helion.dims<bi@i, rn@n>>
!row = tensor<?xf64, #helion.dims<bi@i>>
!ri  = tensor<?xindex, #helion.dims<bi@i>>
helion.kernel @reduce_kinds(%x: !in {helion.name = "x"}) -> (memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xindex>, memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  %add = helion.empty(%m) {name = "add"} : memref<?xf64>
  %mul = helion.empty(%m) {name = "mul"} : memref<?xf64>
  %max = helion.empty(%m) {name = "max"} : memref<?xf64>
  %min = helion.empty(%m) {name = "min"} : memref<?xf64>
  %amax = helion.empty(%m) {name = "amax"} : memref<?xindex>
  %amin = helion.empty(%m) {name = "amin"} : memref<?xindex>
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "reduce_kinds" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %v0 = helion.load %x[%i, %s] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !t
      // Lanes outside hold 0 after the load; exp makes them 1, so that only identities are right.
      %v1 = math.exp %v0 : !t
      %c = arith.constant 1.5 : f64
      %cs = helion.splat %c : f64 -> !t
      %v = arith.subf %v1, %cs : !t
      %a = helion.reduce addf %v dim 1 site "add" : !t -> !row
      %b = helion.reduce mulf %v dim 1 site "mul" : !t -> !row
      %d = helion.reduce maximumf %v dim 1 site "max" : !t -> !row
      %e = helion.reduce minimumf %v dim 1 site "min" : !t -> !row
      %f = helion.reduce argmax %v dim 1 site "amax" : !t -> !ri
      %g = helion.reduce argmin %v dim 1 site "amin" : !t -> !ri
      helion.store %a, %add[%i] site "o.0" : !row, memref<?xf64>, (!helion.tile<bi@i>)
      helion.store %b, %mul[%i] site "o.1" : !row, memref<?xf64>, (!helion.tile<bi@i>)
      helion.store %d, %max[%i] site "o.2" : !row, memref<?xf64>, (!helion.tile<bi@i>)
      helion.store %e, %min[%i] site "o.3" : !row, memref<?xf64>, (!helion.tile<bi@i>)
      helion.store %f, %amax[%i] site "o.4" : !ri, memref<?xindex>, (!helion.tile<bi@i>)
      helion.store %g, %amin[%i] site "o.5" : !ri, memref<?xindex>, (!helion.tile<bi@i>)
    }
  }
  helion.return %add, %mul, %max, %min, %amax, %amin : memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xindex>, memref<?xindex>
}

!inb = memref<?x?xi8, strided<[?, ?], offset: ?>>
!tb  = tensor<?x?xi8, #helion.dims<ri@i, bj@j>>
!rb  = tensor<?xi8, #helion.dims<bj@j>>
!rbi = tensor<?xindex, #helion.dims<bj@j>>
helion.kernel @reduce_integers(%x: !inb {helion.name = "x"}) -> (memref<10x?xi8>, memref<2x?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !inb
  %n = memref.dim %x, %c1 : !inb
  %out = helion.empty(%n) {name = "out"} : memref<10x?xi8>
  %arg = helion.empty(%n) {name = "arg"} : memref<2x?xindex>
  helion.block @bj tile
  helion.block @ri slice
  helion.launch "reduce_integers" {
    helion.tile (%j: !helion.tile<bj@j>) = (%c0) to (%n) site "loop.j" {
      %i = helion.range %c0 to %m site "slice.i" : !helion.tile<ri@i>
      %v0 = helion.load %x[%i, %j] site "x.0" : !inb, (!helion.tile<ri@i>, !helion.tile<bj@j>) -> !tb
      %five = arith.constant 5 : i8
      %fives = helion.splat %five : i8 -> !tb
      %v = arith.xori %v0, %fives : !tb
      %a = helion.reduce addi %v dim 0 site "r.0" : !tb -> !rb
      %b = helion.reduce muli %v dim 0 site "r.1" : !tb -> !rb
      %c = helion.reduce maxsi %v dim 0 site "r.2" : !tb -> !rb
      %d = helion.reduce minsi %v dim 0 site "r.3" : !tb -> !rb
      %e = helion.reduce maxui %v dim 0 site "r.4" : !tb -> !rb
      %f = helion.reduce minui %v dim 0 site "r.5" : !tb -> !rb
      %g = helion.reduce andi %v dim 0 site "r.6" : !tb -> !rb
      %h = helion.reduce ori %v dim 0 site "r.7" : !tb -> !rb
      %k = helion.reduce xori %v dim 0 site "r.8" : !tb -> !rb
      %l = helion.reduce argmax %v dim 0 site "r.9" : !tb -> !rbi
      %p = helion.reduce argmin %v dim 0 site "r.10" : !tb -> !rbi
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %c9 = arith.constant 9 : index
      helion.store %a, %out[%c0, %j] site "o.0" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %b, %out[%c1, %j] site "o.1" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %c, %out[%c2, %j] site "o.2" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %d, %out[%c3, %j] site "o.3" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %e, %out[%c4, %j] site "o.4" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %f, %out[%c5, %j] site "o.5" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %g, %out[%c6, %j] site "o.6" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %h, %out[%c7, %j] site "o.7" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %k, %out[%c8, %j] site "o.8" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %a, %out[%c9, %j] site "o.9" : !rb, memref<10x?xi8>, (index, !helion.tile<bj@j>)
      helion.store %l, %arg[%c0, %j] site "o.10" : !rbi, memref<2x?xindex>, (index, !helion.tile<bj@j>)
      helion.store %p, %arg[%c1, %j] site "o.11" : !rbi, memref<2x?xindex>, (index, !helion.tile<bj@j>)
    }
  }
  helion.return %out, %arg : memref<10x?xi8>, memref<2x?xindex>
}

// On a plain dim all lanes count: after `rebound` the sum sees the lanes outside as the load left them, here as 1.
helion.kernel @reduce_plain(%x: !in {helion.name = "x"}) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  %out = helion.empty(%m) {name = "out"} : memref<?xf64>
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "reduce_plain" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %one = arith.constant 1.0 : f64
      %v0 = helion.load %x[%i, %s] other %one : f64 site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !t
      %v = helion.rebound %v0 : !t -> tensor<?x?xf64, #helion.dims<bi@i, rn>>
      %a = helion.reduce addf %v dim 1 site "add" : tensor<?x?xf64, #helion.dims<bi@i, rn>> -> !row
      helion.store %a, %out[%i] site "o.0" : !row, memref<?xf64>, (!helion.tile<bi@i>)
    }
  }
  helion.return %out : memref<?xf64>
}

// The larger value and its position by a combiner; and a combiner that is not commutative: the last lane wins.
!ti = tensor<?x?xindex, #helion.dims<bi@i, rn@n>>
helion.kernel @reduce_pairs(%x: !in {helion.name = "x"}) -> (memref<?xf64>, memref<?xindex>, memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  %out = helion.empty(%m) {name = "out"} : memref<?xf64>
  %at = helion.empty(%m) {name = "at"} : memref<?xindex>
  %tail = helion.empty(%m) {name = "tail"} : memref<?xf64>
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "reduce_pairs" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %v = helion.load %x[%i, %s] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !t
      %k = helion.iota %s : !helion.tile<rn@n> -> tensor<?xindex, #helion.dims<rn@n>>
      %kk = helion.broadcast %k to [1] : tensor<?xindex, #helion.dims<rn@n>> -> !ti
      %ninf = arith.constant 0xFFF0000000000000 : f64
      %none = arith.constant -1 : index
      %r:2 = helion.reduce_fn %v, %kk other %ninf, %none dim 1 site "pair" : (!t, !ti), (f64, index) -> (!row, !ri) {
      ^bb0(%a: f64, %p: index, %b: f64, %q: index):
        %gt = arith.cmpf ogt, %b, %a : f64
        %c = arith.select %gt, %b, %a : f64
        %d = arith.select %gt, %q, %p : index
        helion.yield %c, %d : f64, index
      }
      %l = helion.reduce_fn %v other %ninf dim 1 site "last" : (!t), (f64) -> (!row) {
      ^bb0(%a: f64, %b: f64):
        helion.yield %b : f64
      }
      helion.store %r#0, %out[%i] site "o.0" : !row, memref<?xf64>, (!helion.tile<bi@i>)
      helion.store %r#1, %at[%i] site "o.1" : !ri, memref<?xindex>, (!helion.tile<bi@i>)
      helion.store %l, %tail[%i] site "o.2" : !row, memref<?xf64>, (!helion.tile<bi@i>)
    }
  }
  helion.return %out, %at, %tail : memref<?xf64>, memref<?xindex>, memref<?xf64>
}

// Both operands are 0 outside k, whatever earlier ops left there (here 2 and inf).
!in3 = memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
!da = tensor<?x?x?xf32, #helion.dims<bb@b, bm@i, bk@k>>
!db = tensor<?x?x?xf32, #helion.dims<bb@b, bk@k, bn@j>>
!dc = tensor<?x?x?xf32, #helion.dims<bb@b, bm@i, bn@j>>
helion.kernel @dot_batched(%x: !in3 {helion.name = "x"}, %y: !in3 {helion.name = "y"}) -> memref<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %nb = memref.dim %x, %c0 : !in3
  %m = memref.dim %x, %c1 : !in3
  %kk = memref.dim %x, %c2 : !in3
  %n = memref.dim %y, %c2 : !in3
  %out = helion.empty(%nb, %m, %n) {name = "out"} : memref<?x?x?xf32>
  helion.block @bb tile
  helion.block @bm tile
  helion.block @bn tile
  helion.block @bk tile
  helion.launch "dot_batched" {
    helion.tile (%b: !helion.tile<bb@b>, %i: !helion.tile<bm@i>, %j: !helion.tile<bn@j>) = (%c0, %c0, %c0) to (%nb, %m, %n) site "loop.bij" {
      %z = arith.constant 0.0 : f32
      %two = arith.constant 2.0 : f32
      %inf = arith.constant 0x7F800000 : f32
      %zero = helion.splat %z : f32 -> !dc
      %r = helion.tile (%k: !helion.tile<bk@k>) = (%c0) to (%kk) iter_args(%acc = %zero) -> (!dc) site "loop.k" {
        %a = helion.load %x[%b, %i, %k] other %two : f32 site "x.0" : !in3, (!helion.tile<bb@b>, !helion.tile<bm@i>, !helion.tile<bk@k>) -> !da
        %c = helion.load %y[%b, %k, %j] other %inf : f32 site "y.0" : !in3, (!helion.tile<bb@b>, !helion.tile<bk@k>, !helion.tile<bn@j>) -> !db
        %d = helion.dot %a, %c, %acc site "dot.0" precision ieee : !da, !db, !dc
        helion.yield %d : !dc
      }
      helion.store %r, %out[%b, %i, %j] site "out.0" : !dc, memref<?x?x?xf32>, (!helion.tile<bb@b>, !helion.tile<bm@i>, !helion.tile<bn@j>)
    }
  }
  helion.return %out : memref<?x?x?xf32>
}

!ia = tensor<?x?xi8, #helion.dims<bm@i, rk@k>>
!ib = tensor<?x?xi8, #helion.dims<rk@k, bn@j>>
!ic = tensor<?x?xi32, #helion.dims<bm@i, bn@j>>
helion.kernel @dot_integers(%x: !inb {helion.name = "x"}, %y: !inb {helion.name = "y"}) -> memref<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !inb
  %kk = memref.dim %x, %c1 : !inb
  %n = memref.dim %y, %c1 : !inb
  %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xi32>
  helion.block @bm tile
  helion.block @bn tile
  helion.block @rk slice
  helion.launch "dot_integers" {
    helion.tile (%i: !helion.tile<bm@i>, %j: !helion.tile<bn@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
      %k = helion.range %c0 to %kk site "slice.k" : !helion.tile<rk@k>
      // Near the end of i32, so that the sum wraps.
      %start = arith.constant 2147480000 : i32
      %acc = helion.splat %start : i32 -> !ic
      %a = helion.load %x[%i, %k] site "x.0" : !inb, (!helion.tile<bm@i>, !helion.tile<rk@k>) -> !ia
      %b = helion.load %y[%k, %j] site "y.0" : !inb, (!helion.tile<rk@k>, !helion.tile<bn@j>) -> !ib
      %d = helion.dot %a, %b, %acc site "dot.0" : !ia, !ib, !ic
      helion.store %d, %out[%i, %j] site "out.0" : !ic, memref<?x?xi32>, (!helion.tile<bm@i>, !helion.tile<bn@j>)
    }
  }
  helion.return %out : memref<?x?xi32>
}
