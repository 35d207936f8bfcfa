// RUN: %python -c "import numpy as np; np.save(r'%t.x.npy', np.arange(37 * 53, dtype=np.float64).reshape(37, 53))"
// RUN: %python -c "import numpy as np; i = np.arange(203, dtype=np.float64); np.save(r'%t.f.npy', (i * np.sqrt(i) / 7).astype(np.float32))"
//
// A sum that sees lanes outside its range depends on the block size: named by element, values and blocks.
// RUN: not helion-run --interpret %s --kernel plain_sum --arg x=%t.x.npy --two-bindings 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: helion-run: `out0` depends on the block sizes: element [0] is `1389` and `1453` with the blocks `bi=16,rn=64` and `bi=4,rn=128` (37 of 37 elements differ)
//
// The same sum over the range does not.
// RUN: helion-run --interpret %s --kernel ranged_sum --arg x=%t.x.npy --two-bindings | FileCheck %s --check-prefix=RANGED
// RANGED: out0: equal with the blocks `bi=16,rn=64` and `bi=4,rn=128` (relative 3.6e-12, absolute 9.1e-13 of the largest)
//
// Programs must not depend on their order: the second run goes backwards. Blocks may be chosen for both runs.
// RUN: not helion-run --interpret %s --kernel last_writer --arg x=%t.f.npy --two-bindings --blocks bi=8 --second-blocks bi=8 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: helion-run: `x` depends on the block sizes: element [0] is `25` and `0` with the blocks `bi=8` and `bi=8`
//
// Atomic float sums round each part; the tolerance says so, or is given.
// RUN: helion-run --interpret %s --kernel atomic_sum --arg x=%t.f.npy --two-bindings | FileCheck %s --check-prefix=ATOMIC
// ATOMIC: out0: equal with the blocks `bi=16` and `bi=4` (relative 2.4e-07, absolute 7.6e-06 of the largest)
// RUN: not helion-run --interpret %s --kernel atomic_sum --arg x=%t.f.npy --two-bindings --tolerance 1e-12 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: `out0` depends on the block sizes: element [0]
//
// Only chosen programs run: what the others would have stored stays NaN.
// RUN: helion-run --interpret %s --kernel double --arg x=%t.f.npy --sizes x=10 --blocks bi=4 --programs 0,2 --print | FileCheck %s --check-prefix=SOME
// SOME: out0: f32[10] = 0 0.285714298 0.808122039 1.48461497 nan nan nan nan 6.46497631 7.71428585

!x  = memref<?x?xf64, strided<[?, ?], offset: ?>>
!t  = tensor<?x?xf64, #helion.dims<bi@i, rn@n>>
!tp = tensor<?x?xf64, #helion.dims<bi@i, rn>>
!r  = tensor<?xf64, #helion.dims<bi@i>>
helion.kernel @plain_sum(%x: !x {helion.name = "x"}) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !x
  %n = memref.dim %x, %c1 : !x
  %out = helion.empty(%m) {name = "out"} : memref<?xf64>
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "plain_sum" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %one = arith.constant 1.0 : f64
      %v = helion.load %x[%i, %s] other %one : f64 site "x.0" : !x, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !t
      %w = helion.rebound %v : !t -> !tp
      %a = helion.reduce addf %w dim 1 site "sum.0" : !tp -> !r
      helion.store %a, %out[%i] site "out.0" : !r, memref<?xf64>, (!helion.tile<bi@i>)
    }
  }
  helion.return %out : memref<?xf64>
}

helion.kernel @ranged_sum(%x: !x {helion.name = "x"}) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !x
  %n = memref.dim %x, %c1 : !x
  %out = helion.empty(%m) {name = "out"} : memref<?xf64>
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "ranged_sum" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %one = arith.constant 1.0 : f64
      %v = helion.load %x[%i, %s] other %one : f64 site "x.0" : !x, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !t
      %a = helion.reduce addf %v dim 1 site "sum.0" : !t -> !r
      helion.store %a, %out[%i] site "out.0" : !r, memref<?xf64>, (!helion.tile<bi@i>)
    }
  }
  helion.return %out : memref<?xf64>
}

!f = memref<?xf32, strided<[?], offset: ?>>
!v = tensor<?xf32, #helion.dims<bi@i>>
helion.kernel @last_writer(%x: !f {helion.name = "x", helion.writes}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !f
  helion.block @bi tile
  helion.launch "last_writer" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %id = helion.tile_id %i : !helion.tile<bi@i>
      %i32 = arith.index_cast %id : index to i32
      %v = arith.sitofp %i32 : i32 to f32
      helion.store %v, %x[%c0] site "x.0" : f32, !f, (index)
    }
  }
  helion.return
}

helion.kernel @atomic_sum(%x: !f {helion.name = "x"}) -> memref<1xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !f
  %z = arith.constant 0.0 : f32
  %out = helion.full(), %z {name = "out"} : f32 -> memref<1xf32>
  helion.block @bi tile
  helion.launch "atomic_sum" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %v = helion.load %x[%i] site "x.0" : !f, (!helion.tile<bi@i>) -> !v
      %s = helion.reduce addf %v dim 0 site "sum.0" : !v -> f32
      %old = helion.atomic addf relaxed %s, %out[%c0] site "out.0" : f32, memref<1xf32>, (index) -> f32
    }
  }
  helion.return %out : memref<1xf32>
}

helion.kernel @double(%x: !f {helion.name = "x"}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !f
  %out = helion.empty(%n) {name = "out"} : memref<?xf32>
  helion.block @bi tile
  helion.launch "double" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %v = helion.load %x[%i] site "x.0" : !f, (!helion.tile<bi@i>) -> !v
      %d = arith.addf %v, %v : !v
      helion.store %d, %out[%i] site "out.0" : !v, memref<?xf32>, (!helion.tile<bi@i>)
    }
  }
  helion.return %out : memref<?xf32>
}
