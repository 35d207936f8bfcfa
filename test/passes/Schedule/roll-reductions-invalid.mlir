// RUN: not helion-opt --helion-roll-reductions="reduction_loops=slice.n=64" %S/../../dialect/IR/forms/k-rms-norm-bwd.mlir 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: not helion-opt --helion-roll-reductions="reduction_loops=slice.m=64" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-roll-reductions="reduction_loops=slice.n=12" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=CHUNK
// RUN: helion-opt --helion-roll-reductions="reduction_loops=slice.n=64" --split-input-file --verify-diagnostics %s

// NEST: slice `slice.n` cannot be rolled: a value of it is used by an op with a region
// SITE: reduction_loops{{.*}}`slice.m`{{.*}}`slice.n`
// CHUNK: reduction_loops: `slice.n` cannot be `12`; it takes an integer in 8..65536 (powers of two)

!arg = memref<?xf32, strided<[?], offset: ?>>
!v = tensor<?xf32, #helion.dims<rn@n>>
helion.kernel @negative_argmax(%x: !arg {helion.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : !arg
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%c1) site "loop.i" {
      // expected-note @below {{the slice}}
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %a = helion.load %x[%s] site "x.0" : !arg, (!helion.tile<rn@n>) -> !v
      // expected-error @below {{slice `slice.n` cannot be rolled: argmax and argmin of it need the whole row}}
      %k = helion.reduce argmax %a dim 0 site "argmax.0" : !v -> index
    }
  }
  helion.return
}

// -----

!arg = memref<?xf32, strided<[?], offset: ?>>
!v = tensor<?xf32, #helion.dims<rn@n>>
helion.kernel @negative_store_then_load(%x: !arg {helion.name = "x"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : !arg
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%c1) site "loop.i" {
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %a = helion.load %x[%s] site "x.0" : !arg, (!helion.tile<rn@n>) -> !v
      %b = arith.addf %a, %a : !v
      // expected-note @below {{the store}}
      helion.store %b, %x[%s] site "x.1" : !v, !arg, (!helion.tile<rn@n>)
      // expected-error @below {{slice `slice.n` cannot be rolled: the host tensor was stored before this load}}
      %c = helion.load %x[%s] site "x.2" : !arg, (!helion.tile<rn@n>) -> !v
      %m = helion.reduce addf %c dim 0 site "sum.0" : !v -> f32
    }
  }
  helion.return
}

// -----

// Loop 1 would load again what the store has changed.
!arg = memref<?xf32, strided<[?], offset: ?>>
!v = tensor<?xf32, #helion.dims<rn@n>>
helion.kernel @negative_store_off_the_slice(%x: !arg {helion.name = "x"}, %o: !arg {helion.name = "o"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : !arg
  helion.block @bi tile
  helion.block @rn slice
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%c1) site "loop.i" {
      // expected-note @below {{the slice}}
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %a = helion.load %x[%s] site "x.0" : !arg, (!helion.tile<rn@n>) -> !v
      %m = helion.reduce addf %a dim 0 site "sum.0" : !v -> f32
      // expected-error @below {{slice `slice.n` cannot be rolled: this stores, not through the slice, to a host tensor that the slice loads}}
      helion.store %m, %x[%c0] site "x.1" : f32, !arg, (index)
      %mv = helion.splat %m : f32 -> !v
      %b = arith.subf %a, %mv : !v
      helion.store %b, %o[%s] site "o.0" : !v, !arg, (!helion.tile<rn@n>)
    }
  }
  helion.return
}
