// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x + x in tiles of at most 2 lanes: a kernel with few configs.
module attributes {helion.form = "kernel"} {
  helion.kernel @few(%x: memref<?xf32, strided<[?], offset: ?>> {helion.name = "x"}) -> memref<?xf32> attributes {helion.facts = [], helion.parameters = ["x"], helion.signature = {x = "f32[1]"}} {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xf32, strided<[?], offset: ?>>
    %out = helion.empty(%n) {name = "out"} : memref<?xf32>
    helion.block @bi tile {max = 2 : i64}
    helion.launch "few" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
        %1 = helion.load %x[%i] site "x.0" : memref<?xf32, strided<[?], offset: ?>>, (!helion.tile<bi@i>) -> tensor<?xf32, #helion.dims<bi@i>>
        %2 = arith.addf %1, %1 : tensor<?xf32, #helion.dims<bi@i>>
        helion.store %2, %out[%i] site "out.0" : tensor<?xf32, #helion.dims<bi@i>>, memref<?xf32>, (!helion.tile<bi@i>)
      }
    }
    helion.return %out : memref<?xf32>
  }
}
