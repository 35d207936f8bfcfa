// Programs of form L that cannot go on, and what the interpreter does not do.
// DEFINE: %{run} = helion-run --interpret %s --print --kernel
// RUN: not %{run} empty_ring 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: `helion.take` waits for a slot that nothing before it in the text fills
// RUN: not %{run} which 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: error: `helion.instance` asks which of `2` instances runs; the interpreter runs all as one
// RUN: %{run} unfilled | FileCheck %s --check-prefix=UNFILLED
// UNFILLED: out0: f32[4] = nan nan nan nan

#s = #helion.layout<[4], offset = [[1], [2]]>
#r = #helion.layout<[4], lane = [[1], [2]]>
!ring = !helion.ring<1 x (tensor<4xf32, #s>)>

helion.kernel @empty_ring() {
  %c1 = arith.constant 1 : index
  helion.launch "f" grid(%c1) {
    %r = helion.ring "x.0" : !ring
    %s, %b = helion.take %r : !ring
    helion.release %s : !helion.slot<read>
  }
  helion.return
}

helion.kernel @which() {
  %c1 = arith.constant 1 : index
  helion.launch "f" grid(%c1) {
    helion.warp_groups {
      helion.group "a" count 2 warps 1 {
        %i = helion.instance
      }
    }
  }
  helion.return
}

// A buffer that no copy filled holds NaN.
helion.kernel @unfilled() -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %out = helion.empty() {name = "out"} : memref<4xf32>
  helion.launch "f" grid(%c1) {
    %i = helion.make_tile %c0 : !helion.tile<4>
    %r = helion.ring "x.0" : !ring
    %w, %a = helion.acquire %r : !ring
    helion.commit %w : !helion.slot<write>
    %s, %b = helion.take %r : !ring
    %v = helion.read %b : !helion.buf<tensor<4xf32, #s>> -> tensor<4xf32, #r>
    helion.release %s : !helion.slot<read>
    %z = arith.addf %v, %v : tensor<4xf32, #r>
    helion.store %z, %out[%i] site "out.0" : tensor<4xf32, #r>, memref<4xf32>, (!helion.tile<4>)
  }
  helion.return %out : memref<4xf32>
}
