// RUN: helion-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// expected-error @below {{extent `0` of a dim is below 1}}
"test.op"() {d = #helion.dim<0>} : () -> ()

// -----

// expected-error @below {{range `@i` stands behind `bm*bn`, which is not a single block}}
"test.op"() {d = #helion.dim<bm*bn@i>} : () -> ()

// -----

// expected-error @below {{range `@i` stands behind `64`, which is not a single block}}
"test.op"() {d = #helion.dim<64@i>} : () -> ()

// -----

// expected-error @below {{space `thread` is none of `reg`, `lane`, `warp`, `group`, `cta`, `offset`, `mem`}}
"test.op"() {l = #helion.layout<[8], thread = [[1]]>} : () -> ()

// -----

// expected-error @below {{space `reg` stands twice}}
"test.op"() {l = #helion.layout<[8], reg = [[1], [2]], reg = [[4]]>} : () -> ()

// -----

// expected-error @below {{extent `12` of the atom is no power of two}}
"test.op"() {l = #helion.layout<[12], reg = [[1], [2]]>} : () -> ()

// -----

// expected-error @below {{component `8` of a basis of `lane` is outside the atom's extent `8`}}
"test.op"() {l = #helion.layout<[8], lane = [[8]]>} : () -> ()

// -----

// expected-error @below {{a basis of `lane` has 1 components for 2 dims}}
"test.op"() {l = #helion.layout<[8, 8], lane = [[4]]>} : () -> ()

// -----

// expected-error @below {{a repeat names dim `1` of a tile of rank 1}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 1 x 3]>} : () -> ()

// -----

// expected-error @below {{count `0` of a repeat is below 1}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x 0]>} : () -> ()

// -----

// expected-error @below {{`from` and `step` of a repeat are at least 1}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x 3 from 0]>} : () -> ()

// -----

// expected-error @below {{`from` and `step` of a repeat are at least 1}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x 3 from -3]>} : () -> ()

// -----

// expected-error @below {{`from` and `step` of a repeat are at least 1}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x 3 step -1]>} : () -> ()

// -----

// expected-error @below {{count `-4` of a repeat is below 1}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x -4]>} : () -> ()

// -----

// expected-error @below {{a repeat counts `4611686018427387904` from `2` in steps of `2`; none may be above `16777216`}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x 4611686018427387904]>} : () -> ()

// -----

// expected-error @below {{a repeat counts `3` from `9223372036854775807` in steps of `2`; none may be above `16777216`}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x 3 from 9223372036854775807]>} : () -> ()

// -----

// expected-error @below {{space `reg` has `33554432` values; at most `16777216` are placed}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x 16777216]>} : () -> ()

// -----

// expected-error @below {{tile has more than `16777216` elements}}
"test.op"() {l = #helion.layout<[2, 1], reg = [[1, 0]], repeat = [reg 0 x 65536, lane 1 x 65536]>} : () -> ()

// -----

// expected-error @below {{atom has more than `16777216` elements}}
"test.op"() {l = #helion.layout<[4611686018427387904], reg = [[1]]>} : () -> ()

// -----

// expected-error @below {{atom has more than `16777216` elements}}
"test.op"() {l = #helion.layout<[2147483648, 2147483648, 8], reg = [[1, 0, 0]]>} : () -> ()

// -----

// expected-error @below {{space `lane` has `25` bits; at most `24` are placed}}
"test.op"() {l = #helion.layout<[1], lane = [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]]>} : () -> ()

// -----

// Spaces that only copy are counted too: with them the linear part could have more than 64 columns.
// expected-error @below {{spaces have more than `1099511627776` places together}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [warp 0 x 2 from 8388608 step 1, lane 0 x 2 from 8388608 step 1]>} : () -> ()

// -----

// expected-error @below {{digits of a space or dim overlap}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x 3 from 3]>} : () -> ()

// -----

// expected-error @below {{some index of the tile has no owner}}
"test.op"() {l = #helion.layout<[4], reg = [[1]]>} : () -> ()

// -----

// expected-error @below {{layout places a tile of [8], the tensor has [16]}}
"test.op"() {t = tensor<16xf32, #helion.layout<[8], reg = [[1], [2], [4]]>>} : () -> ()
