// RUN: helion-opt --split-input-file --verify-diagnostics %s

#a = #helion.layout<[8, 8], reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0]]>
#b = #helion.layout<[8], lane = [[1], [2], [4]]>
helion.kernel @negative_convert_layout_c1(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8x8xf32, #a>
    // expected-error @below {{changes dims [8, 8] to [8]}}
    %w = helion.convert_layout %v : tensor<8x8xf32, #a> -> tensor<8xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[8], reg = [[1], [2], [4]]>
#b = #helion.layout<[8], lane = [[1], [2], [4]]>
helion.kernel @negative_convert_layout_c1_element(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8xf32, #a>
    // expected-error @below {{element types 'f32' and 'f16' differ}}
    %w = helion.convert_layout %v : tensor<8xf32, #a> -> tensor<8xf16, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[8], reg = [[1], [2], [4]]>
helion.kernel @negative_convert_layout_c1_none(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8xf32, #a>
    // expected-error @below {{type 'tensor<8xf32>' has no `#helion.layout`}}
    %w = helion.convert_layout %v : tensor<8xf32, #a> -> tensor<8xf32>
  }
  helion.return
}

// -----

#a = #helion.layout<[8], reg = [[1], [2], [4]]>
#s = #helion.layout<[8], offset = [[1], [2], [4]]>
helion.kernel @negative_convert_layout_c2(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8xf32, #a>
    // expected-error @below {{lies in staged memory; use `helion.read` or `helion.write`}}
    %w = helion.convert_layout %v : tensor<8xf32, #a> -> tensor<8xf32, #s>
  }
  helion.return
}

// -----

#a = #helion.layout<[8], reg = [[1], [2], [4]]>
#b = #helion.layout<[4], reg = [[1], [2]]>
helion.kernel @negative_subtile_c1(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8xf32, #a>
    // expected-error @below {{has 2 offsets for ranks 1 and 1}}
    %w = helion.subtile %v at [0, 0] : tensor<8xf32, #a> -> tensor<4xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[8], reg = [[1], [2], [4]]>
#b = #helion.layout<[4], reg = [[1], [2]]>
helion.kernel @negative_subtile_c1_offset(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8xf32, #a>
    // expected-error @below {{block of extent `4` at `2` is no aligned part of `8`}}
    %w = helion.subtile %v at [2] : tensor<8xf32, #a> -> tensor<4xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[8], reg = [[1], [2], [4]]>
#b = #helion.layout<[4], reg = [[2], [1]]>
helion.kernel @negative_subtile_c2(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8xf32, #a>
    // expected-error @below {{result has another layout than the block's registers, <[4], reg = [[1], [2]]>}}
    %w = helion.subtile %v at [4] : tensor<8xf32, #a> -> tensor<4xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[8], reg = [[1], [2]], lane = [[4]]>
#b = #helion.layout<[4], reg = [[1], [2]]>
helion.kernel @negative_subtile_c2_lanes(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8xf32, #a>
    // expected-error @below {{block of [4] is held by other threads too; convert the layout first}}
    %w = helion.subtile %v at [0] : tensor<8xf32, #a> -> tensor<4xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[8, 4], reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2]]>
#b = #helion.layout<[1, 4], lane = [[0, 1], [0, 2]]>
helion.kernel @negative_reduce_in_thread_c1(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8x4xf32, #a>
    // expected-error @below {{kind `argmax` does not take elements of type 'f32'}}
    %w = helion.reduce_in_thread argmax %v dim 0 site "max.0" : tensor<8x4xf32, #a> -> tensor<1x4xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[8, 4], reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2]]>
#b = #helion.layout<[1, 4], lane = [[0, 1], [0, 2]]>
helion.kernel @negative_reduce_in_thread_dim(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8x4xf32, #a>
    // expected-error @below {{dim `2` is outside the value's rank 2}}
    %w = helion.reduce_in_thread addf %v dim 2 site "sum.0" : tensor<8x4xf32, #a> -> tensor<1x4xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[8, 4], reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2]]>
#b = #helion.layout<[1, 4], lane = [[0, 2], [0, 1]]>
helion.kernel @negative_reduce_in_thread_c2(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8x4xf32, #a>
    // expected-error @below {{result has another layout than what is left per thread, <[1, 4], lane = [[0, 1], [0, 2]]>}}
    %w = helion.reduce_in_thread addf %v dim 0 site "sum.0" : tensor<8x4xf32, #a> -> tensor<1x4xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[4], reg = [[1], [2]], lane = [[1]]>
helion.kernel @negative_reduce_in_thread_shared_bit(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<4xf32, #a>
    // expected-error @below {{registers and threads share a bit of dim `0`; convert the layout first}}
    %w = helion.reduce_in_thread addf %v dim 0 site "sum.0" : tensor<4xf32, #a> -> tensor<4xf32, #a>
  }
  helion.return
}

// -----

#a = #helion.layout<[8, 4], reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2]]>
#b = #helion.layout<[4], lane = [[2], [1]]>
helion.kernel @negative_reduce_layout(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8x4xf32, #a>
    // expected-error @below {{is not 'tensor<4xf32, #helion.layout<[4], lane = }}
    %w = helion.reduce addf %v dim 0 site "sum.0" : tensor<8x4xf32, #a> -> tensor<4xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[8, 4], reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2]]>
#b = #helion.layout<[4], lane = [[2], [1]]>
helion.kernel @negative_broadcast_layout(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<4xf32, #b>
    // expected-error @below {{operand has another layout than the result without its new dims, <[4], lane = [[1], [2]]>}}
    %w = helion.broadcast %v to [1] : tensor<4xf32, #b> -> tensor<8x4xf32, #a>
  }
  helion.return
}

// -----

#a = #helion.layout<[8, 4], reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2]]>
#b = #helion.layout<[4, 8], reg = [[0, 1], [0, 2], [0, 4]], lane = [[2, 0], [1, 0]]>
helion.kernel @negative_permute_layout(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8x4xf32, #a>
    // expected-error @below {{result has another layout than the permuted one}}
    %w = helion.permute %v [1, 0] : tensor<8x4xf32, #a> -> tensor<4x8xf32, #b>
  }
  helion.return
}

// -----

#a = #helion.layout<[4, 8], reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>
#b = #helion.layout<[32], reg = [[8], [16]], lane = [[1], [2], [4]]>
helion.kernel @negative_reshape_layout(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<4x8xf32, #a>
    // expected-error @below {{result has another layout than the reshaped one, <[32], reg = [[1], [2], [4]], lane = [[8], [16]]>}}
    %w = helion.reshape %v [array<i64: 0, 1>] : tensor<4x8xf32, #a> -> tensor<32xf32, #b>
  }
  helion.return
}

// -----

helion.kernel @negative_reshape_crosses(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<6xf32, #helion.layout<[2], lane = [[1]], repeat = [reg 0 x 3]>>
    // expected-error @below {{a thread's part of the operand is no part of the result; convert the layout first}}
    %w = helion.reshape %v [array<i64: 0, 1>] : tensor<6xf32, #helion.layout<[2], lane = [[1]], repeat = [reg 0 x 3]>> -> tensor<2x3xf32, #helion.layout<[2, 1], lane = [[1, 0]], repeat = [reg 1 x 3]>>
  }
  helion.return
}

// -----

#a = #helion.layout<[4, 8], reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>
#b = #helion.layout<[4], lane = [[2], [1]]>
helion.kernel @negative_index_layout(%n: index {helion.name = "n"}, %x: memref<?x?xf32> {helion.name = "x"}) {
  helion.launch "f" grid(%n) {
    %c0 = arith.constant 0 : index
    %j = helion.make_tile %c0 : !helion.tile<8>
    %i = helion.splat %c0 : index -> tensor<4xindex, #b>
    // expected-error @below {{index has another layout than the value without its other dims, <[4], lane = [[1], [2]]>}}
    %v = helion.load %x[%i, %j] site "x.0" : memref<?x?xf32>, (tensor<4xindex, #b>, !helion.tile<8>) -> tensor<4x8xf32, #a>
  }
  helion.return
}
