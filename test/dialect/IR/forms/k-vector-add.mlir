// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, vector_add: out = x + y, 1-D, one tile loop.
!arg = memref<?xf32, strided<[?], offset: ?>>
!v   = tensor<?xf32, #helion.dims<bi@i>>
module attributes {helion.form = "kernel"} {
  helion.kernel @vector_add(%x: !arg {helion.name = "x"}, %y: !arg {helion.name = "y"}) -> memref<?xf32>
      attributes {helion.signature = {x = "f32[1]", y = "f32[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : !arg
    %ny = memref.dim %y, %c0 : !arg
    %same = arith.cmpi eq, %n, %ny : index
    helion.assert %same, "x.size(0) == y.size(0)"
    %out = helion.empty(%n) {name = "out"} : memref<?xf32>
    helion.block @bi tile
    helion.launch "vector_add" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
        %a = helion.load %x[%i] site "x.0" : !arg, (!helion.tile<bi@i>) -> !v
        %b = helion.load %y[%i] site "y.0" : !arg, (!helion.tile<bi@i>) -> !v
        %s = arith.addf %a, %b : !v
        helion.store %s, %out[%i] site "out.0" : !v, memref<?xf32>, (!helion.tile<bi@i>)
      }
    }
    helion.return %out : memref<?xf32>
  }
}
