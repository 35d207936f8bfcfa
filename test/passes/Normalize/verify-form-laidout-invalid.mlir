// RUN: helion-opt --helion-verify-form=form=laidout --split-input-file --verify-diagnostics %s
// The labels L1, L2, .. are those of the checker.

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l1(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      helion.group "a" count 1 warps 4 {
      }
    }
    // expected-error @below {{is the second of its launch; groups start together once}}
    helion.warp_groups {
      helion.group "b" count 1 warps 4 {
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l2_slot_lost(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    // expected-error @below {{slot has 0 uses; exactly one ends it or hands it on}}
    %s, %b = helion.acquire %ring : !ring
    %u, %a = helion.take %ring : !ring
    %v = helion.read %a : !buf -> !R
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l2_slot_twice(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    // expected-error @below {{slot has 2 uses; exactly one ends it or hands it on}}
    %u, %a = helion.take %ring : !ring
    helion.release %u : !rd
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l2_carried_slot(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %one = arith.constant 1 : index
    %u, %a = helion.take %ring : !ring
    // expected-error @below {{slot has 0 uses; exactly one ends it or hands it on}}
    %last = scf.for %k = %one to %n step %one iter_args(%w = %u) -> (!rd) {
      %w2, %a2 = helion.take %ring : !ring
      scf.yield %w2 : !rd
    }
    helion.release %last : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l3_token_lost(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    // expected-error @below {{token has 0 uses; exactly one ends it or hands it on}}
    %d = helion.dot_async %a, %a site "dot.0" : !buf, !buf -> !tok
    helion.release %u after %d : !rd, !tok
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l3_token_twice(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    // expected-error @below {{token has 2 uses; exactly one ends it or hands it on}}
    %d = helion.dot_async %a, %a site "dot.0" : !buf, !buf -> !tok
    %v = helion.wait %d : !tok
    %w = helion.wait %d : !tok
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l4(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    helion.release %u : !rd
    // expected-error @below {{touches a buffer after the end of its slot}}
    %v = helion.read %a : !buf -> !R
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l5(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %d = helion.dot_async %a, %a site "dot.0" : !buf, !buf -> !tok
    // expected-error @below {{releases a slot that a dot in flight reads; wait for the dot, or release `after` its token}}
    helion.release %u : !rd
    %v = helion.wait %d : !tok
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l5_chained(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %d = helion.dot_async %a, %a site "dot.0" : !buf, !buf -> !tok
    %w, %b2 = helion.take %ring : !ring
    %e = helion.dot_async %b2, %b2 acc %d : !tok site "dot.0" : !buf, !buf -> !tok
    // expected-error @below {{releases a slot that a dot in flight reads; wait for the dot, or release `after` its token}}
    helion.release %u : !rd
    %v = helion.wait %e : !tok
    helion.release %w : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l5_in_turn(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %turn = helion.turn
    helion.warp_groups {
      helion.group "p" count 1 warps 1 elected {
        %s, %b = helion.acquire %ring : !ring
        helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
        helion.commit %s : !wr
      }
      helion.group "a" count 1 warps 1 {
        %u, %a = helion.take %ring : !ring
        %d = helion.ordered %turn -> !tok {
          %e = helion.dot_async %a, %a site "dot.0" : !buf, !buf -> !tok
          helion.yield %e : !tok
        }
        // expected-error @below {{releases a slot that a dot in flight reads; wait for the dot, or release `after` its token}}
        helion.release %u : !rd
        %v = helion.wait %d : !tok
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l6_writers(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    // expected-error @below {{is acquired in `a` and in `b`; one group does}}
    %ring = helion.ring "x.0" : !ring
    helion.warp_groups {
      helion.group "a" count 1 warps 1 elected {
        %s, %b = helion.acquire %ring : !ring
        helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
        helion.commit %s : !wr
      }
      helion.group "b" count 1 warps 1 elected {
        %s, %b = helion.acquire %ring : !ring
        helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
        helion.commit %s : !wr
      }
      helion.group "c" count 1 warps 1 {
        %u, %a = helion.take %ring : !ring
        %v = helion.read %a : !buf -> !R
        helion.release %u : !rd
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l6_readers(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    // expected-error @below {{is taken in `b` and in `c`; one group does}}
    %ring = helion.ring "x.0" : !ring
    helion.warp_groups {
      helion.group "a" count 1 warps 1 elected {
        %s, %b = helion.acquire %ring : !ring
        helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
        helion.commit %s : !wr
      }
      helion.group "b" count 1 warps 1 {
        %u, %a = helion.take %ring : !ring
        %v = helion.read %a : !buf -> !R
        helion.release %u : !rd
      }
      helion.group "c" count 1 warps 1 {
        %u, %a = helion.take %ring : !ring
        %v = helion.read %a : !buf -> !R
        helion.release %u : !rd
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l7(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %v = helion.read %a : !buf -> !R
    helion.release %u : !rd
    %one = arith.constant 1 : index
    // expected-error @below {{uses a ring; only `helion.acquire` and `helion.take` do}}
    %last = scf.for %k = %one to %n step %one iter_args(%w = %ring) -> (!ring) {
      scf.yield %w : !ring
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l8(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %v = helion.read %a : !buf -> !R
    helion.release %u : !rd
    // expected-error @below {{site `x.0` names two rings}}
    %ring2 = helion.ring "x.0" : !ring
    %s2, %b2 = helion.acquire %ring2 : !ring
    helion.commit %s2 : !wr
    %u2, %a2 = helion.take %ring2 : !ring
    helion.release %u2 : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l9(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    // expected-error @below {{overlays `q.0`, which is no ring before it}}
    %ring = helion.ring "x.0" overlay "q.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %v = helion.read %a : !buf -> !R
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l10(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    // expected-error @below {{is filled by a cluster, but the launch has none}}
    %ring = helion.ring "x.0" cluster : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %v = helion.read %a : !buf -> !R
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l11_never_emptied(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    // expected-error @below {{is never emptied}}
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l11_never_filled(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    // expected-error @below {{is never filled}}
    %ring = helion.ring "x.0" : !ring
    %u, %a = helion.take %ring : !ring
    %v = helion.read %a : !buf -> !R
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#g = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], group = [[8, 0]]>
#rg = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], group = [[8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!G = tensor<16x16xbf16, #g>
!RG = tensor<16x16xbf16, #rg>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!gring = !helion.ring<2 x (!G)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l12(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    // expected-error @below {{has a buffer of `2` parts for `1` instances of `b`}}
    %ring = helion.ring "x.0" : !gring
    helion.warp_groups {
      helion.group "a" count 1 warps 1 elected {
        %s, %b = helion.acquire %ring : !gring
        helion.commit %s : !wr
      }
      helion.group "b" count 1 warps 1 {
        %u, %a = helion.take %ring : !gring
        helion.release %u : !rd
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l13(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    // expected-error @below {{stays inside `b` of `2` instances, but a buffer has no part for each}}
    %ring = helion.ring "x.0" : !ring
    helion.warp_groups {
      helion.group "b" count 2 warps 1 {
        %v = helion.splat %c : bf16 -> !R
        %s, %b = helion.acquire %ring : !ring
        helion.write %v, %b : !R, !buf
        helion.commit %s : !wr
        %u, %a = helion.take %ring : !ring
        helion.release %u : !rd
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#g = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], group = [[8, 0]]>
#rg = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], group = [[8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!G = tensor<16x16xbf16, #g>
!RG = tensor<16x16xbf16, #rg>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!gring = !helion.ring<2 x (!G)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @l13_with_parts(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %ring = helion.ring "x.0" : !gring
    helion.warp_groups {
      helion.group "b" count 2 warps 1 {
        %v = helion.splat %c : bf16 -> !RG
        %s, %b = helion.acquire %ring : !gring
        helion.write %v, %b : !RG, !helion.buf<!G>
        helion.commit %s : !wr
        %u, %a = helion.take %ring : !gring
        helion.release %u : !rd
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l14_fills(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %v = helion.splat %c : bf16 -> !R
    %u, %a = helion.take %ring : !ring
    // expected-error @below {{fills a buffer that no `helion.acquire` gave}}
    helion.write %v, %a : !R, !buf
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l14_reads(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    // expected-error @below {{reads a buffer that no `helion.take` gave}}
    %w = helion.read %b : !buf -> !R
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %v = helion.read %a : !buf -> !R
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l15(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    helion.warp_groups {
      helion.group "a" count 1 warps 1 elected {
        %s, %b = helion.acquire %ring : !ring
        // expected-error @below {{copies a memref in an elected group, which has one lane for it}}
        helion.load_async %x[%i, %i] into %b site "x.0" : memref<?x?xbf16>, (!t, !t), !buf
        helion.commit %s : !wr
      }
      helion.group "c" count 1 warps 1 {
        %u, %a = helion.take %ring : !ring
        %v = helion.read %a : !buf -> !R
        helion.release %u : !rd
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l16(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) attributes {cluster = array<i64: 2, 1, 1>} {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    // expected-error @below {{copies to several CTAs, but ring `x.0` is no `cluster` one}}
    helion.load_async %m[%i, %i] into %b multicast site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %v = helion.read %a : !buf -> !R
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l17(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %ring = helion.ring "x.0" : !ring
    // expected-error @below {{computes a tile value beside the groups of its launch}}
    %v0 = helion.splat %c : bf16 -> !R
    helion.warp_groups {
      helion.group "a" count 1 warps 1 elected {
        %s, %b = helion.acquire %ring : !ring
        helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
        helion.commit %s : !wr
      }
      helion.group "c" count 1 warps 1 {
        %u, %a = helion.take %ring : !ring
        %v = helion.read %a : !buf -> !R
        helion.release %u : !rd
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#w = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]>
#v = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], group = [[8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!W = tensor<16x16xbf16, #w>
!V = tensor<16x16xbf16, #v>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l18_warps(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      helion.group "a" count 2 warps 1 {
        // expected-error @below {{layout spreads over `2` warps of `1`}}
        %v = helion.splat %c : bf16 -> !W
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#w = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]>
#v = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], group = [[8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!W = tensor<16x16xbf16, #w>
!V = tensor<16x16xbf16, #v>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l18_launch(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) attributes {warps = 1 : i64} {
    // expected-error @below {{layout spreads over `2` warps of `1`}}
    %v = helion.splat %c : bf16 -> !W
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#w = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]>
#v = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], group = [[8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!W = tensor<16x16xbf16, #w>
!V = tensor<16x16xbf16, #v>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l18_instances(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      helion.group "a" count 3 warps 1 {
        // expected-error @below {{layout spreads over `2` instances of `3`}}
        %v = helion.splat %c : bf16 -> !V
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#w = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]>
#v = #helion.layout<[16, 16], reg = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], group = [[8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!W = tensor<16x16xbf16, #w>
!V = tensor<16x16xbf16, #v>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l18_no_group(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    // expected-error @below {{layout spreads over `2` instances of `1`}}
    %v = helion.splat %c : bf16 -> !V
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_type(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    // expected-error @below {{type 'tensor<16x16xbf16>' has no `#helion.layout`, as form `laidout` has}}
    %v = helion.splat %c : bf16 -> tensor<16x16xbf16>
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_op(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %v = helion.splat %c : bf16 -> !R
    // expected-error @below {{`helion.rebound` does not belong to form `laidout`}}
    %w = helion.rebound %v : !R -> !R
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#o = #helion.layout<[16, 16], reg = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_mixed_layouts(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %c: bf16 {helion.name = "c"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %f = arith.constant 1.0 : f32
    %v = helion.splat %f : f32 -> !F
    %k = arith.constant 2 : i32
    %w = helion.splat %k : i32 -> tensor<16x16xi32, #o>
    // expected-error @below {{mixes layouts}}
    %z = math.fpowi %v, %w : !F, tensor<16x16xi32, #o>
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l2_one_branch(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %p: i1 {helion.name = "p"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %one = arith.constant 1 : index
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    // expected-error @below {{'scf.if' op ends a slot in some of its branches only}}
    scf.if %p {
      helion.release %u : !rd
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l2_in_loop(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %p: i1 {helion.name = "p"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %one = arith.constant 1 : index
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    // expected-error @below {{'scf.for' op ends a slot from outside of it each time; a loop has to carry what it ends}}
    scf.for %k = %one to %n step %one {
      helion.release %u : !rd
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l2_branch_and_after(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %p: i1 {helion.name = "p"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %one = arith.constant 1 : index
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    // expected-error @below {{slot has 2 uses; exactly one ends it or hands it on}}
    %u, %a = helion.take %ring : !ring
    scf.if %p {
      helion.release %u : !rd
    } else {
      helion.release %u : !rd
    }
    helion.release %u : !rd
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l3_one_branch(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %p: i1 {helion.name = "p"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %one = arith.constant 1 : index
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %d = helion.dot_async %a, %a site "dot.0" : !buf, !buf -> !tok
    helion.release %u after %d : !rd, !tok
    // expected-error @below {{'scf.if' op ends a token in some of its branches only}}
    scf.if %p {
      %v = helion.wait %d : !tok
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l4_after_branches(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %p: i1 {helion.name = "p"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %one = arith.constant 1 : index
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    scf.if %p {
      helion.release %u : !rd
    } else {
      %w = helion.read %a : !buf -> !R
      helion.release %u : !rd
    }
    // expected-error @below {{touches a buffer after the end of its slot}}
    %v = helion.read %a : !buf -> !R
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @negative_l5_in_branch(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %p: i1 {helion.name = "p"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %one = arith.constant 1 : index
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %d = helion.dot_async %a, %a site "dot.0" : !buf, !buf -> !tok
    scf.if %p {
      // expected-error @below {{releases a slot that a dot in flight reads; wait for the dot, or release `after` its token}}
      helion.release %u : !rd
      %v = helion.wait %d : !tok
    } else {
      %v = helion.wait %d : !tok
      helion.release %u : !rd
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[16, 16], !S>
!t = !helion.tile<16>
!rd = !helion.slot<read>
!wr = !helion.slot<write>
helion.kernel @branches_end_alike(%x: memref<?x?xbf16> {helion.name = "x"}, %n: index {helion.name = "n"}, %p: i1 {helion.name = "p"}) {
  %m = helion.tensor_map %x site "x.0" : memref<?x?xbf16> -> !map
  helion.launch "f" grid(%n) {
    %i = helion.make_tile %n : !t
    %one = arith.constant 1 : index
    %ring = helion.ring "x.0" : !ring
    %s, %b = helion.acquire %ring : !ring
    helion.load_async %m[%i, %i] into %b site "x.0" : !map, (!t, !t), !buf
    helion.commit %s : !wr
    %u, %a = helion.take %ring : !ring
    %d = helion.dot_async %a, %a site "dot.0" : !buf, !buf -> !tok
    scf.if %p {
      %v = helion.wait %d : !tok
      helion.release %u : !rd
    } else {
      helion.release %u after %d : !rd, !tok
      %v = helion.wait %d : !tok
    }
  }
  helion.return
}
