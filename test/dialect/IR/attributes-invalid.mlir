// RUN: helion-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// expected-error @below {{extent `0` of a dim is below 1}}
"test.op"() {d = #helion.dim<0>} : () -> ()

// -----

// expected-error @below {{range `@i` stands behind `bm*bn`, which is not a single block}}
"test.op"() {d = #helion.dim<bm*bn@i>} : () -> ()

// -----

// expected-error @below {{range `@i` stands behind `64`, which is not a single block}}
"test.op"() {d = #helion.dim<64@i>} : () -> ()
