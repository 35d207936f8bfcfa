// RUN: %python %S/Inputs/make-npy.py %t
//
// Kernels that have no meaning for their inputs: op, site, place and value are named.
// DEFINE: %{run} = helion-run --interpret %s --print --kernel
// RUN: not %{run} gather --arg w=%t/f4x2.npy --arg ids=%t/i64.npy 2>&1 | FileCheck %s --check-prefix=HIGH
// HIGH: execution-invalid.mlir:[[#]]:{{[0-9]+}}: error: `helion.load` at site `w.0` has the index `5` outside the size `4` of dim 0 in a valid lane
// RUN: not %{run} gather --arg w=%t/f4x2.npy --arg ids=%t/minus.npy 2>&1 | FileCheck %s --check-prefix=LOW
// LOW: error: `helion.load` at site `w.0` has the index `-1` outside the size `4` of dim 0 in a valid lane
// RUN: %{run} gather --arg w=%t/f4x2.npy --arg ids=%t/i64.npy --sizes ids=1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: out0: f32[1, 2] = 0 0
// RUN: not %{run} divide --arg x=%t/zeros.npy 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: `arith.divsi` divides `7` by 0 in lane 1
// RUN: %{run} divide --arg x=%t/ones.npy | FileCheck %s --check-prefix=WHOLE
// WHOLE: out0: i32[3] = 7 3 -2
// RUN: not %{run} slice --arg x=%t/f8.npy --blocks rn=4 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: error: `helion.range` at site `slice.n` covers `8` indices, but its extent `rn` is `4`; bind at least the size
// RUN: %{run} slice --arg x=%t/f8.npy --blocks rn=8 | FileCheck %s --check-prefix=SLICED
// SLICED: out0: f32[1] = 28
// RUN: not %{run} early --arg x=%t/f8.npy 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: `helion.block_size` needs block `rn` before its size is known; bind it by name
// RUN: not %{run} no_row --arg n=8 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: error: `memref.alloc` has no meaning in the interpreter; its row is missing in `dialect/Interp`
// RUN: not %{run} sizes --arg n=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: `helion.empty` allocates a tensor with the size `-1`
// RUN: not %{run} sizes --arg n=99999999999 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: `helion.empty` allocates a tensor with the size `99999999999`
// RUN: not %{run} fact 2>&1 | FileCheck %s --check-prefix=FACT
// FACT: error: `helion.device_fact` asks for `lanes`, which this run does not know
// RUN: %{run} fact --device lanes=3 | FileCheck %s --check-prefix=KNOWN
// KNOWN: out0: f32[3] = nan nan nan
// RUN: not %{run} step --arg n=0 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: `scf.for` has the step `0`; it must be positive
// RUN: not %{run} cut --arg x=%t/f8.npy --arg n=9 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: `memref.subview` takes `9` indices from `0` in steps of `1` out of dim 0 of size `8`
// RUN: not %{run} merge --arg x=%t/f4x2.npy --strides x=1,4 2>&1 | FileCheck %s --check-prefix=MERGE
// MERGE: error: `memref.collapse_shape` is no view of the strides [1, 4] for the sizes [4, 2]
// RUN: not %{run} out_of_scope --arg x=%t/f8.npy 2>&1 | FileCheck %s --check-prefix=SCOPE
// SCOPE: error: `helion.reduce` at site `sum.0` combines or drops lanes of `bi@elsewhere`, but no tile of that range is in scope

!tab = memref<?x?xf32, strided<[?, ?], offset: ?>>
!ids = memref<?xi64, strided<[?], offset: ?>>
!iv = tensor<?xi64, #helion.dims<bi@i>>
!v2 = tensor<?x?xf32, #helion.dims<bi@i, be@e>>
helion.kernel @gather(%w: !tab {helion.name = "w"}, %ids: !ids {helion.name = "ids"}) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %ids, %c0 : !ids
  %d = memref.dim %w, %c1 : !tab
  %out = helion.empty(%n, %d) {name = "out"} : memref<?x?xf32>
  helion.block @bi tile
  helion.block @be tile
  helion.launch "gather" {
    helion.tile (%i: !helion.tile<bi@i>, %e: !helion.tile<be@e>) = (%c0, %c0) to (%n, %d) site "loop.ie" {
      %k = helion.load %ids[%i] site "ids.0" : !ids, (!helion.tile<bi@i>) -> !iv
      %v = helion.load %w[%k, %e] site "w.0" : !tab, (!iv, !helion.tile<be@e>) -> !v2
      helion.store %v, %out[%i, %e] site "out.0" : !v2, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<be@e>)
    }
  }
  helion.return %out : memref<?x?xf32>
}

// The lanes outside the range divide by 0 as well (loads put 0 there), which is nobody's error.
!s = memref<?xi32, strided<[?], offset: ?>>
!sv = tensor<?xi32, #helion.dims<bi@i>>
helion.kernel @divide(%x: !s {helion.name = "x"}) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !s
  %out = helion.empty(%n) {name = "out"} : memref<?xi32>
  helion.block @bi tile
  helion.launch "divide" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %v = helion.load %x[%i] site "x.0" : !s, (!helion.tile<bi@i>) -> !sv
      %c7 = arith.constant 7 : i32
      %sevens = helion.splat %c7 : i32 -> !sv
      %q = arith.divsi %sevens, %v : !sv
      helion.store %q, %out[%i] site "out.0" : !sv, memref<?xi32>, (!helion.tile<bi@i>)
    }
  }
  helion.return %out : memref<?xi32>
}

!f = memref<?xf32, strided<[?], offset: ?>>
!fv = tensor<?xf32, #helion.dims<rn@n>>
helion.kernel @slice(%x: !f {helion.name = "x"}) -> memref<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : !f
  %out = helion.empty() {name = "out"} : memref<1xf32>
  helion.block @one fixed {value = 1}
  helion.block @rn slice
  helion.launch "slice" {
    helion.tile (%i: !helion.tile<one@i>) = (%c0) to (%c1) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %v = helion.load %x[%s] site "x.0" : !f, (!helion.tile<rn@n>) -> !fv
      %a = helion.reduce addf %v dim 0 site "sum.0" : !fv -> f32
      helion.store %a, %out[%c0] site "out.0" : f32, memref<1xf32>, (index)
    }
  }
  helion.return %out : memref<1xf32>
}

helion.kernel @early(%x: !f {helion.name = "x"}) {
  helion.block @rn slice
  %b = helion.block_size @rn
  helion.return
}

helion.kernel @no_row(%n: index {helion.name = "n"}) {
  %a = memref.alloc(%n) : memref<?xf32>
  helion.return
}

helion.kernel @sizes(%n: index {helion.name = "n"}) -> memref<?xf32> {
  %out = helion.empty(%n) {name = "out"} : memref<?xf32>
  helion.return %out : memref<?xf32>
}

helion.kernel @fact() -> memref<?xf32> {
  %n = helion.device_fact "lanes"
  %out = helion.empty(%n) {name = "out"} : memref<?xf32>
  helion.return %out : memref<?xf32>
}

helion.kernel @step(%n: index {helion.name = "n"}) {
  %c1 = arith.constant 1 : index
  helion.launch "step" grid(%c1) {
    %c0 = arith.constant 0 : index
    scf.for %i = %c0 to %c1 step %n {
    }
  }
  helion.return
}

helion.kernel @cut(%x: !f {helion.name = "x"}, %n: index {helion.name = "n"}) {
  %v = memref.subview %x[0] [%n] [1] : !f to memref<?xf32, strided<[?], offset: ?>>
  helion.return
}

helion.kernel @merge(%x: !tab {helion.name = "x"}) {
  %v = memref.collapse_shape %x [[0, 1]] {helion.view = "view"} : !tab into !f
  helion.return
}

!fo = tensor<?xf32, #helion.dims<bi@elsewhere>>
helion.kernel @out_of_scope(%x: !f {helion.name = "x"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !f
  helion.block @bi tile
  helion.launch "out_of_scope" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %z = arith.constant 0.0 : f32
      %v = helion.splat %z : f32 -> !fo
      %a = helion.reduce addf %v dim 0 site "sum.0" : !fo -> f32
    }
  }
  helion.return
}
