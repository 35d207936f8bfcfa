// RUN: helion-opt --split-input-file --verify-diagnostics %s

helion.kernel @negative_iota_type(%n: index {helion.name = "n"}) {
  // expected-error @below {{is not one dim of integers}}
  %k = helion.iota -> tensor<4xf32, #helion.dims<4>>
  helion.return
}

// -----

helion.kernel @negative_iota_range(%n: index {helion.name = "n"}) {
  // expected-error @below {{without a tile the dim `bi@i` cannot have a range}}
  %k = helion.iota -> tensor<?xindex, #helion.dims<bi@i>>
  helion.return
}

// -----

helion.kernel @negative_iota_tile(%n: index {helion.name = "n"}) {
  %t = helion.make_tile %n : !helion.tile<8>
  // expected-error @below {{result has dim `4`, the tile `8`}}
  %k = helion.iota %t : !helion.tile<8> -> tensor<4xindex>
  helion.return
}

// -----

helion.kernel @negative_splat_element(%s: f32 {helion.name = "s"}) {
  // expected-error @below {{element types 'f32' and 'f16' differ}}
  %k = helion.splat %s : f32 -> tensor<?xf16, #helion.dims<bi>>
  helion.return
}

// -----

helion.kernel @negative_broadcast_dim(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<?xf32, #helion.dims<bi@i>>
  // expected-error @below {{operand dim `bi@i` becomes `bi`; only the integer 1 can be repeated}}
  %k = helion.broadcast %v to [0] : tensor<?xf32, #helion.dims<bi@i>> -> tensor<?x?xf32, #helion.dims<bi, bj>>
  helion.return
}

// -----

helion.kernel @negative_broadcast_order(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<2x3xf32>
  // expected-error @below {{dim `0` is not above `1` and below the result's rank 2}}
  %k = helion.broadcast %v to [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  helion.return
}

// -----

helion.kernel @negative_broadcast_place(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<2xf32>
  // expected-error @below {{dim `2` is not above `-1` and below the result's rank 2}}
  %k = helion.broadcast %v to [2] : tensor<2xf32> -> tensor<3x2xf32>
  helion.return
}

// -----

helion.kernel @negative_broadcast_count(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<2xf32>
  // expected-error @below {{names 2 dims for an operand of rank 1}}
  %k = helion.broadcast %v to [0, 1] : tensor<2xf32> -> tensor<2x2xf32>
  helion.return
}

// -----

helion.kernel @negative_permute(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<2x3xf32>
  // expected-error @below {{dims are no permutation of 0..2}}
  %k = helion.permute %v [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  helion.return
}

// -----

helion.kernel @negative_permute_dims(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<2x3xf32>
  // expected-error @below {{operand dim `3` becomes `2`}}
  %k = helion.permute %v [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  helion.return
}

// -----

helion.kernel @negative_reshape_range(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<?x4xf32, #helion.dims<bi@i, 4>>
  // expected-error @below {{dims [bi@i, 4] have a range and cannot be merged or split}}
  %k = helion.reshape %v [array<i64: 0, 1>] : tensor<?x4xf32, #helion.dims<bi@i, 4>> -> tensor<?xf32, #helion.dims<4 * bi>>
  helion.return
}

// -----

helion.kernel @negative_reshape_product(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<2x3xf32>
  // expected-error @below {{dims [2, 3] make `6`, not `5`}}
  %k = helion.reshape %v [array<i64: 0, 1>] : tensor<2x3xf32> -> tensor<5xf32>
  helion.return
}

// -----

helion.kernel @negative_reshape_groups(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<2x3xf32>
  // expected-error @below {{groups do not list the dims 0..2 in order}}
  %k = helion.reshape %v [array<i64: 1, 0>] : tensor<2x3xf32> -> tensor<6xf32>
  helion.return
}

// -----

helion.kernel @negative_rebound(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<?xf32, #helion.dims<bi@i>>
  // expected-error @below {{changes dims [bi@i] to [bj@i]; only ranges may change}}
  %k = helion.rebound %v : tensor<?xf32, #helion.dims<bi@i>> -> tensor<?xf32, #helion.dims<bj@i>>
  helion.return
}

// -----

helion.kernel @negative_mask_dim(%s: f32 {helion.name = "s"}, %n: index {helion.name = "n"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  %t = helion.make_tile %n : !helion.tile<4>
  // expected-error @below {{dim `1` is outside the value's rank 1}}
  %k = helion.mask %v dims [1] by(%t) fill %s : tensor<4xf32>, (!helion.tile<4>), f32
  helion.return
}

// -----

helion.kernel @negative_mask_tile(%s: f32 {helion.name = "s"}, %n: index {helion.name = "n"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  %t = helion.make_tile %n : !helion.tile<8>
  // expected-error @below {{dim `4` is masked by a tile of `8`}}
  %k = helion.mask %v dims [0] by(%t) fill %s : tensor<4xf32>, (!helion.tile<8>), f32
  helion.return
}

// -----

helion.kernel @negative_mask_count(%s: f32 {helion.name = "s"}, %n: index {helion.name = "n"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  %t = helion.make_tile %n : !helion.tile<4>
  // expected-error @below {{names 2 dims for 1 tiles}}
  %k = helion.mask %v dims [0, 0] by(%t) fill %s : tensor<4xf32>, (!helion.tile<4>), f32
  helion.return
}

// -----

helion.kernel @negative_reduce_kind(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{kind `addi` does not take elements of type 'f32'}}
  %k = helion.reduce addi %v dim 0 site "sum.0" : tensor<4xf32> -> f32
  helion.return
}

// -----

helion.kernel @negative_reduce_dim(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{dim `1` is outside the value's rank 1}}
  %k = helion.reduce addf %v dim 1 site "sum.0" : tensor<4xf32> -> f32
  helion.return
}

// -----

helion.kernel @negative_reduce_result(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{result type 'tensor<1xf32>' is not 'f32'}}
  %k = helion.reduce addf %v dim 0 site "sum.0" : tensor<4xf32> -> tensor<1xf32>
  helion.return
}

// -----

helion.kernel @negative_reduce_fn(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{combiner does not take two scalars per value and yield one}}
  %k = helion.reduce_fn %v other %s dim 0 site "fn.0" : (tensor<4xf32>), (f32) -> (f32) {
  ^bb0(%a: f32):
    helion.yield %a : f32
  }
  helion.return
}

// -----

helion.kernel @negative_scan_kind(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{kind `addi` does not take elements of type 'f32'}}
  %k = helion.scan addi %v dim 0 site "scan.0" : tensor<4xf32>
  helion.return
}

// -----

helion.kernel @negative_scan_position(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{kind `argmax` does not take elements of type 'f32'}}
  %k = helion.scan argmax %v dim 0 site "scan.0" : tensor<4xf32>
  helion.return
}

// -----

helion.kernel @negative_scan_dim(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{dim `1` is outside the value's rank 1}}
  %k = helion.scan addf %v dim 1 reverse site "scan.0" : tensor<4xf32>
  helion.return
}

// -----

helion.kernel @negative_scan_fn_dim(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{dim `2` is outside the value's rank 1}}
  %k = helion.scan_fn %v other %s dim 2 site "scan.0" : (tensor<4xf32>), (f32) {
  ^bb0(%a: f32, %b: f32):
    helion.yield %b : f32
  }
  helion.return
}

// -----

helion.kernel @negative_scan_fn(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{combiner does not take two scalars per value and yield one}}
  %k = helion.scan_fn %v other %s dim 0 site "scan.0" : (tensor<4xf32>), (f32) {
  ^bb0(%a: f32):
    helion.yield %a : f32
  }
  helion.return
}

// -----

helion.kernel @negative_scan_fn_count(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{has 2 values and 1 identities}}
  %k:2 = helion.scan_fn %v, %v other %s dim 0 site "scan.0" : (tensor<4xf32>, tensor<4xf32>), (f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    helion.yield %a, %b : f32, f32
  }
  helion.return
}

// -----

helion.kernel @negative_scan_fn_types(%s: f32 {helion.name = "s"}, %h: f16 {helion.name = "h"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{value 'tensor<4xf32>' and identity 'f16' do not fit each other and value 'tensor<4xf32>'}}
  %k = helion.scan_fn %v other %h dim 0 site "scan.0" : (tensor<4xf32>), (f16) {
  ^bb0(%a: f32, %b: f32):
    helion.yield %a : f32
  }
  helion.return
}

// -----

helion.kernel @negative_scan_fn_dims(%s: f32 {helion.name = "s"}) {
  %v = helion.splat %s : f32 -> tensor<4xf32>
  %w = helion.splat %s : f32 -> tensor<8xf32>
  // expected-error @below {{value 'tensor<8xf32>' and identity 'f32' do not fit each other and value 'tensor<4xf32>'}}
  %k:2 = helion.scan_fn %v, %w other %s, %s dim 0 site "scan.0" : (tensor<4xf32>, tensor<8xf32>), (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    helion.yield %a, %b : f32, f32
  }
  helion.return
}

// -----

helion.kernel @negative_dot_k(%s: f32 {helion.name = "s"}) {
  %a = helion.splat %s : f32 -> tensor<4x8xf32>
  %c = helion.splat %s : f32 -> tensor<4x4xf32>
  // expected-error @below {{dims [4, 8] x [4, 8] do not give [4, 4]}}
  %k = helion.dot %a, %a, %c site "dot.0" : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>
  helion.return
}

// -----

helion.kernel @negative_dot_rank(%s: f32 {helion.name = "s"}) {
  %a = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{operands have ranks 1, 1 and 1; all must be equal and at least 2}}
  %k = helion.dot %a, %a, %a site "dot.0" : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  helion.return
}

// -----

helion.kernel @negative_lane_dim(%s: f32 {helion.name = "s"}) {
  %a = helion.splat %s : f32 -> tensor<4x2xf32>
  // expected-error @below {{dim `2` is outside the rank 2}}
  %k = helion.lane %a dim 2 at 0 : tensor<4x2xf32> -> tensor<4xf32>
  helion.return
}

// -----

helion.kernel @negative_lane_index(%s: f32 {helion.name = "s"}) {
  %a = helion.splat %s : f32 -> tensor<4x2xf32>
  // expected-error @below {{lane `2` is outside the dim `2`}}
  %k = helion.lane %a dim 1 at 2 : tensor<4x2xf32> -> tensor<4xf32>
  helion.return
}

// -----

helion.kernel @negative_lane_block(%s: f32 {helion.name = "s"}) {
  %a = helion.splat %s : f32 -> tensor<?x2xf32, #helion.dims<bi, 2>>
  // expected-error @below {{dim `bi` is not a constant}}
  %k = helion.lane %a dim 0 at 0 : tensor<?x2xf32, #helion.dims<bi, 2>> -> tensor<2xf32, #helion.dims<2>>
  helion.return
}

// -----

helion.kernel @negative_lane_dims(%s: f32 {helion.name = "s"}) {
  %a = helion.splat %s : f32 -> tensor<4x2xf32>
  // expected-error @below {{dims [4, 2] without `1` are not [2]}}
  %k = helion.lane %a dim 1 at 0 : tensor<4x2xf32> -> tensor<2xf32>
  helion.return
}

// -----

helion.kernel @negative_lane_element(%s: f32 {helion.name = "s"}) {
  %a = helion.splat %s : f32 -> tensor<4x2xf32>
  // expected-error @below {{element types 'f32' and 'f16' differ}}
  %k = helion.lane %a dim 1 at 0 : tensor<4x2xf32> -> tensor<4xf16>
  helion.return
}

// -----

helion.kernel @negative_stack_none(%s: f32 {helion.name = "s"}) {
  // expected-error @below {{has no values}}
  %k = "helion.stack"() <{dim = 0 : i64}> : () -> tensor<1xf32>
  helion.return
}

// -----

helion.kernel @negative_stack_count(%s: f32 {helion.name = "s"}) {
  %a = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{dim `3` is not the number of values, 2}}
  %k = helion.stack %a, %a dim 1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  helion.return
}

// -----

helion.kernel @negative_stack_types(%s: f32 {helion.name = "s"}) {
  %a = helion.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{requires all operands to have the same type}}
  %k = helion.stack %a, %s dim 1 : (tensor<4xf32>, f32) -> tensor<4x2xf32>
  helion.return
}
