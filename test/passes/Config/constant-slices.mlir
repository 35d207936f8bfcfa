// A slice of constant extent has no block and asks nothing of the blocks of other slices.
// RUN: helion-opt --helion-print-config-space="target=nvidia:sm_90a" %s -o /dev/null | FileCheck %s
// CHECK: "rn"
// CHECK: slice.n

!in = memref<?x?x8xf32, strided<[?, ?, ?], offset: ?>>
!v  = tensor<?x?x8xf32, #helion.dims<bi@i, rn@n, 8>>
module attributes {helion.form = "kernel"} {
  helion.kernel @f(%x: !in {helion.name = "x"}) -> memref<?x?x8xf32> attributes {helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %m = memref.dim %x, %c0 : !in
    %n = memref.dim %x, %c1 : !in
    %out = helion.empty(%m, %n) {name = "out"} : memref<?x?x8xf32>
    helion.block @bi tile
    helion.block @rn slice
    helion.launch "f" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
        %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
        %e = helion.range %c0 to %c8 site "slice.8" : !helion.tile<8>
        %v = helion.load %x[%i, %s, %e] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<rn@n>, !helion.tile<8>) -> !v
        helion.store %v, %out[%i, %s, %e] site "out.0" : !v, memref<?x?x8xf32>, (!helion.tile<bi@i>, !helion.tile<rn@n>, !helion.tile<8>)
      }
    }
    helion.return %out : memref<?x?x8xf32>
  }
}
