// RUN: helion-opt --split-input-file --verify-diagnostics %s

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
helion.kernel @negative_tensor_map_op_c1(%x: memref<?x?xbf16> {helion.name = "x"}) {
  // expected-error @below {{has a box of rank 3 for a host tensor of rank 2}}
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !helion.tensor_map<[1, 8, 64], tensor<8x64xbf16, #s>>
  helion.return
}

// -----

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
helion.kernel @negative_tensor_map_op_c2(%x: memref<?x?xf16> {helion.name = "x"}) {
  // expected-error @below {{element types 'f16' and 'bf16' differ}}
  %m = helion.tensor_map %x site "x.0" : memref<?x?xf16> -> !helion.tensor_map<[8, 64], tensor<8x64xbf16, #s>>
  helion.return
}

// -----

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
helion.kernel @negative_tensor_map_op_c3(%x: memref<?x?xbf16> {helion.name = "x"}) {
  // expected-error @below {{fills lanes outside with a number other than 0 or NaN}}
  %m = helion.tensor_map %x site "x.0" fill 1.0 : memref<?x?xbf16> -> !helion.tensor_map<[8, 64], tensor<8x64xbf16, #s>>
  helion.return
}

// -----

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
!S = tensor<8x64xbf16, #s>
helion.kernel @negative_load_async_c1(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !helion.tile<8>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.acquire %r : !helion.ring<1 x (!S)>
    // expected-error @below {{has 1 indices for a host tensor of rank 2}}
    helion.load_async %x[%i] into %b site "x.0" : memref<?x?xbf16>, (!helion.tile<8>), !helion.buf<!S>
    helion.commit %s : !helion.slot<write>
  }
  helion.return
}

// -----

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
!S = tensor<8x64xbf16, #s>
helion.kernel @negative_load_async_c2(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !helion.tile<8>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.acquire %r : !helion.ring<1 x (!S)>
    // expected-error @below {{indices give dims [8, 8], the buffer has [8, 64]}}
    helion.load_async %x[%i, %i] into %b site "x.0" : memref<?x?xbf16>, (!helion.tile<8>, !helion.tile<8>), !helion.buf<!S>
    helion.commit %s : !helion.slot<write>
  }
  helion.return
}

// -----

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
!S = tensor<8x64xbf16, #s>
helion.kernel @negative_load_async_c3(%x: memref<?x?xf32> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !helion.tile<8>
    %j = helion.make_tile %n : !helion.tile<64>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.acquire %r : !helion.ring<1 x (!S)>
    // expected-error @below {{element types 'f32' and 'bf16' differ}}
    helion.load_async %x[%i, %j] into %b site "x.0" : memref<?x?xf32>, (!helion.tile<8>, !helion.tile<64>), !helion.buf<!S>
    helion.commit %s : !helion.slot<write>
  }
  helion.return
}

// -----

// The buffer's rows of 128 elements are not two boxes of 64 one after the other.
#s = #helion.layout<[8, 128], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0]]>
#b = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]]>
!S = tensor<8x128xbf16, #s>
!m = !helion.tensor_map<[8, 64], tensor<8x64xbf16, #b>>
helion.kernel @negative_load_async_c4(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !m
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !helion.tile<8>
    %j = helion.make_tile %n : !helion.tile<128>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.acquire %r : !helion.ring<1 x (!S)>
    // expected-error @below {{does not consist of boxes}}
    helion.load_async %m[%i, %j] into %b site "x.0" : !m, (!helion.tile<8>, !helion.tile<128>), !helion.buf<!S>
    helion.commit %s : !helion.slot<write>
  }
  helion.return
}

// -----

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
!S = tensor<8x64xbf16, #s>
helion.kernel @negative_load_async_c5(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !helion.tile<8>
    %j = helion.make_tile %n : !helion.tile<64>
    %r = helion.ring "x.0" cluster : !helion.ring<1 x (!S)>
    %s, %b = helion.acquire %r : !helion.ring<1 x (!S)>
    // expected-error @below {{copies a memref to several CTAs; only a tensor map can}}
    helion.load_async %x[%i, %j] into %b multicast site "x.0" : memref<?x?xbf16>, (!helion.tile<8>, !helion.tile<64>), !helion.buf<!S>
    helion.commit %s : !helion.slot<write>
  }
  helion.return
}

// -----

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
!S = tensor<8x64xbf16, #s>
!m = !helion.tensor_map<[8, 64], !S>
helion.kernel @negative_store_async_side(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !m
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !helion.tile<8>
    %j = helion.make_tile %n : !helion.tile<64>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.take %r : !helion.ring<1 x (!S)>
    // expected-error @below {{stores a slot that was taken; only one from `helion.acquire` was filled here}}
    helion.store_async %b of %s, %m[%i, %j] site "x.0" : !helion.buf<!S>, !helion.slot<read>, !m, (!helion.tile<8>, !helion.tile<64>)
  }
  helion.return
}

// -----

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
!S = tensor<8x64xbf16, #s>
!m = !helion.tensor_map<[8, 64], !S>
helion.kernel @negative_store_async_c2(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !m
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !helion.tile<8>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.acquire %r : !helion.ring<1 x (!S)>
    // expected-error @below {{indices give dims [8], the buffer has [8, 64]}}
    helion.store_async %b of %s, %m[%i, %n] site "x.0" : !helion.buf<!S>, !helion.slot<write>, !m, (!helion.tile<8>, index)
  }
  helion.return
}

// -----

#s = #helion.layout<[8, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
#r = #helion.layout<[8], reg = [[1], [2], [4]]>
!S = tensor<8x64xbf16, #s>
helion.kernel @negative_read_c1(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.take %r : !helion.ring<1 x (!S)>
    // expected-error @below {{moves dims [8] to or from a buffer of [8, 64]}}
    %v = helion.read %b : !helion.buf<!S> -> tensor<8xbf16, #r>
    helion.release %s : !helion.slot<read>
  }
  helion.return
}

// -----

#s = #helion.layout<[8], offset = [[1], [2], [4]]>
#r = #helion.layout<[8], reg = [[1], [2], [4]]>
!S = tensor<8xbf16, #s>
helion.kernel @negative_write_c1(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8xf32, #r>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.acquire %r : !helion.ring<1 x (!S)>
    // expected-error @below {{element types 'f32' and 'bf16' differ}}
    helion.write %v, %b : tensor<8xf32, #r>, !helion.buf<!S>
    helion.commit %s : !helion.slot<write>
  }
  helion.return
}

// -----

#s = #helion.layout<[8], offset = [[1], [2]], group = [[4]]>
#r = #helion.layout<[8], reg = [[2], [4]], group = [[1]]>
!S = tensor<8xf32, #s>
helion.kernel @negative_write_c2(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : f32 -> tensor<8xf32, #r>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.acquire %r : !helion.ring<1 x (!S)>
    // expected-error @below {{buffer has parts per instance, over which the value is not spread alike}}
    helion.write %v, %b : tensor<8xf32, #r>, !helion.buf<!S>
    helion.commit %s : !helion.slot<write>
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
helion.kernel @negative_dot_async_c1(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %r = helion.ring "x.0" : !helion.ring<1 x (!S, !S)>
    %s, %a, %b = helion.take %r : !helion.ring<1 x (!S, !S)>
    // expected-error @below {{dims [16, 16] x [16, 16] do not give [16, 8]}}
    %t = helion.dot_async %a, %b site "dot.0" : !helion.buf<!S>, !helion.buf<!S> -> !helion.token<tensor<16x8xf32, #r>>
    %v = helion.wait %t : !helion.token<tensor<16x8xf32, #r>>
    helion.release %s : !helion.slot<read>
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
helion.kernel @negative_dot_async_c2(%n: index {helion.name = "n"}, %c: f16 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %z = helion.splat %c : f16 -> tensor<16x16xf16, #r>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S, !S)>
    %s, %a, %b = helion.take %r : !helion.ring<1 x (!S, !S)>
    // expected-error @below {{accumulates 'tensor<16x16xf16, #helion.layout}}
    %t = helion.dot_async %a, %b acc %z : tensor<16x16xf16, #r> site "dot.0" : !helion.buf<!S>, !helion.buf<!S> -> !helion.token<tensor<16x16xf32, #r>>
    %v = helion.wait %t : !helion.token<tensor<16x16xf32, #r>>
    helion.release %s : !helion.slot<read>
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#a = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], group = [[8, 0]]>
!S = tensor<16x16xbf16, #s>
helion.kernel @negative_dot_async_c3(%n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    %a = helion.splat %c : bf16 -> tensor<16x16xbf16, #a>
    %r = helion.ring "x.0" : !helion.ring<1 x (!S)>
    %s, %b = helion.take %r : !helion.ring<1 x (!S)>
    // expected-error @below {{left operand in registers is not spread over the instances as the result is}}
    %t = helion.dot_async %a, %b site "dot.0" : tensor<16x16xbf16, #a>, !helion.buf<!S> -> !helion.token<tensor<16x16xf32, #r>>
    %v = helion.wait %t : !helion.token<tensor<16x16xf32, #r>>
    helion.release %s : !helion.slot<read>
  }
  helion.return
}
