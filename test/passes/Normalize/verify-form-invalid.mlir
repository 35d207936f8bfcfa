// RUN: helion-opt --helion-verify-form --split-input-file --verify-diagnostics %s

!arg = memref<?xf32, strided<[?], offset: ?>>
!v = tensor<?xf32, #helion.dims<bi@i>>
helion.kernel @negative_site_twice(%x: !arg {helion.name = "x"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !arg
  helion.block @bi tile
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      // expected-note @below {{first use}}
      %a = helion.load %x[%i] site "x.0" : !arg, (!helion.tile<bi@i>) -> !v
      // expected-error @below {{site `x.0` is used twice}}
      helion.store %a, %x[%i] site "x.0" : !v, !arg, (!helion.tile<bi@i>)
    }
  }
  helion.return
}

// -----

!arg = memref<?xf32, strided<[?], offset: ?>>
helion.kernel @negative_site_empty(%x: !arg {helion.name = "x"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !arg
  helion.block @bi tile
  helion.launch "f" {
    // expected-error @below {{site is empty; run `helion-normalize`}}
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "" {
    }
  }
  helion.return
}

// -----

!arg = memref<?xf32, strided<[?], offset: ?>>
helion.kernel @negative_range_twice(%x: !arg {helion.name = "x"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !arg
  helion.block @bi tile
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      // expected-error @below {{range `i` is defined twice}}
      helion.tile (%j: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.j" {
      }
    }
  }
  helion.return
}

// -----

!arg = memref<?xf32, strided<[?], offset: ?>>
helion.kernel @negative_block_unknown(%x: !arg {helion.name = "x"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !arg
  helion.launch "f" {
    // expected-error @below {{block `bi` is not declared by a `helion.block`}}
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
    }
  }
  helion.return
}

// -----

!arg = memref<?xf32, strided<[?], offset: ?>>
helion.kernel @negative_result_depends_on_block(%x: !arg {helion.name = "x"}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !arg
  helion.block @bi registered
  %b = helion.block_size @bi
  %t = arith.ceildivui %n, %b : index
  %ok = helion.empty(%t) {name = "partial", workspace} : memref<?xf32>
  // expected-error @below {{depends on a block size; only workspace, grids and device code may}}
  %out = helion.empty(%t) {name = "out"} : memref<?xf32>
  helion.return %out : memref<?xf32>
}

// -----

helion.kernel @negative_tensor_dialect(%x: memref<4xf32> {helion.name = "x"}) {
  %c = arith.constant 0.0 : f32
  helion.launch "f" {
    // expected-error @below {{type 'tensor<4xf32>' has no dims that fit its shape, as form `kernel` has}}
    %s = helion.splat %c : f32 -> tensor<4xf32>
  }
  helion.return
}

// -----

!v = tensor<?xf32, #helion.dims<bi>>
helion.kernel @negative_mixed_dims(%x: memref<4xf32> {helion.name = "x"}) {
  helion.block @bi registered
  helion.block @bj registered
  %c = arith.constant 1 : i32
  %f = arith.constant 1.0 : f32
  helion.launch "f" {
    %a = helion.splat %f : f32 -> tensor<?xf32, #helion.dims<bi>>
    %b = helion.splat %c : i32 -> tensor<?xi32, #helion.dims<bj>>
    // expected-error @below {{mixes dims [bi] and [bj]}}
    %p = math.fpowi %a, %b : tensor<?xf32, #helion.dims<bi>>, tensor<?xi32, #helion.dims<bj>>
  }
  helion.return
}
