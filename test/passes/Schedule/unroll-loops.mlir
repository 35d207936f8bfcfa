// RUN: helion-opt --helion-unroll-loops="static_ranges=loop.k" %s | FileCheck %s --check-prefix=FULL
// RUN: helion-opt --helion-unroll-loops="range_unroll_factors=loop.k=2" %s | FileCheck %s --check-prefix=TWO
// Off case.
// RUN: helion-opt %s -o %t.off.mlir && helion-opt --helion-unroll-loops %t.off.mlir | diff %t.off.mlir -

// FULL-LABEL: helion.kernel @copy
// FULL-NOT: scf.for
// FULL-COUNT-5: helion.load
// TWO: scf.for
// TWO-COUNT-2: helion.load
// TWO: }
// TWO: helion.load
!arg = memref<?xf32, strided<[?], offset: ?>>
module attributes {helion.form = "scheduled"} {
  helion.kernel @copy(%x: !arg {helion.name = "x"}) -> memref<?xf32> attributes {helion.signature = {x = "f32[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c320 = arith.constant 320 : index
    %n = memref.dim %x, %c0 : !arg
    %out = helion.empty(%n) {name = "out"} : memref<?xf32>
    helion.launch "copy" grid(%c1) {
      scf.for %k = %c0 to %c320 step %c64 {
        %s = helion.make_tile %k end %n : !helion.tile<64>
        %v = helion.load %x[%s] site "x.0" : !arg, (!helion.tile<64>) -> tensor<64xf32>
        helion.store %v, %out[%s] site "out.0" : tensor<64xf32>, memref<?xf32>, (!helion.tile<64>)
      } {site = "loop.k"}
    }
    helion.return %out : memref<?xf32>
  }
}
