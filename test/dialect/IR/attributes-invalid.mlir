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

// expected-error @below {{digits of a space or dim overlap}}
"test.op"() {l = #helion.layout<[2], reg = [[1]], repeat = [reg 0 x 3 from 3]>} : () -> ()

// -----

// expected-error @below {{some index of the tile has no owner}}
"test.op"() {l = #helion.layout<[4], reg = [[1]]>} : () -> ()

// -----

// expected-error @below {{layout places a tile of [8], the tensor has [16]}}
"test.op"() {t = tensor<16xf32, #helion.layout<[8], reg = [[1], [2], [4]]>>} : () -> ()
