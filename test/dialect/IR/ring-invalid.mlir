// RUN: helion-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// expected-error @below {{buffer of type 'tensor<8x64xbf16>' has no `#helion.layout`}}
"test.op"() {name = "negative_buf_c1", type = !helion.buf<tensor<8x64xbf16>>} : () -> ()

// -----

#r = #helion.layout<[8], reg = [[1], [2], [4]]>
// expected-error @below {{layout of a buffer has space `reg`; only `offset`, `group` and `cta` place staged memory}}
"test.op"() {name = "negative_buf_c1_registers", type = !helion.buf<tensor<8xbf16, #r>>} : () -> ()

// -----

// expected-error @below {{value in flight of type 'tensor<8xf32>' has no `#helion.layout`}}
"test.op"() {name = "negative_token_c1", type = !helion.token<tensor<8xf32>>} : () -> ()

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
// expected-error @below {{value in flight has a layout of staged memory}}
"test.op"() {name = "negative_token_c1_staged", type = !helion.token<tensor<8xf32, #s>>} : () -> ()

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
// expected-error @below {{ring has depth `0`; at least 1 is needed}}
"test.op"() {name = "negative_ring_c1", type = !helion.ring<0 x (tensor<8xf32, #s>)>} : () -> ()

// -----

// expected-error @below {{ring has no buffers}}
"test.op"() {name = "negative_ring_c2", type = !helion.ring<1 x ()>} : () -> ()

// -----

// expected-error @below {{buffer of type 'tensor<8xf32>' has no `#helion.layout`}}
"test.op"() {name = "negative_ring_c2_layout", type = !helion.ring<1 x (tensor<8xf32>)>} : () -> ()

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
// expected-error @below {{box [1, 16] without extents of 1 is not the tile [8]}}
"test.op"() {name = "negative_tensor_map_c1", type = !helion.tensor_map<[1, 16], tensor<8xf32, #s>>} : () -> ()

// -----

#g = #helion.layout<[8], offset = [[1], [2]], group = [[4]]>
// expected-error @below {{box of a tensor map has a layout with parts; only `offset` places it}}
"test.op"() {name = "negative_tensor_map_c2", type = !helion.tensor_map<[8], tensor<8xf32, #g>>} : () -> ()

// -----

// expected-error @below {{side `both` of a slot is none of `read`, `write`}}
"test.op"() {name = "negative_slot", type = !helion.slot<both>} : () -> ()

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
helion.kernel @negative_commit(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %r = helion.ring "x.0" : !helion.ring<1 x (tensor<8xf32, #s>)>
    %s, %b = helion.take %r : !helion.ring<1 x (tensor<8xf32, #s>)>
    // expected-error @below {{publishes a slot that was taken; only one from `helion.acquire` is to be filled}}
    helion.commit %s : !helion.slot<read>
  }
  helion.return
}

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
helion.kernel @negative_release(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %r = helion.ring "x.0" : !helion.ring<1 x (tensor<8xf32, #s>)>
    %s, %b = helion.acquire %r : !helion.ring<1 x (tensor<8xf32, #s>)>
    // expected-error @below {{releases a slot that was acquired; only one from `helion.take` is to be emptied}}
    helion.release %s : !helion.slot<write>
  }
  helion.return
}

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
helion.kernel @negative_ring_place(%n: index {helion.name = "n"}) {
  // expected-error @below {{stands in a `helion.kernel`; a launch declares rings at its top}}
  %r = helion.ring "x.0" : !helion.ring<1 x (tensor<8xf32, #s>)>
  helion.return
}
