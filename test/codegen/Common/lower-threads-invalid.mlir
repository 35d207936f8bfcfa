// RUN: helion-opt --helion-lower-threads --split-input-file --verify-diagnostics %s

// expected-error @below {{has no attribute `warps`, the warps of a program}}
func.func @warps() {
  return
}

// -----

func.func @no_layout(%x: f32) attributes {warps = 1 : i64} {
  // expected-error @below {{has a tile value of type 'tensor<8xf32>' without a layout; assign layouts first}}
  %s = helion.splat %x : f32 -> tensor<8xf32>
  return
}

// -----

func.func @too_many(%x: f32) attributes {warps = 2 : i64} {
  // expected-error @below {{has a layout over `4` warps of `1` lanes; the function has `2` warps of `32` lanes}}
  %s = helion.splat %x : f32 -> tensor<4xf32, #helion.layout<[4], warp = [[1], [2]]>>
  return
}

// -----

func.func @group(%x: f32) attributes {warps = 1 : i64} {
  // expected-error @below {{has a layout over `group`; the code of a thread knows `reg`, `lane` and `warp`}}
  %s = helion.splat %x : f32 -> tensor<2xf32, #helion.layout<[2], group = [[1]]>>
  return
}

// -----

func.func @instance() attributes {warps = 1 : i64} {
  // expected-error @below {{has no code for threads at this place}}
  %r = helion.num_programs "x"
  return
}

// -----

func.func @tile(%t: !helion.tile<4>) attributes {warps = 1 : i64} {
  // expected-error @below {{uses a tile that no `helion.make_tile` makes}}
  %r = helion.tile_begin %t : !helion.tile<4>
  return
}

// -----

func.func @constant() attributes {warps = 1 : i64} {
  // expected-error @below {{of different elements has no code for threads; build it from `helion.iota`}}
  %c = arith.constant dense<[0, 1]> : tensor<2xi32, #helion.layout<[2], reg = [[1]]>>
  return
}

// -----

func.func @atomic(%x: memref<?xi1>, %v: i1, %i: index) attributes {warps = 1 : i64} {
  // expected-error @below {{on elements of type 'i1' has no code for threads; use i32}}
  %o = helion.atomic ori relaxed %v, %x[%i] site "x" : i1, memref<?xi1>, (index) -> i1
  return
}

// -----

#a = #helion.layout<[2, 2], reg = [[0, 1]], lane = [[1, 1]]>
func.func @oblique(%x: f32) attributes {warps = 1 : i64} {
  %s = helion.splat %x : f32 -> tensor<2x2xf32, #a>
  // expected-error @below {{combines dim `1`, along which registers, lanes and warps do not step alone; convert the layout first}}
  %r = helion.reduce addf %s dim 1 site "r" : tensor<2x2xf32, #a> -> tensor<2xf32, #helion.layout<[2], lane = [[1]]>>
  return
}

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
!t = tensor<8xf32, #s>
func.func @branch(%p: i1) attributes {warps = 1 : i64} {
  %r = helion.ring "x" : !helion.ring<2 x (!t)>
  scf.if %p {
    // expected-error @below {{stands in a `scf.if`; slots are counted in loops alone}}
    %w, %b = helion.acquire %r : !helion.ring<2 x (!t)>
    helion.commit %w : !helion.slot<write>
  }
  return
}

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
!t = tensor<8xf32, #s>
func.func @ring(%r: !helion.ring<2 x (!t)>) attributes {warps = 1 : i64} {
  // expected-error @below {{uses a ring that no `helion.ring` makes}}
  %w, %b = helion.acquire %r : !helion.ring<2 x (!t)>
  helion.commit %w : !helion.slot<write>
  return
}

// -----

func.func @slot(%w: !helion.slot<write>) attributes {warps = 1 : i64} {
  // expected-error @below {{uses a slot or buffer that a loop or branch hands on}}
  helion.commit %w : !helion.slot<write>
  return
}

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
!t = tensor<8xf32, #s>
!m = !helion.tensor_map<[8], !t>
func.func @map(%m: !m) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = helion.make_tile %c0 : !helion.tile<8>
  %r = helion.ring "x" : !helion.ring<2 x (!t)>
  %w, %b = helion.acquire %r : !helion.ring<2 x (!t)>
  // expected-error @below {{copies through a tensor map, which the target does not have}}
  helion.load_async %m[%i] into %b site "x" : !m, (!helion.tile<8>), !helion.buf<!t>
  helion.commit %w : !helion.slot<write>
  return
}

// -----

func.func @scan_of_mixed_dims(%x: f32) attributes {warps = 1 : i64} {
  %s = helion.splat %x : f32 -> tensor<2x2xf32, #helion.layout<[2, 2], reg = [[1, 1]], lane = [[0, 1]]>>
  // expected-error @below {{combines dim `1`, along which registers, lanes and warps do not step alone; convert the layout first}}
  %r = helion.scan addf %s dim 1 site "r" : tensor<2x2xf32, #helion.layout<[2, 2], reg = [[1, 1]], lane = [[0, 1]]>>
  return
}

// -----

func.func @scan_fn_of_mixed_dims(%x: f32) attributes {warps = 1 : i64} {
  %s = helion.splat %x : f32 -> tensor<2x2xf32, #helion.layout<[2, 2], reg = [[1, 1]], lane = [[0, 1]]>>
  // expected-error @below {{combines dim `0`, along which registers, lanes and warps do not step alone; convert the layout first}}
  %r = helion.scan_fn %s other %x dim 0 site "r" : (tensor<2x2xf32, #helion.layout<[2, 2], reg = [[1, 1]], lane = [[0, 1]]>>), (f32) {
  ^bb0(%a: f32, %b: f32):
    helion.yield %b : f32
  }
  return
}
