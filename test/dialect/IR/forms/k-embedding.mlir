// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, embedding: gather rows of a table. A tensor index contributes its own dims at its place.
!ids = memref<?xi64, strided<[?], offset: ?>>
!tab = memref<?x?xf16, strided<[?, ?], offset: ?>>
!iv  = tensor<?xi64, #helion.dims<bi@i>>
!v   = tensor<?x?xf16, #helion.dims<bi@i, be@e>>
module attributes {helion.form = "kernel"} {
  helion.kernel @embedding(%ids: !ids {helion.name = "ids"}, %w: !tab {helion.name = "w"}) -> memref<?x?xf16> attributes {helion.signature = {ids = "i64[1]", w = "f16[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %ids, %c0 : !ids
    %d = memref.dim %w, %c1 : !tab
    %out = helion.empty(%n, %d) {name = "out"} : memref<?x?xf16>
    helion.block @bi tile
    helion.block @be tile
    helion.launch "embedding" {
      helion.tile (%i: !helion.tile<bi@i>, %e: !helion.tile<be@e>) = (%c0, %c0) to (%n, %d) site "loop.ie" {
        %k = helion.load %ids[%i] site "ids.0" : !ids, (!helion.tile<bi@i>) -> !iv
        %v = helion.load %w[%k, %e] site "w.0" : !tab, (!iv, !helion.tile<be@e>) -> !v
        helion.store %v, %out[%i, %e] site "out.0" : !v, memref<?x?xf16>, (!helion.tile<bi@i>, !helion.tile<be@e>)
      }
    }
    helion.return %out : memref<?x?xf16>
  }
}
